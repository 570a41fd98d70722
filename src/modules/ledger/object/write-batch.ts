import { AppError } from "../../../platform/errors.ts";
import { parseJson, quoteJson, stringifyJson } from "../../../platform/json.ts";
import { fromMicros, toMicros, type Timestamp, ZERO_TIMESTAMP } from "../../../platform/time.ts";
import type { VolumeReader } from "../core/postings.ts";
import type { Account, Asset, Features, Metadata, Target, Volumes } from "../core/types.ts";
import { BoundedMap } from "./bounded-map.ts";
import { amountText, fromStored, type Sql, type StoredAmount } from "./sql.ts";
import { MetadataBatch } from "./tags.ts";

/** Most accounts, and most pairs of account and asset, that an object keeps in memory. */
const ACCOUNTS_CACHED_MAX = 20_000;
const VOLUMES_CACHED_MAX = 40_000;
/** Most assets of one ledger: an account may hold each of them, and is read with all its volumes. */
const ASSETS_MAX = 10_000;
/** Most accounts that wait to be written between two commands of a bulk. */
const ACCOUNTS_PENDING_MAX = 500;
/** Most rows about metadata that wait so. */
const METADATA_PENDING_MAX = 20_000;
/** Longest JSON parameter of one statement, in characters; SQLite takes 2 MB. */
const PARAMETER_LENGTH_MAX = 400_000;

const ZERO: Volumes = { input: 0n, output: 0n };

interface CachedAccount {
  readonly id: number;
  readonly firstUsage: Timestamp;
}

/** An account as it is stored. */
export interface AccountRow {
  readonly id: number;
  readonly address: Account;
  readonly firstUsage: Timestamp;
  readonly insertedAt: Timestamp;
  readonly updatedAt: Timestamp;
  readonly metadata: Metadata | undefined;
}

export interface LogRow {
  readonly id: number;
  readonly date: Timestamp;
  readonly type: number;
  readonly tx: number | undefined;
  readonly payload: string;
  readonly hash: string | undefined;
  readonly key: string | undefined;
  readonly keyHash: string | undefined;
  readonly checksum: number | undefined;
}

export interface TxRow {
  readonly id: number;
  readonly log: number;
  /** Where it is not the log date. */
  readonly timestamp: Timestamp | undefined;
  readonly reference: string | undefined;
  /** Its effective date, whether it is the log date or not. */
  readonly date: Timestamp;
}

export interface MoveRow extends Volumes {
  readonly account: number;
  readonly asset: number;
  readonly tx: number;
  /** 0 destination, 1 source, 2 both; 4 more where one of these sides moved nothing. */
  readonly role: number;
  readonly timestamp: Timestamp | undefined;
  /** Where they are not the volumes. */
  readonly effective: Volumes | undefined;
}

/**
 * Collects the rows that a unit of work writes and answers reads as if they were stored, so that a bulk of a thousand
 * transactions costs one statement a table. `flush` writes them; `reset` forgets them after a rollback, and with them
 * all that was read meanwhile.
 */
export class WriteBatch implements VolumeReader {
  readonly #sql: Sql;
  readonly #assets = new BoundedMap<Asset, number>(VOLUMES_CACHED_MAX);
  readonly #accounts = new BoundedMap<Account, CachedAccount>(ACCOUNTS_CACHED_MAX);
  readonly #volumes = new BoundedMap<number, Volumes>(VOLUMES_CACHED_MAX);
  readonly #references = new Set<string>();
  readonly #keys = new Set<string>();
  readonly #accountRows = new Map<number, AccountRow>();
  readonly #metadata: MetadataBatch;
  #assetRows: string[] = [];
  #logRows: string[] = [];
  #txRows: string[] = [];
  #moveRows: string[] = [];
  /** The latest effective date of the transactions that wait. */
  #latest = ZERO_TIMESTAMP;
  #nextAccount = 0;
  #nextAsset = 0;
  /** The highest transaction id, -1 for none. */
  #lastTransaction = -1;

  constructor(sql: Sql, features: Features) {
    this.#sql = sql;
    this.#metadata = new MetadataBatch(features);
    this.#readCounters();
  }

  /** Accounts are never deleted, and their ids have no gaps. */
  get accountCount(): number {
    return this.#nextAccount - 1;
  }

