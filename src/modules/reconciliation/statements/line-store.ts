import type { FileLine } from "./line.ts";
import type { UnstoredLine } from "./read-file.ts";
import { parseJson, stringifyJson } from "#platform/json.ts";
import { jsonColumns } from "#platform/sql/json-columns.ts";
import {
  chunksOf,
  first,
  fromStored,
  type Sql,
  type StoredAmount,
  toStored,
} from "#platform/sql/sql.ts";

const NEW = jsonColumns(
  "day",
  "valueDate",
  "amount",
  "asset",
  "fee",
  "texts",
  "category",
  "fileLine",
  "raw",
);
const INSERT = `INSERT INTO line (file, day, value_date, amount, asset, fee, texts, category, file_line, raw)
  SELECT ?, ${Object.values(NEW.items).join(", ")} FROM json_each(?) ORDER BY json_each.id`;

/** Most lines that one statement deletes. */
const DELETED_MAX = 2000;

/** A range of keys, both included. */
export interface KeyRange {
  readonly first: number;
  readonly last: number;
}

/** The lines of the files of a source, on its SQL. */
export class FileLineStore {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /** Stores lines of a file in one transaction. They count when the file is ready. */
  add(file: number, lines: readonly UnstoredLine[]): void {
    const rows = lines.map((line) =>
      NEW.rowText({
        ...line,
        valueDate: line.valueDate ?? null,
        amount: toStored(line.amount),
        fee: line.fee === undefined ? null : toStored(line.fee),
        texts: stringifyJson(line.texts),
        category: line.category ?? null,
      }),
    );
    this.#sql.transaction(() => {
      for (const chunk of chunksOf(rows)) this.#sql.all(INSERT, file, `[${chunk.join()}]`);
    });
  }

  /** The keys of the lines behind those of all files that are ready; undefined without any. */
  behind(readyTo: number): KeyRange | undefined {
    const { low, high } = first(
      this.#sql.all<{ low: number | null; high: number | null }>(
        "SELECT min(key) AS low, max(key) AS high FROM line WHERE key > ?",
        readyTo,
      ),
    );
    return low === null || high === null ? undefined : { first: low, last: high };
  }

  /** Deletes some lines of a range. Returns whether none is left. */
  deleteSome({ first: low, last }: KeyRange): boolean {
    const gone = this.#sql.all(
      "DELETE FROM line WHERE key IN (SELECT key FROM line WHERE key BETWEEN ? AND ? LIMIT ? + 0) RETURNING key",
      low,
      last,
      DELETED_MAX,
    );
    return gone.length < DELETED_MAX;
  }

  /** Lines of a range, at most `limit` of them, in the order of keys or against it. */
  read(
    { first: low, last }: KeyRange,
    { limit, order, statementID }: ReadOptions,
  ): readonly FileLine[] {
    return this.#sql
      .all<LineRow>(
        `SELECT key, day, value_date, amount, asset, fee, texts, category, file_line, raw
          FROM line WHERE key BETWEEN ? AND ? ORDER BY key ${order} LIMIT ? + 0`,
        low,
        last,
        limit,
      )
      .map((row) => toLine(row, statementID));
  }
}

interface ReadOptions {
  readonly limit: number;
  readonly order: "asc" | "desc";
  readonly statementID: string;
}

type LineRow = {
  key: number;
  day: number;
  value_date: string | null;
  amount: StoredAmount;
  asset: string;
  fee: StoredAmount | null;
  texts: string;
  category: string | null;
  file_line: number;
  raw: string;
};

const toLine = (row: LineRow, statementID: string): FileLine => ({
  key: row.key,
  statementID,
  day: row.day,
  valueDate: row.value_date ?? undefined,
  amount: fromStored(row.amount),
  asset: row.asset,
  fee: row.fee === null ? undefined : fromStored(row.fee),
  texts: parseJson(row.texts) as FileLine["texts"], // `add` has written it
  category: row.category ?? undefined,
  fileLine: row.file_line,
  raw: row.raw,
});
