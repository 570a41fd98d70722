import type { Account } from "#ledger-engine/rules/types.ts";
import { BoundedMap } from "#ledger-engine/storage/bounded-map.ts";
import { MICROS_MIN } from "#platform/time.ts";

/** Most accounts that are kept. One with an address of 17 characters takes 63 bytes on Node. */
const ACCOUNTS_MAX = 131_072;
/** Most characters of their addresses. */
const LENGTH_MAX = 3_000_000;
const PLACES_FIRST = 256;

/** What is kept of an account. */
export interface KeptAccount {
  readonly id: number;
  /** In microseconds since 1970. */
  readonly firstUsage: bigint;
}

/**
 * A cache of accounts by address: a map to places in lists of integers takes half of a map to objects. Where there are too many accounts,
 * it forgets all of them, and begins again.
 */
export class KeptAccounts {
  readonly #bounds: AccountBounds;
  /** It drops nothing by itself. */
  readonly #places = new BoundedMap<Account, number>(Infinity);
  #ids = new Float64Array(PLACES_FIRST);
  #firstUsages = new BigInt64Array(PLACES_FIRST);
  /** No account that is kept was first used after it. Most writes are dated later, so that they need not read `#firstUsages`. */
  #latestFirstUsage = MICROS_MIN;
  /** The characters of all addresses. */
  #length = 0;

  constructor(bounds: AccountBounds = { accounts: ACCOUNTS_MAX, lengthMax: LENGTH_MAX }) {
    this.#bounds = bounds;
  }

  /** Undefined where the account is not kept. */
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

  /** Adds an account. They may exceed their limit until `trim` is called, because what is not stored yet must not be forgotten. */
  set(address: Account, { id, firstUsage }: KeptAccount): void {
    const place = this.#places.get(address) ?? this.#add(address);
    this.#ids[place] = id;
    this.#firstUsages[place] = firstUsage;
    if (firstUsage > this.#latestFirstUsage) this.#latestFirstUsage = firstUsage;
  }

  /** Keeps the accounts within their limit. It is called when everything is stored. */
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

/** How much is kept. */
export interface AccountBounds {
  readonly accounts: number;
  readonly lengthMax: number;
}

/**
 * Copies an address: one that was cut out of a script would keep the whole script in memory. A damaged ledger may have an address with
 * characters that a byte does not hold, which stays as it is.
 */
function copyOf(address: Account): Account {
  const copy = Buffer.from(address, "latin1").toString("latin1");
  return copy === address ? (copy as Account) : address; // the same text
}

/** Copies a list to the beginning of a longer one. */
function withRoom<List extends { set(list: List): void }>(list: List, longer: List): List {
  longer.set(list);
  return longer;
}
