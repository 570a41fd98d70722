import type { PoolType } from "#modules/payments/core/enums.ts";
import type { OwnedId } from "#modules/payments/core/ids.ts";
import type { Timestamp } from "#platform/time.ts";

export interface Pool {
  readonly key: number;
  readonly id: string;
  readonly name: string;
  readonly type: PoolType;
  /** The filter of a dynamic pool's accounts, as JSON text; absent for a static pool. */
  readonly query?: string;
  readonly createdAt: Timestamp;
  readonly changeId: string;
  /** The accounts of a static pool; empty for a dynamic pool, whose accounts are found at each read. */
  readonly accounts: readonly OwnedId[];
}

/** Most accounts of a static pool, and most accounts in an event of a pool. */
export const POOL_ACCOUNTS_MAX = 1000;
