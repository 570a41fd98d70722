import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { PATTERN_STATES_MAX } from "#ledger-engine/rules/schemas/limits.ts";
import { Pattern } from "#ledger-engine/rules/schemas/pattern.ts";
import { PATTERN_DEPTH_MAX, PATTERN_LENGTH_MAX } from "#platform/patterns/pattern-syntax.ts";
import { PatternError } from "#platform/patterns/pattern-tree.ts";
import { runsOf } from "#test/support/runner/runs.ts";

/**
 * The verdict of Go's `regexp`, which the reference server uses, about a pattern, with texts that match and texts that do not.
 */
interface RecordedPattern {
  readonly pattern: string;
  readonly error?: string;
  readonly matches?: readonly string[];
  readonly misses?: readonly string[];
}

const RECORDED = readFileSync(
  resolve(import.meta.dirname, "../../../../fixtures/patterns.jsonl"),
  "utf8",
)
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as RecordedPattern); // `line` is a line of a file in this repository

const isMatch = (source: string, text: string): boolean =>
  new Pattern(source).matches(text, { visits: 0 });

function errorOf(source: string): string | undefined {
  try {
    isMatch(source, "");
    return undefined;
  } catch (error) {
    if (error instanceof PatternError) return error.message;
    throw error;
  }
}

/** Characters of which many have a meaning in patterns. */
const SYNTAX = Array.from("()[]{}*+?|\\^$-,:<>=!PpQEbxiu0129a");

describe("a pattern", () => {
  test("a pattern matches what Go's regexp matches", () => {
    const differing = RECORDED.filter(
      ({ pattern, matches = [], misses = [] }) =>
        matches.some((text) => !isMatch(pattern, text)) ||
        misses.some((text) => isMatch(pattern, text)),
    );
    expect(differing).toEqual([]);
    expect(RECORDED.filter(({ error }) => error === undefined).length).toBeGreaterThan(400);
  });

  test("a pattern is refused where Go's regexp refuses it, in the same words", () => {
    const differing = RECORDED.filter(({ pattern, error }) => errorOf(pattern) !== error);
    expect(differing).toEqual([]);
    expect(RECORDED.filter(({ error }) => error !== undefined).length).toBeGreaterThan(100);
  });

  test("a pattern is found anywhere in a segment unless it says otherwise", () => {
    expect(isMatch("[0-9]", "user-7x")).toBe(true);
    expect(isMatch("^[0-9]", "user-7x")).toBe(false);
    expect(isMatch("", "anything")).toBe(true);
  });

  test("a pattern ignores the case of letters under (?i), even beyond ASCII", () => {
    for (const [letter, other] of [
      ["a", "A"],
      ["ſ", "s"],
      ["ſ", "S"],
      ["\u212a", "k"],
      ["[\u2129-\u212b]", "K"],
    ] as const) {
      expect(isMatch(`(?i)${letter}`, other)).toBe(true);
      expect(isMatch(letter, other)).toBe(false);
      expect(isMatch(`(?i:x)${letter}`, `x${other}`)).toBe(false);
    }
  });

  test("a pattern knows categories and scripts by name, and no other property that the platform knows", () => {
    for (const name of ["L", "Lu", "Nd", "Latin", "Any"]) {
      expect(errorOf(`\\p{${name}}`)).toBeUndefined();
    }
    for (const name of ["Emoji", "Alphabetic", "Script=Latin", "__proto__", ""]) {
      expect(errorOf(`\\p{${name}}`)).toMatch(/^error parsing regexp: invalid character class/);
    }
  });

  test("a pattern knows no other named classes than its own", () => {
    expect(errorOf("[[:constructor:]]")).toContain("invalid character class range");
    expect(errorOf("\\constructor")).toContain("invalid escape sequence");
  });

  test("a pattern agrees with the platform on patterns that mean the same to both", () => {
    const atom = fc.constantFrom("a", "b", "-", ".", "[ab]", "[^a]", "\\d", "\\w", "\\b", "^", "$");
    const operator = fc.constantFrom("", "", "*", "+", "?", "{2}", "{1,3}");
    const { pattern } = fc.letrec<{ pattern: string }>((tie) => ({
      pattern: fc.oneof(
        { maxDepth: 4, withCrossShrink: true },
        atom,
        fc.tuple(tie("pattern"), tie("pattern")).map(([a, b]) => `${a}${b}`),
        fc.tuple(tie("pattern"), tie("pattern")).map(([a, b]) => `(${a}|${b})`),
        fc.tuple(tie("pattern"), operator).map(([a, op]) => `(?:${a})${op}`),
      ),
    }));
    const text = fc.string({ unit: fc.constantFrom("a", "b", "-", "_", "0"), maxLength: 8 });
    fc.assert(
      fc.property(pattern, text, (source, segment) => {
        expect(isMatch(source, segment)).toBe(new RegExp(source).test(segment));
      }),
      { numRuns: runsOf(500) },
    );
  });

  test("a pattern of any text is compiled or refused", () => {
    const text = fc.oneof(
      fc.string({ unit: "binary" }).filter((it) => it.isWellFormed()),
      fc.string({ unit: fc.constantFrom(...SYNTAX) }),
    );
    fc.assert(
      fc.property(text, (source) => {
        expect([undefined, "error parsing regexp"]).toContain(errorOf(source)?.split(":")[0]);
      }),
      { numRuns: runsOf(500) },
    );
  });
});

