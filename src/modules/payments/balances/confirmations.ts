import { type SQL, sql } from "drizzle-orm";
import { paymentBalanceConfirmations, paymentBalances } from "./tables.ts";
import type { Confirmation } from "#modules/payments/ingestion/fetched-kind.ts";
import type { Database } from "#platform/db/database.ts";
import { columnValues, jsonRows } from "#platform/db/json-rows.ts";
import { parseJson, stringifyJson } from "#platform/json.ts";
import type { Timestamp } from "#platform/time.ts";

/** How many balances, whose keys follow each other, have the times of their confirmations in one row. */
const BALANCES_PER_BLOCK = 64;
/** A number that is bound would be divided as a fraction. */
const SIZE = sql.raw(`${BALANCES_PER_BLOCK}`);
/** Most confirmations that wait at a schedule: they are rewritten with it for each page, 40 bytes each. */
const PENDING_MAX = 128;

/**
 * The statement that stores confirmations, one row for each segment. A time replaces the stored one; `recordBalance` has
 * made sure that it is later.
 */
export function confirmationStatement(db: Database, confirmed: readonly Confirmation[]) {
  const blocks = Map.groupBy(confirmed, ({ key }) => Math.floor(key / BALANCES_PER_BLOCK));
  const rows = [...blocks].map(([segment, some]) => ({ segment, times: toTimes(some) }));
  const { source, items } = jsonRows(rows);
  return db
    .insert(paymentBalanceConfirmations)
    .select(
      sql`SELECT ${columnValues(paymentBalanceConfirmations, items)} FROM ${source} WHERE true`,
    )
    .onConflictDoUpdate({
      target: paymentBalanceConfirmations.segment,
      set: { times: sql`json_patch(times, excluded.times)` },
    });
}

/**
 * The confirmations that wait in the row of a schedule after a page, and the statements that store them elsewhere once they
 * are too many:
 *
 *     page of a poll ──▶ payment_schedules.confirmed ──▶ payment_balance_confirmations
 *                        the row that each page           one row for 64 balances, when more
 *                        writes anyway                    than 128 confirmations wait
 *
 * A poll that finds all balances unchanged therefore writes no row for an account.
 */
export function addPending(
  db: Database,
  pending: string | null,
  confirmed: readonly Confirmation[],
) {
  const times = new Map(pending === null ? [] : Object.entries(parseTimes(pending)));
  for (const { key, at } of confirmed) times.set(labelOf(key), at);
  if (times.size <= PENDING_MAX) {
    return { pending: stringifyJson(Object.fromEntries(times)), statements: [] };
  }
  const all = [...times].map(([label, at]) => ({ key: Number(label.slice(1)), at }));
  return { pending: null, statements: [confirmationStatement(db, all)] };
}

/**
 * The time at which the amount of a balance was last confirmed, in SQL; `name` is the name of `payment_balances` in the
 * statement. A closed balance was last confirmed by the report that replaced it.
 */
export function confirmedAt(name: string): SQL<Timestamp> {
  const row = sql.raw(name);
  const path = sql`'$.b' || ${row}.key`;
  return sql`CASE WHEN ${row}.is_open = 0 THEN ${row}.last_updated_at ELSE max(${row}.last_updated_at,
    coalesce((SELECT c.times ->> (${path}) FROM payment_balance_confirmations AS c
      WHERE c.segment = ${row}.key / ${SIZE}), ''),
    coalesce((SELECT max(s.confirmed ->> (${path})) FROM payment_schedules AS s
      WHERE s.connector_key = ${row}.connector_key), '')) END`;
}

/** Deletes confirmations of deleted balances. */
export const CONFIRMATIONS = {
  /** The statement that deletes the segments of certain balances, unless other balances are left in them. */
  removeEmpty: (db: Database, keys: readonly number[]) =>
    db.delete(paymentBalanceConfirmations).where(sql`
      segment IN (SELECT value / ${SIZE} FROM json_each(${stringifyJson(keys)}))
      AND NOT EXISTS (
        SELECT 1 FROM ${paymentBalances}
        WHERE ${paymentBalances.key} BETWEEN segment * ${SIZE} AND segment * ${SIZE} + ${SIZE} - 1)`),
};

/** JSON of the times by the labels of balances. SQLite would take a label without a letter for an index of an array. */
const toTimes = (confirmed: readonly Confirmation[]): string =>
  stringifyJson(Object.fromEntries(confirmed.map(({ key, at }) => [labelOf(key), at])));

const labelOf = (key: number): string => `b${key}`;

const parseTimes = (times: string): Record<string, Timestamp> =>
  parseJson(times) as Record<string, Timestamp>; // only this module writes the column
