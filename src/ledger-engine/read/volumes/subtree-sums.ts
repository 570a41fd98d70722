import { KEPT_ACCOUNTS_MIN, shownSums } from "./balances.ts";
import { AccountAccess } from "#ledger-engine/read/accounts/account-access.ts";
import { otherRanges, type SortedRange } from "#ledger-engine/read/accounts/account-paths.ts";
import {
  AccountVolumeReader,
  type AsOf,
  assertBalancesAt,
  assertMoves,
} from "#ledger-engine/read/scan/account-volumes.ts";
import type { ReadContext } from "#ledger-engine/read/scan/context.ts";
import { hasSince, lastTransaction, type Steps } from "#ledger-engine/read/scan/steps.ts";
import { SummedBalances } from "#ledger-engine/read/scan/summed-balances.ts";
import { parseTarget } from "#ledger-engine/rules/names.ts";
import type { SubtreeQuery, SubtreeSum, SumBudget } from "#ledger-engine/rules/reads.ts";
import type { Asset } from "#ledger-engine/rules/types.ts";
import type { BalanceSumsByAsset, FilterSum } from "#ledger-engine/storage/moves/kept-sums.ts";
import { stringifyJson } from "#platform/json.ts";
import { first, type Sql } from "#platform/sql/sql.ts";

/** The most sums that are under way, or whose results are remembered; those that were asked for last. */
const SUMS_MAX = 64;
/** A sum under way that nobody has asked for during this time is given up, in milliseconds. */
const ABANDONED_MS = 30_000;
/** The sizes of the parts of a sum. */
export interface SumLimits {
  /** The number of accounts that a step sums, and that a step counts. */
  readonly summed: number;
  readonly counted: number;
  /** If at most this many accounts are outside of the subtree, and at most half as many as inside, they are summed instead. */
  readonly others: number;
}

const LIMITS: SumLimits = { summed: 500, counted: 10_000, others: 20_000 };

/** The most transactions since the last call whose dates are tested for a sum by effective date. After more, the sum begins again. */
const TESTED_SINCE_MAX = 10_000;

/**
 * Sums the balances of all accounts at and below an address in steps, over several calls. A call does some steps and gives the sums so far; the
 * next call with the same query goes on:
 *
 *     call 1        call 2         call 3          later calls
 *     count │ sum   sum …          … sum │ done    the result, until a write counts for it
 *     └─ moment ───────────────────────────┘
 *
 * A sum of the present is that of the moment of its first step, because volumes after a transaction never change. If the subtree has many
 * accounts, writes then keep the result up to date (`KeptSums`), so that later calls are free and show the present. A sum at a point in time
 * begins again if a transaction was written that counts for it.
 */
export class SubtreeSums {
  readonly #context: ReadContext;
  readonly #volumes: AccountVolumeReader;
  readonly #summed: SummedBalances;
  readonly #access: AccountAccess;
  /** The sums by their queries, those that were asked for last at the end. */
  readonly #jobs = new Map<string, Job>();
  readonly #limits: SumLimits;

  constructor(context: ReadContext, limits = LIMITS) {
    this.#context = context;
    this.#limits = limits;
    this.#volumes = AccountVolumeReader.of(context);
    this.#summed = new SummedBalances(context.sql, this.#volumes);
    this.#access = new AccountAccess(context.sql);
  }

  /** Does some steps of a sum, at least one. Throws `VALIDATION` for a text that is no address, and for a date of which the ledger keeps no balances. */
  read(query: SubtreeQuery, { steps, nowMs }: SumBudget): SubtreeSum {
    const { features, sums } = this.#context;
    parseTarget(query.address);
    if (query.pit !== undefined) {
      assertMoves(features);
      assertBalancesAt(features, query);
    }
    this.#giveUp(({ sum }) => !sum.isComplete && Math.abs(nowMs - sum.askedMs) > ABANDONED_MS);
    const findKept = () =>
      query.pit === undefined ? sums.find(filterOf(query.address)) : undefined;
    const kept = findKept();
    if (kept !== undefined) return this.#shown(query, { ...COMPLETE, sums: kept }, 0);
    const { sum, work } = this.#jobOf(query);
    sum.askedMs = nowMs;
    let done = 0;
    while (done < Math.max(1, steps) && !sum.isComplete) {
      sum.isComplete = work.next().done === true;
      done++;
    }
    const present = sum.isComplete ? findKept() : undefined;
    return this.#shown(query, present === undefined ? sum : { ...sum, sums: present }, done);
  }

