import type { Features } from "#ledger-engine/rules/types.ts";
import type { Authorship } from "#ledger-engine/storage/authorship.ts";
import type { LogReader } from "#ledger-engine/storage/log/log-reader.ts";
import type { MetadataHistory } from "#ledger-engine/storage/metadata-history.ts";
import type { KeptSums } from "#ledger-engine/storage/moves/kept-sums.ts";
import type { StoredNames } from "#ledger-engine/storage/names/names.ts";
import type { SchemaStore } from "#ledger-engine/storage/schema-store.ts";
import type { TransactionReader } from "#ledger-engine/storage/transaction-reader.ts";
import type { Sql } from "#platform/sql/sql.ts";

/** The sources of the readers of a ledger. */
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
  /** The present numbers of accounts and assets. Ids of both begin at 1 and have no gaps. */
  readonly sizes: { readonly accountCount: number; readonly assetCount: number };
  readonly countTransactions: () => number;
  /** The number of pairs of metadata that writes have processed so far. While it is unchanged, no metadata has changed. */
  readonly countMetadataPairs: () => number;
}
