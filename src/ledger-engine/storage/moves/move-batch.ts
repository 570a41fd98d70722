import { PairedRows } from "./paired-rows.ts";
import type { Volumes } from "#ledger-engine/rules/types.ts";
import {
  insertionInto,
  insertRows,
  integerValue,
  type WriteRows,
} from "#ledger-engine/storage/insertion.ts";
import { amountText, isSafe, type Sql, type SqlValue } from "#platform/sql/sql.ts";
import { type Timestamp, toMicros } from "#platform/time.ts";

export interface MoveRow extends Volumes {
  readonly account: number;
  readonly asset: number;
  readonly tx: number;
  /** 0 destination, 1 source, 2 both; plus 4 if one of these sides moved a zero amount. */
  readonly role: number;
  readonly timestamp: Timestamp | undefined;
  /** The effective volumes; undefined if they equal the volumes. */
  readonly effective: Volumes | undefined;
}

/** Moves that wait to be written. */
export class MoveBatch {
  readonly #rows = new PairedRows<SqlValue>(MOVES.width);
  /** Moves with a timestamp or effective volumes of their own. */
  readonly #datedRows = new PairedRows<SqlValue>(DATED_MOVES.width);
  /** Moves with volumes above 2^53: one value each, a JSON list. */
  readonly #largeRows = new PairedRows<string>(1);

  /** Whether some waiting move is about this pair of account and asset. */
  has(pair: number): boolean {
    return this.#rows.has(pair) || this.#datedRows.has(pair) || this.#largeRows.has(pair);
  }

  add(pair: number, move: MoveRow): void {
    const { account, asset, tx, role, timestamp, effective } = move;
    const [input, output] = [Number(move.input), Number(move.output)];
    const delta = effective && {
      input: effective.input - move.input,
      output: effective.output - move.output,
    };
    // `Number()` of a bigint above 2^53 is never a safe integer.
    const isSmall = Number.isSafeInteger(input) && Number.isSafeInteger(output);
    if (!isSmall || (delta !== undefined && !(isSafe(delta.input) && isSafe(delta.output)))) {
      const row = largeRow(move, delta);
      this.#largeRows.begin(pair).push(row);
    } else if (timestamp === undefined && delta === undefined) {
      this.#rows.begin(pair).push(account, asset, tx, role, input, output);
    } else {
      const micros = timestamp === undefined ? null : integerValue(toMicros(timestamp));
      const deltas = delta === undefined ? NO_DELTAS : [Number(delta.input), Number(delta.output)];
      const values = this.#datedRows.begin(pair);
      values.push(account, asset, tx, role, input, output, micros, ...deltas);
    }
  }

  /** Writes all waiting moves or, if pairs are given, only the moves of these pairs. Written moves no longer wait. */
  flush(sql: Sql, write: WriteRows, pairs?: readonly number[]): void {
    insertRows(sql, MOVES, this.#rows.take(pairs));
    insertRows(sql, DATED_MOVES, this.#datedRows.take(pairs));
    write(INSERT_LARGE_MOVES, this.#largeRows.take(pairs));
  }

  clear(): void {
    this.#rows.clear();
    this.#datedRows.clear();
    this.#largeRows.clear();
  }
}

/** Numbers are bound as reals. Integer columns convert them to integers; columns of amounts take any type and need the cast. */
const MOVE_COLUMNS = {
  account: "?",
  asset: "?",
  tx: "?",
  role: "?",
  input: "CAST(? AS INTEGER)",
  output: "CAST(? AS INTEGER)",
} as const;
/** Inserts moves without a timestamp or effective deltas, as most are. */
const MOVES = insertionInto("move", MOVE_COLUMNS);
const DATED_MOVES = insertionInto("move", {
  ...MOVE_COLUMNS,
  timestamp: "CAST(? AS INTEGER)",
  effective_delta_input: "CAST(? AS INTEGER)",
  effective_delta_output: "CAST(? AS INTEGER)",
});
const NO_DELTAS = [null, null] as const;
/** Inserts moves with large amounts, which are texts and must not be cast to integers. */
const INSERT_LARGE_MOVES = `INSERT INTO move (account, asset, tx, role, input, output, timestamp, effective_delta_input, effective_delta_output)
  SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5, value ->> 6, value ->> 7, value ->> 8 FROM json_each(?)`;

function largeRow(move: MoveRow, delta: Volumes | undefined): string {
  const { account, asset, tx, role, input, output, timestamp } = move;
  const micros = timestamp === undefined ? "null" : toMicros(timestamp);
  const deltas =
    delta === undefined ? "null,null" : `${amountText(delta.input)},${amountText(delta.output)}`;
  return `[${account},${asset},${tx},${role},${amountText(input)},${amountText(output)},${micros},${deltas}]`;
}
