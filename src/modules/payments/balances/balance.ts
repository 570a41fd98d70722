import type { OwnedId } from "#modules/payments/core/ids.ts";
import type { Timestamp } from "#platform/time.ts";

/** An amount of an asset that an account held from `createdAt` to `lastUpdatedAt`. */
export interface Balance {
  /** The key of its row, which orders balances of the same time. */
  readonly key: number;
  readonly account: OwnedId;
  readonly asset: string;
  readonly amount: bigint;
  readonly createdAt: Timestamp;
  readonly lastUpdatedAt: Timestamp;
  readonly psuId?: string;
  readonly connectionId?: string;
}
