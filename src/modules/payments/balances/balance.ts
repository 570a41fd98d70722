import type { OwnedId } from "#modules/payments/core/ids.ts";
import type { Timestamp } from "#platform/time.ts";

/** What an account held of an asset over some time. */
export interface Balance {
  /** Orders balances of one time. */
  readonly key: number;
  readonly account: OwnedId;
  readonly asset: string;
  readonly amount: bigint;
  readonly createdAt: Timestamp;
  readonly lastUpdatedAt: Timestamp;
  readonly psuId?: string;
  readonly connectionId?: string;
}
