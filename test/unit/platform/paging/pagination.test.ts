import { describe, expect, test } from "vitest";
import { decodeCursor, encodeCursor } from "#platform/paging/cursor.ts";
import { compareKeys, mapPage, type Page, pageOf, scanOf } from "#platform/paging/pagination.ts";
import { type PageQuery } from "#platform/paging/query.ts";
import { attempt } from "#platform/result.ts";
import type { Timestamp } from "#platform/time.ts";

const RULES = {
  columns: { id: "integer", timestamp: "date", address: "text" },
  pageSizeMax: 100,
} as const;
const BY_ID: PageQuery = {
  kind: "column",
  column: "id",
  order: "desc",
  pageSize: 2,
  reverse: false,
};

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");
const wire = {
  column: "id",
  order: 1,
  pageSize: 2,
  filters: { pit: null, oot: null, qb: null, opts: null },
  bottom: 9,
  paginationID: 7,
  reverse: false,
};

/** A cursor with the text of a filter unchanged. */
const rawCursor = (qb: string): string =>
  Buffer.from(
    `{"column":"id","order":1,"pageSize":2,"filters":{"pit":null,"oot":null,"qb":${qb},"opts":null}}`,
  ).toString("base64url");
const nested = (depth: number): string =>
  `${'{"$not":'.repeat(depth)}{"$match":{"id":1}}${"}".repeat(depth)}`;

