import { describe, expect, test } from "vitest";
import {
  compareKeys,
  decodeCursor,
  encodeCursor,
  mapPage,
  type Page,
  pageOf,
  type PageQuery,
  scanOf,
} from "../../../src/platform/pagination.ts";

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

describe("a cursor", () => {
  test("is that of the reference, byte by byte", () => {
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

  test("comes back as it was", () => {
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

  test("has the size of its walk, at most the maximum", () => {
    expect(decodeCursor(encode({ ...wire, pageSize: 1000 }), RULES).pageSize).toBe(100);
  });

  test.each([
    ["", "not base64url"],
    ["a b", "not base64url"],
    ["YQ==", "not base64url"],
    ["a".repeat(100_001), "too long"],
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
  ])("%.40s is refused", (cursor, why) => {
    expect(() => decodeCursor(cursor, RULES)).toThrow(why);
  });
});

/** A list of the numbers 1 to 7, read as a store reads it. */
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
  test("is followed to the end and back, in both orders", () => {
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

  test("that ends where the list ends has no next one", () => {
    expect(read({ ...BY_ID, pageSize: 7 })).toMatchObject({
      hasMore: false,
      data: NUMBERS.toReversed(),
    });
    expect(read({ ...BY_ID, pageSize: 7 }).next).toBeUndefined();
  });

  test("keeps its bottom through the walk", () => {
    const second = resume(read(BY_ID).next);
    const third = decodeCursor(second.next ?? "", RULES);
    expect(third).toMatchObject({ bottom: { value: 7n }, start: { value: 3n } });
  });

  test("may end early, both ways, and goes on where it ended", () => {
    const keyOf = (number: number) => ({ value: BigInt(number) });
    const first = pageOf({ ...BY_ID, pageSize: 3 }, [9, 8, 7, 6], { keyOf, keptMax: 2 });
    expect(first).toMatchObject({ pageSize: 3, hasMore: true, data: [9, 8] });
    expect(decodeCursor(first.next ?? "", RULES)).toMatchObject({ start: { value: 7n } });
    const reverse = { ...BY_ID, pageSize: 3, start: { value: 7n }, reverse: true };
    const previous = pageOf(reverse, [8, 9, 10], { keyOf, keptMax: 1 });
    expect(previous.data).toEqual([8]);
    expect(decodeCursor(previous.previous ?? "", RULES)).toMatchObject({ start: { value: 8n } });
  });

  test("of nothing has neither neighbour", () => {
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

  test("is followed to the end and back", () => {
    const first = read(query);
    const second = resume(first.next);
    const third = resume(second.next);
    expect([first.data, second.data, third.data]).toEqual([[1, 2, 3], [4, 5, 6], [7]]);
    expect([first.previous, third.next]).toEqual([undefined, undefined]);
    expect(resume(third.previous)).toEqual(second);
    expect(resume(second.previous).data).toEqual(first.data);
  });

  test("never goes back below the first item", () => {
    expect(resume(read({ ...query, kind: "offset", offset: 2 }).previous).data).toEqual([1, 2, 3]);
  });
});

test("keys are compared by value, texts as texts, then by the row", () => {
  expect(compareKeys({ value: 9n }, { value: 10n })).toBe(-1);
  expect(compareKeys({ value: "9" }, { value: "10" })).toBe(1);
  expect(compareKeys({ value: 1n, tie: 2n }, { value: 1n, tie: 1n })).toBe(1);
  expect(compareKeys({ value: 1n, tie: 1n }, { value: 1n, tie: 1n })).toBe(0);
});

test("a page of other items keeps its cursors", () => {
  const page = read(BY_ID);
  expect(mapPage(page, String)).toEqual({ ...page, data: ["7", "6"] });
});
