import { SELECTED_COLUMNS } from "./account-rows.ts";
import { BoundedMap } from "./bounded-map.ts";
import { accountOf, assetOf, PAIR_ASSETS, pairKey } from "./moves/pair-key.ts";
import { VolumeCache } from "./moves/volume-cache.ts";
import { type CachedAccount, AccountCache } from "./names/account-cache.ts";
import { ASSETS_MAX } from "#ledger-engine/rules/limits.ts";
import type { Account, Asset, Posting, Volumes } from "#ledger-engine/rules/types.ts";
import { quoteJson } from "#platform/json.ts";
import { numberOf, readColumns } from "#platform/sql/columns.ts";
import { chunksOf, fromStored, type Sql, type StoredAmount } from "#platform/sql/sql.ts";

/** Most addresses without an account that single look-ups remember. Addresses that are read ahead come on top. */
const ABSENT_MAX = 20_000;

const ZERO: Volumes = { input: 0n, output: 0n };

/** The items that commands are about to ask for. */
export interface PrefetchedItems {
  readonly postings: readonly Posting[];
  readonly references: readonly string[];
  readonly keys: readonly string[];
}

/** Gives the items of the current command and of some commands after it; undefined if the items of the current command were given before. */
export type ItemsAhead = () => PrefetchedItems | undefined;

/**
 * A cache of rows that were read or wait to be written.
 *
 *     kept                                                  at the end of a unit of work
 *     asset → id                                            trimmed to `ASSETS_MAX`
 *     address → id and first usage of the account           all forgotten if there are too many (`AccountCache`)
 *     (account, asset) → volumes                            all forgotten if there are too many (`VolumeCache`)
 *     names, references and keys that no row has            forgotten
 *
 * An item that is not known is read together with the items of the commands that follow, one statement for each table:
 *
 *     account, volumes, hasReference, hasKey ── known ──► answer
 *              │ not known
 *              ▼
 *     items ahead ──► accounts by address ──► volumes of pairs ──► absent references and keys ──► ask again
 *              │ given before
 *              ▼
 *     a statement for this item alone
 */
export class RowCache {
  readonly #sql: Sql;
  readonly #assets = new BoundedMap<Asset, number>(ASSETS_MAX);
  readonly #accounts = new AccountCache();
  readonly #volumes = new VolumeCache();
  readonly #absentAssets = new Set<Asset>();
  readonly #absentAccounts = new Set<Account>();
  readonly #absentReferences = new Set<string>();
  readonly #absentKeys = new Set<string>();
  #ahead: ItemsAhead | undefined;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /**
   * Notes which items commands will ask for. The first unknown item is read together with all other unknown items that `ahead`
   * gives. While all items are known, `ahead` is not called, so that known items are looked up only once.
   */
  prefetch(ahead: ItemsAhead): void {
    this.#ahead = ahead;
  }

