import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { freshFolder, LocalServer } from "../support/server.ts";

const GOLDEN = resolve(import.meta.dirname, "../golden");

interface Difference {
  readonly reason: string;
  /** By scenario. */
  readonly steps: Readonly<Record<string, readonly number[]>>;
}

interface Summary {
  readonly stepsPassed: number;
  readonly results: readonly {
    readonly name: string;
    readonly failures: readonly {
      readonly step: number;
      readonly differences: readonly string[];
    }[];
  }[];
}

/** Steps as `scenario 7`. */
function knownDifferences(): string[] {
  const differences = JSON.parse(
    readFileSync(resolve(GOLDEN, "differences.json"), "utf8"),
  ) as Difference[];
  return differences
    .flatMap(({ steps }) => Object.entries(steps))
    .flatMap(([scenario, numbers]) => numbers.map((step) => `${scenario} ${step}`))
    .toSorted();
}

async function replay(server: LocalServer): Promise<Summary> {
  const target = ["--base", `${server.url}/api/ledger`, "--token", await server.token()];
  const skipped = ["--skip", "strict,no-features,no-exporters"];
  const args = [resolve(GOLDEN, "replay.mjs"), ...target, ...skipped, "--json"];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  const [output] = await Promise.all([text(child.stdout), once(child, "exit")]);
  return JSON.parse(output) as Summary;
}

test("answers as the reference server did, but for the listed differences", async () => {
  const server = await LocalServer.start(freshFolder(), {
    FLORIN_MAX_PAGE_SIZE: "100",
    FLORIN_BULK_MAX_SIZE: "100",
  });
  try {
    const { results, stepsPassed } = await replay(server);
    const failed = results.flatMap(({ name, failures }) =>
      failures.map(({ step }) => `${name} ${step}`),
    );
    expect(failed.toSorted()).toEqual(knownDifferences());
    expect(stepsPassed).toBeGreaterThan(1000);
  } finally {
    await server.stop();
  }
});
