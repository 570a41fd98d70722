import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { FLORIN_VERSION } from "#platform/upgrade/version.ts";
import { inProject } from "#scripts/lib/project.ts";

test("the version of the code is that of the package and of the last entry of the change log", () => {
  const { version } = JSON.parse(readFileSync(inProject("package.json"), "utf8")) as {
    version: string;
  };
  expect(version).toBe(FLORIN_VERSION);
  const [, logged] =
    /^## (\d+\.\d+\.\d+)/m.exec(readFileSync(inProject("CHANGELOG.md"), "utf8")) ?? [];
  expect(logged).toBe(FLORIN_VERSION);
});