  /** Forgets all sums, because rows may have been rolled back. */
  reset(): void {
    this.#giveUp(() => true);
  }

  /** The sum of a query that is under way or known, if nothing that counts for it was written since; else a new one. */
  #jobOf(query: SubtreeQuery): Job {
    const name = `${query.pit ?? ""} ${query.insertionDate} ${query.address}`;
    const known = this.#jobs.get(name);
    const isValid = known !== undefined && this.#isValid(known.sum, query);
    if (known !== undefined && !isValid) this.#giveUp((job) => job === known);
    const job = known !== undefined && isValid ? known : this.#begin(query);
    this.#jobs.delete(name);
    this.#jobs.set(name, job);
    const [oldest] = this.#jobs.values();
    if (this.#jobs.size > SUMS_MAX) this.#giveUp((it) => it === oldest);
    return job;
  }

  #isValid(sum: Sum, { pit, insertionDate }: SubtreeQuery): boolean {
    const { sql } = this.#context;
    const last = lastTransaction(sql);
    if (pit === undefined) return !sum.isComplete || last === sum.asOf.lastTx;
    const { lastTx } = this.#volumes.asOfDate(pit, { insertionDate });
    if (lastTx !== sum.asOf.lastTx) return false;
    if (insertionDate || last === sum.testedTx) return true;
    if (last - sum.testedTx > TESTED_SINCE_MAX || hasSince(sql, sum.testedTx, pit)) return false;
    sum.testedTx = last;
    return true;
  }

  #begin(query: SubtreeQuery): Job {
    const { pit, insertionDate } = query;
    const lastTx = lastTransaction(this.#context.sql);
    const asOf =
      pit === undefined
        ? { lastTx, date: undefined }
        : this.#volumes.asOfDate(pit, { insertionDate });
    const sum: Sum = {
      asOf,
      testedTx: lastTx,
      askedMs: 0,
      isComplete: false,
      sums: new Map(),
      accounts: 0,
      total: undefined,
    };
    return { sum, work: this.#work(query, sum) };
  }

  #giveUp(isMeant: (job: Job) => boolean): void {
    for (const [name, job] of this.#jobs) {
      if (!isMeant(job)) continue;
      job.work.return(undefined);
      this.#jobs.delete(name);
    }
  }

  /** The steps of a sum. */
  *#work({ address, pit }: SubtreeQuery, sum: Sum): Steps<undefined> {
    const { sums: keep } = this.#context;
    const ranges = rangesBelow(address);
    const name = filterOf(address);
    const isKept =
      pit === undefined && this.#count(ranges, KEPT_ACCOUNTS_MIN) === KEPT_ACCOUNTS_MIN;
    const kept = isKept ? keep.begin(name, isBelow(address)) : undefined;
    try {
      const others = yield* this.#sumOfOthers(ranges, sum);
      if (others !== undefined) {
        sum.sums = others;
        return undefined;
      }
      sum.total = yield* this.#counted(ranges);
      yield* this.#add(ranges, sum, kept);
      if (kept !== undefined) keep.end(name, kept, sum.sums);
      return undefined;
    } finally {
      if (kept !== undefined && kept.sums === undefined) keep.drop(name, kept);
    }
  }

  /**
   * The sums, by the accounts outside of the subtree: the balances of all accounts add up to zero. Undefined unless these accounts are few, and
   * hold some of every asset: of an asset of which they hold nothing, the accounts in the subtree may have moved none.
   */
  *#sumOfOthers(
    ranges: readonly SortedRange[],
    { asOf }: Sum,
  ): Steps<BalanceSumsByAsset | undefined> {
    const others = otherRanges(ranges);
    const { others: most } = this.#limits;
    const count = this.#count(others, most + 1);
    if (count > most || this.#count(ranges, 2 * count + 1) <= 2 * count) return undefined;
    const found = { asOf, sums: new Map<number, bigint>(), accounts: 0 };
    yield* this.#add(others, found, undefined);
    const assets = this.#assets().map(({ id }) => id);
    const isCertain = assets.every((id) => (found.sums.get(id) ?? 0n) !== 0n);
    return isCertain
      ? new Map(Array.from(found.sums, ([asset, balance]) => [asset, -balance]))
      : undefined;
  }

  /** Counts the accounts of ranges. */
  *#counted(ranges: readonly SortedRange[]): Steps<number> {
    let count = 0;
    for (const { table, bindings } of this.#access.stretches(ranges, this.#limits.counted)) {
      const rows = this.#context.sql.all<CountSqlRow>(
        `SELECT count(*) AS count FROM ${table}`,
        ...bindings,
      );
      count += first(rows).count;
      yield;
    }
    return count;
  }

  /** Adds the balances of the accounts of ranges to sums. */
  *#add(
    ranges: readonly SortedRange[],
    to: Pick<Sum, "asOf" | "sums" | "accounts">,
    kept: FilterSum | undefined,
  ): Steps<undefined> {
    const assets = this.#assets().map(({ id }) => id);
    const size = Math.min(this.#limits.summed, this.#summed.sizeMax(assets));
    const sums = new Map(to.sums);
    to.sums = sums;
    for (const accounts of this.#access.stretches(ranges, size)) {
      const ids = this.#summed.idsOf(accounts);
      for (const id of ids) kept?.addMatch(id);
      for (const { asset, balance } of this.#summed.of(accounts, to.asOf, assets)) {
        sums.set(asset, (sums.get(asset) ?? 0n) + balance);
      }
      to.accounts += ids.length;
      yield;
    }
    return undefined;
  }

  #count(ranges: readonly SortedRange[], max: number): number {
    return countUpTo(this.#context.sql, ranges, max);
  }

  #assets(): { id: number; name: Asset }[] {
    return this.#context.sql.all<{ id: number; name: Asset }>(
      "SELECT id, name FROM asset ORDER BY name",
    );
  }

  #shown(
    { address }: SubtreeQuery,
    { isComplete, sums, accounts, total }: Pick<Sum, "isComplete" | "sums" | "accounts" | "total">,
    stepsDone: number,
  ): SubtreeSum {
    const balances = shownSums(this.#assets(), sums);
    const progress = isComplete || total === undefined ? {} : { progress: { accounts, total } };
    return { address, isComplete, balances, ...progress, stepsDone };
  }
}

