import { describe, expect, test } from "vitest";
import { AppError } from "#platform/errors.ts";
import { FILTER_LENGTH_MAX } from "#platform/filter/filter.ts";
import { filterOf, type ListRules, toPageQuery } from "#platform/http/listing.ts";
import { encodeCursor } from "#platform/paging/cursor.ts";
import { platformSettings } from "#platform/platform-settings.ts";
import type { Timestamp } from "#platform/time.ts";
import { TEST_SETTINGS } from "#test/support/platform/settings.ts";

const RULES: ListRules = {
  list: "main/things",
  options: { groupBy: 0 },
  columns: { id: "integer", inserted_at: "date" },
  column: "id",
  order: "desc",
};
const SETTINGS = platformSettings.parse({ ...TEST_SETTINGS, FLORIN_MAX_PAGE_SIZE: "100" });
const page = (request: Parameters<typeof toPageQuery>[0]) => toPageQuery(request, RULES, SETTINGS);

describe("the filter of a list", () => {
  const filter = { $match: { id: 1 } };
  const text = JSON.stringify(filter);

  test("the filter of a list is that of the parameter, else the body", () => {
    expect(filterOf({ query: text }, undefined)).toBe(text);
    expect(filterOf({}, filter)).toBe(text);
    expect(filterOf({ query: text }, { $match: { id: 2 } })).toBe(text);
    expect(filterOf({ query: "null" }, filter)).toBeUndefined();
  });

  test.each([undefined, null, {}, { $and: [] }, { $or: [] }])("%j is no filter", (body) => {
    expect(filterOf({}, body)).toBeUndefined();
    expect(filterOf({ query: JSON.stringify(body) }, undefined)).toBeUndefined();
  });

  test("the filter of a list next to a cursor is ignored, even if it is invalid", () => {
    for (const query of ["nope", text, undefined]) {
      expect(filterOf({ cursor: "x", query }, { $x: 1 })).toBeUndefined();
    }
  });

  test("the filter of a list keeps integers of any size", () => {
    const long = '{"$match":{"balance[USD]":123456789012345678901234567890}}';
    expect(filterOf({ query: long }, undefined)).toBe(long);
  });

  test.each(["{", "[]", "1", '"x"', '{"$x":{"a":1}}', '{"$match":{"a":1e2}}', "\u0000"])(
    "the filter %j of a list is refused",
    (query) => {
      expect(() => filterOf({ query }, undefined)).toThrow(AppError);
    },
  );

  test("the filter of a list is limited in length, in the body, too", () => {
    const wide = (length: number) => ({ $match: { a: "x".repeat(length - 19) } });
    expect(filterOf({}, wide(FILTER_LENGTH_MAX))).toHaveLength(FILTER_LENGTH_MAX);
    expect(() => filterOf({}, wide(FILTER_LENGTH_MAX + 1))).toThrow("longer than");
    const long = JSON.stringify(wide(FILTER_LENGTH_MAX + 1));
    expect(() => filterOf({ query: long }, undefined)).toThrow("longer than");
  });
});

describe("the page that a request asks for", () => {
  const pit = "2026-03-01T09:30:00.000000Z" as Timestamp; // a timestamp of full width

  test("the page that a request asks for without parameters is the first of the standard size, in the list's order", () => {
    expect(page({})).toEqual({
      kind: "column",
      list: "main/things",
      column: "id",
      order: "desc",
      pageSize: 15,
      reverse: false,
      options: { groupBy: 0 },
    });
  });

  test("the page that a request asks for holds all that was asked for", () => {
    const where = '{"$match":{"id":1}}';
    const scope = { pit, oot: pit, where, expand: ["volumes"], options: { groupBy: 2 } };
    expect(page({ ...scope, pageSize: 7, sort: "insertedAt" })).toEqual({
      kind: "column",
      list: "main/things",
      column: "inserted_at",
      order: "desc",
      pageSize: 7,
      reverse: false,
      ...scope,
    });
  });

  test.each([
    [0, 15],
    [1, 1],
    [100, 100],
    [101, 100],
    [9_999_999_999, 100],
  ])("a page of the size %i has %i items", (pageSize, size) => {
    expect(page({ pageSize }).pageSize).toBe(size);
  });

  test.each([
    ["id", "id", "desc"],
    ["id:asc", "id", "asc"],
    ["id:ASC", "id", "asc"],
    ["insertedAt:Desc", "inserted_at", "desc"],
    ["inserted_at:asc", "inserted_at", "asc"],
  ])("a page sorted by %s is in the order of %s %s", (sort, column, order) => {
    expect(page({ sort })).toMatchObject({ column, order });
  });

  test.each(["nope", "toString", "__proto__", "", ":asc", "id:", "id:up", "id:asc:x", "id :asc"])(
    "a page sorted by %j is refused",
    (sort) => {
      expect(() => page({ sort })).toThrow(/^invalid (sort field|order) '/);
    },
  );

  test("the page that a request asks for is that of a cursor, and no other parameter than the size counts then", () => {
    const cursor = encodeCursor(page({ pit, where: '{"$match":{"id":1}}', pageSize: 5 }));
    const wanted = page({ pit, where: '{"$match":{"id":1}}', pageSize: 5 });
    expect(page({ cursor })).toEqual(wanted);
    const others = { sort: "nope", oot: pit, expand: ["x"], options: { groupBy: 9 } };
    expect(page({ cursor, ...others })).toEqual(wanted);
    expect(page({ cursor, pageSize: 10 })).toEqual({ ...wanted, pageSize: 10 });
    expect(page({ cursor, pageSize: 0 })).toEqual(wanted);
  });

  test("a page next to a cursor has up to 15 items, or as many as the walk's", () => {
    const small = encodeCursor(page({ pageSize: 5 }));
    const large = encodeCursor(page({ pageSize: 50 }));
    expect(page({ cursor: small, pageSize: 80 }).pageSize).toBe(15);
    expect(page({ cursor: large, pageSize: 80 }).pageSize).toBe(50);
    expect(page({ cursor: large, pageSize: 20 }).pageSize).toBe(20);
  });

  test("the page that a request asks for of another list's cursor is refused", () => {
    const cursor = encodeCursor({ ...page({}), list: "other/things" });
    expect(() => page({ cursor })).toThrow("another list");
  });
});
