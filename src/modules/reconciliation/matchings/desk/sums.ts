import type { BreakClass } from "#modules/reconciliation/core/breaks/classify.ts";
import { bucketOf } from "#modules/reconciliation/core/clearing/open-items.ts";
import {
  CloseSums,
  type OpenClass,
  type PartialSum,
} from "#modules/reconciliation/core/closing/close-report.ts";
import type { MatchSide } from "#modules/reconciliation/core/matching/line.ts";
import { LINE_MATCHED } from "#modules/reconciliation/matchings/engine/tables.ts";
import { fromStored, type Sql, type StoredAmount } from "#platform/sql/sql.ts";

/** Lines that one slice reads, so that it takes some 20 ms. */
const SLICE_LINES = 10_000;

/** Sums of a slice of the lines, and where the next slice begins; undefined for the last one. */
export interface SumSlice<Sum> {
  readonly sums: readonly Sum[];
  readonly next: number | undefined;
}

/** Open lines of a side, asset, class and age. */
export interface BreakSum {
  readonly side: MatchSide;
  readonly asset: string;
  readonly class: OpenClass;
  /** The place in `AGE_BUCKETS`. */
  readonly bucket: number;
  readonly lines: number;
  readonly amount: bigint;
}

type SummedRow = {
  id: number;
  side: number;
  asset: string;
  day: number;
  amount: StoredAmount;
  state: number;
  break_class: BreakClass | null;
};

const COLUMNS = "id, side, asset, day, amount, state, break_class";

/** Sums of lines in exact integers, slice by slice, because a matching may have millions. */
export class LineSums {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /** The sums of the lines behind an id, up to a day, for the close of a period that begins at a day. */
  close(
    after: number,
    { from, to }: { readonly from: number; readonly to: number },
  ): SumSlice<PartialSum> {
    const rows = this.#sql.all<SummedRow>(
      `SELECT ${COLUMNS} FROM line WHERE id > ? ORDER BY id LIMIT ${SLICE_LINES}`,
      after,
    );
    const sums = new CloseSums();
    for (const row of rows) {
      if (row.day > to) continue;
      sums.addLine(
        {
          ...lineOf(row),
          day: row.day,
          class: row.state === LINE_MATCHED ? undefined : classOf(row),
        },
        from,
      );
    }
    return { sums: sums.all(), next: nextOf(rows) };
  }

  /** The sums of the lines behind an id that are not matched, by class and age at a day. */
  breaks(after: number, today: number): SumSlice<BreakSum> {
    const rows = this.#sql.all<SummedRow>(
      `SELECT ${COLUMNS} FROM line WHERE state <> ${LINE_MATCHED} AND id > ? ORDER BY id LIMIT ${SLICE_LINES}`,
      after,
    );
    const sums = new BreakSums();
    for (const row of rows)
      sums.add({
        ...lineOf(row),
        class: classOf(row),
        bucket: bucketOf(today - row.day),
        lines: 1,
      });
    return { sums: sums.all(), next: nextOf(rows) };
  }
}

/** Sums of breaks, put together in any order. */
export class BreakSums {
  readonly #sums = new Map<string, BreakSum>();

  add(sum: BreakSum): void {
    const key = `${sum.side} ${sum.class} ${sum.bucket} ${sum.asset}`;
    const known = this.#sums.get(key);
    this.#sums.set(
      key,
      known === undefined
        ? sum
        : { ...known, lines: known.lines + sum.lines, amount: known.amount + sum.amount },
    );
  }

  all(): readonly BreakSum[] {
    return [...this.#sums.values()];
  }
}

const nextOf = (rows: readonly SummedRow[]): number | undefined =>
  rows.length < SLICE_LINES ? undefined : rows.at(-1)?.id;

const classOf = ({ break_class: name }: SummedRow): OpenClass => name ?? "unclassified";

const lineOf = ({ side, asset, amount }: SummedRow) =>
  ({ side: side === 0 ? "left" : "right", asset, amount: fromStored(amount) }) as const;
