import { describe, expect, test } from "vitest";
import { offsetsOf } from "#console/parts/editor/positions.ts";
import { numberSignsOf, toUnits } from "#console/parts/money/parse-amount.ts";
import { linkTo, readLink } from "#console/places/numscript/link.ts";
import { failuresOf, problemsOf } from "#console/places/numscript/problems.ts";
import { nextVersion } from "#console/places/numscript/templates/next-version.ts";
import { allToTyped, allToWire, toWire } from "#console/places/numscript/variables/values.ts";

const EN = numberSignsOf("en-US");
const DE = numberSignsOf("de-DE");
const FR = numberSignsOf("fr-FR");

describe("the value of a variable", () => {
  test.each([
    ["12.34", 2, 1234n],
    ["12", 2, 1200n],
    ["12.", 2, 1200n],
    ["−0.5", 2, -50n],
    ["100000000000000000001", 2, 10_000_000_000_000_000_000_100n],
    ["12.345", 2, undefined],
    ["1,234.00", 2, undefined],
    ["1,234", 3, undefined],
    ["1e3", 2, undefined],
    ["", 2, undefined],
  ])("%s with %i decimals is %s", (text, scale, units) => {
    expect(toUnits(text, scale, EN)).toBe(units);
  });

  test("an amount has the decimal sign of the locale, and never a separator of thousands", () => {
    expect(toUnits("1,5", 2, DE)).toBe(150n);
    expect(toUnits("1.500", 3, DE)).toBeUndefined();
    expect(toUnits("1,5", 2, FR)).toBe(150n);
    expect(toUnits("1.5", 2, FR)).toBe(150n);
  });

  test.each([
    ["account", "users:42:main", "users:42:main"],
    ["account", "users::main", undefined],
    ["asset", "EUR/2", "EUR/2"],
    ["asset", "euro", undefined],
    ["number", "-3", "-3"],
    ["number", "3.5", undefined],
    ["portion", "1 / 3", "1/3"],
    ["portion", "2.5 %", "2.5%"],
    ["portion", "2.5", undefined],
    ["monetary", "EUR/2 49.90", "EUR/2 4990"],
    ["monetary", " 49.90", undefined],
    ["string", "", ""],
  ])("a %s of %o goes to the API as %o", (type, typed, wire) => {
    expect(toWire(type, typed, EN)).toBe(wire);
  });

  test("values are typed as the API takes them, and go back the same", () => {
    const values = { price: "EUR/2 4990", debt: "JPY -5", fee: "2.5%", to: "users:1" };
    const variables = [
      { name: "price", type: "monetary" },
      { name: "debt", type: "monetary" },
      { name: "fee", type: "portion" },
      { name: "to", type: "account" },
    ];
    for (const signs of [EN, DE, FR])
      expect(allToWire(variables, allToTyped(values, signs), signs)).toEqual(values);
    expect(allToWire([...variables, { name: "no", type: "asset" }], values, EN)).toBeUndefined();
  });
});

describe("a link to a script", () => {
  const shared = { ledger: "main", script: "send [EUR/2 1] (\n)", values: { a: "users:1" } };

  test("a link gives back the script and its values", () => {
    const link = new URL(linkTo(shared, "https://bank.test") ?? "");
    expect(link.pathname).toBe("/console/numscript");
    const { ledger, script, vars } = Object.fromEntries(link.searchParams);
    expect(ledger).toBe("main");
    expect(readLink(script, vars)).toEqual({ script: shared.script, values: shared.values });
  });

  test("a script that is too long has no link, and values that cannot be read are left out", () => {
    expect(linkTo({ ...shared, script: "x".repeat(10_000) }, "https://bank.test")).toBeUndefined();
    expect(readLink("x", "{")).toEqual({ script: "x", values: {} });
    expect(readLink("x", '{"a":1,"b":"2"}')).toEqual({ script: "x", values: { b: "2" } });
    expect(readLink(undefined, "{}")).toBeUndefined();
  });
});

describe("problems of a script", () => {
  const script = "send [EUR/2 5] (\n  source = @a\n  destination = @b\n)";

  test("a range of lines and characters is a range of offsets, within the text", () => {
    const range = { start: { line: 1, character: 11 }, end: { line: 1, character: 13 } };
    const { from, to } = offsetsOf(script, range);
    expect(script.slice(from, to)).toBe("@a");
    const beyond = { start: { line: 9, character: 0 }, end: { line: 9, character: 1 } };
    expect(offsetsOf(script, beyond)).toEqual({ from: script.length, to: script.length });
  });

  test("the places of a run that failed are read from its details", () => {
    const error = {
      message: "[INSUFFICIENT_FUND] @a has too little\n2 |   source = @a\n  |            ^^",
      details: "2:12-2:14 missing-funds",
    };
    const [failure, ...others] = failuresOf(script, error, { "missing-funds": "Give it some." });
    expect(others).toEqual([]);
    expect(script.slice(failure?.from, failure?.to)).toBe("@a");
    expect(failure).toMatchObject({ line: 2, message: "@a has too little. Give it some." });
    expect(failuresOf(script, { message: "no", details: undefined }, {})).toEqual([]);
  });

  test("a problem of the check is a sentence with its line", () => {
    const range = { start: { line: 0, character: 0 }, end: { line: 0, character: 4 } };
    const found = { code: "x", severity: "error", message: "expected a word", range } as const;
    expect(problemsOf(script, { diagnostics: [found] }, {})).toEqual([
      { from: 0, to: 4, line: 1, code: "x", severity: "error", message: "Expected a word." },
    ]);
  });
});

test.each([
  ["v9", "v10"],
  ["2.1", "2.2"],
  ["initial", "initial-2"],
])("after the version %s comes %s", (version, next) => {
  expect(nextVersion(version)).toBe(next);
});
