import type { LedgerInfo, Metadata } from "#ledger-engine";
import type { ObjectLocation } from "#platform/objects/location.ts";
import type { Timestamp } from "#platform/time.ts";

export interface Ledger extends LedgerInfo {
  readonly id: number;
  readonly metadata: Metadata;
  /** The location hint with which the ledger's object was made; undefined where the client gave none. */
  readonly location: ObjectLocation | undefined;
  readonly addedAt: Timestamp;
  readonly deletedAt: Timestamp | undefined;
  /** When a verification first found that the ledger differs from its log; undefined once a later one found no difference. */
  readonly inconsistentSince: Timestamp | undefined;
  /** The number of deletions and restorations of the ledger, its purge included. */
  readonly revision: number;
}
