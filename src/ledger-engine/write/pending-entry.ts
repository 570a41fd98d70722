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

/** A decided command: what its log entry says, and how its rows are made. Deciding has written nothing yet. */
export interface PendingEntry {
  readonly data: LogData;
  /** The schema that the write named. */
  readonly schemaVersion: string | undefined;
  /** The transaction for the answer. */
  readonly transaction?: Transaction;
  /** Collects the rows for the log entry with this id, and returns the payload of the entry's row. */
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

/** What a log row says on its own, in names. */
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
  /** The schema that the write names. */
  readonly schema: SchemaUse | undefined;
  /** Given where sizes beyond the limits of writes are no reason to refuse the entry. */
  readonly note?: Note;
}

/** What the entry of a write keeps of the schema that it names. */
export const toTrace = (schema: SchemaUse | undefined): SchemaTrace =>
  schema === undefined ? {} : { schemaVersion: schema.version };

/**
 * The metadata that a transaction gives to accounts, merged with the defaults of the schema for those that it creates.
 */
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
