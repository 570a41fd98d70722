import type { LedgerInfo, Metadata } from "#ledger-engine";
import type { Timestamp } from "#platform/time.ts";

/** A ledger as the catalogue knows it. */
export interface Ledger extends LedgerInfo {
  readonly id: number;
  readonly metadata: Metadata;
  readonly addedAt: Timestamp;
  readonly deletedAt: Timestamp | undefined;
  /** Counts its deletions, restorations and its purge. */
  readonly revision: number;
}
