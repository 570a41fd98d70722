import { type EntryOptions, type PendingEntry, toTrace } from "./pending-entry.ts";
import {
  ACCOUNTS_METADATA_BYTES_MAX,
  assertMetadata,
  metadataBytes,
  type Note,
} from "#ledger-engine/rules/limits.ts";
import { containsMetadata, mergeMetadata, withoutKey } from "#ledger-engine/rules/metadata.ts";
import type { Move } from "#ledger-engine/rules/postings.ts";
import type {
  Account,
  AccountMetadata,
  LoggedAccountMetadata,
  Metadata,
  MetadataTarget,
} from "#ledger-engine/rules/types.ts";
import { encodeKey, encodeMetadata, type SchemaTrace } from "#ledger-engine/storage/payload.ts";
import type { SchemaUse } from "#ledger-engine/storage/schema-store.ts";
import type { StoredTransaction } from "#ledger-engine/storage/transaction-reader.ts";
import type { WriteBatch } from "#ledger-engine/storage/write-batch.ts";
import { AppError } from "#platform/errors.ts";
import { stringifyJson } from "#platform/json.ts";
import type { Sql } from "#platform/sql/sql.ts";
import { type Timestamp, toMicros } from "#platform/time.ts";

export interface MetadataDependencies {
  readonly sql: Sql;
  readonly batch: WriteBatch;
  /** Throws `NOT_FOUND` for an unknown transaction. */
  readonly storedTransaction: (id: number) => StoredTransaction;
}

/** Builds log entries about metadata, and writes the metadata that entries of transactions give to accounts. */
export class MetadataEntryBuilder {
  readonly #sql: Sql;
  readonly #batch: WriteBatch;
  readonly #storedTransaction: (id: number) => StoredTransaction;
  #pairs = 0;

  constructor({ sql, batch, storedTransaction }: MetadataDependencies) {
    this.#sql = sql;
    this.#batch = batch;
    this.#storedTransaction = storedTransaction;
  }

  /** The number of pairs that have been processed so far. Writing one key reads and writes all pairs of its target. */
  get pairs(): number {
    return this.#pairs;
  }

  /** Throws `VALIDATION` for too much metadata, and `NOT_FOUND` for an unknown transaction. */
  set(
    target: MetadataTarget,
    given: Metadata | null,
    { now, schema, note }: EntryOptions,
  ): PendingEntry {
    const metadata = given ?? {};
    const defaults =
      target.type === "ACCOUNT" && schema !== undefined
        ? this.#defaultsOf(schema, target.id, metadata)
        : undefined;
    const trace: SchemaTrace = {
      ...toTrace(schema),
      ...(defaults === undefined ? {} : { defaults: { [target.id]: defaults } }),
    };
    const all = defaults === undefined ? metadata : mergeMetadata(defaults, metadata);
    const write =
      target.type === "ACCOUNT"
        ? this.#accountMetadataWriter(target.id, all, { firstUsage: now, now, note })
        : this.#transactionMetadataWriter(target.id, metadata, { now, note });
    return {
      data: { type: "SET_METADATA", target, metadata: given },
      schemaVersion: trace.schemaVersion,
      project: (logId) => {
        write();
        this.#batch.noteMetadataEntry(target, { id: logId, tx: null });
        return encodeMetadata({ target, metadata: given }, trace);
      },
    };
  }

  /** Throws `NOT_FOUND` for an unknown transaction, and for a key that the transaction does not have. */
  delete(target: MetadataTarget, key: string, { now, schema, note }: EntryOptions): PendingEntry {
    // The key must be valid, because it is logged even if the target does not have it.
    assertMetadata({ [key]: "" }, note);
    const write =
      target.type === "ACCOUNT"
        ? this.#accountKeyRemover(target.id, key)
        : this.#transactionKeyRemover(target.id, key, now);
    const trace = toTrace(schema);
    return {
      data: { type: "DELETE_METADATA", target, key },
      schemaVersion: trace.schemaVersion,
      project: (logId) => {
        write();
        if (this.#isKnown(target)) {
          this.#batch.noteMetadataEntry(target, { id: logId, tx: null });
        }
        return encodeKey({ target, key }, trace);
      },
    };
  }

  /**
   * The trace of a schema in the entry of a new transaction: its version, and the default metadata of the accounts that
   * the transaction creates.
   */
  traceOf(
    schema: SchemaUse | undefined,
    moves: readonly Move[],
    accountMetadata: LoggedAccountMetadata,
  ): SchemaTrace {
    if (schema === undefined) return {};
    const addresses = new Set<string>(moves.map(({ account }) => account));
    for (const address of Object.keys(accountMetadata)) addresses.add(address);
    const defaults = [...addresses].flatMap((address) => {
      const given = Object.hasOwn(accountMetadata, address) ? accountMetadata[address] : undefined;
      const metadata = this.#defaultsOf(schema, address as Account, given ?? undefined); // addresses of postings and of commands were checked
      return metadata === undefined ? [] : [[address, metadata] as const];
    });
    return {
      ...toTrace(schema),
      ...(defaults.length === 0 ? {} : { defaults: Object.fromEntries(defaults) }),
    };
  }

