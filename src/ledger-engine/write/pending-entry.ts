import type { Note } from "#ledger-engine/rules/limits.ts";
import { mergeMetadata, withoutNulls } from "#ledger-engine/rules/metadata.ts";
import type {
  AccountMetadata,
  LoggedAccountMetadata,
  LogData,
  Metadata,
  MetadataTarget,
  Posting,
  StoredSchema,
  Transaction,
} from "#ledger-engine/rules/types.ts";
import type { SchemaTrace } from "#ledger-engine/storage/payload.ts";
import type { SchemaUse } from "#ledger-engine/storage/schema-store.ts";
import type { StoredTransaction } from "#ledger-engine/storage/transaction-reader.ts";
import type { Timestamp } from "#platform/time.ts";

/**
 * A decided command: the data of its log entry, and a function that collects its rows. Deciding writes nothing. The path of a write:
 *
 *     decide    command          ─► CommandRunner.decide ─┐
 *               imported entry   ─► LogImporter           ├─► PendingEntry
 *               entry of a log   ─► EntryBuilder.replay  ─┘        │
 *                                                                  ▼
 *     append                     LogWriter.append: hash and checksum; `project` for the rows below; the row of the entry
 *                                                                  │
 *                                                                  ▼
 *     stage                      WriteBatch: rows of the log, transactions, moves, accounts, assets, metadata
 *                                                                  │ at the end of the unit of work, or before a read of these rows
 *                                                                  ▼
 *     write                      tables of the ledger, in one transaction of SQL
 *
 * Few rows are not staged but written at once: metadata and reversal of transactions, schemas, authors and causes.
 */
export interface PendingEntry {
  readonly data: LogData;
  /** The version of the schema that the write named. */
  readonly schemaVersion: string | undefined;
  /** The transaction for the answer. */
  readonly transaction?: Transaction;
  /** Collects the rows that follow from the log entry, and returns the payload of the entry's own row. */
  readonly project: (logId: number) => string;
}

/** A transaction that is about to be stored. */
export interface PreparedTransaction {
  readonly id: number;
  readonly postings: readonly Posting[];
  readonly metadata: Metadata;
  readonly timestamp: Timestamp;
  readonly trace: SchemaTrace;
}

export interface PreparedCreation extends PreparedTransaction {
  readonly reference: string | undefined;
  readonly template: string | undefined;
  readonly accountMetadata: LoggedAccountMetadata;
}

export interface PreparedRevert extends PreparedTransaction {
  readonly original: StoredTransaction;
  readonly reverted: Transaction;
}

/** The content of a log row alone, with names instead of integers. */
export type DecodedEntry = { readonly schemaVersion: string | undefined } & (
  | {
      readonly type: "NEW_TRANSACTION";
      readonly transaction: Omit<PreparedCreation, "trace" | "accountMetadata">;
      readonly accountMetadata: LoggedAccountMetadata;
    }
  | {
      readonly type: "REVERTED_TRANSACTION";
      readonly transaction: Omit<PreparedTransaction, "trace">;
      readonly reverts: number;
    }
  | {
      readonly type: "SET_METADATA";
      readonly target: MetadataTarget;
      readonly metadata: Metadata | null;
    }
  | { readonly type: "DELETE_METADATA"; readonly target: MetadataTarget; readonly key: string }
  | { readonly type: "INSERTED_SCHEMA"; readonly schema: StoredSchema }
);

/** The circumstances in which an entry is built. */
export interface EntryOptions {
  readonly now: Timestamp;
  readonly schema: SchemaUse | undefined;
  /** Takes remarks on sizes beyond the limits of writes. Without it, such sizes are errors. */
  readonly note?: Note;
}

/** The trace of a write's schema in its entry, without defaults. */
export const toTrace = (schema: SchemaUse | undefined): SchemaTrace =>
  schema === undefined ? {} : { schemaVersion: schema.version };

/** The metadata that a transaction gives to accounts, with the defaults of its schema for new accounts. */
export function withDefaults(
  accountMetadata: LoggedAccountMetadata,
  { defaults }: SchemaTrace,
): AccountMetadata {
  const given = withoutNulls(accountMetadata);
  if (defaults === undefined) return given;
  const merged = new Map(Object.entries(defaults));
  for (const [address, metadata] of Object.entries(given)) {
    merged.set(address, mergeMetadata(merged.get(address) ?? {}, metadata));
  }
  return Object.fromEntries(merged);
}
