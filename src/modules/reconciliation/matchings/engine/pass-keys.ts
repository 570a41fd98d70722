import { type LineRow, LINE_COLUMNS, toLine } from "./lines.ts";
import { positionOf } from "./position.ts";
import type { KeyPlace } from "./settings.ts";
import { LINE_OPEN } from "./tables.ts";
import {
  blockingKey,
  type OpenLine,
  type Pass,
  windowOrder,
} from "#modules/reconciliation/core/matching/index.ts";
import { stringifyJson } from "#platform/json.ts";
import { chunksOf, type Sql } from "#platform/sql/sql.ts";

/** A line in the order of a pass. */
export interface PlacedLine {
  readonly key: string;
  readonly position: string;
  readonly line: OpenLine;
}

/** The open lines of the running pass by blocking key: an external sort, of which SQLite keeps the runs. */
export class PassKeys {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  clear(): void {
    this.#sql.all("DELETE FROM pass_key");
  }

  /** Removes the keys up to a place, which is included: millions of them at once would hold up everybody who waits. */
  clearTo({ key, position, line }: KeyPlace): void {
    this.#sql.all(
      "DELETE FROM pass_key WHERE (blocking_key, position, line) <= (?, ?, ?)",
      key,
      position,
      line,
    );
  }

  /** Adds the lines that take part in a pass. */
  add(pass: Pass, lines: readonly OpenLine[]): void {
    const order = windowOrder(pass);
    const rows = lines.flatMap((line) => {
      const key = blockingKey(pass, line);
      return key === undefined ? [] : [stringifyJson([key, positionOf(line, order), line.id])];
    });
    for (const chunk of chunksOf(rows)) {
      this.#sql.all(
        `INSERT INTO pass_key (blocking_key, position, line)
         SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(?)`,
        `[${chunk.join(",")}]`,
      );
    }
  }

  /** Lines behind a place that are still open, by key, position and id. */
  *after(place: KeyPlace | null): Generator<PlacedLine> {
    let [key, position, line] = [place?.key ?? "", place?.position ?? "", place?.line ?? -1];
    for (;;) {
      const rows = this.#sql.all<
        LineRow & { blocking_key: string; position: string; state: number }
      >(
        `SELECT blocking_key, position, state, ${LINE_COLUMNS} FROM pass_key JOIN line ON line.id = pass_key.line
         WHERE (blocking_key, position, line) > (?, ?, ?) ORDER BY blocking_key, position, line LIMIT ? + 0`,
        key,
        position,
        line,
        ROWS_READ,
      );
      for (const row of rows) {
        [key, position, line] = [row.blocking_key, row.position, row.id];
        if (row.state === LINE_OPEN) yield { key, position, line: toLine(row) };
      }
      if (rows.length < ROWS_READ) return;
    }
  }
}

/** Rows that one statement reads. */
const ROWS_READ = 500;
