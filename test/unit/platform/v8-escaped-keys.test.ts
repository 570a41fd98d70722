import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseJson } from "#platform/json.ts";
import { runsOf } from "#test/support/runner/runs.ts";

const messageOf = (work: () => unknown): string => {
  try {
    work();
  } catch (error) {
    return String(error);
  }
  return "";
};

describe("names with escapes", () => {
  test("names with escapes are read as they are written, whatever names were read before", () => {
    const pairs = [
      ['"', "\\"],
      ["a\nb", "a\\n"],
      ["a\tb", "a\\t"],
      ["\u0001", "\\"],
    ] as const;
    for (const [name, misleading] of pairs) {
      for (const before of [{}, { x: 1 }, { y: { z: [] } }]) {
        JSON.parse(JSON.stringify({ ...before, [misleading]: 1 }));
        const wanted = { ...before, [name]: 1 };
        expect(parseJson(JSON.stringify(wanted))).toEqual(wanted);
        const large = 2n ** 60n;
        expect(parseJson(` [ ${JSON.stringify(wanted)} ,${large}]`)).toEqual([wanted, large]);
      }
    }
  });

  test("names with escapes that are the same name are one member, the last of them", () => {
    expect(parseJson('{"a\\u0062":1,"ab":2,"a\\u0062":3,"q\\n":1,"q\\u000a":2}')).toEqual({
      ab: 3,
      "q\n": 2,
    });
    expect(Object.entries(parseJson('{"\\u005f_proto__":1,"__proto__\\n":2}') as object)).toEqual([
      ["__proto__", 1],
      ["__proto__\n", 2],
    ]);
  });

  test("names with escapes are distinguished from strings, and from names that contain their stand-ins", () => {
    const value = {
      "\uE0000": "\\",
      "\uE000\uE0000": '":',
      "\n": ['"', { "\\": '\\"' }],
      list: ["a\\n", ":"],
    };
    expect(parseJson(JSON.stringify(value, undefined, " "))).toEqual(value);
  });

  test.each(['{"a\\x":1}', '{"a\\n":1', '{"a\\n"}', '{"a\\n":1,"b', '"a\\n"x', "\\", '{"a\\'])(
    "names with escapes in %s are refused with what is wrong, and where",
    (text) => {
      const message = messageOf(() => JSON.parse(text));
      expect(message).toMatch(/^SyntaxError: /);
      expect(messageOf(() => parseJson(text))).toBe(message);
    },
  );

  test("names with escapes must not contain what no string may contain", () => {
    expect(messageOf(() => parseJson('{"a\\u0000":1}'))).toContain("U+0000");
    expect(messageOf(() => parseJson('{"a\\ud800":1}'))).toContain("lone surrogates");
  });

  test("names with escapes of any texts are read as they were written", () => {
    const part = fc.constantFrom('"', "\\", "\n", "\t", "n", "u0061", "a", ":", "\uE000", "é", "𝄞");
    const name = fc.array(part, { maxLength: 4 }).map((parts) => parts.join(""));
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof({ maxDepth: 3 }, fc.integer(), name, tie("list"), tie("object")),
      list: fc.array(tie("value"), { maxLength: 3 }),
      object: fc.dictionary(name, tie("value"), { maxKeys: 4 }),
    }));
    const property = fc.property(value, fc.constantFrom("", " "), (item, space) => {
      expect(parseJson(JSON.stringify(item, undefined, space))).toEqual(item);
    });
    fc.assert(property, { numRuns: runsOf(1000) });
  });

  test("names with escapes of a large text take time in proportion to its length", () => {
    const texts = [
      JSON.stringify({ "\n": "\n".repeat(1_000_000), long: "x".repeat(5_000_000) }),
      `["${'\\"'.repeat(1_000_000)}"]`,
      `{"a\\n"${" ".repeat(1_000_000)}:"${"\\\\".repeat(1_000_000)}"}`,
    ];
    for (const text of texts) expect(parseJson(text)).toBeTypeOf("object");
  });
});
