import { type SQL, sql } from "drizzle-orm";
import { paymentBalanceConfirmations, paymentBalances } from "./tables.ts";
import type { Database } from "#platform/db/database.ts";
import { jsonRows } from "#platform/db/json-rows.ts";
import { parseJson, stringifyJson } from "#platform/json.ts";
import type { Timestamp } from "#platform/time.ts";

/** A report that an open balance still holds. */
export interface Confirmation {
  /** The key of the balance. */
  readonly key: number;
  readonly at: Timestamp;
}

/** How many balances, whose keys follow each other, have the times of their confirmations in one row. */
const SEGMENT_SIZE = 64;
/** A number that is bound would be divided as a fraction. */
const SIZE = sql.raw(`${SEGMENT_SIZE}`);
/** Most confirmations that wait at a schedule: they are rewritten with it for each page, 40 bytes each. */
const PENDING_MAX = 128;

/**
 * The statement that stores confirmations, one row for those of a segment. Each time replaces the one before; `recordBalance` has
 * decided that it is later.
 */
export function confirmationStatement(db: Database, confirmed: readonly Confirmation[]) {
  const segments = Map.groupBy(confirmed, ({ key }) => Math.floor(key / SEGMENT_SIZE));
  const rows = [...segments].map(([segment, some]) => [segment, toTimes(some)]);
  return db
    .insert(paymentBalanceConfirmations)
    .select(sql`SELECT r.item ->> 0, r.item ->> 1 FROM ${jsonRows(rows)} AS r WHERE true`)
    .onConflictDoUpdate({
      target: paymentBalanceConfirmations.segment,
      set: { times: sql`json_patch(times, excluded.times)` },
    });
}

/**
 * What waits at a schedule once a page has confirmed some balances, and the statements that store what has no room there:
 *
 *     page of a poll ──▶ payment_schedules.confirmed ──▶ payment_balance_confirmations
 *                        the row that each page           a row for 64 balances, once
 *                        writes anyway                    128 confirmations wait
 *
 * So a poll that finds all balances unchanged writes no row for an account.
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
 * When the amount of a row of `payment_balances`, which a statement calls by that name, was last confirmed. A closed one was confirmed by
 * the report that took its place.
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

/** Forgets confirmations of balances that were deleted. */
export const CONFIRMATIONS = {
  /** The statement that deletes the segments of balances with these keys, where no other balance is left in them. */
  removeEmpty: (db: Database, keys: readonly number[]) =>
    db.delete(paymentBalanceConfirmations).where(sql`
      segment IN (SELECT value / ${SIZE} FROM json_each(${stringifyJson(keys)}))
      AND NOT EXISTS (
        SELECT 1 FROM ${paymentBalances}
        WHERE ${paymentBalances.key} BETWEEN segment * ${SIZE} AND segment * ${SIZE} + ${SIZE} - 1)`),
};

/** JSON of the times by the labels of the balances: SQLite takes a label of digits for a place in a list. */
const toTimes = (confirmed: readonly Confirmation[]): string =>
  stringifyJson(Object.fromEntries(confirmed.map(({ key, at }) => [labelOf(key), at])));

const labelOf = (key: number): string => `b${key}`;

const parseTimes = (times: string): Record<string, Timestamp> =>
  parseJson(times) as Record<string, Timestamp>; // what `addPending` has stored