describe("a cursor", () => {
  test("a cursor is that of the reference, byte by byte", () => {
    const cursor = encodeCursor({
      ...BY_ID,
      kind: "column",
      reverse: false,
      expand: ["volumes"],
      bottom: { value: 9n },
      start: { value: 7n },
    });
    expect(Buffer.from(cursor, "base64url").toString()).toBe(
      '{"column":"id","order":1,"pageSize":2,"filters":{"pit":null,"oot":null,"qb":null,"expand":["volumes"],"opts":null},"bottom":9,"paginationID":7,"reverse":false}',
    );
    const offset = encodeCursor({
      kind: "offset",
      column: "address",
      order: "asc",
      pageSize: 15,
      offset: 15,
    });
    expect(Buffer.from(offset, "base64url").toString()).toBe(
      '{"column":"address","order":0,"pageSize":15,"filters":{"pit":null,"oot":null,"qb":null,"opts":null},"offset":15}',
    );
    expect(cursor).not.toMatch(/[^\w-]/);
  });

  test("a cursor comes back as it was", () => {
    const queries: PageQuery[] = [
      BY_ID,
      { ...BY_ID, kind: "column", reverse: true, bottom: { value: 9n }, start: { value: 7n } },
      {
        ...BY_ID,
        kind: "column",
        reverse: false,
        column: "timestamp",
        bottom: { value: -62_135_596_800_000_000n, tie: 1n },
        start: { value: 253_402_300_799_999_999n, tie: 3n },
      },
      {
        ...BY_ID,
        kind: "column",
        reverse: false,
        column: "address",
        expand: ["volumes"],
        start: { value: "users:1" },
      },
      { kind: "offset", column: "address", order: "asc", pageSize: 15, offset: 15 },
    ];
    expect(queries.map((query) => decodeCursor(encodeCursor(query), RULES))).toEqual(queries);
  });

  const moment = "2026-03-01T09:30:00.250000Z" as Timestamp; // a timestamp of full width
  const scoped = {
    ...BY_ID,
    list: "main/volumes",
    pit: moment,
    oot: "0001-01-01T00:00:00.000000Z" as Timestamp,
    where: '{"$match":{"id":123456789012345678901234567890}}',
    expand: ["volumes"],
    options: { insertionDate: true, groupBy: 2 },
  };
  const scopedRules = {
    ...RULES,
    list: "main/volumes",
    options: { insertionDate: false, groupBy: 0 },
  };

  test("a cursor contains the expansions and the point in time of the list, as the reference's does", () => {
    const text = Buffer.from(encodeCursor(scoped), "base64url").toString();
    expect(text).toBe(
      '{"column":"id","order":1,"pageSize":2,"filters":{"pit":"2026-03-01T09:30:00.25Z","oot":"0001-01-01T00:00:00Z","qb":{"$match":{"id":123456789012345678901234567890}},"expand":["volumes"],"opts":{"insertionDate":true,"groupBy":2}},"bottom":null,"paginationID":null,"reverse":false,"list":"main/volumes"}',
    );
    expect(decodeCursor(encodeCursor(scoped), scopedRules)).toEqual(scoped);
  });

  test("a cursor without options has those of the list", () => {
    for (const opts of [null, {}, { groupBy: 0 }, undefined]) {
      const cursor = encode({ ...wire, filters: { pit: null, oot: null, qb: null, opts } });
      expect(decodeCursor(cursor, scopedRules).options).toEqual(scopedRules.options);
      if (opts === null || opts === undefined) {
        expect(decodeCursor(cursor, RULES)).not.toHaveProperty("options");
      }
    }
  });

  test("a cursor without the name of a list is accepted, and one of another list is refused", () => {
    expect(decodeCursor(encode(wire), scopedRules).list).toBe("main/volumes");
    for (const list of ["other/volumes", "main/accounts", "", "main"]) {
      const cursor = encode({ ...wire, list });
      expect(() => decodeCursor(cursor, scopedRules)).toThrow("another list");
      expect(() => decodeCursor(cursor, RULES)).toThrow("another list");
    }
  });

  test("a cursor is checked each time that it comes, against the rules of its list", () => {
    const cursor = encodeCursor(scoped);
    for (let time = 0; time < 2; time++) {
      expect(decodeCursor(cursor, scopedRules)).toEqual(scoped);
      expect(decodeCursor(cursor, { ...scopedRules, pageSizeMax: 1 }).pageSize).toBe(1);
      expect(() => decodeCursor(cursor, { ...scopedRules, list: "other" })).toThrow("another list");
      const byAddress = { ...scopedRules, columns: { address: "text" } } as const;
      expect(() => decodeCursor(cursor, byAddress)).toThrow("another list");
    }
  });

  test("a cursor with an empty filter has none", () => {
    for (const qb of [null, {}, { $and: [] }, undefined]) {
      const cursor = encode({ ...wire, filters: { ...wire.filters, qb } });
      expect(decodeCursor(cursor, RULES)).not.toHaveProperty("where");
    }
  });

  test("a cursor with the longest filter is taken", () => {
    const values = Array.from({ length: 1000 }, (_, index) => `${index}${"é".repeat(59)}`);
    const where = JSON.stringify({ $in: { reference: values } });
    expect(where.length).toBeGreaterThan(64_000);
    const query = { ...BY_ID, where };
    expect(decodeCursor(encodeCursor(query), RULES)).toEqual(query);
  });

  const withFilters = (filters: object) =>
    encode({ ...wire, filters: { ...wire.filters, ...filters } });
  const deep = (depth: number, inner = "") => `${"[".repeat(depth)}${inner}${"]".repeat(depth)}`;
  test.each([
    ["an invalid point in time", withFilters({ pit: "yesterday" }), "not a cursor"],
    ["a point in time without zone", withFilters({ pit: "2026-03-01T09:30:00" }), "not a cursor"],
    ["a point in time as a number", withFilters({ pit: 1 }), "not a cursor"],
    ["an empty origin of time", withFilters({ oot: "" }), "not a cursor"],
    ["a filter that is a text", withFilters({ qb: "x" }), "a filter must be an object"],
    ["a filter that is a list", withFilters({ qb: [] }), "a filter must be an object"],
    ["a filter of two operators", withFilters({ qb: { $or: [], $and: [] } }), "single key"],
    ["an unknown operator", withFilters({ qb: { $x: { id: 1 } } }), "unexpected operator"],
    ["expansions that are no texts", withFilters({ expand: [1] }), "not a cursor"],
    ["options that are a list", withFilters({ opts: [] }), "not a cursor"],
    ["options of a wrong type", withFilters({ opts: { groupBy: "2" } }), "its option groupBy"],
    ["options that are null", withFilters({ opts: { insertionDate: null } }), "insertionDate"],
    ["options within options", withFilters({ opts: { groupBy: {} } }), "not a cursor"],
    ["options that are fractions", withFilters({ opts: { groupBy: 1.5 } }), "not a cursor"],
    ["unknown options", withFilters({ opts: { x: 1 } }), "its option x"],
    ["options of every object", withFilters({ opts: { toString: 1 } }), "its option toString"],
    ["an invalid name of a list", encode({ ...wire, list: 1 }), "not a cursor"],
    ["a filter of a fraction", rawCursor('{"$match":{"id":1.5}}'), "1.5 for 'id' is not"],
    ["a deep filter", rawCursor(deep(30_000)), "cursor|must be an object"],
    ["a deep filter with a number", rawCursor(deep(30_000, "1.5")), "cursor|must be an object"],
    ["a deep value", rawCursor(`{"$match":{"id":${deep(30_000)}}}`), "cursor|must be a text"],
    ["a filter nested too deep", rawCursor(nested(40)), "nested deeper"],
    ["a filter nested far too deep", rawCursor(nested(10_000)), "cursor|nested deeper"],
  ])("a cursor with %s is refused", (_, cursor, why) => {
    const parsed = attempt(() => decodeCursor(cursor, scopedRules));
    if (parsed.ok) throw new Error("accepted");
    expect(parsed.failure.kind).toBe("VALIDATION");
    expect(parsed.failure.message).toMatch(new RegExp(why));
  });

  test("a cursor with options is refused by a list that has none", () => {
    const cursor = withFilters({ opts: { groupBy: 2 } });
    expect(() => decodeCursor(cursor, RULES)).toThrow("its option groupBy");
  });

  test("a cursor has the size of its walk, at most the maximum", () => {
    expect(decodeCursor(encode({ ...wire, pageSize: 1000 }), RULES).pageSize).toBe(100);
  });

  test.each([
    ["", "not base64url"],
    ["a b", "not base64url"],
    ["YQ==", "not base64url"],
    ["a".repeat(300_001), "too long"],
    ["YQ", "not a cursor"],
    [Buffer.from([0xff, 0xfe]).toString("base64url"), "not a cursor"],
    ["e30", "not a cursor"],
    ["bnVsbA", "not a cursor"],
    [encode([wire]), "not a cursor"],
    [encode({ ...wire, order: 2 }), "not a cursor"],
    [encode({ ...wire, order: "asc" }), "not a cursor"],
    [encode({ ...wire, pageSize: 0 }), "not a cursor"],
    [encode({ ...wire, pageSize: -1 }), "not a cursor"],
    [encode({ ...wire, paginationID: 1.5 }), "not a cursor"],
    [encode({ ...wire, paginationID: true }), "not a cursor"],
    [encode({ ...wire, reverse: 1 }), "not a cursor"],
    [encode({ ...wire, filters: { expand: "volumes" } }), "not a cursor"],
    [encode({ ...wire, column: "address", offset: 2 ** 31 }), "not a cursor"],
    [encode({ ...wire, column: "name" }), "another list"],
    [encode({ ...wire, column: "toString" }), "another list"],
    [encode({ ...wire, paginationID: "7" }), "does not fit"],
    [encode({ ...wire, column: "address" }), "does not fit"],
    [encode({ ...wire, column: "timestamp" }), "does not name a row"],
    [encode({ ...wire, column: "timestamp", paginationID: 1e20, ties: [1, 1] }), "out of range"],
    [encode({ ...wire, paginationID: 1e20 }), "out of range"],
    [encode({ ...wire, offset: 3 }), "no offsets"],
  ])("the cursor %.40s is refused", (cursor, why) => {
    expect(() => decodeCursor(cursor, RULES)).toThrow(why);
  });
});

