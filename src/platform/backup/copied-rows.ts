import type { CopiedPage, CopyCall, TableCopy } from "./table-copy.ts";

/** A place in a copy: behind a key of a table, or at the table's beginning. */
export interface RowsAt {
  readonly table: string;
  readonly key?: string | undefined;
}

/** The place from which rows are read; without a table, the beginning. */
export interface SoughtRows {
  readonly table?: string | undefined;
  readonly key?: string | undefined;
}

/** Some rows of one table, and where the next rows are, absent after the last row of the last table. */
export interface RowsOfTable extends Omit<CopiedPage, "next"> {
  readonly table: string;
  readonly next?: RowsAt;
}

/** Reads rows of one table of a copy; the first ones of the first table without a place. Throws `CONFLICT`, and `NOT_FOUND` for an unknown table. */
export async function readCopiedRows(
  copy: TableCopy,
  call: CopyCall,
  { table, key }: SoughtRows,
): Promise<RowsOfTable> {
  const names = await copy.tableNames();
  const name = table ?? names[0] ?? "";
  const { next, ...page } = await copy.page(call, { table: name, after: key });
  const following = names[names.indexOf(name) + 1];
  if (next !== undefined) return { table: name, ...page, next: { table: name, key: next } };
  if (following !== undefined) return { table: name, ...page, next: { table: following } };
  return { table: name, ...page };
}
