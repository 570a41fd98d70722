import { lastLogAt } from "./ids-by-date.ts";
import { METADATA_LOG_KINDS } from "./metadata-index.ts";
import { decodeKey, decodeMetadata, decodeTransaction, LOG_TYPES } from "./payload.ts";
import { countWithin } from "#ledger-engine/rules/limits.ts";
import type { LoggedAccountMetadata, Metadata } from "#ledger-engine/rules/types.ts";
import type { Sql } from "#platform/sql/sql.ts";
import { type Timestamp, toMicros } from "#platform/time.ts";

/** The most entries that are read at a time, and the most bytes of their payloads. */
const ENTRIES_MAX = 1000;
const BYTES_MAX = 2_000_000;

/**
 * Metadata as it was at a point in time, by dates of insertion. Only ledgers with the feature for the history of this
 * kind of metadata have rows in `metadata_log`.
 */
export class MetadataHistory {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /** The metadata of each transaction at its creation, with all changes up to the point in time. */
  transactionsAt(
    rows: readonly { readonly id: number; readonly payload: { readonly metadata?: Metadata } }[],
    at: Timestamp,
  ): Map<number, Metadata> {
    const found = new Map(rows.map(({ id, payload }) => [id, payload.metadata ?? {}]));
    const lastLog = lastLogAt(this.#sql, toMicros(at));
    this.#apply(METADATA_LOG_KINDS.TRANSACTION, { found, lastLog, addressOf: () => undefined });
    return found;
  }

  /**
   * The metadata of each account after all entries up to the point in time; `{}` if there are none. As on the reference
   * server, the deletion of a key does not change the account's `updatedAt`, and counts from the date that `updatedAt` had
   * before the deletion. A deletion after the point in time therefore counts as well, if no other change comes before it.
   */
  accountsAt(
    rows: readonly { readonly id: number; readonly address: string }[],
    at: Timestamp,
  ): Map<number, Metadata> {
    const found = new Map(rows.map(({ id }): [number, Metadata] => [id, {}]));
    const addresses = new Map(rows.map(({ id, address }) => [id, address]));
    const addressOf = (id: number) => addresses.get(id);
    const reconstruction = { found, lastLog: lastLogAt(this.#sql, toMicros(at)), addressOf };
    this.#apply(METADATA_LOG_KINDS.ACCOUNT, reconstruction);
    this.#applyDeletions(reconstruction);
    return found;
  }

  /** Applies the entries of each account after the point in time, up to the first one that changes `updatedAt`. */
  #applyDeletions({ found, lastLog, addressOf }: Reconstruction): void {
    let wanted: EntryRef[] = [...found].flatMap(([target, metadata]) =>
      Object.keys(metadata).length === 0 ? [] : { target, log: lastLog, tx: null },
    );
    while (wanted.length > 0) {
      const refs = wanted.map(({ target, log }) => `[${target},${log}]`);
      const next = this.#sql.all<EntryRef & { size: number }>(SELECT_NEXT, `[${refs.join(",")}]`);
      const page = next.slice(
        0,
        countWithin(next, BYTES_MAX, ({ size }) => size),
      );
      const goOn = new Set<number>();
      for (const { target, type, payload } of this.#entriesOf(page)) {
        const before = found.get(target) ?? {};
        const pairs = new Map(Object.entries(before));
        apply(pairs, { type, payload }, addressOf(target));
        const isDeletion = type === LOG_TYPES.DELETE_METADATA;
        if (isDeletion) found.set(target, Object.fromEntries(pairs));
        if (isDeletion || isSame(before, pairs)) goOn.add(target);
      }
      wanted = [
        ...page.filter(({ target }) => goOn.has(target)),
        ...next
          .slice(page.length)
          .flatMap(({ target }) => wanted.find((ref) => ref.target === target) ?? []),
      ];
    }
  }

  /** Applies the entries of all targets, a page at a time, because one target may have more than fit in memory. */
  #apply(kind: number, { found, lastLog, addressOf }: Reconstruction): void {
    if (found.size === 0) return;
    const changed = new Map<number, Map<string, string>>();
    let targets = [...found.keys()];
    let after = -1;
    for (;;) {
      const page = this.#refs(kind, { targets, after, lastLog });
      for (const { target, type, payload } of this.#entriesOf(page)) {
        const pairs = changed.get(target) ?? new Map(Object.entries(found.get(target) ?? {}));
        changed.set(target, pairs);
        apply(pairs, { type, payload }, addressOf(target));
      }
      const last = page.at(-1);
      if (last === undefined) break;
      targets = targets.slice(targets.indexOf(last.target));
      after = last.log;
    }
    for (const [target, pairs] of changed) found.set(target, Object.fromEntries(pairs));
  }

  /** The next entries of the targets, in order; for the first target, only entries after the log entry `after`. */
  #refs(
    kind: number,
    { targets, after, lastLog }: { targets: readonly number[]; after: number; lastLog: number },
  ): EntryRef[] {
    const sizes = this.#sql.all<EntryRef & { size: number }>(
      SELECT_ENTRY_REFS,
      `[${targets.join(",")}]`,
      kind,
      after,
      lastLog,
      ENTRIES_MAX,
    );
    return sizes.slice(
      0,
      countWithin(sizes, BYTES_MAX, ({ size }) => size),
    );
  }

  #entriesOf(page: readonly EntryRef[]): EntrySqlRow[] {
    const refs = page.map(({ target, log, tx }) => `[${target},${log},${tx}]`);
    return page.length === 0
      ? []
      : this.#sql.all<EntrySqlRow>(SELECT_ENTRIES, `[${refs.join(",")}]`);
  }
}

