import type { PoolType } from "#modules/payments/core/enums.ts";
import type { OwnedId } from "#modules/payments/core/ids.ts";
import type { Timestamp } from "#platform/time.ts";

export interface Pool {
  readonly key: number;
  readonly id: string;
  readonly name: string;
  readonly type: PoolType;
  /** Of a dynamic pool: the filter of its accounts, as JSON text. */
  readonly query?: string;
  readonly createdAt: Timestamp;
  readonly changeId: string;
  /** The accounts of a static pool; none of a dynamic one, whose accounts are found anew each time. */
  readonly accounts: readonly OwnedId[];
}

/** Most accounts of a static pool, and most that an event of a pool names. */
export const POOL_ACCOUNTS_MAX = 1000;