describe("the work of a match", () => {
  const LONG = "a".repeat(256);

  test.each(["(a+)+$", "(a|aa)+$", "^(a|a)*$", "(.*)*(.*)*-$", "^(([a-z])+.)+[A-Z]([a-z])+$"])(
    "the work of a match is proportional to the length of the text for %s, where other engines backtrack forever",
    (source) => {
      const pattern = new Pattern(source);
      const meter = { visits: 0 };
      expect(pattern.matches(`${LONG.slice(1)}_`, meter)).toBe(false);
      expect(meter.visits).toBeLessThanOrEqual(257 * pattern.size);
    },
  );

  test("the work of a match visits each state once for each character at most, whatever the pattern", () => {
    const sources = [
      `(?:a?){256}(?:a?){200}b`,
      `${"(".repeat(90)}a${"*)".repeat(90)}b`,
      "(a*b*)*c",
    ];
    for (const source of sources) {
      const pattern = new Pattern(source);
      const meter = { visits: 0 };
      pattern.matches(LONG, meter);
      expect(meter.visits).toBeLessThanOrEqual(257 * pattern.size);
    }
  });
});

describe("a pattern above a limit is refused", () => {
  test("a pattern that is too long is refused", () => {
    expect(errorOf("a".repeat(PATTERN_LENGTH_MAX))).toBeUndefined();
    expect(errorOf("a".repeat(PATTERN_LENGTH_MAX + 1))).toContain("more than 1000 characters");
  });

  test("a pattern that is nested too deeply is refused", () => {
    const nested = (depth: number): string => `${"(".repeat(depth)}a${")".repeat(depth)}`;
    expect(errorOf(nested(PATTERN_DEPTH_MAX))).toBeUndefined();
    expect(errorOf(nested(PATTERN_DEPTH_MAX + 1))).toContain("expression nests too deeply");
    expect(errorOf("(".repeat(PATTERN_LENGTH_MAX))).toContain("expression nests too deeply");
  });

  test("a pattern that expands to too much is refused, but not for high counts alone", () => {
    expect(errorOf("[ab]{250}".repeat(8))).toContain("expression too large");
    expect(errorOf("((a{10}){10}){10}")).toBeUndefined();
    expect(new Pattern("^[0-9]{1,1000}$").size).toBeLessThan(10);
    expect(new Pattern("[ab]{1000}").size).toBeLessThan(PATTERN_STATES_MAX / 3);
  });
});
