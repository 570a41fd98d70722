import { expect, test } from "vitest";
import {
  compareKeys,
  CREATE_ROWS,
  rowKeyOf,
  type RowPlace,
  SavedRows,
} from "#platform/backup/saving/saved-rows.ts";
import { parseJson, stringifyJson } from "#platform/json.ts";
import { NodeSql } from "#platform/sql/node-sql.ts";

function freshRows(): SavedRows {
  const sql = new NodeSql();
  sql.all(CREATE_ROWS);
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
