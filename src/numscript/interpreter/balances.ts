import type { BalanceQuery, Output, Reader } from "#numscript/values/run.ts";
import { WORLD } from "#numscript/values/values.ts";

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
 * middle of a script is expected to see that. It lets no account give too much: which accounts and assets a source names
 * does not depend on what has moved, so that all of them are wanted, and read, before the first statement runs.
 */
export class Balances {
  readonly #reader: Reader;
  readonly #output: Output;
  readonly #known = new Map<string, Map<string, bigint>>();
  #wanted: BalanceQuery[] = [];
  #wantedPairs = new Pairs();
  #scales: { account: string; base: string }[] = [];
  readonly #wantedScales = new Pairs();
  /** What the ledger has answered, and not only the run has credited. */
  readonly #answered = new Pairs();

  constructor(reader: Reader, output: Output) {
    this.#reader = reader;
    this.#output = output;
  }

  /** Asks for the balance of a source with the next reading. The one of `world` does not matter. */
  wantSource(account: string, asset: string): void {
    if (account !== WORLD) this.want(account, asset);
  }

  /** Asks for a balance with the next reading, unless it is known. */
  want(account: string, asset: string): void {
    if (this.#known.get(account)?.has(asset) === true) return;
    if (this.#wantedPairs.add(account, asset)) this.#wanted.push({ account, asset });
  }

  /** Asks for an asset, and for its other precisions if the ledger tells them. */
  wantScales(account: string, asset: string): void {
    this.wantSource(account, asset);
    const { base } = partsOf(asset);
    if (account !== WORLD && this.#wantedScales.add(account, base)) {
      this.#scales.push({ account, base });
    }
  }

  /** Reads what was asked for since the last time, the balances with one query. */
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

  /** The known balances in the other precisions of an asset, the highest precision first. */
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

  /** Adds what the account had, which may be a debt, to balances that are known as credits of the run only. */
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

  /** The first answer is what the account had before the run. */
  #learn(account: string, asset: string, balance: bigint): void {
    if (this.#answered.add(account, asset)) this.change(account, asset, balance);
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
