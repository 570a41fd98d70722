import type { CopiedRow } from "#platform/backup/copied-table.ts";
import type { ChangedRow, TableCopy } from "#platform/backup/table-copy.ts";
import { stringifyJson } from "#platform/json.ts";

/** The rows that a reader of a copy has, by table and by key. */
export class CopiedDatabase {
  readonly tables = new Map<string, Map<string, CopiedRow>>();

  put(table: string, key: string, row: CopiedRow | undefined): void {
    const rows = this.tables.get(table) ?? new Map<string, CopiedRow>();
    this.tables.set(table, rows);
    if (row === undefined) rows.delete(key);
    else rows.set(key, row);
  }

  apply(rows: readonly ChangedRow[]): void {
    for (const { table, key, row } of rows) this.put(table, key, row);
  }
}

/** Copies a database from the beginning to the end; `between` is called between any two calls. */
export async function copyWhole(
  copy: TableCopy,
  nowMs: () => number,
  between: () => void = () => undefined,
): Promise<{ copied: CopiedDatabase; counters: Readonly<Record<string, number>> }> {
  const copied = new CopiedDatabase();
  const { id, tables } = await copy.begin(nowMs());
  between();
  let after = 0;
  const call = () => ({ id, nowMs: nowMs() });
  const catchUp = async (): Promise<void> => {
    const changes = await copy.changes(call(), after);
    copied.apply(changes.rows);
    after = changes.after;
    between();
    if (changes.left > 100) await catchUp();
  };
  for (const table of tables) {
    copied.tables.set(table.name, new Map());
    let next: string | undefined;
    do {
      const page = await copy.page(call(), { table: table.name, after: next });
      const places = table.key.map((name) => table.columns.indexOf(name));
      for (const row of page.rows) {
        copied.put(table.name, stringifyJson(places.map((place) => row[place])), row);
      }
      next = page.next;
      between();
    } while (next !== undefined);
    await catchUp();
  }
  for (;;) {
    const end = await copy.end(call(), after);
    if (end !== undefined) {
      copied.apply(end.rows);
      return { copied, counters: end.counters };
    }
    await catchUp();
  }
}