  /**
   * The default metadata that a schema gives a new account; undefined if the account exists, or gets none. Keys that the
   * write itself sets are left out, so that the entry stays small.
   */
  #defaultsOf(
    schema: SchemaUse,
    address: Account,
    given: Metadata | undefined,
  ): Metadata | undefined {
    if (this.#batch.findAccountId(address) !== undefined) return undefined;
    const defaults = this.#counted(schema.chart.defaultMetadata(address));
    const kept = given === undefined ? defaults : withoutKeys(defaults, given);
    return Object.keys(kept).length === 0 ? undefined : kept;
  }

  /** Throws `VALIDATION` if one account would have too much metadata, or all of them together. */
  assertAccounts(accountMetadata: AccountMetadata, note?: Note): void {
    let bytes = 0;
    for (const [address, metadata] of Object.entries(accountMetadata)) {
      const known = this.#batch.findAccountRow(address as Account)?.metadata ?? {}; // the command was checked
      const merged = this.#counted(mergeMetadata(known, metadata));
      assertMetadata(merged, note);
      bytes += metadataBytes(merged);
      if (bytes <= ACCOUNTS_METADATA_BYTES_MAX) continue;
      throw new AppError(
        "VALIDATION",
        `the accounts have more than ${ACCOUNTS_METADATA_BYTES_MAX} bytes of metadata together`,
      );
    }
  }

  /** Counts pairs of metadata that are about to be compared and written. */
  #counted(metadata: Metadata): Metadata {
    this.#pairs += Object.keys(metadata).length;
    return metadata;
  }

  /** Writes the metadata that an entry gives to accounts. */
  writeAccounts(
    accountMetadata: AccountMetadata,
    entry: { firstUsage: Timestamp; now: Timestamp; logId: number; tx: number },
  ): void {
    for (const [address, metadata] of Object.entries(accountMetadata)) {
      const account = address as Account; // the command was checked
      this.#accountMetadataWriter(account, metadata, { ...entry, note: WAS_CHECKED })();
      this.#batch.noteMetadataEntry(
        { type: "ACCOUNT", id: account },
        { id: entry.logId, tx: entry.tx },
      );
    }
  }

  /** Whether the target exists. A transaction always does, because commands about unknown transactions are refused before. */
  #isKnown(target: MetadataTarget): boolean {
    return target.type === "TRANSACTION" || this.#batch.findAccountId(target.id) !== undefined;
  }

  #accountMetadataWriter(
    address: Account,
    metadata: Metadata,
    { firstUsage, now, note }: { firstUsage: Timestamp; now: Timestamp; note?: Note | undefined },
  ): () => void {
    const known = this.#batch.findAccountRow(address);
    const merged = this.#counted(mergeMetadata(known?.metadata ?? {}, metadata));
    assertMetadata(merged, note);
    return () => {
      this.#batch.useAccount(address, firstUsage, now);
      if (known === undefined) this.#batch.setAccountMetadata(address, merged);
      else if (!containsMetadata(known.metadata ?? {}, metadata)) {
        this.#batch.setAccountMetadata(address, merged, now);
      }
    };
  }

  /** Removes a key of an account. If the account does not have the key, nothing is written but the log entry. */
  #accountKeyRemover(address: Account, key: string): () => void {
    const metadata = this.#counted(this.#batch.findAccountRow(address)?.metadata ?? {});
    if (metadata === undefined || !Object.hasOwn(metadata, key)) return () => undefined;
    return () => this.#batch.setAccountMetadata(address, withoutKey(metadata, key));
  }

  #transactionMetadataWriter(
    id: number,
    metadata: Metadata,
    { now, note }: { now: Timestamp; note: Note | undefined },
  ): () => void {
    const current = this.#currentMetadata(id);
    const merged = mergeMetadata(current, metadata);
    assertMetadata(merged, note);
    return containsMetadata(current, metadata)
      ? () => undefined
      : () => this.#writeTransactionMetadata(id, { before: current, after: merged, now });
  }

  #transactionKeyRemover(id: number, key: string, now: Timestamp): () => void {
    const current = this.#currentMetadata(id);
    if (!Object.hasOwn(current, key)) {
      throw new AppError("NOT_FOUND", `transaction ${id} has no metadata '${key}'`);
    }
    const after = withoutKey(current, key);
    return () => this.#writeTransactionMetadata(id, { before: current, after, now });
  }

  #currentMetadata(id: number): Metadata {
    const { metadata, payload } = this.#storedTransaction(id);
    return this.#counted(metadata ?? payload.metadata ?? {});
  }

  #writeTransactionMetadata(
    id: number,
    { before, after, now }: { before: Metadata; after: Metadata; now: Timestamp },
  ): void {
    this.#sql.all(
      "UPDATE tx SET metadata = ?, updated_at = CAST(? AS INTEGER) WHERE id = ?",
      stringifyJson(after),
      toMicros(now).toString(),
      id,
    );
    this.#batch.changeTransactionMetadata(id, before, after);
  }
}

/** Ignores sizes beyond the limits: `assertAccounts` has checked them before the entry was built. */
const WAS_CHECKED: Note = () => undefined;

/** Metadata without the keys that other metadata has. */
const withoutKeys = (metadata: Metadata, other: Metadata): Metadata =>
  Object.fromEntries(Object.entries(metadata).filter(([key]) => !Object.hasOwn(other, key)));
