import { between, type SQL, sql } from "drizzle-orm";
import { paymentInitiationAdjustments } from "./tables.ts";

/**
 * An adjustment's key combines the key of its initiation and its ordinal, which counts from 0:
 *
 *     key = initiation key · 2^21 + ordinal
 *
 * The adjustments of an initiation therefore are neighbours in their order and need no index, which would be billed as one
 * more row written for each. Of two changes that have seen the same adjustments, only one can be stored, because both
 * insert the same key.
 */
const { key } = paymentInitiationAdjustments;

/** Keys per initiation. Numbers of JavaScript are exact up to 53 bits, which leaves 32 bits for the keys of initiations. */
const ROOM = 2 ** 21;
const SIZE = sql.raw(`${ROOM}`);

/**
 * With this many adjustments, an initiation is not sent or reversed any more, so that outcomes and later news still have
 * room.
 */
export const ADJUSTMENTS_MAX = ROOM / 2;

export const adjustmentKey = (initiationKey: number, place: number): number =>
  initiationKey * ROOM + place;

/** The key columns of a new adjustment. The insertion fails if the key of the initiation is null. */
export function adjustmentKeys(initiationKey: SQL, place: number) {
  if (place >= ROOM) throw new Error("a payment initiation has no room for another adjustment");
  return {
    initiationKey: sql<number>`${initiationKey}`,
    key: sql<number>`${initiationKey} * ${SIZE} + ${sql.raw(`${place}`)}`,
  };
}

/** The condition on the adjustments of one initiation. */
export const isAdjustmentOf = (initiationKey: number): SQL =>
  between(key, adjustmentKey(initiationKey, 0), adjustmentKey(initiationKey, ROOM - 1));

/** The condition on the adjustments of initiations whose keys are in the result of a query. */
export const isAdjustmentOfOneOf = (initiationKeys: SQL): SQL => sql`${key} IN (
  WITH parent(key) AS (${initiationKeys})
  SELECT a.key FROM parent CROSS JOIN ${paymentInitiationAdjustments} AS a
    ON a.key BETWEEN parent.key * ${SIZE} AND parent.key * ${SIZE} + ${SIZE} - 1)`;
