import type { Volumes } from "#ledger-engine/rules/types.ts";
import { insertionInto, insertRows, integerValue } from "#ledger-engine/storage/insertion.ts";
import { amountText, isSafe, type Sql, type SqlValue } from "#platform/sql/sql.ts";
import { type Timestamp, toMicros } from "#platform/time.ts";

export interface MoveRow extends Volumes {
  readonly account: number;
  readonly asset: number;
  readonly tx: number;
  /** 0 destination, 1 source, 2 both; 4 is added where one of these sides moved a zero amount. */
  readonly role: number;
  readonly timestamp: Timestamp | undefined;
  /** The effective volumes, where they differ from the volumes. */
  readonly effective: Volumes | undefined;
}

/** A row, with its pair of account and asset. */
interface PairRow<R> {
  readonly pair: number;
  readonly row: R;
}

/** Moves that wait to be written. */
export class MoveBatch {
  #rows: PairRow<readonly SqlValue[]>[] = [];
  /** The moves that fill further columns. */
  #datedRows: PairRow<readonly SqlValue[]>[] = [];
  /** The moves with large amounts, as JSON. */
  #largeRows: PairRow<string>[] = [];
  /** The pairs of account and asset that the moves are about. */
  readonly #pairs = new Set<number>();

  get isEmpty(): boolean {
    return this.#pairs.size === 0;
  }

  /** Whether some move is about this pair of account and asset. */
  has(pair: number): boolean {
    return this.#pairs.has(pair);
  }

  add(pair: number, move: MoveRow): void {
    const { account, asset, tx, role, input, output, timestamp, effective } = move;
    this.#pairs.add(pair);
    const delta = effective && {
      input: effective.input - input,
      output: effective.output - output,
    };
    if (!isSmall(move) || (delta !== undefined && !isSmall(delta))) {
      this.#largeRows.push({ pair, row: largeRow(move, delta) });
      return;
    }
    const row = [account, asset, tx, role, Number(input), Number(output)];
    if (timestamp === undefined && delta === undefined) {
      this.#rows.push({ pair, row });
      return;
    }
    const micros = timestamp === undefined ? null : integerValue(toMicros(timestamp));
    const deltas = delta === undefined ? NO_DELTAS : [Number(delta.input), Number(delta.output)];
    this.#datedRows.push({ pair, row: [...row, micros, ...deltas] });
  }

  flush(sql: Sql, write: (statement: string, rows: readonly string[]) => void): void {
    insertRows(sql, MOVES, inTableOrder(this.#rows).flat());
    insertRows(sql, DATED_MOVES, inTableOrder(this.#datedRows).flat());
    write(INSERT_LARGE_MOVES, inTableOrder(this.#largeRows));
  }

  clear(): void {
    this.#rows = [];
    this.#datedRows = [];
    this.#largeRows = [];
    this.#pairs.clear();
  }
}

/** Numbers are bound as reals. Columns of integers turn them back; those of amounts take any type, so that these are cast. */
const MOVE_COLUMNS = {
  account: "?",
  asset: "?",
  tx: "?",
  role: "?",
  input: "CAST(? AS INTEGER)",
  output: "CAST(? AS INTEGER)",
} as const;
/** Most moves lack the other three columns. */
const MOVES = insertionInto("move", MOVE_COLUMNS);
const DATED_MOVES = insertionInto("move", {
  ...MOVE_COLUMNS,
  timestamp: "CAST(? AS INTEGER)",
  effective_delta_input: "CAST(? AS INTEGER)",
  effective_delta_output: "CAST(? AS INTEGER)",
});
const NO_DELTAS = [null, null] as const;
/** Large amounts are texts, which a cast would make integers. */
const INSERT_LARGE_MOVES = `INSERT INTO move (account, asset, tx, role, input, output, timestamp, effective_delta_input, effective_delta_output)
  SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5, value ->> 6, value ->> 7, value ->> 8 FROM json_each(?)`;

function largeRow(move: MoveRow, delta: Volumes | undefined): string {
  const { account, asset, tx, role, input, output, timestamp } = move;
  const micros = timestamp === undefined ? "null" : toMicros(timestamp);
  const deltas =
    delta === undefined ? "null,null" : `${amountText(delta.input)},${amountText(delta.output)}`;
  return `[${account},${asset},${tx},${role},${amountText(input)},${amountText(output)},${micros},${deltas}]`;
}

/** Whether numbers hold both amounts exactly. */
const isSmall = ({ input, output }: Volumes): boolean => isSafe(input) && isSafe(output);

/** Rows in the order of the primary key, so that each page of the table is found and changed once. */
const inTableOrder = <R>(rows: readonly PairRow<R>[]): R[] =>
  rows.toSorted((a, b) => a.pair - b.pair).map(({ row }) => row);
