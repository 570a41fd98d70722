import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { askWrangler, readWorkerConfig } from "#scripts/lib/runtime/worker-config.ts";

const folder = mkdtempSync(join(tmpdir(), "florin-config-"));
afterAll(() => rmSync(folder, { recursive: true }));

test("all of wrangler's answer is kept", async () => {
  const file = join(folder, "new/config.json");
  const answer = await askWrangler();
  expect(await readWorkerConfig(file)).toEqual(answer);
  writeFileSync(file, readFileSync(file, "utf8").replace("florin-events", "marked"));
  const kept = await readWorkerConfig(file);
  expect(JSON.stringify(kept)).toContain('"marked"');
  expect(kept).toEqual(JSON.parse(JSON.stringify(answer).replace("florin-events", "marked")));
});

test.each([
  ["of other sources", (text: string) => text.replace(/"sources":"\w+"/, '"sources":"other"')],
  ["that was cut off", (text: string) => text.slice(0, -1)],
])("an answer %s is replaced", async (_, change) => {
  const file = join(folder, "changed.json");
  const answer = await readWorkerConfig(file);
  const written = readFileSync(file, "utf8");
  writeFileSync(file, change(written));
  expect(await readWorkerConfig(file)).toEqual(answer);
  expect(readFileSync(file, "utf8")).toBe(written);
});
