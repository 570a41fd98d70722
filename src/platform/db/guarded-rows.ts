import { type SQL, sql } from "drizzle-orm";
import { type JsonRows, jsonRows } from "./json-rows.ts";

type Value = string | number | null;

/** Named values that identify one of several changes in one batch, such as the id of an object and of its change. */
export type Guard = Readonly<Record<string, string | number>>;

/**
 * A row that belongs to one of several changes in one batch. The guard names the row's change, so that a condition can decide for each row
 * whether its change was stored.
 */
export interface GuardedRow<Columns extends Readonly<Record<keyof Columns, Value>>> {
  readonly guard: Guard;
  readonly columns: Columns;
}

/** The rows as a source of a statement, with the value of each column. At least one row is needed. */
export const guardedRows = <Columns extends Readonly<Record<keyof Columns, Value>>>(
  rows: readonly GuardedRow<Columns>[],
): JsonRows<keyof Columns & string> =>
  jsonRows(rows.map(({ guard, columns }) => ({ guard, ...columns })));

/** The parts of the guard, which is the first value of each row of `guardedRows`. */
export const guardParts = <Part extends string>(...names: Part[]): Readonly<Record<Part, SQL>> =>
  // The record has one entry for each name.
  Object.fromEntries(names.map((name) => [name, sql.raw(`r.item ->> '$[0].${name}'`)])) as Record<
    Part,
    SQL
  >;
