import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { readEnvironment } from "#scripts/deploy/environment.ts";
import { readOptions } from "#scripts/deploy/options.ts";
import { inProject } from "#scripts/lib/project.ts";
import { inBlocks } from "#test/unit/scripts/markdown.ts";

const Pipeline = z.object({
  on: z.record(z.string(), z.unknown()),
  concurrency: z.string(),
  jobs: z.record(
    z.string(),
    z.object({
      steps: z.array(z.union([z.object({ run: z.string() }), z.object({ uses: z.string() })])),
    }),
  ),
});

const page = readFileSync(inProject("docs/deployment.md"), "utf8");

/** The arguments that the lines of a pipeline give to the command. */
const deployArguments = (pipeline: z.output<typeof Pipeline>): string[][] =>
  Object.values(pipeline.jobs)
    .flatMap(({ steps }) => steps)
    .flatMap((step) => ("run" in step ? [step.run] : []))
    .flatMap((run) => {
      const [, args] = /^npm run deploy -- (.*)$/.exec(run) ?? [];
      return args === undefined ? [] : [args.replaceAll("$PREVIEW", "preview-7").split(" ")];
    })
    .map((args) => args.map((argument) => argument.replaceAll('"', "")));

describe("the page about deployments", () => {
  test("its environment file is one", () => {
    const folder = mkdtempSync(join(tmpdir(), "florin-page-"));
    const [text = "", ...others] = inBlocks(page, "toml");
    expect(others).toEqual([]);
    writeFileSync(join(folder, "production.toml"), text);
    const environment = readEnvironment(join(folder, "production.toml"));
    rmSync(folder, { recursive: true });
    expect(environment).toMatchObject({ name: "florin", jurisdiction: "eu" });
  });

  test("its pipelines call the command as it is", () => {
    const pipelines = inBlocks(page, "yaml").map((text) => Pipeline.parse(parse(text)));
    const options = pipelines.flatMap(deployArguments).map((args) => readOptions(args));
    expect(options).toMatchObject([
      { env: "production", yes: true, destroy: false },
      { env: "preview-7", yes: true, destroy: false },
      { env: "preview-7", destroy: true, confirmed: "florin-preview-7" },
    ]);
  });
});
