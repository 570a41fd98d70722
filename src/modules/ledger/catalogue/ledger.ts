import type { LedgerInfo, Metadata } from "#ledger-engine";
import type { Timestamp } from "#platform/time.ts";

/** A ledger as the catalogue knows it. */
export interface Ledger extends LedgerInfo {
  readonly id: number;
  readonly metadata: Metadata;
  readonly addedAt: Timestamp;
  readonly deletedAt: Timestamp | undefined;
  /** How often it was deleted and restored. */
  readonly visibility: number;
}
