import type { BalanceQuery, Output, Reader } from "./run.ts";
import { WORLD } from "./values.ts";

/** A balance in one of the precisions of an asset. */
export interface Scale {
  readonly asset: string;
  /** 2 in `USD/2`, 0 in `USD`. */
  readonly precision: number;
  readonly balance: bigint;
}

/**
 * The balances of a run: read in batches, each of them once, then changed with what the run moves.
 *
 * An account that is credited without having been read has what the run gave it, and nothing else: `balance()` in the
 * middle of a script is expected to see that. It lets no account give too much, because whatever a source can give is
 * wanted, and read, before the first statement runs.
 */
export class Balances {
  readonly #reader: Reader;
  readonly #output: Output;
  readonly #known = new Map<string, Map<string, bigint>>();
  #wanted: BalanceQuery[] = [];
  #wantedPairs = new Pairs();
  #wantedScales: { account: string; base: string; asset: string }[] = [];
  /** Accounts and bases of which all precisions are known. */
  readonly #scaled = new Pairs();

  constructor(reader: Reader, output: Output) {
    this.#reader = reader;
    this.#output = output;
  }

  /** Asks for a balance with the next reading, unless it is known. The one of `world` is never asked for. */
  want(account: string, asset: string): void {
    if (account === WORLD || this.#known.get(account)?.has(asset) === true) return;
    if (this.#wantedPairs.add(account, asset)) this.#wanted.push({ account, asset });
  }

  /** Asks for an asset in all its precisions. */
  wantScales(account: string, asset: string): void {
    if (account === WORLD) return;
    const { base } = partsOf(asset);
    if (this.#reader.scales === undefined) this.want(account, asset);
    else if (this.#scaled.add(account, base)) this.#wantedScales.push({ account, base, asset });
  }

  /** Reads what was asked for since the last time, the balances with one query. */
  read(): void {
    const [queries, scales] = [this.#wanted, this.#wantedScales];
    this.#wanted = [];
    this.#wantedPairs = new Pairs();
    this.#wantedScales = [];
    if (queries.length > 0) {
      const found = this.#reader.balances(queries);
      for (const [index, { account, asset }] of queries.entries()) {
        this.#learn(account, asset, found[index] ?? 0n);
      }
    }
    for (const { account, base } of scales) {
      for (const { asset, balance } of this.#reader.scales?.(account, base) ?? []) {
        this.#output.spend(1);
        if (partsOf(asset).base === base) this.#learn(account, asset, balance);
      }
    }
  }

  get(account: string, asset: string): bigint {
    return this.#known.get(account)?.get(asset) ?? 0n;
  }

  change(account: string, asset: string, amount: bigint): void {
    this.set(account, asset, this.get(account, asset) + amount);
  }

  set(account: string, asset: string, balance: bigint): void {
    const assets = this.#known.get(account) ?? new Map<string, bigint>();
    this.#known.set(account, assets.set(asset, balance));
  }

  /** Balances in the other precisions of an asset, the highest precision first. None where they were not read. */
  otherScales(account: string, asset: string): Scale[] {
    const { base, precision } = partsOf(asset);
    if (precision === undefined || !this.#scaled.has(account, base)) return [];
    const scales: Scale[] = [];
    for (const [asset, balance] of this.#known.get(account) ?? []) {
      this.#output.spend(1);
      const parts = partsOf(asset);
      if (parts.base !== base || parts.precision === undefined || parts.precision === precision) {
        continue;
      }
      scales.push({ asset, precision: parts.precision, balance });
    }
    return scales.toSorted((a, b) => b.precision - a.precision);
  }

  /** What is known already has been changed by the run. */
  #learn(account: string, asset: string, balance: bigint): void {
    if (this.#known.get(account)?.has(asset) !== true) this.set(account, asset, balance);
  }
}

/** `USD/2` is the base `USD` with the precision 2. A precision that no ledger takes is none. */
export function partsOf(asset: string): { base: string; precision: number | undefined } {
  const slash = asset.indexOf("/");
  if (slash === -1) return { base: asset, precision: 0 };
  const digits = asset.slice(slash + 1);
  return {
    base: asset.slice(0, slash),
    precision: PRECISION.test(digits) ? Number(digits) : undefined,
  };
}

const PRECISION = /^\d{1,6}$/;

/** A set of pairs of names, which may be too long to be joined each time. */
class Pairs {
  readonly #pairs = new Map<string, Set<string>>();

  has(first: string, second: string): boolean {
    return this.#pairs.get(first)?.has(second) === true;
  }

  /** Whether the pair is new. */
  add(first: string, second: string): boolean {
    if (this.has(first, second)) return false;
    const seconds = this.#pairs.get(first) ?? new Set<string>();
    this.#pairs.set(first, seconds.add(second));
    return true;
  }
}
