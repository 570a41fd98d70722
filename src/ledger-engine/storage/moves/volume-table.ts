import { accountOf, assetOf, pairKey } from "./pair-key.ts";

/** At most this many slots, of 24 bytes. Their number is a power of two. */
const SLOTS_MAX = 2 ** 18;
const SLOTS_FIRST = 2 ** 8;
/** How full the slots may be: the fuller they are, the longer it takes to find a pair. */
const LOAD_MAX = 0.8;
/** The key of a free slot. */
const FREE = 0;

/**
 * Volumes by account and asset, which 64 bits hold: lists of integers, of which a pair takes 30 bytes or more. In a map with an object
 * for each pair, it would take several times as many. Places of pairs are valid until `reserve` is called.
 */
export class VolumeTable {
  readonly #slotsMax: number;
  #keys = new Float64Array(SLOTS_FIRST);
  /** The input and the output of each slot. */
  #volumes = new BigInt64Array(2 * SLOTS_FIRST);
  #count = 0;

  constructor(slotsMax = SLOTS_MAX) {
    this.#slotsMax = slotsMax;
  }

  /**
   * Makes room for so many further pairs. Where they would be too many together, it forgets those that it has, and returns false. Room
   * for more than it may keep is given for this time.
   */
  reserve(count: number): boolean {
    const isKept = this.#count + count <= this.#slotsMax * LOAD_MAX;
    const [keys, volumes] = [this.#keys, this.#volumes];
    const pairs = (isKept ? this.#count : 0) + count;
    let slots = isKept ? keys.length : SLOTS_FIRST;
    while (slots * LOAD_MAX < pairs) slots *= 2;
    if (isKept && slots === keys.length) return true;
    this.#keys = new Float64Array(slots);
    this.#volumes = new BigInt64Array(2 * slots);
    if (isKept) this.#insertAll(keys, volumes);
    else this.#count = 0;
    return isKept;
  }

  /** The number of pairs. */
  get size(): number {
    return this.#count;
  }

  /** Where a pair is; -1 where it is not in the table. */
  find(account: number, asset: number): number {
    const key = keyOf(account, asset);
    const place = this.#placeOf(key, account, asset);
    return this.#keys[place] === key ? place : -1;
  }

  /** Adds a pair that is not in the table, with volumes of zero. There must be room for it. */
  add(account: number, asset: number): number {
    const key = keyOf(account, asset);
    const place = this.#placeOf(key, account, asset);
    this.#keys[place] = key;
    this.#count++;
    return place;
  }

  input(place: number): bigint {
    return this.#volumes[2 * place] ?? 0n;
  }

  output(place: number): bigint {
    return this.#volumes[2 * place + 1] ?? 0n;
  }

  set(place: number, input: bigint, output: bigint): void {
    this.#volumes[2 * place] = input;
    this.#volumes[2 * place + 1] = output;
  }

  receive(place: number, amount: bigint): void {
    this.#volumes[2 * place] = this.input(place) + amount;
  }

  send(place: number, amount: bigint): void {
    this.#volumes[2 * place + 1] = this.output(place) + amount;
  }

  /** Where a pair is, or the free slot where it belongs. */
  #placeOf(key: number, account: number, asset: number): number {
    const keys = this.#keys;
    let place = hashOf(account, asset) & (keys.length - 1);
    for (let found = keys[place]; found !== key && found !== FREE; found = keys[place]) {
      place++;
      if (place === keys.length) place = 0;
    }
    return place;
  }

  #insertAll(keys: Float64Array, volumes: BigInt64Array): void {
    for (const [from, key] of keys.entries()) {
      if (key === FREE) continue;
      const pair = key - 1;
      const place = this.#placeOf(key, accountOf(pair), assetOf(pair));
      this.#keys[place] = key;
      this.#volumes[2 * place] = volumes[2 * from] ?? 0n;
      this.#volumes[2 * place + 1] = volumes[2 * from + 1] ?? 0n;
    }
  }
}

const keyOf = (account: number, asset: number): number => pairKey(account, asset) + 1;

/** A number of 32 bits of which each one depends on both. Where many pairs had places side by side, a free one would be far away. */
function hashOf(account: number, asset: number): number {
  const first = Math.imul(account, 0x9e3779b1) ^ Math.imul(asset, 0x85ebca6b);
  const second = Math.imul(first ^ (first >>> 15), 0x2c1b3c6d);
  return (second ^ (second >>> 13)) >>> 0;
}