interface Reconstruction {
  /** The metadata by the id of its target, to which entries are applied. */
  readonly found: Map<number, Metadata>;
  /** The last log entry at the point in time. */
  readonly lastLog: number;
  readonly addressOf: (id: number) => string | undefined;
}

type EntryRef = { target: number; log: number; tx: number | null };
type EntrySqlRow = { target: number; type: number; payload: string };

const SIZE = `coalesce(
    (SELECT octet_length(payload) FROM tx WHERE tx.id = metadata_log.tx),
    (SELECT octet_length(payload) FROM entry WHERE entry.id = metadata_log.log)
  ) AS size`;

// CROSS JOIN keeps the order of the targets, and makes each a range of the primary key.
const SELECT_ENTRY_REFS = `SELECT metadata_log.target, metadata_log.log, metadata_log.tx, ${SIZE}
  FROM json_each(?1) AS wanted CROSS JOIN metadata_log ON metadata_log.kind = ?2 AND metadata_log.target = wanted.value
    AND metadata_log.log > iif(wanted.key = 0, ?3, -1) AND metadata_log.log <= ?4 LIMIT ?5 + 0`;

/** Selects, for each account, the first entry about the account after a given entry. */
const SELECT_NEXT = `SELECT metadata_log.target, metadata_log.log, metadata_log.tx, ${SIZE}
  FROM json_each(?) AS wanted CROSS JOIN metadata_log
    ON metadata_log.kind = ${METADATA_LOG_KINDS.ACCOUNT} AND metadata_log.target = wanted.value ->> 0 AND metadata_log.log = (
      SELECT min(next.log) FROM metadata_log AS next
        WHERE next.kind = ${METADATA_LOG_KINDS.ACCOUNT} AND next.target = wanted.value ->> 0 AND next.log > wanted.value ->> 1)`;

const SELECT_ENTRIES = `SELECT wanted.value ->> 0 AS target, coalesce(tx.type, entry.type) AS type,
    coalesce(tx.payload, entry.payload) AS payload
  FROM json_each(?) AS wanted LEFT JOIN tx ON tx.id = wanted.value ->> 2
    LEFT JOIN entry ON tx.id IS NULL AND entry.id = wanted.value ->> 1`;

/** Applies an entry to the pairs of its transaction, or of the account at `address`. */
function apply(
  pairs: Map<string, string>,
  { type, payload }: { type: number; payload: string },
  address: string | undefined,
): void {
  switch (type) {
    case LOG_TYPES.NEW_TRANSACTION: {
      if (address === undefined) return;
      const { accountMetadata = {}, defaults = {} } = decodeTransaction(payload);
      setAll(pairs, metadataOf(defaults, address));
      return setAll(pairs, metadataOf(accountMetadata, address));
    }
    case LOG_TYPES.SET_METADATA: {
      const { entry, trace } = decodeMetadata(payload);
      setAll(pairs, metadataOf(trace.defaults ?? {}, address ?? ""));
      return setAll(pairs, entry.metadata ?? {});
    }
    case LOG_TYPES.DELETE_METADATA:
      pairs.delete(decodeKey(payload).entry.key);
      return;
    default:
      throw new Error(`a log entry of type ${type} says nothing of metadata`);
  }
}

const metadataOf = (accountMetadata: LoggedAccountMetadata, address: string): Metadata =>
  (Object.hasOwn(accountMetadata, address) ? accountMetadata[address] : undefined) ?? {};

function setAll(pairs: Map<string, string>, metadata: Metadata): void {
  for (const [key, value] of Object.entries(metadata)) pairs.set(key, value);
}

const isSame = (before: Metadata, after: ReadonlyMap<string, string>): boolean =>
  Object.keys(before).length === after.size &&
  Object.entries(before).every(([key, value]) => after.get(key) === value);
