import type { ImportNote } from "#ledger-engine/rules/log/import-notes.ts";
import { parseJson, stringifyJson } from "#platform/json.ts";
import type { Order } from "#platform/paging/query.ts";
import { chunksOf, type Sql } from "#platform/sql/sql.ts";

/** Stores notes about unusual imported entries. It must be called in the unit of work that stores the entries. */
export function writeImportNotes(sql: Sql, notes: readonly ImportNote[]): void {
  const rows = notes.map((note) => stringifyJson([note.id, stringifyJson(note.notes)]));
  for (const chunk of chunksOf(rows)) {
    sql.all(
      "INSERT INTO import_note (log, notes) SELECT value ->> 0, value ->> 1 FROM json_each(?)",
      `[${chunk.join(",")}]`,
    );
  }
}

/** Selects notes: at most `limit` notes about entries of a range of ids, from the end of the range where `order` begins. */
export interface NoteRange {
  readonly from: number;
  readonly to: number;
  readonly order: Order;
  readonly limit: number;
}

export function readImportNotes(sql: Sql, { from, to, order, limit }: NoteRange): ImportNote[] {
  const rows = sql.all<{ log: number; notes: string }>(
    `SELECT log, notes FROM import_note WHERE log BETWEEN ? AND ? ORDER BY log ${order} LIMIT ? + 0`,
    from,
    to,
    limit,
  );
  return rows.map(({ log, notes }) => ({ id: log, notes: parseJson(notes) as string[] })); // written by `writeImportNotes`
}