/** A list of the numbers 1 to 7. */
const NUMBERS = [1, 2, 3, 4, 5, 6, 7];
function read(query: PageQuery): Page<number> {
  const { order, bound, offset, limit } = scanOf(query);
  const sign = order === "asc" ? 1 : -1;
  const rows = NUMBERS.toSorted((a, b) => (a - b) * sign).filter((number) => {
    if (bound === undefined) return true;
    const distance = compareKeys({ value: BigInt(number) }, bound.key) * sign;
    return bound.inclusive ? distance >= 0 : distance > 0;
  });
  return pageOf(query, rows.slice(offset, offset + limit), {
    keyOf: (number) => ({ value: BigInt(number) }),
  });
}
const resume = (cursor: string | undefined): Page<number> =>
  read(decodeCursor(cursor ?? "", RULES));

describe("a page by column", () => {
  test("a page by column is followed to the end and back, in both orders", () => {
    for (const order of ["asc", "desc"] as const) {
      const sorted = order === "asc" ? NUMBERS : NUMBERS.toReversed();
      const first = read({ ...BY_ID, order, pageSize: 3 });
      const second = resume(first.next);
      const third = resume(second.next);
      expect([first.data, second.data, third.data]).toEqual([
        sorted.slice(0, 3),
        sorted.slice(3, 6),
        sorted.slice(6),
      ]);
      expect([first.hasMore, third.hasMore]).toEqual([true, false]);
      expect([first.previous, third.next]).toEqual([undefined, undefined]);
      const back = resume(third.previous);
      expect([back.data, back.hasMore]).toEqual([second.data, true]);
      expect(resume(back.next)).toEqual(third);
      const start = resume(back.previous);
      expect([start.data, start.previous, start.hasMore]).toEqual([first.data, undefined, true]);
    }
  });

  test("a page by column that ends where the list ends has no next one", () => {
    expect(read({ ...BY_ID, pageSize: 7 })).toMatchObject({
      hasMore: false,
      data: NUMBERS.toReversed(),
    });
    expect(read({ ...BY_ID, pageSize: 7 }).next).toBeUndefined();
  });

  test("a page by column keeps its bottom through the walk", () => {
    const second = resume(read(BY_ID).next);
    const third = decodeCursor(second.next ?? "", RULES);
    expect(third).toMatchObject({ bottom: { value: 7n }, start: { value: 3n } });
  });

  test("a page by column may end early, both ways, and goes on where it ended", () => {
    const keyOf = (number: number) => ({ value: BigInt(number) });
    const first = pageOf({ ...BY_ID, pageSize: 3 }, [9, 8, 7, 6], { keyOf, keptMax: 2 });
    expect(first).toMatchObject({ pageSize: 3, hasMore: true, data: [9, 8] });
    expect(decodeCursor(first.next ?? "", RULES)).toMatchObject({ start: { value: 7n } });
    const reverse = { ...BY_ID, pageSize: 3, start: { value: 7n }, reverse: true };
    const previous = pageOf(reverse, [8, 9, 10], { keyOf, keptMax: 1 });
    expect(previous.data).toEqual([8]);
    expect(decodeCursor(previous.previous ?? "", RULES)).toMatchObject({ start: { value: 8n } });
  });

  test("a page by column goes on where reading ended before it was full", () => {
    const keyOf = (number: number) => ({ value: BigInt(number) });
    const asc = { ...BY_ID, order: "asc" as const, pageSize: 3 };
    const keys = (page: Page<number>) => ({
      data: page.data,
      next: page.next === undefined ? undefined : decodeCursor(page.next, RULES),
      previous: page.previous === undefined ? undefined : decodeCursor(page.previous, RULES),
    });
    // Forwards, the next page starts with the last row that was read, whether it matches or not.
    expect(keys(pageOf(asc, [2, 5], { keyOf, readTo: { value: 9n } }))).toMatchObject({
      data: [2, 5],
      next: { start: { value: 9n }, bottom: { value: 2n }, reverse: false },
      previous: undefined,
    });
    expect(keys(pageOf(asc, [2, 9], { keyOf, readTo: { value: 9n } }))).toMatchObject({
      data: [2],
      next: { start: { value: 9n } },
    });
    expect(keys(pageOf(asc, [], { keyOf, readTo: { value: 9n } }))).toMatchObject({
      data: [],
      next: { start: { value: 9n } },
      previous: undefined,
    });
    // Backwards, the previous page starts after the last row that was read.
    const back = { ...asc, start: { value: 12n }, bottom: { value: 2n }, reverse: true };
    expect(keys(pageOf(back, [9, 5], { keyOf, readTo: { value: 4n } }))).toMatchObject({
      data: [5, 9],
      next: { start: { value: 12n }, reverse: false },
      previous: { start: { value: 4n }, reverse: true },
    });
    expect(keys(pageOf(back, [], { keyOf, readTo: { value: 4n } }))).toMatchObject({
      data: [],
      previous: { start: { value: 4n }, reverse: true },
    });
  });

  test("a page by column without items has no neighbours", () => {
    expect(pageOf<number>(BY_ID, [], { keyOf: () => ({ value: 0n }) })).toEqual({
      pageSize: 2,
      hasMore: false,
      data: [],
    });
  });
});

