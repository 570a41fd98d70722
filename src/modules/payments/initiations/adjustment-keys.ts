import { between, type SQL, sql } from "drizzle-orm";
import { paymentInitiationAdjustments } from "./tables.ts";

/**
 * The key of an adjustment is that of its initiation and its place among the others, from 0, in one number. So the adjustments of an
 * initiation stand together in their order, and need no index, which would be billed with a row for each of them. Of two changes
 * that have seen the same adjustments, only one can be stored, as both add the same key.
 */
const { key } = paymentInitiationAdjustments;

/** The keys that an initiation has. Of the 53 bits that a number of JavaScript has, that leaves 32 for initiations. */
const ROOM = 2 ** 21;
const SIZE = sql.raw(`${ROOM}`);

/** With so many adjustments, an initiation is not sent or reversed any more. What comes of it, and later news, have room. */
export const ADJUSTMENTS_MAX = ROOM / 2;

export const adjustmentKey = (initiationKey: number, place: number): number =>
  initiationKey * ROOM + place;

/** In the row of an adjustment: what it belongs to, which fails where that is null, and its own key. */
export function adjustmentKeys(initiationKey: SQL, place: number) {
  if (place >= ROOM) throw new Error("a payment initiation has no room for another adjustment");
  return {
    initiationKey: sql<number>`${initiationKey}`,
    key: sql<number>`${initiationKey} * ${SIZE} + ${sql.raw(`${place}`)}`,
  };
}

/** The adjustments of an initiation. */
export const isAdjustmentOf = (initiationKey: number): SQL =>
  between(key, adjustmentKey(initiationKey, 0), adjustmentKey(initiationKey, ROOM - 1));

/** The adjustments of the initiations whose keys a query gives. */
export const isAdjustmentOfOneOf = (initiationKeys: SQL): SQL => sql`${key} IN (
  WITH parent(key) AS (${initiationKeys})
  SELECT a.key FROM parent CROSS JOIN ${paymentInitiationAdjustments} AS a
    ON a.key BETWEEN parent.key * ${SIZE} AND parent.key * ${SIZE} + ${SIZE} - 1)`;
