import type { BalanceQuery, Output, Reader } from "#numscript/values/run.ts";
import { WORLD } from "#numscript/values/values.ts";

/** A balance of an asset in one of its precisions. */
export interface Scale {
  readonly asset: string;
  /** 2 in `USD/2`, 0 in `USD`. */
  readonly precision: number;
  readonly balance: bigint;
}

/**
 * The balances of a run. They are read in batches, each balance once, and then change with the postings of the run.
 *
 * The balance of an account that was credited but not read contains only the credits of the run. `balance()` within a
 * statement must see this value. No source gives too much for this reason: the accounts and assets of sources do not
 * depend on moved money, so that all their balances are read before the first statement runs.
 */
export class Balances {
  readonly #reader: Reader;
  readonly #output: Output;
  readonly #known = new Map<string, Map<string, bigint>>();
  #wanted: BalanceQuery[] = [];
  #wantedPairs = new Pairs();
  #scales: { account: string; base: string }[] = [];
  readonly #wantedScales = new Pairs();
  /** The balances that were read; others are known only from credits of the run. */
  readonly #answered = new Pairs();

  constructor(reader: Reader, output: Output) {
    this.#reader = reader;
    this.#output = output;
  }

  /** Requests the balance of a source with the next read, except for `world`, which may always give. */
  wantSource(account: string, asset: string): void {
    if (account !== WORLD) this.want(account, asset);
  }

  /** Requests a balance with the next read, unless it is known. */
  want(account: string, asset: string): void {
    if (this.#known.get(account)?.has(asset) === true) return;
    if (this.#wantedPairs.add(account, asset)) this.#wanted.push({ account, asset });
  }

  /** Requests the balance of an asset and, if the reader supports it, the balances in its other precisions. */
  wantScales(account: string, asset: string): void {
    this.wantSource(account, asset);
    const { base } = partsOf(asset);
    if (account !== WORLD && this.#wantedScales.add(account, base)) {
      this.#scales.push({ account, base });
    }
  }

  /** Reads the balances that were requested since the last read, with one query, and the precisions of assets. */
  read(): void {
    const [queries, scales] = [this.#wanted, this.#scales];
    this.#wanted = [];
    this.#wantedPairs = new Pairs();
    this.#scales = [];
    if (queries.length > 0) this.#query(queries);
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

  /** The known balances in other precisions of an asset, the highest precision first. */
  otherScales(account: string, asset: string): Scale[] {
    const { base, precision } = partsOf(asset);
    if (precision === undefined) return [];
    const scales: { asset: string; precision: number }[] = [];
    for (const asset of this.#known.get(account)?.keys() ?? []) {
      this.#output.spend(1);
      const other = partsOf(asset);
      if (other.base !== base || other.precision === undefined) continue;
      if (other.precision !== precision) scales.push({ asset, precision: other.precision });
    }
    this.#completeCredits(scales.map(({ asset }) => ({ account, asset })));
    return scales
      .toSorted((a, b) => b.precision - a.precision)
      .map((scale) => ({ ...scale, balance: this.get(account, scale.asset) }));
  }

  /** Adds the balances before the run, which may be negative, to balances that are known only from credits. */
  #completeCredits(pairs: readonly BalanceQuery[]): void {
    const queries = pairs.filter(({ account, asset }) => !this.#answered.has(account, asset));
    if (queries.length > 0) this.#query(queries);
  }

  #query(queries: readonly BalanceQuery[]): void {
    const found = this.#reader.balances(queries);
    for (const [index, { account, asset }] of queries.entries()) {
      this.#learn(account, asset, found[index] ?? 0n);
    }
  }

  /** Adds an answer of the reader to a balance, once: it is the balance before the run. */
  #learn(account: string, asset: string, balance: bigint): void {
    if (this.#answered.add(account, asset)) this.change(account, asset, balance);
  }
}

/** Splits an asset: `USD/2` has the base `USD` and the precision 2. A precision that no ledger accepts is ignored. */
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

/** A set of pairs of names. The names may be too long to be joined for each look-up. */
class Pairs {
  readonly #pairs = new Map<string, Set<string>>();

  has(first: string, second: string): boolean {
    return this.#pairs.get(first)?.has(second) === true;
  }

  /** Adds a pair, and says whether it is new. */
  add(first: string, second: string): boolean {
    if (this.has(first, second)) return false;
    const seconds = this.#pairs.get(first) ?? new Set<string>();
    this.#pairs.set(first, seconds.add(second));
    return true;
  }
}
