import type { Timestamp } from "#platform/time.ts";

/** An amount that was held over some time, both ends included. */
export interface HeldAmount {
  readonly amount: bigint;
  readonly createdAt: Timestamp;
  readonly lastUpdatedAt: Timestamp;
}

/** What a report does to the newest interval of an account and asset. */
export type BalanceChange =
  /** It tells nothing new. */
  | { readonly kind: "ignored" }
  /** The amount holds up to a later time. */
  | { readonly kind: "confirmed"; readonly newest: HeldAmount }
  /** The newest interval ends, where there was one, and another one begins at that time. */
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
 * | of the time of the last confirmation | ignored | a new interval; ignored where the newest one has begun at that time |
 * | newer | confirmed | a new interval |
 *
 * So a report that comes again changes nothing, whatever has come between.
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
