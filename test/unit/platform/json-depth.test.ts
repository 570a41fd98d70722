import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { assertShallow, JSON_DEPTH_MAX, JsonDepthError } from "#platform/json-depth.ts";
import { parseJson } from "#platform/json.ts";

const lists = (depth: number): string => "[".repeat(depth) + "]".repeat(depth);
const objects = (depth: number): string => `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;
const mixed = (depth: number): string => `${'[{"a":'.repeat(depth / 2)}1${"}]".repeat(depth / 2)}`;

const isShallow = (text: string): boolean => {
  try {
    assertShallow(text);
    return true;
  } catch (error) {
    if (error instanceof JsonDepthError) return false;
    throw error;
  }
};

describe("a text is nested too deep", () => {
  test.each([lists, objects, mixed])(
    "a text is nested too deep if it is at least one level above the limit: %o",
    (nested) => {
      expect(isShallow(nested(JSON_DEPTH_MAX))).toBe(true);
      expect(isShallow(nested(JSON_DEPTH_MAX + 2))).toBe(false);
    },
  );

  test("the depth of a text is counted exactly", () => {
    expect(isShallow(lists(JSON_DEPTH_MAX))).toBe(true);
    expect(isShallow(lists(JSON_DEPTH_MAX + 1))).toBe(false);
  });

  test("a text is nested too deep wherever the deepest value is, and never because of siblings", () => {
    const [shallow, deep] = [lists(JSON_DEPTH_MAX - 1), lists(JSON_DEPTH_MAX)];
    expect(isShallow(`[${shallow},${shallow},${shallow}]`)).toBe(true);
    expect(isShallow(`[${shallow},${deep},${shallow}]`)).toBe(false);
    expect(isShallow(`[${"{},".repeat(10 * JSON_DEPTH_MAX)}1]`)).toBe(true);
  });

  test("a text is not nested too deep because of brackets in strings, whatever is escaped there", () => {
    const inString = fc
      .array(fc.constantFrom("[", "{", "\\", '"', "]", "x"), { minLength: 3 * JSON_DEPTH_MAX })
      .map((units) => JSON.stringify(units.join("")));
    const property = fc.property(inString, (text) => {
      expect(isShallow(`[${text},{${text}:${text}}]`)).toBe(true);
      expect(isShallow(`[${text},${lists(JSON_DEPTH_MAX)}]`)).toBe(false);
    });
    fc.assert(property);
  });

  test("a text is nested too deep even if it is not JSON, without a deep stack", () => {
    expect(isShallow("[".repeat(4_000_000))).toBe(false);
    expect(isShallow(`"${"[".repeat(1000)}`)).toBe(true);
    expect(isShallow("]".repeat(1000) + "[".repeat(1000))).toBe(true);
  });
});

test("JSON that is nested too deep is not parsed", () => {
  expect(parseJson(lists(JSON_DEPTH_MAX))).toBeInstanceOf(Array);
  expect(() => parseJson(lists(JSON_DEPTH_MAX + 1))).toThrow(JsonDepthError);
  expect(() => parseJson(lists(JSON_DEPTH_MAX + 1))).toThrow(SyntaxError);
});
