import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test } from "vitest";
import { freshFolder, LocalServer, type ServerClient } from "#test/support/platform/server.ts";
import { sharedServer } from "#test/support/runner/shared-server.ts";

const GOLDEN = resolve(import.meta.dirname, "../../golden");

interface Difference {
  readonly reason: string;
  /** The numbers of the steps that differ, by scenario. */
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

/** The steps whose answers are known to differ, as `scenario 7`. */
function knownDifferences(): string[] {
  const differences = JSON.parse(
    readFileSync(resolve(GOLDEN, "differences.json"), "utf8"),
  ) as Difference[];
  return differences
    .flatMap(({ steps }) => Object.entries(steps))
    .flatMap(([scenario, numbers]) => numbers.map((step) => `${scenario} ${step}`))
    .toSorted();
}

/** Replays the scenarios for a server in a mode of schema enforcement. */
async function replay(server: ServerClient, mode: "audit" | "strict"): Promise<Summary> {
  const target = ["--base", `${server.url}/api/ledger`, "--token", await server.token()];
  const otherMode = mode === "audit" ? "strict" : "audit";
  const skipped = ["--skip", `${otherMode},no-features,no-exporters`];
  // Scenarios that do not depend on the mode are replayed in the standard mode only.
  const files = mode === "audit" ? [] : ["--files", resolve(GOLDEN, "ledger/11-schemas.json")];
  const args = [resolve(GOLDEN, "replay.mjs"), ...target, ...skipped, ...files, "--json"];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  const [output] = await Promise.all([text(child.stdout), once(child, "exit")]);
  return JSON.parse(output) as Summary;
}

let server: LocalServer;
beforeAll(async () => {
  server = await LocalServer.start(freshFolder(), {
    FLORIN_MAX_PAGE_SIZE: "100",
    FLORIN_BULK_MAX_SIZE: "100",
    FLORIN_SCHEMA_ENFORCEMENT_MODE: "audit",
  });
});
afterAll(() => server.stop());

async function failuresOf(
  at: ServerClient,
  mode: "audit" | "strict",
): Promise<{ passed: number; failed: string[] }> {
  const { results, stepsPassed } = await replay(at, mode);
  const failed = results.flatMap(({ name, failures }) =>
    failures.map(({ step }) => `${name} ${step}`),
  );
  return { passed: stepsPassed, failed };
}

test("the server answers as the reference server did, except for the listed differences", async () => {
  const audit = await failuresOf(server, "audit");
  // The shared server is in strict mode.
  const strict = await failuresOf(sharedServer(), "strict");
  const failed = new Set([...audit.failed, ...strict.failed]);
  expect([...failed].toSorted()).toEqual(knownDifferences());
  expect(audit.passed).toBeGreaterThan(1000);
  expect(strict.passed).toBeGreaterThan(100);
});