  /** Writes what waits when some of it is dated after `timestamp`, so that it can be read. */
  flushLaterThan(timestamp: Timestamp): void {
    if (this.#latest > timestamp) this.flush();
  }

  /** Writes what waits when it takes much memory: each account comes with all its metadata. */
  flushIfLarge(): void {
    const isLarge =
      this.#accountRows.size > ACCOUNTS_PENDING_MAX || this.#metadata.size > METADATA_PENDING_MAX;
    if (isLarge) this.flush();
  }

  volumes(account: Account, asset: Asset): Volumes {
    const accountId = this.#findAccount(account)?.id;
    const assetId = this.#findAsset(asset);
    if (accountId === undefined || assetId === undefined) return ZERO;
    const key = volumeKey(accountId, assetId);
    const known = this.#volumes.get(key);
    if (known !== undefined) return known;
    const [row] = this.#sql.all<{ input: StoredAmount; output: StoredAmount }>(
      "SELECT input, output FROM move WHERE account = ? AND asset = ? ORDER BY tx DESC LIMIT 1",
      accountId,
      assetId,
    );
    const volumes =
      row === undefined ? ZERO : { input: fromStored(row.input), output: fromStored(row.output) };
    this.#volumes.set(key, volumes);
    return volumes;
  }

  hasReference(reference: string): boolean {
    return (
      this.#references.has(reference) ||
      this.#sql.all("SELECT 1 FROM tx WHERE reference = ?", reference).length > 0
    );
  }

  hasTransaction(id: number): boolean {
    if (id > this.#lastTransaction) return false;
    this.flush();
    return this.#sql.all("SELECT 1 FROM tx WHERE id = ?", id).length > 0;
  }

  /** Whether a key was used by a row that is not written yet. */
  hasPendingKey(key: string): boolean {
    return this.#keys.has(key);
  }

  /** The assets with this name, in all precisions: `EUR`, `EUR/2`. */
  scalesOf(base: string): Asset[] {
    this.flush();
    const rows = this.#sql.all<{ name: Asset }>(
      // `0` is the character behind `/`.
      "SELECT name FROM asset WHERE name = ?1 OR (name > ?1 || '/' AND name < ?1 || '0') ORDER BY name LIMIT ?2",
      base,
      SCALES_MAX,
    );
    return rows.map(({ name }) => name);
  }

  findAssetId(name: Asset): number | undefined {
    return this.#findAsset(name);
  }

  findAccountId(address: Account): number | undefined {
    return this.#findAccount(address)?.id;
  }

  /** The id of an account that is surely there, as a command has just used it. */
  account(address: Account): number {
    const id = this.#findAccount(address)?.id;
    if (id === undefined) throw new Error("an account of the transaction has no row");
    return id;
  }

  asset(name: Asset): number {
    const known = this.#findAsset(name);
    if (known !== undefined) return known;
    const id = this.#nextAsset++;
    this.#assets.set(name, id);
    this.#assetRows.push(`[${id},${quoteJson(name)}]`);
    return id;
  }

  /** Throws `VALIDATION` unless the ledger has room for the assets that it does not know yet. */
  assertRoomFor(assets: Iterable<Asset>): void {
    const unknown = new Set([...assets].filter((name) => this.#findAsset(name) === undefined));
    if (this.#nextAsset + unknown.size > ASSETS_MAX) {
      throw new AppError("VALIDATION", `a ledger holds at most ${ASSETS_MAX} assets`);
    }
  }

  /** Makes the account exist, used first at `timestamp` or earlier. */
  useAccount(address: Account, timestamp: Timestamp, now: Timestamp): number {
    const known = this.#findAccount(address);
    if (known === undefined) {
      return this.#stageAccount({
        id: this.#nextAccount++,
        address,
        firstUsage: timestamp,
        insertedAt: now,
        updatedAt: now,
        metadata: undefined,
      });
    }
    if (timestamp < known.firstUsage) {
      this.#stageAccount({ ...this.#accountRow(address), firstUsage: timestamp, updatedAt: now });
    }
    return known.id;
  }

  findAccountRow(address: Account): AccountRow | undefined {
    return this.#findAccount(address) === undefined ? undefined : this.#accountRow(address);
  }

