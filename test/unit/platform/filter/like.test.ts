import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { LIKE_LENGTH_MAX, likeMatcher, likePrefix } from "#platform/filter/like.ts";
import { runsOf } from "#test/support/runner/runs.ts";

/** The regular expression of a pattern, which takes exponential time for some patterns. */
function oracle(pattern: string): RegExp {
  let source = "";
  const characters = Array.from(pattern);
  for (let index = 0; index < characters.length; index++) {
    const character = characters[index] ?? "";
    if (character === "%") source += ".*";
    else if (character === "_") source += ".";
    else if (character === "\\") source += RegExp.escape(characters[++index] ?? "\\");
    else source += RegExp.escape(character);
  }
  return new RegExp(`^${source}$`, "su");
}

describe("a pattern", () => {
  test.each<[string, string, boolean]>([
    ["", "", true],
    ["", "a", false],
    ["%", "", true],
    ["%%", "anything", true],
    ["_", "", false],
    ["_", "a", true],
    ["_", "😀", true],
    ["_", "ab", false],
    ["dep%", "dep-1", true],
    ["dep%", "Dep-1", false],
    ["dep%", "a dep", false],
    ["%P2P%", "a P2P b", true],
    ["%P2P", "P2P P2", false],
    ["a%b%c", "a-b-b-c", true],
    ["a%b%c", "a-c-b", false],
    ["%ab_", "aabab_", true],
    ["%ab_", "abab", false],
    ["a%_%b", "ab", false],
    ["a%_%b", "a-b", true],
    ["100\\%", "100%", true],
    ["100\\%", "1000", false],
    ["a\\_b", "a_b", true],
    ["a\\_b", "a-b", false],
    ["a\\\\%", "a\\b", true],
    ["end\\", "end\\", true],
    ["a.b", "axb", false],
    ["(%", "(a", true],
    ["a%", "a\nb", true],
    ["é%", "école", true],
  ])("the pattern %j on %j gives %s", (pattern, text, matches) => {
    expect(likeMatcher(pattern)(text)).toBe(matches);
  });

  test("a pattern matches what a regular expression of the same meaning does", () => {
    const letters = fc.constantFrom("a", "b", "%", "_", "\\", "é", "😀", ".");
    const pattern = fc.string({ unit: letters, maxLength: 10 });
    const text = fc.string({ unit: letters, maxLength: 12 });
    fc.assert(
      fc.property(pattern, text, (like, value) => {
        expect(likeMatcher(like)(value)).toBe(oracle(like).test(value));
      }),
      { numRuns: runsOf(5000) },
    );
  });

  test.each([
    ["%a%a%a%a%a%a%a%a%a%a%a%a%a%a%b"],
    [`%${"a%".repeat(500)}b`],
    [`${"%_".repeat(500)}%b`],
    [`%${"a".repeat(LIKE_LENGTH_MAX - 2)}b`],
    [`%${"_".repeat(LIKE_LENGTH_MAX - 2)}b`],
    [`%${"_a".repeat(500)}b%`],
  ])("a pattern is decided in bounded time, hostile ones, too: case %#", (pattern) => {
    // The match takes at most 65 million comparisons. Backtracking into each `%` would take forever.
    expect(likeMatcher(pattern)("a".repeat(65_536))).toBe(false);
  });
});

describe("the prefix of a pattern", () => {
  test.each([
    ["", ""],
    ["abc", "abc"],
    ["abc%", "abc"],
    ["ab_c", "ab"],
    ["%a", ""],
    ["_a", ""],
    ["a\\%b%", "a%b"],
    ["a\\\\_", "a\\"],
    ["a\\", "a\\"],
    ["é😀%", "é😀"],
  ])("the prefix of the pattern %j is %j", (pattern, prefix) => {
    expect(likePrefix(pattern)).toBe(prefix);
  });

  test("the prefix of a pattern is that of every match", () => {
    const letters = fc.constantFrom("a", "b", "%", "_", "\\", "😀");
    const parts = fc.string({ unit: letters, maxLength: 6 });
    fc.assert(
      fc.property(parts, parts, (pattern, text) => {
        const value = likePrefix(pattern) + text;
        for (const candidate of [text, value]) {
          if (likeMatcher(pattern)(candidate)) {
            expect(candidate.startsWith(likePrefix(pattern))).toBe(true);
          }
        }
      }),
      { numRuns: runsOf(2000) },
    );
  });
});