  asset(name: Asset): number | undefined {
    const known = this.#assets.get(name);
    if (known !== undefined || this.#absentAssets.has(name)) return known;
    const [row] = this.#sql.all<{ id: number }>("SELECT id FROM asset WHERE name = ?", name);
    if (row !== undefined) this.#assets.set(name, row.id);
    else if (this.#absentAssets.size < ASSETS_MAX) this.#absentAssets.add(name);
    return row?.id;
  }

  account(address: Account): number | undefined {
    const known = this.#accounts.id(address);
    if (known !== undefined || this.#absentAccounts.has(address)) return known;
    if (this.#readAhead()) return this.account(address);
    const [row] = this.#sql.all<AccountSqlRow>(SELECT_ACCOUNT, address);
    if (row !== undefined) this.#accounts.set(address, toKept(row.id, row.first));
    else if (this.#absentAccounts.size < ABSENT_MAX) this.#absentAccounts.add(address);
    return row?.id;
  }

  /** Whether the first usage of a known account is later than `micros`, in microseconds since 1970. */
  isUnusedAt(address: Account, micros: bigint): boolean {
    return this.#accounts.isUnusedAt(address, micros);
  }

  volumes(account: number, asset: number): Volumes {
    const known = this.#volumes.get(account, asset);
    if (known !== undefined) return known;
    if (this.#readAhead()) return this.volumes(account, asset);
    const [row] = this.#sql.all<{ input: StoredAmount; output: StoredAmount }>(
      "SELECT input, output FROM move WHERE account = ? AND asset = ? ORDER BY tx DESC LIMIT 1",
      account,
      asset,
    );
    const volumes =
      row === undefined ? ZERO : { input: fromStored(row.input), output: fromStored(row.output) };
    this.#volumes.set(account, asset, volumes);
    return volumes;
  }

  hasReference(reference: string): boolean {
    if (this.#absentReferences.has(reference)) return false;
    if (this.#readAhead()) return this.hasReference(reference);
    return this.#sql.all("SELECT 1 FROM tx WHERE reference = ?", reference).length > 0;
  }

  hasKey(key: string): boolean {
    if (this.#absentKeys.has(key)) return false;
    if (this.#readAhead()) return this.hasKey(key);
    return this.#sql.all(SELECT_KEY, key).length > 0;
  }

  setAsset(name: Asset, id: number): void {
    this.#assets.set(name, id);
  }

  setAccount(address: Account, account: CachedAccount): void {
    this.#accounts.set(address, account);
  }

  setVolumes(account: number, asset: number, volumes: Volumes): void {
    this.#volumes.set(account, asset, volumes);
  }

  noteReference(reference: string): void {
    this.#absentReferences.delete(reference);
  }

  noteKey(key: string): void {
    this.#absentKeys.delete(key);
  }

  /** Keeps the caches within their limits. It is called when a unit of work is over. */
  trim(): void {
    this.#assets.trim();
    this.#accounts.trim();
    this.#volumes.trim();
    this.#forgetAbsent();
  }

  clear(): void {
    this.#assets.clear();
    this.#accounts.clear();
    this.#volumes.clear();
    this.#forgetAbsent();
  }

  /** Reads the items ahead, unless they were read already. Returns whether it has read them. */
  #readAhead(): boolean {
    const items = this.#ahead?.();
    if (items === undefined) return false;
    this.#read(items);
    return true;
  }

  #read({ postings, references, keys }: PrefetchedItems): void {
    const unknown = new UnknownItems();
    for (const { source, destination, asset } of postings) {
      const assetId = this.asset(asset);
      this.#noteUnknown(unknown, source, assetId);
      this.#noteUnknown(unknown, destination, assetId);
    }
    this.#readAccounts(unknown.accounts);
    for (const [address, asset] of unknown.holders) this.#noteUnknown(unknown, address, asset);
    this.#readVolumes(unknown.pairs);
    this.#readAbsent(SELECT_REFERENCES, references, this.#absentReferences);
    this.#readAbsent(SELECT_KEYS, keys, this.#absentKeys);
  }

  #forgetAbsent(): void {
    this.#ahead = undefined;
    this.#absentAssets.clear();
    this.#absentAccounts.clear();
    this.#absentReferences.clear();
    this.#absentKeys.clear();
  }

  /** Notes the account, or its volumes of the asset, as unknown. An absent account has no volumes that could be read. */
  #noteUnknown(unknown: UnknownItems, address: Account, asset: number | undefined): void {
    const account = this.#accounts.id(address);
    if (account === undefined) {
      if (this.#absentAccounts.has(address)) return;
      unknown.accounts.add(address);
      if (asset !== undefined) unknown.holders.push([address, asset]);
    } else if (asset !== undefined && !this.#volumes.has(account, asset)) {
      unknown.pairs.add(pairKey(account, asset));
    }
  }

  #readAccounts(unknown: ReadonlySet<Account>): void {
    const addresses = [...unknown];
    let begin = 0;
    for (const chunk of chunksOf(addresses.map(quoteJson))) {
      const list = `[${chunk.join(",")}]`;
      const columns = readColumns(this.#sql, SELECT_ACCOUNTS, list);
      const { places, ids, dates } = columns as AccountColumns; // the columns of the statement
      for (const [index, place] of places.entries()) {
        const address = addresses[begin + place];
        const [id, first] = [ids[index], dates[index]];
        if (address === undefined || id === undefined || first === undefined) continue;
        this.#accounts.set(address, toKept(id, first));
      }
      begin += chunk.length;
    }
    for (const address of unknown) {
      if (this.#accounts.id(address) === undefined) this.#absentAccounts.add(address);
    }
  }

  #readVolumes(unknown: Set<number>): void {
    for (const chunk of chunksOf(Array.from(unknown, String))) {
      const list = `[${chunk.join(",")}]`;
      const columns = readColumns(this.#sql, SELECT_VOLUMES, list);
      const { pairs, inputs, outputs } = columns as VolumeColumns; // the columns of the statement
      for (const [index, pair] of pairs.entries()) {
        const [input, output] = [inputs[index] ?? null, outputs[index] ?? null];
        // Volumes above 2^53 come as null here, and are read when a command asks for them.
        if (input !== null && output !== null)
          this.#setVolumes(pair, { input: BigInt(input), output: BigInt(output) });
        unknown.delete(pair);
      }
    }
    for (const pair of unknown) this.#setVolumes(pair, ZERO);
  }

  #setVolumes(pair: number, volumes: Volumes): void {
    this.#volumes.set(accountOf(pair), assetOf(pair), volumes);
  }

  #readAbsent(select: string, texts: readonly string[], absent: Set<string>): void {
    for (const chunk of chunksOf([...new Set(texts)].map(quoteJson))) {
      for (const { text } of this.#sql.all<{ text: string }>(select, `[${chunk.join(",")}]`)) {
        absent.add(text);
      }
    }
  }
}

/** The accounts and volumes of postings that the cache does not hold. */
class UnknownItems {
  readonly accounts = new Set<Account>();
  /** Accounts of `accounts`, each with an asset of a posting. */
  readonly holders: (readonly [Account, number])[] = [];
  /** Keys of pairs of a known account and an asset, whose volumes are unknown. */
  readonly pairs = new Set<number>();
}

type AccountSqlRow = { id: number; first: FirstUsage };
/** Microseconds since 1970, as text above 2^53. */
type FirstUsage = number | string;
/** Found accounts. `places` are the indexes of their addresses in the list. */
type AccountColumns = {
  readonly places: readonly number[];
  readonly ids: readonly number[];
  readonly dates: readonly FirstUsage[];
};
type VolumeColumns = {
  readonly pairs: readonly number[];
  readonly inputs: readonly (number | null)[];
  readonly outputs: readonly (number | null)[];
};

const toKept = (id: number, first: FirstUsage): CachedAccount => ({
  id,
  firstUsage: BigInt(first),
});

const SELECT_ACCOUNT = `SELECT id, ${SELECTED_COLUMNS.first} FROM account WHERE address = ?`;
// CROSS JOIN makes each address a look-up in the index.
const SELECT_ACCOUNTS = `SELECT json_group_array(place) AS places, json_group_array(id) AS ids, json_group_array(first) AS dates
  FROM (
    SELECT wanted.key AS place, account.id, ${SELECTED_COLUMNS.first}
      FROM json_each(?) AS wanted CROSS JOIN account ON address = wanted.value
  )`;

// CROSS JOIN makes each pair a look-up in the primary key.
const SELECT_VOLUMES = `SELECT json_group_array(wanted.value) AS pairs,
    json_group_array(${numberOf("input")}) AS inputs, json_group_array(${numberOf("output")}) AS outputs
  FROM json_each(?) AS wanted CROSS JOIN move
  ON move.account = wanted.value / ${PAIR_ASSETS} AND move.asset = wanted.value % ${PAIR_ASSETS} AND move.tx = (
    SELECT max(tx) FROM move AS last
      WHERE last.account = wanted.value / ${PAIR_ASSETS} AND last.asset = wanted.value % ${PAIR_ASSETS}
  )`;

/** Selects the texts of a list that are not the reference of any transaction. */
const SELECT_REFERENCES = `SELECT value AS text FROM json_each(?) AS wanted
  WHERE NOT EXISTS (SELECT 1 FROM tx WHERE reference = wanted.value)`;
const SELECT_KEYS = `SELECT value AS text FROM json_each(?) AS wanted
  WHERE NOT EXISTS (SELECT 1 FROM tx WHERE key = wanted.value)
    AND NOT EXISTS (SELECT 1 FROM entry WHERE key = wanted.value)`;
const SELECT_KEY = "SELECT 1 FROM tx WHERE key = ?1 UNION ALL SELECT 1 FROM entry WHERE key = ?1";