  /** Replaces the metadata of an account that exists. */
  setAccountMetadata(address: Account, metadata: Metadata, updatedAt?: Timestamp): void {
    const row = this.#accountRow(address);
    this.#metadata.change({
      type: "ACCOUNT",
      target: row.id,
      before: row.metadata,
      after: metadata,
    });
    this.#stageAccount({ ...row, metadata, updatedAt: updatedAt ?? row.updatedAt });
  }

  /** Notes how the metadata of a transaction changes; `before` is `undefined` for one that is new. */
  changeTransactionMetadata(id: number, before: Metadata | undefined, after: Metadata): void {
    this.#metadata.change({ type: "TRANSACTION", target: id, before, after });
  }

  /** Notes that a log entry is about the metadata of a transaction or account that exists. */
  noteMetadataEntry(target: Target, log: number): void {
    const id = target.type === "ACCOUNT" ? this.account(target.id) : target.id;
    this.#metadata.note(target.type, id, log);
  }

  addLog({ id, date, type, tx, payload, hash, key, keyHash, checksum }: LogRow): void {
    if (key !== undefined) this.#keys.add(key);
    this.#logRows.push(
      `[${id},${toMicros(date)},${type},${tx ?? "null"},${quoteJson(payload)},${orNull(hash)},${orNull(key)},${orNull(keyHash)},${checksum ?? "null"}]`,
    );
  }

  addTx({ id, log, timestamp, reference, date }: TxRow): void {
    if (date > this.#latest) this.#latest = date;
    if (id > this.#lastTransaction) this.#lastTransaction = id;
    if (reference !== undefined) this.#references.add(reference);
    this.#txRows.push(`[${id},${log},${microsOrNull(timestamp)},${orNull(reference)}]`);
  }

  addMove(row: MoveRow): void {
    const { account, asset, tx, role, input, output, timestamp, effective } = row;
    this.#volumes.set(volumeKey(account, asset), { input, output });
    const shiftText =
      effective === undefined
        ? "null,null"
        : `${amountText(effective.input - input)},${amountText(effective.output - output)}`;
    this.#moveRows.push(
      `[${account},${asset},${tx},${role},${amountText(input)},${amountText(output)},${microsOrNull(timestamp)},${shiftText}]`,
    );
  }

  /** Writes what was collected, with one statement a table and parameter. */
  flush(): void {
    if (this.#logRows.length === 0) return;
    const accounts = [...this.#accountRows.values()].map(toAccountText);
    this.#insert(INSERT_ASSETS, this.#assetRows);
    this.#insert(INSERT_ACCOUNTS, accounts);
    this.#insert(INSERT_LOGS, this.#logRows);
    this.#insert(INSERT_TXS, this.#txRows);
    this.#insert(INSERT_MOVES, this.#moveRows);
    this.#metadata.flush((statement, rows) => this.#insert(statement, rows));
    this.#clearRows();
  }

  /** Keeps the caches within their limits; call it when the unit of work is over. */
  trim(): void {
    this.#assets.trim();
    this.#accounts.trim();
    this.#volumes.trim();
  }

  /** Forgets what a rolled-back unit of work collected and read. */
  reset(): void {
    this.#clearRows();
    this.#assets.clear();
    this.#accounts.clear();
    this.#volumes.clear();
    this.#readCounters();
  }

  #readCounters(): void {
    const [row] = this.#sql.all<{ account: number; asset: number; tx: number }>(
      `SELECT (SELECT coalesce(max(id), 0) FROM account) AS account, (SELECT coalesce(max(id), 0) FROM asset) AS asset,
        (SELECT coalesce(max(id), -1) FROM tx) AS tx`,
    );
    this.#nextAccount = (row?.account ?? 0) + 1;
    this.#nextAsset = (row?.asset ?? 0) + 1;
    this.#lastTransaction = row?.tx ?? -1;
  }

  #clearRows(): void {
    this.#latest = ZERO_TIMESTAMP;
    this.#references.clear();
    this.#keys.clear();
    this.#accountRows.clear();
    this.#metadata.clear();
    this.#assetRows = [];
    this.#logRows = [];
    this.#txRows = [];
    this.#moveRows = [];
  }

  #insert(statement: string, rows: readonly string[]): void {
    for (const chunk of chunksOf(rows)) this.#sql.all(statement, `[${chunk.join(",")}]`);
  }

  #findAsset(name: Asset): number | undefined {
    const known = this.#assets.get(name);
    if (known !== undefined) return known;
    const [row] = this.#sql.all<{ id: number }>("SELECT id FROM asset WHERE name = ?", name);
    if (row !== undefined) this.#assets.set(name, row.id);
    return row?.id;
  }

  #findAccount(address: Account): CachedAccount | undefined {
    const known = this.#accounts.get(address);
    if (known !== undefined) return known;
    const [row] = this.#sql.all<{ id: number; first: string }>(
      "SELECT id, CAST(first_usage AS TEXT) AS first FROM account WHERE address = ?",
      address,
    );
    if (row === undefined) return undefined;
    const account = { id: row.id, firstUsage: fromMicros(BigInt(row.first)) };
    this.#accounts.set(address, account);
    return account;
  }

  #accountRow(address: Account): AccountRow {
    const staged = this.#accountRows.get(this.account(address));
    return staged ?? readAccountRow(this.#sql, address);
  }

  #stageAccount(row: AccountRow): number {
    this.#accounts.set(row.address, { id: row.id, firstUsage: row.firstUsage });
    this.#accountRows.set(row.id, row);
    return row.id;
  }
}

