import { expect, test } from "vitest";
import { readYamlConfig } from "#modules/orchestration/workflows/read-config.ts";

test("a text of YAML that no storage keeps is refused", () => {
  expect(() => readYamlConfig('name: "a\\0"\nstages: []')).toThrow(
    "creating workflow: strings must not contain U+0000",
  );
});
