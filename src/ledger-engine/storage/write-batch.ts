import { type AccountRow, readAccountRow, writeAccountRows } from "./account-rows.ts";
import { AssetBatch } from "./asset-batch.ts";
import type { WriteRows } from "./insertion.ts";
import { LogBatch, type LogRow, type TxRow } from "./log/log-batch.ts";
import type { LogRef } from "./log/log-tables.ts";
import { RecentDates } from "./log/recent-dates.ts";
import { MetadataBatch } from "./metadata-index.ts";
import { KeptSums } from "./moves/kept-sums.ts";
import { MoveBatch, type MoveRow } from "./moves/move-batch.ts";
import { pairKey } from "./moves/pair-key.ts";
import { type ItemsAhead, RowCache } from "./row-cache.ts";
import type { VolumeReader } from "#ledger-engine/rules/postings.ts";
import type {
  Account,
  Asset,
  Features,
  Metadata,
  MetadataTarget,
  Volumes,
} from "#ledger-engine/rules/types.ts";
import { assert } from "#platform/assert.ts";
import { chunksOf, type Sql } from "#platform/sql/sql.ts";
import { type Timestamp, toMicros, ZERO_TIMESTAMP } from "#platform/time.ts";

/** Above this many waiting accounts, a bulk writes its rows before the next command. */
const ACCOUNTS_PENDING_MAX = 500;
/** Above this many waiting rows about metadata, a bulk writes its rows before the next command. */
const METADATA_PENDING_MAX = 20_000;

const ZERO: Volumes = { input: 0n, output: 0n };

/**
 * Collects the rows that a unit of work writes, and answers reads as if the rows were stored, so that a bulk of a thousand
 * transactions takes few statements for each table. `flush` writes the rows. `reset` forgets them after a rollback,
 * along with everything that was read meanwhile.
 *
 *     writes   useAccount, addLog, addTx, addMove, change…Metadata
 *                 │                    │
 *                 ▼                    ▼
 *              waiting rows         RowCache: new ids, volumes after each move
 *                 │ flush: asset, account, entry and tx, move, metadata
 *                 ▼
 *              tables
 *
 *     reads    hasReference, hasKey, account rows      waiting rows, else RowCache, else tables
 *              ids of names, volumes                   RowCache, else tables
 *              hasTransaction, scalesOf                flush, then tables
 */
export class WriteBatch implements VolumeReader {
  readonly #sql: Sql;
  readonly #cache: RowCache;
  readonly #references = new Set<string>();
  readonly #keys = new Set<string>();
  readonly #accountRows = new Map<number, AccountRow>();
  readonly #assets: AssetBatch;
  readonly #metadata: MetadataBatch;
  readonly #log = new LogBatch();
  readonly #moves = new MoveBatch();
  /** The sums of balances that reads have asked for. */
  readonly sums = new KeptSums();
  /** Whether some rows wait to be written. */
  #isWaiting = false;
  /** The lowest id of a waiting transaction. */
  #firstWaiting: number | undefined;
  readonly #dates = new RecentDates();
  /** The latest effective date of the waiting transactions. */
  #latest = ZERO_TIMESTAMP;
  #nextAccount = 0;
  #lastTransaction = -1;

  constructor(sql: Sql, features: Features) {
    this.#sql = sql;
    this.#cache = new RowCache(sql);
    this.#metadata = new MetadataBatch(features);
    this.#assets = new AssetBatch(sql, this.#cache, this.#readLastIds());
  }

  /** The number of accounts, which are never deleted and whose ids have no gaps. */
  get accountCount(): number {
    return this.#nextAccount - 1;
  }

  /** The number of assets, which are never deleted and whose ids have no gaps. */
  get assetCount(): number {
    return this.#assets.count;
  }

  /** The highest id of a transaction; -1 if there is none. */
  get lastTransaction(): number {
    return this.#lastTransaction;
  }

  /** Whether some waiting row is dated after `timestamp`. */
  isLaterThan(timestamp: Timestamp): boolean {
    return this.#latest > timestamp;
  }

