/** At most this many slots, of 24 bytes. Their number is a power of two. */
const SLOTS_MAX = 2 ** 18;
const SLOTS_FIRST = 2 ** 8;
/** How full the slots may be: the fuller they are, the longer it takes to find a pair. */
const LOAD_MAX = 0.8;
/** What a slot has behind its key. */
const INPUT = 1;
const OUTPUT = 2;
const WIDTH = 3;
/** The key of a free slot. */
const FREE = 0;
/** Of the keys of one account. A ledger has fewer assets than this. */
const ASSETS = 2 ** 20;

/**
 * Volumes by account and asset, which numbers hold exactly: one list of numbers, of which a pair takes 30 bytes or more. In a map with
 * an object for each pair, it would take several times as many. Places of pairs are valid until `reserve` is called.
 */
export class VolumeTable {
  readonly #slotsMax: number;
  #slots = new Float64Array(SLOTS_FIRST * WIDTH);
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
    const before = this.#slots;
    const pairs = (isKept ? this.#count : 0) + count;
    let slots = isKept ? before.length / WIDTH : SLOTS_FIRST;
    while (slots * LOAD_MAX < pairs) slots *= 2;
    if (isKept && slots * WIDTH === before.length) return true;
    this.#slots = new Float64Array(slots * WIDTH);
    if (isKept) this.#insertAll(before);
    else this.#count = 0;
    return isKept;
  }

  /** Where a pair is; -1 where it is not in the table. */
  find(account: number, asset: number): number {
    const key = keyOf(account, asset);
    const place = this.#placeOf(key, account, asset);
    return this.#slots[place] === key ? place : -1;
  }

  /** Adds a pair that is not in the table, with volumes of zero. There must be room for it. */
  add(account: number, asset: number): number {
    const key = keyOf(account, asset);
    const place = this.#placeOf(key, account, asset);
    this.#slots[place] = key;
    this.#count++;
    return place;
  }

  input(place: number): number {
    return this.#slots[place + INPUT] ?? 0;
  }

  output(place: number): number {
    return this.#slots[place + OUTPUT] ?? 0;
  }

  receive(place: number, amount: number): void {
    this.#slots[place + INPUT] = this.input(place) + amount;
  }

  send(place: number, amount: number): void {
    this.#slots[place + OUTPUT] = this.output(place) + amount;
  }

  /** Where a pair is, or the free slot where it belongs. */
  #placeOf(key: number, account: number, asset: number): number {
    const slots = this.#slots;
    let place = (hashOf(account, asset) & (slots.length / WIDTH - 1)) * WIDTH;
    for (let found = slots[place]; found !== key && found !== FREE; found = slots[place]) {
      place += WIDTH;
      if (place === slots.length) place = 0;
    }
    return place;
  }

  #insertAll(slots: Float64Array): void {
    for (let from = 0; from < slots.length; from += WIDTH) {
      const key = slots[from] ?? FREE;
      if (key === FREE) continue;
      const pair = key - 1;
      const place = this.#placeOf(key, Math.floor(pair / ASSETS), pair % ASSETS);
      for (let index = 0; index < WIDTH; index++) {
        this.#slots[place + index] = slots[from + index] ?? 0;
      }
    }
  }
}

const keyOf = (account: number, asset: number): number => account * ASSETS + asset + 1;

/** A number of 32 bits of which each one depends on both. Where many pairs had places side by side, a free one would be far away. */
function hashOf(account: number, asset: number): number {
  const first = Math.imul(account, 0x9e3779b1) ^ Math.imul(asset, 0x85ebca6b);
  const second = Math.imul(first ^ (first >>> 15), 0x2c1b3c6d);
  return (second ^ (second >>> 13)) >>> 0;
}
