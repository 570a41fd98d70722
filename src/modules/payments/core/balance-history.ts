import type { Timestamp } from "#platform/time.ts";

/** An amount that an account held from `createdAt` to `lastUpdatedAt`, both included. */
export interface HeldAmount {
  readonly amount: bigint;
  readonly createdAt: Timestamp;
  readonly lastUpdatedAt: Timestamp;
}

/** The effect of a report on the newest interval of an account and asset. */
export type BalanceChange =
  /** The report says nothing new. */
  | { readonly kind: "ignored" }
  /** The amount still held at a later time. */
  | { readonly kind: "confirmed"; readonly newest: HeldAmount }
  /** The newest interval ends, if there was one, and another interval begins at the time of the report. */
  | {
      readonly kind: "changed";
      readonly closed: HeldAmount | undefined;
      readonly newest: HeldAmount;
    };

/**
 * The intervals of an account and asset follow each other without a gap:
 *
 * | The report is | with the same amount | with another amount |
 * | --- | --- | --- |
 * | the first one | an interval begins | an interval begins |
 * | older than the last confirmation | ignored | ignored |
 * | of the time of the last confirmation | ignored | an interval begins; ignored if the newest interval began at this time |
 * | newer | confirmed | an interval begins |
 *
 * A report that comes again therefore changes nothing, whichever reports came between.
 */
export function recordBalance(
  newest: HeldAmount | undefined,
  report: { readonly amount: bigint; readonly at: Timestamp },
): BalanceChange {
  const { amount, at } = report;
  const begun: HeldAmount = { amount, createdAt: at, lastUpdatedAt: at };
  if (newest === undefined) return { kind: "changed", closed: undefined, newest: begun };
  if (at < newest.lastUpdatedAt) return { kind: "ignored" };
  if (amount === newest.amount) {
    return at === newest.lastUpdatedAt
      ? { kind: "ignored" }
      : { kind: "confirmed", newest: { ...newest, lastUpdatedAt: at } };
  }
  if (at === newest.createdAt) return { kind: "ignored" };
  return { kind: "changed", closed: { ...newest, lastUpdatedAt: at }, newest: begun };
}
