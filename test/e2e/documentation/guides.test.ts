import { execFile } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { inProject, ROOT } from "#scripts/lib/project.ts";
import { GUIDES, outputOf, programOf } from "#test/support/guides/pages.ts";
import { sharedFolder } from "#test/support/runner/shared-server.ts";

/** The TypeScript of a guide, in the project's folder, where its packages are found. */
const fileOf = (guide: string): string => inProject(`guide-${process.pid}-${guide}.ts`);

/** What each guide has printed. All of them run in one process, because loading the SDK takes longer than a guide. */
let outputs: Readonly<Record<string, string>>;

beforeAll(async () => {
  for (const guide of GUIDES) {
    writeFileSync(fileOf(guide), programOf(guide, "ts"));
  }
  const programs = GUIDES.map((guide) => [guide, pathToFileURL(fileOf(guide)).href]);
  const runner = `for (const [guide, program] of ${JSON.stringify(programs)}) {
    console.log("== " + guide);
    await import(program);
  }`;
  const env = { ...process.env, SERVER_FILE: join(sharedFolder(), "server.json") };
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["--input-type=module", "--eval", runner],
    { cwd: ROOT, env },
  );
  outputs = Object.fromEntries(
    stdout
      .split(/^== /m)
      .slice(1)
      .map((part) => [part.split("\n", 1)[0] ?? "", part.slice(part.indexOf("\n") + 1)]),
  );
});

afterAll(() => {
  for (const guide of GUIDES) rmSync(fileOf(guide), { force: true });
});

test.each(GUIDES)("the TypeScript of the guide %s prints what the guide says", (guide) => {
  expect(outputs[guide]).toBe(outputOf(guide));
});
