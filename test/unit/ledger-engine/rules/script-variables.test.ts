import { describe, expect, test } from "vitest";
import { toVariableTexts } from "#ledger-engine/rules/script-variables.ts";
import { parseJson } from "#platform/json.ts";
import { refusalOf } from "#test/support/ledger-engine/fixtures.ts";

const textsOf = (json: string): Readonly<Record<string, string>> =>
  toVariableTexts(parseJson(json) as Record<string, unknown>); // the texts of the tests are objects

describe("variables of a script as texts", () => {
  test.each([
    ['"users:1"', "users:1"],
    ['""', ""],
    ["12", "12"],
    ["1000000", "1000000"],
    ["9007199254740993", "9007199254740993"],
    ["-7", "-7"],
    ["1.5", "1.5"],
    ["1e3", "1e3"],
    ["true", "true"],
    ["null", "<nil>"],
    ['["a",1,[null]]', "[a 1 [<nil>]]"],
    ['[{"b":1,"a":"x"}]', "[map[a:x b:1]]"],
    ['{"asset":"USD/2","amount":"100"}', "USD/2 100"],
    ['{"asset":"USD/2","amount":100}', "USD/2 100"],
    ['{"asset":"USD/2","amount":9007199254740993}', "USD/2 9007199254740993"],
    ['{"asset":"USD/2","amount":12.7}', "USD/2 12.7"],
    ['{"amount":12}', "<nil> 12"],
  ])("the variable %s of a script becomes a text", (value, text) => {
    expect(textsOf(`{"v":${value}}`)).toStrictEqual({ v: text });
  });

  test.each(['{"asset":"USD/2"}', '{"asset":"USD/2","amount":null}', "{}"])(
    "%s is no variable of a script",
    (value) => {
      expect(textsOf(`{"v":${value},"w":"x"}`)).toStrictEqual({ w: "x" });
    },
  );

  test("variables of a script as texts keep any name", () => {
    expect(Object.entries(textsOf('{"__proto__":"a","constructor":"b"}'))).toEqual([
      ["__proto__", "a"],
      ["constructor", "b"],
    ]);
  });

  test("variables of a script as texts refuse what is nested too deep", () => {
    const nested = `${"[".repeat(190)}${"]".repeat(190)}`;
    expect(refusalOf(() => textsOf(`{"v":${nested}}`))).toBe("VALIDATION");
  });
});