describe("a page by offset", () => {
  const query: PageQuery = {
    kind: "offset",
    column: "address",
    order: "asc",
    pageSize: 3,
    offset: 0,
  };

  test("a page by offset is followed to the end and back", () => {
    const first = read(query);
    const second = resume(first.next);
    const third = resume(second.next);
    expect([first.data, second.data, third.data]).toEqual([[1, 2, 3], [4, 5, 6], [7]]);
    expect([first.previous, third.next]).toEqual([undefined, undefined]);
    expect(resume(third.previous)).toEqual(second);
    expect(resume(second.previous).data).toEqual(first.data);
  });

  test("a page by offset never goes back below the first item", () => {
    expect(resume(read({ ...query, kind: "offset", offset: 2 }).previous).data).toEqual([1, 2, 3]);
  });
});

test("keys are compared by value, texts as texts, then by the row", () => {
  expect(compareKeys({ value: 9n }, { value: 10n })).toBe(-1);
  expect(compareKeys({ value: "9" }, { value: "10" })).toBe(1);
  expect(compareKeys({ value: "\u{1f600}" }, { value: "\uffee" })).toBe(1);
  expect(compareKeys({ value: 1n, tie: 2n }, { value: 1n, tie: 1n })).toBe(1);
  expect(compareKeys({ value: 1n, tie: 1n }, { value: 1n, tie: 1n })).toBe(0);
});

test("a page of other items keeps its cursors", () => {
  const page = read(BY_ID);
  expect(mapPage(page, String)).toEqual({ ...page, data: ["7", "6"] });
});
