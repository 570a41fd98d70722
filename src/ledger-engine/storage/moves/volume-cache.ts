import { pairKey } from "./pair-key.ts";
import { VolumeTable } from "./volume-table.ts";
import type { Volumes } from "#ledger-engine/rules/types.ts";

/** The most pairs of account and asset that are kept. A table of this many pairs takes 6.3 MB. */
const PAIRS_MAX = 200_000;
/** The most pairs with volumes above 64 bits. Each takes 170 bytes, or 1,000 if amounts have 1,000 digits. */
const LARGE_MAX = 40_000;
const INT64_MAX = 2n ** 63n - 1n;
/** Stands in the table for volumes above 64 bits. */
const LARGE = -1n;

/** A cache of the current volumes of accounts and assets. If they become too many, `trim` forgets all of them. */
export class VolumeCache {
  readonly #pairsMax: number;
  readonly #largeMax: number;
  #table = newTable();
  /** The volumes above 64 bits, by the keys of their pairs. */
  readonly #large = new Map<number, Volumes>();

  constructor(pairsMax = PAIRS_MAX, largeMax = LARGE_MAX) {
    this.#pairsMax = pairsMax;
    this.#largeMax = largeMax;
  }

  has(account: number, asset: number): boolean {
    return this.#table.find(account, asset) !== -1;
  }

  get(account: number, asset: number): Volumes | undefined {
    const place = this.#table.find(account, asset);
    if (place === -1) return undefined;
    const input = this.#table.input(place);
    if (input === LARGE) return this.#large.get(pairKey(account, asset));
    return { input, output: this.#table.output(place) };
  }

  /** Adds volumes. The cache may exceed its limit until `trim` is called, because volumes that are not stored yet must not be forgotten. */
  set(account: number, asset: number, volumes: Volumes): void {
    const { input, output } = volumes;
    const place = this.#placeOf(account, asset);
    if (input <= INT64_MAX && output <= INT64_MAX) {
      this.#table.set(place, input, output);
    } else {
      this.#table.set(place, LARGE, LARGE);
      this.#large.set(pairKey(account, asset), volumes);
    }
  }

  /** Keeps the volumes within their limit. It is called when everything is stored. */
  trim(): void {
    const isFull = this.#table.size > this.#pairsMax || this.#large.size > this.#largeMax;
    if (isFull) this.clear();
  }

  clear(): void {
    if (this.#table.size > 0) this.#table = newTable();
    this.#large.clear();
  }

  #placeOf(account: number, asset: number): number {
    const found = this.#table.find(account, asset);
    if (found !== -1) return found;
    this.#table.reserve(1);
    return this.#table.add(account, asset);
  }
}

const newTable = (): VolumeTable => new VolumeTable(Infinity);
