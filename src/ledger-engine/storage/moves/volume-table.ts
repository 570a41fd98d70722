import { accountOf, assetOf, pairKey } from "./pair-key.ts";

/** The most slots, of 24 bytes each. The number of slots is always a power of two. */
const SLOTS_MAX = 2 ** 18;
const SLOTS_FIRST = 2 ** 8;
/** The largest load factor. The fuller the table, the longer the search for a pair. */
const LOAD_MAX = 0.8;
/** The key of a free slot. */
const FREE = 0;

/**
 * A hash table of 64-bit volumes by account and asset, with open addressing and linear probing (Knuth, The Art of Computer Programming,
 * vol. 3, section 6.4, algorithm L):
 *
 *     slot        0       1       2       3      …
 *     #keys       0       key     key     0             0 is a free slot; else the pair key + 1
 *     #volumes    0 0     in out  in out  0 0           input and output
 *
 * A pair takes 30 bytes or more; in a map with an object for each pair, it would take several times as many. Places of pairs are valid
 * until `reserve` is called.
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
   * Makes room for this many further pairs. If the pairs of the table and the further ones together exceed the limit, the table forgets
   * its pairs and returns false. A single call may reserve more than the limit.
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

  get size(): number {
    return this.#count;
  }

  /** The place of a pair; -1 if the pair is not in the table. */
  find(account: number, asset: number): number {
    const key = keyOf(account, asset);
    const place = this.#placeOf(key, account, asset);
    return this.#keys[place] === key ? place : -1;
  }

  /** Adds a pair that is not in the table, with volumes of zero, and returns its place. `reserve` must have made room. */
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

  /** The slot of a pair, or the free slot where the pair belongs. */
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

/**
 * Mixes two integers to 32 bits, each of which depends on both (multiplication and xor-shift, as in the finalizer of MurmurHash3).
 * Neighbouring ids must not get neighbouring slots, because long runs of full slots slow linear probing down.
 */
function hashOf(account: number, asset: number): number {
  const first = Math.imul(account, 0x9e3779b1) ^ Math.imul(asset, 0x85ebca6b);
  const second = Math.imul(first ^ (first >>> 15), 0x2c1b3c6d);
  return (second ^ (second >>> 13)) >>> 0;
}
