import { expect, test } from "vitest";
import { doFit, fitColumns, tracksOf } from "#console/parts/table/fit-columns.ts";
import type { Column } from "#console/parts/table/types.ts";

const column = (id: string, width: number, rest: Partial<Column<object>> = {}): Column<object> => ({
  id,
  header: id,
  width,
  cell: () => null,
  ...rest,
});

const COLUMNS = [
  column("when", 100),
  column("to", 100, { grow: 1 }),
  column("reference", 100, { rank: 2 }),
  column("id", 100, { rank: 1 }),
];

const idsAt = (width: number): string[] => fitColumns(COLUMNS, width).map(({ id }) => id);

test("columns with the highest ranks are left out first, and columns without a rank never", () => {
  expect(idsAt(496)).toEqual(["when", "to", "reference", "id"]);
  expect(idsAt(495)).toEqual(["when", "to", "id"]);
  expect(idsAt(300)).toEqual(["when", "to"]);
  expect(idsAt(10)).toEqual(["when", "to"]);
});

test("columns without a rank may not fit, and then rows have two lines", () => {
  expect(doFit(fitColumns(COLUMNS, 264), 264)).toBe(true);
  expect(doFit(fitColumns(COLUMNS, 263), 263)).toBe(false);
});

test("a column without a share of the rest has its width", () => {
  expect(tracksOf(COLUMNS.slice(0, 2))).toBe("100px minmax(100px, 1fr)");
});
