import { expect, test } from "vitest";
import {
  compareKeys,
  CREATE_ROWS,
  rowKeyOf,
  type RowPlace,
  SavedRows,
} from "#platform/backup/saving/saved-rows.ts";
import { parseJson, stringifyJson } from "#platform/json.ts";
import { ObjectSql } from "#test/support/platform/backup/object-sql.ts";

function freshRows(): SavedRows {
  const sql = new ObjectSql();
  for (const statement of CREATE_ROWS) sql.all(statement);
  return new SavedRows(sql);
}

const LARGE = 9_223_372_036_854_775_807n;
const KEYS = [[7], [-3], [LARGE], [LARGE - 1n], [-LARGE - 1n], ["b"], ["B"], ["é"], ["a", 2]];

test("rows are in the order of their keys, also of those beyond 2^53, page by page", () => {
  const rows = freshRows();
  for (const key of KEYS) rows.keep("t", key, [...key, "old"]);
  for (const key of KEYS) rows.keep("t", key, [...key, "new"]);
  rows.keepChanged({ table: "t", key: "[7]" });
  rows.keepChanged({ table: "t", key: stringifyJson([LARGE]), row: [LARGE, "last"] });
  rows.keep("other", [1], [1]);
  const kept = KEYS.filter(([first]) => first !== 7).toSorted((a, b) =>
    compareKeys(rowKeyOf(a), rowKeyOf(b)),
  );
  const expected = kept.map((key) => [...key, key[0] === LARGE ? "last" : "new"]);
  expect([...rows.linesOf("t")].map((line) => parseJson(line))).toEqual(
    expected.map((row) => parseJson(stringifyJson(row))),
  );
  expect(rows.count("t")).toBe(KEYS.length - 1);
  rows.clear();
  expect([...rows.linesOf("t")]).toEqual([]);
});

test("a page has a megabyte of lines, and one line at least", () => {
  const rows = freshRows();
  for (const key of [1, 2, 3, 4, 5]) rows.keep("t", [key], [key, "x".repeat(400_000)]);
  rows.keep("t", [6], [6, "y".repeat(1_900_000)]);
  const pages: number[] = [];
  let place: RowPlace | undefined;
  do {
    const { lines, last } = rows.page("t", place);
    if (last !== undefined) pages.push(lines.length);
    place = last;
  } while (place !== undefined);
  expect(pages).toEqual([3, 3]);
});

test("a line may be longer than a value of the object's storage, and gives way to a shorter one", () => {
  const rows = freshRows();
  const long = [1, `${"\u0001".repeat(400_000)}€`, "ab".repeat(300_000)];
  rows.keep("t", [1], [1, "x".repeat(600_000)]);
  rows.keep("t", [1], long);
  rows.keep("t", [2], [2]);
  expect(rows.page("t").lines).toEqual([stringifyJson(long)]);
  expect([...rows.linesOf("t")]).toEqual([stringifyJson(long), "[2]"]);
  for (const shorter of [[1, "y".repeat(600_000)], [1]]) {
    rows.keep("t", [1], shorter);
    expect([...rows.linesOf("t")]).toEqual([stringifyJson(shorter), "[2]"]);
  }
  rows.keep("t", [1], undefined);
  expect(rows.count("t")).toBe(1);
});

test("no piece of a long line ends inside of a character", () => {
  const rows = freshRows();
  for (const before of ["", "x"]) {
    const row = [1, before + "😀".repeat(400_000)];
    rows.keep("t", [1], row);
    expect([...rows.linesOf("t")]).toEqual([stringifyJson(row)]);
  }
});

test("rows that come too late are not kept", () => {
  const sql = new ObjectSql();
  for (const statement of CREATE_ROWS) sql.all(statement);
  let isOver = false;
  const rows = new SavedRows(sql, () => !isOver);
  rows.together(() => rows.keep("t", [1], [1]));
  isOver = true;
  expect(() => rows.together(() => rows.keep("t", [2], [2]))).toThrow("after the end of the step");
  expect([...rows.linesOf("t")]).toEqual(["[1]"]);
});
