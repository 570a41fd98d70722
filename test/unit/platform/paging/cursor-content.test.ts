import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseJson } from "#platform/json.ts";
import { CursorContent, readOwnContent } from "#platform/paging/cursor-content.ts";
import { decodeCursor, encodeCursor } from "#platform/paging/cursor.ts";
import type { PageQuery } from "#platform/paging/query.ts";
import type { Timestamp } from "#platform/time.ts";
import { runsOf } from "#test/support/runner/runs.ts";

/** Values that no member of a cursor, or only some members, may have. */
const VALUES: readonly unknown[] = [
  [undefined, null, true, false, "", "x", "id", [], {}, ["volumes"], ["x", 1], [1, 2], [1, 2, 3]],
  [0, -0, 1, 2, -1, 15, 2 ** 31 - 1, 2 ** 31, Number.MAX_SAFE_INTEGER, 2 ** 53, -(2 ** 53)],
  [1n, 2n ** 63n, 2n ** 70n, Symbol("1.0"), Symbol("1e3"), ["1", "2"], [1n, 2n], [1, null], [[1]]],
  ["2026-03-01T09:30:00Z", "2026-03-01T11:30:00.25+02:00", "2026-02-30T00:00:00Z", "yesterday"],
  [{ groupBy: 1, insertionDate: true, of: "x", none: null }, { groupBy: 1.5 }, { groupBy: {} }],
  [parseJson('{"__proto__":1}'), { $match: { id: 1 } }, { filters: {} }, { groupBy: 2n ** 60n }],
].flat();

/** Mostly a good value for a member, otherwise any value. */
const member = (...good: readonly unknown[]) =>
  fc.oneof({ weight: 12, arbitrary: fc.constantFrom(...good) }, fc.constantFrom(...VALUES));

const content = fc.record(
  {
    column: member("id", "address"),
    order: member(0, 1),
    pageSize: member(15, 100),
    filters: fc.oneof(
      {
        weight: 20,
        arbitrary: fc.record(
          {
            pit: member(null, "2026-03-01T09:30:00.25Z"),
            oot: member(null, "0001-01-01T00:00:00Z"),
            qb: member(null, { $match: { id: 1 } }),
            expand: member(undefined, ["volumes"], []),
            opts: member(null, { groupBy: 2, insertionDate: true }, {}),
          },
          { requiredKeys: [] },
        ),
      },
      fc.constantFrom(...VALUES),
    ),
    offset: member(undefined, null, 0, 30),
    bottom: member(null, 9, "users:1"),
    paginationID: member(null, 7, "users:2"),
    reverse: member(false, true),
    ties: member(undefined, [1, 2]),
    list: member(undefined, "main/accounts"),
    other: member(undefined),
  },
  { requiredKeys: ["filters"] },
);

describe("the content of a cursor", () => {
  test("the content of a cursor is read as the schema reads it, or left to the schema", () => {
    let [read, refused] = [0, 0];
    fc.assert(
      fc.property(
        fc.oneof({ weight: 99, arbitrary: content }, fc.constantFrom(...VALUES)),
        (value) => {
          const { success, data } = CursorContent.safeParse(value);
          const own = readOwnContent(value);
          if (success && own !== undefined) {
            expect(own).toEqual(data);
            read++;
          } else {
            expect(own).toBeUndefined();
            if (!success) refused++;
          }
        },
      ),
      { numRuns: runsOf(5000) },
    );
    expect(Math.min(read, refused)).toBeGreaterThan(runsOf(500));
  });

  test("the content of a cursor needs no schema where it is our own", () => {
    const moment = "2026-03-01T09:30:00.250000Z" as Timestamp; // a timestamp of full width
    const common = { column: "id", order: "desc", pageSize: 15 } as const;
    const keys = { bottom: { value: 9n, tie: 1n }, start: { value: 7n, tie: 2n } };
    const queries: PageQuery[] = [
      { ...common, kind: "column", reverse: false },
      { ...common, kind: "column", reverse: true, ...keys, list: "main/logs" },
      {
        ...common,
        kind: "column",
        reverse: false,
        start: { value: "users:1" },
        expand: ["volumes"],
      },
      { ...common, kind: "column", reverse: false, pit: moment, oot: moment, where: '{"$not":{}}' },
      { ...common, kind: "offset", offset: 15, options: { insertionDate: true, groupBy: 2 } },
    ];
    for (const query of queries) {
      const value = parseJson(Buffer.from(encodeCursor(query), "base64url").toString());
      expect(readOwnContent(value)).toEqual(CursorContent.parse(value));
    }
  });
});

describe("the text of a cursor", () => {
  const RULES = { columns: { id: "integer", address: "text" }, pageSizeMax: 100 } as const;
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  const textOf = (cursor: string): string => decoder.decode(Buffer.from(cursor, "base64url"));
  const outcomeOf = (read: () => unknown): unknown => {
    try {
      return read();
    } catch {
      return "refused";
    }
  };

  test("the text of a cursor is what a buffer reads, whatever stands in it", () => {
    const addresses = [
      "a",
      "ab",
      "abc",
      "???>>>~~~",
      "users:é",
      "\u{1F600}",
      "a\nb",
      "ÿÿ>>>???",
      "\u007F",
    ];
    const cursors = addresses.flatMap((address) => {
      const query = { kind: "column", column: "address", order: "asc", pageSize: 2 } as const;
      const cursor = encodeCursor({ ...query, reverse: false, start: { value: address } });
      const ends = ["", "A", "B", "_", "-", "AA", "AB", "AAA", "IA", "ICA", "ICAg", "_w"];
      const starts = ["", "77-_", "IA", "ICAg", "Cgo"];
      const cut = [1, 2, 3, 4].map((count) => cursor.slice(0, -count));
      return [
        ...ends.map((end) => cursor + end),
        ...starts.map((start) => start + cursor),
        ...cut.flatMap((whole) => [whole, `${whole}A`, `${whole}_`]),
      ];
    });
    const outcomes = cursors.map((cursor) => {
      const decoded = outcomeOf(() => decodeCursor(cursor, RULES));
      const start = outcomeOf(() => CursorContent.parse(parseJson(textOf(cursor))).paginationID);
      if (start === "refused") expect(decoded).toBe("refused");
      else expect(decoded).toMatchObject({ start: { value: start } });
      return start;
    });
    const accepted = outcomes.filter((start) => start !== "refused");
    expect(accepted.length).toBeGreaterThan(addresses.length);
    expect(accepted.length).toBeLessThan(cursors.length);
  });
});