const COMPLETE = { isComplete: true, accounts: 0, total: undefined };

/** A sum, and the work that is left. */
interface Job {
  readonly sum: Sum;
  readonly work: Steps<undefined>;
}

/** A sum that is under way or complete. */
interface Sum {
  readonly asOf: AsOf;
  /** The last transaction of which it is known that it does not count for the sum. */
  testedTx: number;
  /** The time of the last call, in milliseconds since 1970. */
  askedMs: number;
  isComplete: boolean;
  sums: BalanceSumsByAsset;
  /** The number of accounts that were summed, and that will be; undefined until they are counted. */
  accounts: number;
  total: number | undefined;
}

type CountSqlRow = { count: number };

/** The ranges of the addresses at and below an address: `;` is the character after `:`. */
const rangesBelow = (address: string): SortedRange[] => [
  { from: address, below: `${address}\u0001` }, // no address contains a character as low as U+0001
  { from: `${address}:`, below: `${address};` },
];

const isBelow =
  (address: string) =>
  (other: string): boolean =>
    other === address || other.startsWith(`${address}:`);

/** The filter of these accounts, by which their kept sums are found, also by reads of aggregated balances; for an address that no filter can name, another text. */
const filterOf = (address: string): string =>
  address.split(":").includes("")
    ? `subtree ${address}`
    : stringifyJson({ $match: { address: `${address}:...` } });

function countUpTo(sql: Sql, ranges: readonly SortedRange[], max: number): number {
  let count = 0;
  for (const { from, below } of ranges) {
    const rows = sql.all<CountSqlRow>(COUNT, from, below, max - count);
    count += first(rows).count;
  }
  return count;
}

const COUNT = `SELECT count(*) AS count FROM (
  SELECT 1 FROM account WHERE address >= ? AND address < ? LIMIT ? + 0)`;
