import type { Features } from "#ledger-engine/rules/types.ts";
import type { Authorship } from "#ledger-engine/storage/authorship.ts";
import type { LogReader } from "#ledger-engine/storage/log/log-reader.ts";
import type { MetadataHistory } from "#ledger-engine/storage/metadata-history.ts";
import type { KeptSums } from "#ledger-engine/storage/moves/kept-sums.ts";
import type { StoredNames } from "#ledger-engine/storage/names/names.ts";
import type { SchemaStore } from "#ledger-engine/storage/schema-store.ts";
import type { TransactionReader } from "#ledger-engine/storage/transaction-reader.ts";
import type { Sql } from "#platform/sql/sql.ts";

/** What the readers of a ledger read from. */
export interface ReadContext {
  readonly sql: Sql;
  readonly names: StoredNames;
  readonly transactions: TransactionReader;
  readonly logs: LogReader;
  readonly history: MetadataHistory;
  readonly schemas: SchemaStore;
  readonly authorship: Authorship;
  readonly features: Features;
  /** The sums of balances that writes keep up to date. */
  readonly sums: KeptSums;
  /** How many accounts and assets there are now: their ids are 1 and those that follow. */
  readonly sizes: { readonly accountCount: number; readonly assetCount: number };
  /** How many transactions there are. */
  readonly countTransactions: () => number;
  /** How many pairs of metadata the writes have looked at so far: where none was added, no metadata has changed. */
  readonly countMetadataPairs: () => number;
}
