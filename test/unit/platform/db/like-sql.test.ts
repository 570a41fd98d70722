import { sql } from "drizzle-orm";
import { SQLiteSyncDialect } from "drizzle-orm/sqlite-core";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { likeCondition } from "#platform/db/like-sql.ts";
import { LIKE_LENGTH_MAX, likeMatcher } from "#platform/filter/like.ts";
import { attempt } from "#platform/result.ts";
import { NodeD1 } from "#test/support/platform/node-d1.ts";
import { runsOf } from "#test/support/runner/runs.ts";

const d1 = new NodeD1();

/** Whether SQL finds that a text matches a pattern; undefined for a refused pattern. */
async function isLike(value: string, pattern: string): Promise<boolean | undefined> {
  const condition = attempt(() => likeCondition(sql`value`, pattern, "name"));
  if (!condition.ok) {
    expect(condition.failure.kind).toBe("VALIDATION");
    return undefined;
  }
  const [row] = await d1.db.all<{ found: number }>(
    sql`SELECT (${condition.value}) AS found FROM (SELECT ${value} AS value)`,
  );
  return row?.found === 1;
}

const unit = fc.constantFrom(
  "a",
  "a",
  "b",
  "A",
  "[",
  "]",
  "^",
  "-",
  "*",
  "?",
  "\\",
  "é",
  "😀",
  "\u{10ffff}",
);
const literal = (maxLength: number) => fc.string({ unit, maxLength });
/** A pattern that matches exactly a text. */
const escaped = (text: string): string => text.replaceAll(/[%_\\]/g, (it) => `\\${it}`);

describe("a pattern in SQL", () => {
  test("a pattern in SQL matches what it matches elsewhere", async () => {
    const wild = fc.string({ unit: fc.oneof(unit, fc.constantFrom("%", "_")), maxLength: 10 });
    await fc.assert(
      fc.asyncProperty(wild, literal(12), async (pattern, text) => {
        expect(await isLike(text, pattern)).toBe(likeMatcher(pattern)(text));
      }),
      { numRuns: runsOf(1500) },
    );
  });

  test("a pattern in SQL may be long before its first wildcard, after its last, and between two `%`", async () => {
    const shape = fc.record({
      head: literal(90),
      inner: literal(90),
      tail: literal(90),
      between: fc.constantFrom("", "b", "é"),
    });
    await fc.assert(
      fc.asyncProperty(shape, async ({ head, inner, tail, between }) => {
        const pattern = `${escaped(head)}%${escaped(inner)}%${escaped(tail)}`;
        const matching = `${head}${between}${inner}${between}${tail}`;
        expect(await isLike(matching, pattern)).toBe(true);
        for (const text of [`x${matching}`, `${matching}x`, matching.slice(1), head, tail, inner]) {
          expect(await isLike(text, pattern)).toBe(likeMatcher(pattern)(text));
        }
      }),
      { numRuns: runsOf(200) },
    );
  });

  test.each<[string, { text: string; pattern: string; matches: boolean }]>([
    ["its ends do not overlap", { text: "aba", pattern: "ab%ba", matches: false }],
    ["its ends may touch", { text: "abba", pattern: "ab%ba", matches: true }],
    ["its end is needed", { text: "ab", pattern: "ab%ba", matches: false }],
    ["its middle is not in its beginning", { text: "abc", pattern: "abc%b%c", matches: false }],
    ["its case counts", { text: "ABC", pattern: "a%c", matches: false }],
    ["no character is too high", { text: "\u{10ffff}x", pattern: "\u{10ffff}%", matches: true }],
    ["it has no classes", { text: "b", pattern: "[a-c]", matches: false }],
    ["it has no classes between wildcards", { text: "xby", pattern: "_[a-c]_", matches: false }],
  ])("a pattern in SQL: %s", async (_, { text, pattern, matches }) => {
    expect(await isLike(text, pattern)).toBe(matches);
  });

  test("a pattern in SQL is refused where SQL would fail once it meets a row", async () => {
    const bytesOf = (count: number): string => `_${"é".repeat((count - 2) / 2)}_`;
    expect(await isLike(`x${"é".repeat(24)}x`, bytesOf(50))).toBe(true);
    const long = attempt(() => likeCondition(sql`value`, bytesOf(52), "name"));
    expect(long.ok ? "" : long.failure.message).toBe(
      "the pattern for 'name' has more than 50 bytes from its first wildcard to its last",
    );
  });

  test("a pattern in SQL is a range of an index, where it begins with a text", () => {
    const { sql: text, params } = new SQLiteSyncDialect().sqlToQuery(
      likeCondition(sql`value`, "shops/%", "name"),
    );
    expect(text).toBe("(value >= ? AND value < ?)");
    expect(params).toEqual(["shops/", "shops0"]);
  });

  test("a pattern in SQL of any length takes a few parameters", () => {
    const pattern = `${"a".repeat(400)}%${"b".repeat(LIKE_LENGTH_MAX - 802)}%${"c".repeat(400)}`;
    const { params } = new SQLiteSyncDialect().sqlToQuery(
      likeCondition(sql`value`, pattern, "name"),
    );
    expect(params).toHaveLength(4);
  });
});
