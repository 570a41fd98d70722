import type { Account } from "#ledger-engine/rules/types.ts";

/** Most accounts that are kept. One with an address of 18 characters takes about 100 bytes on Node. */
const ACCOUNTS_MAX = 131_072;
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
  readonly #accountsMax: number;
  readonly #places = new Map<Account, number>();
  #ids = new Float64Array(PLACES_FIRST);
  #firstUsages = new BigInt64Array(PLACES_FIRST);
  /**
   * The account that was found last, and the one that was found before it: one transaction asks for the same two several times, and most
   * transactions have one of them in common with the one before. Comparing an address takes a fraction of looking it up.
   */
  #last: Found | undefined;
  #lastButOne: Found | undefined;

  constructor(accountsMax = ACCOUNTS_MAX) {
    this.#accountsMax = accountsMax;
  }

  /** Undefined where the account is not kept. */
  id(address: Account): number | undefined {
    const place = this.#find(address);
    return place === undefined ? undefined : this.#ids[place];
  }

  /** The same in microseconds since 1970. */
  firstUsage(address: Account): bigint | undefined {
    const place = this.#find(address);
    return place === undefined ? undefined : this.#firstUsages[place];
  }

  /** Adds an account. They may exceed their limit until `trim` is called, because what is not stored yet must not be forgotten. */
  set(address: Account, { id, firstUsage }: KeptAccount): void {
    const place = this.#find(address) ?? this.#add(address);
    this.#ids[place] = id;
    this.#firstUsages[place] = firstUsage;
  }

  /** Keeps the accounts within their limit. It is called when everything is stored. */
  trim(): void {
    if (this.#places.size > this.#accountsMax) this.clear();
  }

  clear(): void {
    this.#places.clear();
    this.#ids = new Float64Array(PLACES_FIRST);
    this.#firstUsages = new BigInt64Array(PLACES_FIRST);
    this.#last = undefined;
    this.#lastButOne = undefined;
  }

  #find(address: Account): number | undefined {
    const last = this.#last;
    if (last !== undefined && last.address === address) return last.place;
    const other = this.#lastButOne;
    if (other === undefined || other.address !== address) return this.#lookUp(address);
    this.#lastButOne = last;
    this.#last = other;
    return other.place;
  }

  #lookUp(address: Account): number | undefined {
    const place = this.#places.get(address);
    if (place !== undefined) {
      const found = this.#lastButOne ?? { address, place };
      found.address = address;
      found.place = place;
      this.#lastButOne = this.#last;
      this.#last = found;
    }
    return place;
  }

  #add(address: Account): number {
    const place = this.#places.size;
    this.#places.set(address, place);
    if (place === this.#ids.length) {
      this.#ids = withRoom(this.#ids, new Float64Array(2 * place));
      this.#firstUsages = withRoom(this.#firstUsages, new BigInt64Array(2 * place));
    }
    return place;
  }
}

interface Found {
  address: Account;
  place: number;
}

/** Copies a list to the beginning of a longer one. */
function withRoom<List extends { set(list: List): void }>(list: List, longer: List): List {
  longer.set(list);
  return longer;
}