  /**
   * Writes the waiting moves of these pairs, and the waiting log, so that the moves can be read with their dates. The other rows
   * keep waiting: the more rows are written together, the more of them share a page.
   */
  flushMoves(moves: readonly { readonly account: Account; readonly asset: Asset }[]): void {
    const pairs = moves.flatMap(({ account, asset }) => this.#movedPair(account, asset) ?? []);
    if (pairs.length === 0) return;
    this.#log.flush(this.#sql, this.#write);
    this.#log.clear();
    this.#moves.flush(this.#sql, this.#write, pairs);
  }

  /** Writes the waiting rows if the transaction may be among them. */
  flushTransaction(id: number): void {
    if (this.#firstWaiting !== undefined && id >= this.#firstWaiting) this.flush();
  }

  /** The last transaction that was inserted at or before a recent `date`; undefined if the date is older; see `RecentDates`. */
  lastRecentAt(date: Timestamp): number | undefined {
    return this.#dates.lastAt(date);
  }

  /** Writes the waiting rows if they take much memory: each account comes with all its metadata. */
  flushIfLarge(): void {
    const isLarge =
      this.#accountRows.size > ACCOUNTS_PENDING_MAX || this.#metadata.size > METADATA_PENDING_MAX;
    if (isLarge) this.flush();
  }

  /**
   * Notes the items that commands are about to ask for; see `RowCache.prefetch`. References and keys of waiting rows are left out,
   * because a look-up in the tables would call them absent.
   */
  prefetch(ahead: ItemsAhead): void {
    this.#cache.prefetch(() => {
      const items = ahead();
      if (items === undefined) return undefined;
      const { postings, references, keys } = items;
      return {
        postings,
        references: references.filter((reference) => !this.#references.has(reference)),
        keys: keys.filter((key) => !this.#keys.has(key)),
      };
    });
  }

  volumes(account: Account, asset: Asset): Volumes {
    const accountId = this.findAccountId(account);
    const assetId = this.findAssetId(asset);
    if (accountId === undefined || assetId === undefined) return ZERO;
    return this.#cache.volumes(accountId, assetId);
  }

  hasReference(reference: string): boolean {
    return this.#references.has(reference) || this.#cache.hasReference(reference);
  }

  hasKey(key: string): boolean {
    return this.#keys.has(key) || this.#cache.hasKey(key);
  }

  hasTransaction(id: number): boolean {
    if (id > this.#lastTransaction) return false;
    this.flush();
    return this.#sql.all("SELECT 1 FROM tx WHERE id = ?", id).length > 0;
  }

  /** Whether a waiting row uses an idempotency key. */
  hasPendingKey(key: string): boolean {
    return this.#keys.has(key);
  }

  /** The assets with this name, in all precisions, such as `EUR` and `EUR/2`. */
  scalesOf(base: string): Asset[] {
    this.flush();
    return this.#assets.scalesOf(base);
  }

  findAssetId(name: Asset): number | undefined {
    return this.#cache.asset(name);
  }

  findAccountId(address: Account): number | undefined {
    return this.#cache.account(address);
  }

  /** The id of an account, which must exist. */
  account(address: Account): number {
    const id = this.findAccountId(address);
    if (id === undefined) throw new Error("an account of the transaction has no row");
    return id;
  }

  /** The id of an asset, which is created if it does not exist. */
  asset(name: Asset): number {
    return this.#assets.use(name);
  }

  /** Throws `VALIDATION` if the new assets of these moves would exceed the limit of the ledger. */
  assertRoomFor(moves: readonly { readonly asset: Asset }[]): void {
    this.#assets.assertRoomFor(moves);
  }

  /** Creates the account if it does not exist, or moves its first usage back to an earlier `timestamp`. Returns its id. */
  useAccount(address: Account, timestamp: Timestamp, now: Timestamp): number {
    const id = this.findAccountId(address);
    if (id === undefined) {
      this.sums.addAccount(this.#nextAccount, address);
      return this.#stageAccount({
        id: this.#nextAccount++,
        address,
        firstUsage: timestamp,
        insertedAt: now,
        updatedAt: now,
        metadata: undefined,
      });
    }
    if (this.#cache.isUnusedAt(address, toMicros(timestamp))) {
      this.#stageAccount({ ...this.#accountRow(address), firstUsage: timestamp, updatedAt: now });
    }
    return id;
  }

  findAccountRow(address: Account): AccountRow | undefined {
    return this.findAccountId(address) === undefined ? undefined : this.#accountRow(address);
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

  /** Notes a change of a transaction's metadata; `before` is undefined for a new transaction. */
  changeTransactionMetadata(id: number, before: Metadata | undefined, after: Metadata): void {
    this.#metadata.change({ type: "TRANSACTION", target: id, before, after });
  }

  /** Notes that a log entry is about the metadata of a transaction or account that exists. */
  noteMetadataEntry(target: MetadataTarget, log: LogRef): void {
    const id = target.type === "ACCOUNT" ? this.account(target.id) : target.id;
    this.#metadata.note(target.type, id, log);
  }

  /** Adds a log entry. `addTx` must be called before the entry of a transaction. */
  addLog(row: LogRow): void {
    const { key } = row;
    if (key !== undefined) {
      this.#keys.add(key);
      this.#cache.noteKey(key);
    }
    this.#log.add(row);
    this.#isWaiting = true;
  }

  addTx(row: TxRow): void {
    const { id, reference, date, insertedAt } = row;
    // The search for the row of an entry (`log-tables.ts`) needs ids of transactions and entries that increase together.
    assert(id > this.#lastTransaction, "ids of transactions increase with those of their entries");
    this.#lastTransaction = id;
    if (date > this.#latest) this.#latest = date;
    if (reference !== undefined) {
      this.#references.add(reference);
      this.#cache.noteReference(reference);
    }
    this.#firstWaiting ??= id;
    this.#dates.add(id, insertedAt);
    this.#log.stage(row);
  }

  addMove(move: MoveRow): void {
    const { account, asset, input, output } = move;
    const pair = pairKey(account, asset);
    if (!this.sums.isEmpty) {
      const before = this.#cache.volumes(account, asset);
      this.sums.addMove(account, asset, input - output - (before.input - before.output));
    }
    this.#cache.setVolumes(account, asset, { input, output });
    this.#moves.add(pair, move);
  }

  flush(): void {
    if (!this.#isWaiting) return;
    this.#assets.flush(this.#write);
    writeAccountRows(this.#sql, this.#accountRows.values());
    this.#log.flush(this.#sql, this.#write);
    this.#moves.flush(this.#sql, this.#write);
    this.#metadata.flush(this.#sql, this.#write);
    this.#clearRows();
  }

  /** Keeps the caches within their limits. It is called when a unit of work is over. */
  trim(): void {
    this.#cache.trim();
  }

  /** Forgets what a unit of work that was rolled back has collected and read. */
  reset(): void {
    this.#clearRows();
    this.#dates.clear();
    this.#cache.clear();
    this.sums.clear();
    this.#assets.reset(this.#readLastIds());
  }

  /** Reads the last ids of accounts and transactions. Returns that of assets. */
  #readLastIds(): number {
    const [row] = this.#sql.all<{ account: number; asset: number; tx: number }>(
      `SELECT (SELECT coalesce(max(id), 0) FROM account) AS account, (SELECT coalesce(max(id), 0) FROM asset) AS asset,
        (SELECT coalesce(max(id), -1) FROM tx) AS tx`,
    );
    this.#nextAccount = (row?.account ?? 0) + 1;
    this.#lastTransaction = row?.tx ?? -1;
    return row?.asset ?? 0;
  }

  #clearRows(): void {
    this.#isWaiting = false;
    this.#latest = ZERO_TIMESTAMP;
    this.#references.clear();
    this.#keys.clear();
    this.#accountRows.clear();
    this.#metadata.clear();
    this.#assets.clear();
    this.#log.clear();
    this.#moves.clear();
    this.#firstWaiting = undefined;
  }

  readonly #write: WriteRows = (statement, rows) => {
    for (const chunk of chunksOf(rows)) this.#sql.all(statement, `[${chunk.join(",")}]`);
  };

  /** A pair of account and asset, if it has waiting moves. */
  #movedPair(address: Account, name: Asset): number | undefined {
    const account = this.findAccountId(address);
    const asset = this.findAssetId(name);
    if (account === undefined || asset === undefined) return undefined;
    const pair = pairKey(account, asset);
    return this.#moves.has(pair) ? pair : undefined;
  }

  #accountRow(address: Account): AccountRow {
    const staged = this.#accountRows.get(this.account(address));
    return staged ?? readAccountRow(this.#sql, address);
  }

  #stageAccount(row: AccountRow): number {
    this.#cache.setAccount(row.address, { id: row.id, firstUsage: toMicros(row.firstUsage) });
    this.#accountRows.set(row.id, row);
    return row.id;
  }
}
