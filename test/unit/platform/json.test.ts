import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { parseJson, quoteJson, stringifyJson } from "#platform/json.ts";
import { runsOf } from "#test/support/runner/runs.ts";

describe("reading", () => {
  test.each([
    ["0", 0],
    ["-1", -1],
    ["9007199254740991", 9007199254740991],
    ["9007199254740992", 9007199254740992n],
    ["9007199254740993", 9007199254740993n],
    ["-9007199254740993", -9007199254740993n],
    [`1${"0".repeat(40)}`, 10n ** 40n],
  ])("reading JSON keeps the integer %s exact", (text, value) => {
    expect(parseJson(text)).toBe(value);
    expect(parseJson(`{"a":[${text}]}`)).toEqual({ a: [value] });
  });

  test("reading JSON keeps integers of every length exact", () => {
    const long = fc.bigInt({ min: 8n * 10n ** 15n, max: 10n ** 17n });
    const near = fc.bigInt({ min: 2n ** 53n - 20n, max: 2n ** 53n + 20n });
    const integer = fc
      .tuple(fc.oneof(fc.bigInt(), long, near), fc.boolean())
      .map(([value, isNegative]) => (isNegative ? -value : value));
    const property = fc.property(fc.array(integer, { minLength: 1, maxLength: 4 }), (integers) => {
      const values = integers.map((it) => (Number.isSafeInteger(Number(it)) ? Number(it) : it));
      expect(parseJson(`[${integers.join(",")}]`)).toEqual(values);
    });
    fc.assert(property, { numRuns: runsOf(2000) });
  });

  test.each(["1.0", "1.5", "-0.0", "1e3", "1E3", "1e-3", "10000000000000000.0", "1e400"])(
    "reading JSON does not read %s as an integer, and writes it unchanged",
    (text) => {
      const value = parseJson(text);
      expect(z.int().safeParse(value).success).toBe(false);
      expect(z.bigint().safeParse(value).success).toBe(false);
      expect(stringifyJson({ value })).toBe(`{"value":${text}}`);
    },
  );

  test("reading JSON distinguishes a decimal from an integer anywhere and in any context", () => {
    const decimal = fc.constantFrom("1.0", "0.5", "-1e3", "1E-3", `1.${"0".repeat(60)}`, "7e+2");
    const space = fc.constantFrom("", " ", "\n", " \t\r\n ");
    const other = fc.constantFrom('"2026-03-01T10:00:15.720179Z"', '"1.5,"', '"9e]"', "12", "{}");
    const list = fc.tuple(fc.array(other), decimal, fc.array(other), space);
    const property = fc.property(list, fc.boolean(), ([before, text, after, gap], isMember) => {
      const items = [...before, text, ...after].map((item) => `${gap}${item}${gap}`);
      const names = items.map((_, index) => `"${index}":`);
      const members = items.map((item, index) => `${isMember ? names[index] : ""}${item}`);
      const json = isMember ? `{${members.join(",")}}` : `[${members.join(",")}]`;
      const found = Object.values(parseJson(json) as object)[before.length] as unknown;
      expect(typeof found).toBe("symbol");
    });
    fc.assert(property);
    expect(typeof parseJson(" 1.5 \n")).toBe("symbol");
  });

  test("reading JSON takes time in proportion to the length of a text, however many numbers it seems to have", () => {
    for (const part of ["1.", "1e", "1. ", "1.1.1.1.1.1.1.1.1.1.1.1.1.1.1. "]) {
      const text = `["${part.repeat(2_000_000 / part.length)}"]`;
      expect(parseJson(text)).toHaveLength(1);
    }
  });

  test.each([
    "",
    "{",
    "[1,]",
    "01",
    "+1",
    "1.",
    ".5",
    "NaN",
    "'a'",
    "{} {}",
    '{"a":1}x',
    '"\u0001"',
  ])("reading JSON refuses %j", (text) => {
    expect(() => parseJson(text)).toThrow(SyntaxError);
  });

  test.each([
    String.raw`"\u0000"`,
    String.raw`{"\u0000":"x"}`,
    String.raw`{"\u0000":1}`,
    String.raw`{"\ud83d":1}`,
    String.raw`{"a":["x\u0000"]}`,
    String.raw`"\ud800"`,
    String.raw`"\uDFFF"`,
    String.raw`{"\ud83d":["x"]}`,
    String.raw`"\ude00\ud83d"`,
  ])("reading JSON refuses what no text may contain: %s", (text) => {
    expect(() => parseJson(text)).toThrow(/strings must not contain/);
  });

  test("reading JSON accepts escapes that stand for whole characters", () => {
    expect(parseJson(String.raw`"\ud83d\ude00 \u00e9 \\u0000 \u0001"`)).toBe("😀 é \\u0000 \u0001");
  });

  test("reading JSON keeps __proto__ a member of its own, with and without long integers", () => {
    for (const text of ['{"__proto__":"p","a":1}', '{"__proto__":"p","a":12345678901234567890}']) {
      const value = parseJson(text);
      expect(Object.keys(value as object)).toEqual(["__proto__", "a"]);
      expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
      expect(stringifyJson(value)).toBe(text);
    }
  });
});

describe("writing", () => {
  test("writing JSON gives integers of any size, or texts where a client asks for them", () => {
    const value = { id: 7, amounts: [10n ** 30n, -1n], nested: { balance: 0n } };
    expect(stringifyJson(value)).toBe(
      `{"id":7,"amounts":[1${"0".repeat(30)},-1],"nested":{"balance":0}}`,
    );
    expect(stringifyJson(value, { bigintAsString: true })).toBe(
      `{"id":7,"amounts":["1${"0".repeat(30)}","-1"],"nested":{"balance":"0"}}`,
    );
    expect(stringifyJson(value, { bigintAsString: false })).toBe(stringifyJson(value));
  });

  test("writing JSON quotes texts", () => {
    expect(quoteJson('a"\\\n😀')).toBe(String.raw`"a\"\\\n😀"`);
  });
});

test("any written JSON reads back the same", () => {
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: "small" },
      fc.constant(null),
      fc.boolean(),
      fc.maxSafeInteger(),
      fc.bigInt().filter((it) => it > 2n ** 53n || it < -(2n ** 53n)),
      fc.string({ unit: "grapheme" }),
      fc.array(tie("value")),
      fc.dictionary(fc.string({ unit: "grapheme" }), tie("value")),
    ),
  }));
  fc.assert(
    fc.property(value, (value) => {
      expect(parseJson(stringifyJson(value))).toEqual(value);
    }),
  );
});
