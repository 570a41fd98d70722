/** The sums of this many filters are kept, the most recently used ones. */
const FILTERS_MAX = 16;
/** The most moves that may come while the accounts of a filter are summed. After more moves, the sum is not kept. */
const MOVES_MEANWHILE_MAX = 20_000;

/** Sums of balances by the id of the asset, for each asset that some account has moved. */
export type BalanceSumsByAsset = ReadonlyMap<number, bigint>;

/**
 * Running sums of the balances of accounts whose addresses pass a filter (a materialized view that each write maintains), so that
 * only the first read looks at accounts. Each filter has a bit for every account, which tells without its address whether a move counts:
 *
 *                    account   1 2 3 4 5 6 7 8      a move of account 3 by -5 USD
 *     `users:`       bits      0 1 1 0 0 1 0 1  →   USD 120 → 115, EUR 7
 *     `merchants:`   bits      0 0 0 1 1 0 0 0  →   no change
 *
 * While a filter is being summed, it collects the moves of all accounts. Everything is in memory, and lost when the object ends or a
 * unit of work is rolled back.
 */
export class KeptSums {
  readonly #kept = new Map<string, FilterSum>();

  /** Whether a move or a new account may count for some filter. */
  get isEmpty(): boolean {
    return this.#kept.size === 0;
  }

  /** The present sums of a filter; undefined if they are not kept. */
  find(filter: string): BalanceSumsByAsset | undefined {
    const sum = this.#kept.get(filter);
    if (sum?.sums === undefined) return undefined;
    this.#kept.delete(filter);
    this.#kept.set(filter, sum);
    return sum.sums;
  }

  /**
   * Begins to sum a filter: from now on, moves and new accounts are collected for it. Returns undefined if another read is summing
   * the filter. `matches` says whether the address of a new account passes.
   */
  begin(filter: string, matches: (address: string) => boolean): FilterSum | undefined {
    if (this.#kept.get(filter)?.isUnderWay === true) return undefined;
    this.#kept.delete(filter);
    const sum = new FilterSum(matches);
    this.#kept.set(filter, sum);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > FILTERS_MAX && oldest !== undefined) this.#kept.delete(oldest);
    return sum;
  }

  /** Keeps the sums of a filter as of the call of `begin`, unless the filter was dropped since then. */
  end(filter: string, sum: FilterSum, sums: BalanceSumsByAsset): void {
    if (this.#kept.get(filter) === sum && !sum.complete(sums)) this.#kept.delete(filter);
  }

  /** Drops a filter that could not be summed, or whose sums are not worth keeping. */
  drop(filter: string, sum: FilterSum): void {
    if (this.#kept.get(filter) === sum) this.#kept.delete(filter);
  }

  addAccount(id: number, address: string): void {
    for (const sum of this.#kept.values()) sum.addAccount(id, address);
  }

  /** Notes a change of an account's balance. A change of zero counts, too, because the account has moved the asset. */
  addMove(account: number, asset: number, change: bigint): void {
    for (const sum of this.#kept.values()) sum.addMove(account, asset, change);
  }

  clear(): void {
    this.#kept.clear();
  }
}

/** The accounts of a filter and, once all are summed, the sums of their balances. */
export class FilterSum {
  readonly #matches: (address: string) => boolean;
  /** A bit for each account, by its id: whether its address passes the filter. */
  #bits = new Uint8Array(1024);
  #sums: Map<number, bigint> | undefined;
  /** The moves since `begin`, as account, asset and change in turn. Undefined if there were too many, or once the sums are complete. */
  #meanwhile: (number | bigint)[] | undefined = [];

  constructor(matches: (address: string) => boolean) {
    this.#matches = matches;
  }

  get sums(): BalanceSumsByAsset | undefined {
    return this.#sums;
  }

  /** Whether `complete` may still be called with success. */
  get isUnderWay(): boolean {
    return this.#meanwhile !== undefined;
  }

  /** Notes that an account passes the filter. */
  addMatch(id: number): void {
    const place = id >>> 3;
    if (place >= this.#bits.length) {
      const larger = new Uint8Array(Math.max(2 * this.#bits.length, place + 1));
      larger.set(this.#bits);
      this.#bits = larger;
    }
    this.#bits[place] = (this.#bits[place] ?? 0) | (1 << (id & 7));
  }

  addAccount(id: number, address: string): void {
    if (this.#matches(address)) this.addMatch(id);
  }

  addMove(account: number, asset: number, change: bigint): void {
    if (this.#sums === undefined) this.#note(account, asset, change);
    else if (this.#has(account)) add(this.#sums, asset, change);
  }

  /** Completes sums as of `begin` with the moves since then. Returns false if there were too many moves. */
  complete(sums: BalanceSumsByAsset): boolean {
    const moves = this.#meanwhile;
    if (moves === undefined) return false;
    const complete = new Map(sums);
    for (let index = 0; index < moves.length; index += 3) {
      const change = moves[index + 2] ?? 0n;
      const isOfFilter = this.#has(Number(moves[index]));
      if (isOfFilter) add(complete, Number(moves[index + 1]), BigInt(change));
    }
    this.#sums = complete;
    this.#meanwhile = undefined;
    return true;
  }

  #note(account: number, asset: number, change: bigint): void {
    this.#meanwhile?.push(account, asset, change);
    if ((this.#meanwhile?.length ?? 0) > 3 * MOVES_MEANWHILE_MAX) this.#meanwhile = undefined;
  }

  #has(account: number): boolean {
    return ((this.#bits[account >>> 3] ?? 0) & (1 << (account & 7))) !== 0;
  }
}

const add = (sums: Map<number, bigint>, asset: number, change: bigint): void => {
  sums.set(asset, (sums.get(asset) ?? 0n) + change);
};
