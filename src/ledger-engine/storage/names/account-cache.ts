import type { Account } from "#ledger-engine/rules/types.ts";
import { BoundedMap } from "#ledger-engine/storage/bounded-map.ts";
import { MICROS_MIN } from "#platform/time.ts";

/** The most accounts that are kept. An account with an address of 17 characters takes 63 bytes on Node. */
const ACCOUNTS_MAX = 131_072;
/** The most characters of all kept addresses together. */
const LENGTH_MAX = 3_000_000;
const PLACES_FIRST = 256;

/** The facts about an account that are kept. */
export interface CachedAccount {
  readonly id: number;
  /** In microseconds since 1970. */
  readonly firstUsage: bigint;
}

/**
 * A cache of accounts by address. A map from addresses to indexes of typed arrays takes half the memory of a map to objects. If the
 * accounts become too many, `trim` forgets all of them.
 */
export class AccountCache {
  readonly #bounds: AccountBounds;
  /** Used for its memory of the last look-ups; it drops nothing by itself. */
  readonly #places = new BoundedMap<Account, number>(Infinity);
  #ids = new Float64Array(PLACES_FIRST);
  #firstUsages = new BigInt64Array(PLACES_FIRST);
  /** The latest first usage of a kept account, or a later date. Most writes are dated later, and need not read `#firstUsages`. */
  #latestFirstUsage = MICROS_MIN;
  /** The number of characters of all kept addresses. */
  #length = 0;

  constructor(bounds: AccountBounds = { accounts: ACCOUNTS_MAX, lengthMax: LENGTH_MAX }) {
    this.#bounds = bounds;
  }

  /** The id of an account; undefined if the account is not kept. */
  id(address: Account): number | undefined {
    const place = this.#places.get(address);
    return place === undefined ? undefined : this.#ids[place];
  }

  /** Whether an account is kept, and its first usage is later than `micros`, in microseconds since 1970. */
  isUnusedAt(address: Account, micros: bigint): boolean {
    if (micros >= this.#latestFirstUsage) return false;
    const place = this.#places.get(address);
    return place !== undefined && micros < (this.#firstUsages[place] ?? micros);
  }

  /** Adds an account. The cache may exceed its limits until `trim` is called, because accounts that are not stored yet must be kept. */
  set(address: Account, { id, firstUsage }: CachedAccount): void {
    const place = this.#places.get(address) ?? this.#add(address);
    this.#ids[place] = id;
    this.#firstUsages[place] = firstUsage;
    if (firstUsage > this.#latestFirstUsage) this.#latestFirstUsage = firstUsage;
  }

  /** Keeps the cache within its limits. It is called when everything is stored. */
  trim(): void {
    const { accounts, lengthMax } = this.#bounds;
    if (this.#places.size > accounts || this.#length > lengthMax) this.clear();
  }

  clear(): void {
    this.#places.clear();
    this.#length = 0;
    this.#latestFirstUsage = MICROS_MIN;
    this.#ids = new Float64Array(PLACES_FIRST);
    this.#firstUsages = new BigInt64Array(PLACES_FIRST);
  }

  #add(address: Account): number {
    const place = this.#places.size;
    this.#places.set(copyOf(address), place);
    this.#length += address.length;
    if (place === this.#ids.length) {
      this.#ids = withRoom(this.#ids, new Float64Array(2 * place));
      this.#firstUsages = withRoom(this.#firstUsages, new BigInt64Array(2 * place));
    }
    return place;
  }
}

/** The limits of the cache. */
export interface AccountBounds {
  readonly accounts: number;
  readonly lengthMax: number;
}

/**
 * Copies an address, because a substring of a script would keep the whole script in memory. An address of a damaged ledger that is not
 * Latin-1 is not copied.
 */
function copyOf(address: Account): Account {
  const copy = Buffer.from(address, "latin1").toString("latin1");
  return copy === address ? (copy as Account) : address; // equal to an `Account`
}

/** Copies a list to the beginning of a longer one. */
function withRoom<List extends { set(list: List): void }>(list: List, longer: List): List {
  longer.set(list);
  return longer;
}