/** Most precisions of one asset. */
const SCALES_MAX = 100;

const INSERT_ASSETS =
  "INSERT INTO asset (id, name) SELECT value ->> 0, value ->> 1 FROM json_each(?)";
const INSERT_ACCOUNTS = `INSERT INTO account (id, address, first_usage, inserted_at, updated_at, metadata)
  SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5 FROM json_each(?) WHERE true
  ON CONFLICT (id) DO UPDATE SET first_usage = excluded.first_usage, updated_at = excluded.updated_at, metadata = excluded.metadata`;
const INSERT_LOGS = `INSERT INTO log (id, date, type, tx, payload, hash, key, key_hash, checksum)
  SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, unhex(value ->> 5), value ->> 6, unhex(value ->> 7), value ->> 8 FROM json_each(?)`;
const INSERT_TXS = `INSERT INTO tx (id, log, timestamp, reference)
  SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3 FROM json_each(?)`;
const INSERT_MOVES = `INSERT INTO move (account, asset, tx, role, input, output, timestamp, shift_input, shift_output)
  SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5, value ->> 6, value ->> 7, value ->> 8 FROM json_each(?)`;

/** The stored row of an account that exists. */
function readAccountRow(sql: Sql, address: Account): AccountRow {
  const [row] = sql.all<AccountSqlRow>(`${SELECT_ACCOUNT} WHERE address = ?`, address);
  if (row === undefined) throw new Error("a known account has no row");
  return toAccountRow(row);
}

/** Dates are read as text: beyond the year 2255 they exceed 2^53. */
export const SELECT_ACCOUNT = `SELECT id, address, CAST(first_usage AS TEXT) AS first,
  CAST(inserted_at AS TEXT) AS inserted, CAST(updated_at AS TEXT) AS updated, metadata FROM account`;

export type AccountSqlRow = {
  id: number;
  address: string;
  first: string;
  inserted: string;
  updated: string;
  metadata: string | null;
};

export const toAccountRow = (row: AccountSqlRow): AccountRow => ({
  id: row.id,
  address: row.address as Account, // only checked addresses are stored
  firstUsage: fromMicros(BigInt(row.first)),
  insertedAt: fromMicros(BigInt(row.inserted)),
  updatedAt: fromMicros(BigInt(row.updated)),
  metadata: row.metadata === null ? undefined : parseMetadata(row.metadata),
});

/** Metadata from a column that only this module writes. */
export const parseMetadata = (text: string): Metadata => parseJson(text) as Metadata;

const toAccountText = (row: AccountRow): string =>
  `[${row.id},${quoteJson(row.address)},${toMicros(row.firstUsage)},${toMicros(row.insertedAt)},${toMicros(row.updatedAt)},${
    row.metadata === undefined ? "null" : quoteJson(stringifyJson(row.metadata))
  }]`;

const orNull = (text: string | undefined): string =>
  text === undefined ? "null" : quoteJson(text);

const microsOrNull = (timestamp: Timestamp | undefined): string =>
  timestamp === undefined ? "null" : toMicros(timestamp).toString();

const volumeKey = (account: number, asset: number): number => account * (ASSETS_MAX + 1) + asset;

/** Rows in parameters of a bounded length. */
export function* chunksOf(rows: readonly string[]): Generator<string[]> {
  let chunk: string[] = [];
  let length = 0;
  for (const row of rows) {
    if (length > 0 && length + row.length > PARAMETER_LENGTH_MAX) {
      yield chunk;
      chunk = [];
      length = 0;
    }
    chunk.push(row);
    length += row.length + 1;
  }
  if (chunk.length > 0) yield chunk;
}
