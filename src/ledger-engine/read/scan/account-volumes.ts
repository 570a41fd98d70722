import type { ReadContext } from "./context.ts";
import {
  type BalanceBound,
  BY_DATE,
  CROSSED,
  LISTED,
  SELECT_DISPLACED,
  selectLastInserted,
  SKIP_SCAN,
} from "./volume-statements.ts";
import type { Features, Volumes } from "#ledger-engine/rules/types.ts";
import type { TransactionReader } from "#ledger-engine/storage/transaction-reader.ts";
import { AppError } from "#platform/errors.ts";
import { fromStored, type Sql, type StoredAmount } from "#platform/sql/sql.ts";
import { type Timestamp, toMicros } from "#platform/time.ts";

/** A point in time of a ledger, by date of insertion or by effective date. */
export interface AsOf {
  /** The last transaction that had been inserted by the point in time. */
  readonly lastTx: number;
  /** The last effective date that counts; undefined if the order of insertion counts. */
  readonly date: Timestamp | undefined;
}

/** The point in time after all transactions, in both orders. */
export const NOW: AsOf = { lastTx: Number.MAX_SAFE_INTEGER, date: undefined };

/** The ids of an account and of one of its assets. */
export interface Pair {
  readonly account: number;
  readonly asset: number;
}

/** The volumes of an asset that an account has moved. */
export interface Holding extends Pair, Volumes {
  /** The last transaction that counts. If it is equal at two points in time, nothing has moved between them. */
  readonly tx: number;
}

/** The sources of an `AccountVolumeReader`. */
export interface VolumeSources {
  readonly sql: Sql;
  readonly transactions: Pick<TransactionReader, "lastIdAt">;
  /** Whether moves store effective deltas; see `keepsEffectiveVolumes`. */
  readonly hasEffectiveDeltas: boolean;
}

/** Whether a ledger keeps volumes in the order of effective dates. */
export const keepsEffectiveVolumes = (features: Features): boolean =>
  features.MOVES_HISTORY === "ON" &&
  features.MOVES_HISTORY_POST_COMMIT_EFFECTIVE_VOLUMES === "SYNC";

/** Throws `VALIDATION` if a ledger keeps no history of moves. */
export function assertMoves(features: Features): void {
  if (features.MOVES_HISTORY !== "ON") {
    throw new AppError("VALIDATION", 'missing feature "MOVES_HISTORY"');
  }
}

/** Throws `VALIDATION` if a ledger keeps no balances of earlier dates: of insertion, or effective ones. */
export function assertBalancesAt(
  features: Features,
  { insertionDate }: { insertionDate: boolean },
): void {
  if (insertionDate) return assertMoves(features);
  if (features.MOVES_HISTORY_POST_COMMIT_EFFECTIVE_VOLUMES !== "SYNC") {
    throw new AppError(
      "VALIDATION",
      'missing feature "MOVES_HISTORY_POST_COMMIT_EFFECTIVE_VOLUMES"',
    );
  }
}

/**
 * The fewest and the most accounts of one statement. Between these, the number is such that the accounts hold at most
 * `HOLDINGS_MAX` assets together.
 */
const ACCOUNTS_MIN = 20;
const ACCOUNTS_MAX = 5000;
const HOLDINGS_MAX = 50_000;
/**
 * The most assets that are looked up in each account. If there are more, the account's own rows decide which assets it
 * holds.
 */
export const CROSSED_MAX = 4;

/**
 * Reads the volumes of accounts, now or at a point in time, in the order of insertion or of effective dates. One statement
 * reads the volumes of many accounts. Each asset of each account takes a few steps in an index, however many moves it has,
 * except in `#addedUp`.
 */
export class AccountVolumeReader {
  readonly #sql: Sql;
  readonly #transactions: VolumeSources["transactions"];
  readonly #hasEffectiveDeltas: boolean;

  constructor({ sql, transactions, hasEffectiveDeltas }: VolumeSources) {
    this.#sql = sql;
    this.#transactions = transactions;
    this.#hasEffectiveDeltas = hasEffectiveDeltas;
  }

  static of({ sql, transactions, features }: ReadContext): AccountVolumeReader {
    const hasEffectiveDeltas = keepsEffectiveVolumes(features);
    return new AccountVolumeReader({ sql, transactions, hasEffectiveDeltas });
  }

  /** The point in time after all transactions up to a date, which is a date of insertion or an effective date. */
  asOfDate(date: Timestamp, { insertionDate }: { insertionDate: boolean }): AsOf {
    const lastTx = this.#transactions.lastIdAt(date);
    return { lastTx, date: insertionDate ? undefined : date };
  }

  /**
   * The volumes of all assets that accounts had moved by a point in time. They come in batches, each with all holdings
   * of its accounts, so that a batch takes a bounded amount of memory.
   */
  *batches(
    accounts: readonly number[],
    asOf: AsOf,
    wanted: HoldingFilter = {},
  ): Generator<HoldingBatch> {
    for (const { batch, pairs } of this.#pairLists(accounts, wanted.assets)) {
      yield { accounts: batch, holdings: this.#holdings(pairs, asOf, wanted.bounds) };
    }
  }

  /** The volumes of pairs of account and asset. Pairs that had not moved by the point in time are left out. */
  ofPairs(pairs: readonly Pair[], asOf: AsOf): Holding[] {
    return pairs.length === 0 ? [] : this.#holdings(listOf(pairs), asOf);
  }

  /** The volumes of one account and asset; undefined if nothing had moved by the point in time. */
  find({ account, asset }: Pair, asOf: AsOf): Holding | undefined {
    const pairs = { select: CROSSED, bindings: [`[${account}]`, `[${asset}]`] } as const;
    return this.#holdings(pairs, asOf)[0];
  }

  /** Splits accounts into batches, each with the pairs of account and asset to look up: of the given assets, or of all. */
  *#pairLists(
    accounts: readonly number[],
    assets?: readonly number[],
  ): Generator<{ batch: readonly number[]; pairs: PairList }> {
    const known = assets !== undefined && assets.length <= CROSSED_MAX ? assets : this.#assets();
    const isCrossed = known.length <= CROSSED_MAX;
    const size = accountsTogether(known.length);
    for (let from = 0; from < accounts.length; from += size) {
      const batch = accounts.slice(from, from + size);
      const list = `[${batch.join(",")}]`;
      const pairs: PairList = isCrossed
        ? { select: CROSSED, bindings: [list, `[${known.join(",")}]`] }
        : { select: SKIP_SCAN, bindings: [list, null] };
      yield { batch, pairs };
    }
  }

  #assets(): number[] {
    return this.#sql.all<{ id: number }>("SELECT id FROM asset").map(({ id }) => id);
  }

  #holdings(pairs: PairList, asOf: AsOf, bounds: readonly BalanceBound[] = []): Holding[] {
    const { date, lastTx } = asOf;
    if (date === undefined) return this.#lastInserted(pairs, lastTx, bounds);
    const last = this.#lastByDate(pairs, date, lastTx);
    return this.#hasEffectiveDeltas ? last.map(toEffective) : this.#addedUp(last, date, lastTx);
  }

  #lastInserted(pairs: PairList, lastTx: number, bounds: readonly BalanceBound[]): Holding[] {
    return this.#sql
      .all<MoveSqlRow>(
        `${pairs.select} ${selectLastInserted(bounds)}`,
        ...pairs.bindings,
        lastTx,
        ...bounds.map(({ value }) => clamped(value).toString()),
      )
      .map(toHolding);
  }

  /** The last move of each pair in the order of effective dates. */
  #lastByDate(pairs: PairList, date: Timestamp, lastTx: number): DatedSqlRow[] {
    const rows = this.#sql.all<DatedSqlRow>(
      `${pairs.select} ${BY_DATE}`,
      ...pairs.bindings,
      lastTx,
      toMicros(date).toString(),
    );
    const found = new Map<string, DatedSqlRow>();
    for (const row of rows) {
      const key = `${row.account},${row.asset}`;
      const other = found.get(key);
      found.set(key, other === undefined ? row : laterOf(row, other));
    }
    return [...found.values()];
  }

  /**
   * Volumes by effective date for ledgers that don't store effective deltas: the volumes after the last transaction that
   * had been inserted by the date, corrected by the moves that are on another side of the date by effective date:
   *
   *                             dated up to the date     dated later
   *     inserted by the date    in the volumes           in the volumes, subtracted
   *     inserted later          added                    –
   *
   * The work grows with the number of these moves.
   */
  #addedUp(last: readonly DatedSqlRow[], date: Timestamp, lastTx: number): Holding[] {
    const sums = new Map<string, Volumes>();
    for (const row of this.#lastInserted(listOf(last), lastTx, [])) {
      sums.set(`${row.account},${row.asset}`, row);
    }
    for (const { account, asset, sign, ...amounts } of this.#displaced(last, date, lastTx)) {
      const key = `${account},${asset}`;
      const { input, output } = sums.get(key) ?? NOTHING;
      sums.set(key, {
        input: input + BigInt(sign) * difference(amounts.input, amounts.inputBefore),
        output: output + BigInt(sign) * difference(amounts.output, amounts.outputBefore),
      });
    }
    return last.map(({ account, asset, tx }) => {
      const { input, output } = sums.get(`${account},${asset}`) ?? NOTHING;
      return { account, asset, tx, input, output };
    });
  }

  /** The moves that are on different sides of the point in time by effective date and by insertion. They are read in pages. */
  *#displaced(pairs: readonly Pair[], date: Timestamp, lastTx: number): Generator<DisplacedSqlRow> {
    let rest = pairs;
    let after: { date: string; tx: number } = { date: "", tx: -1 };
    while (rest.length > 0) {
      const page = this.#sql.all<DisplacedSqlRow>(
        SELECT_DISPLACED,
        jsonOf(rest),
        lastTx,
        toMicros(date).toString(),
        after.date === "" ? null : after.date,
        after.tx,
        DISPLACED_PAGE_SIZE,
      );
      yield* page;
      const end = page.at(-1);
      if (end === undefined || page.length < DISPLACED_PAGE_SIZE) return;
      rest = rest.slice(end.place);
      after = end;
    }
  }
}

/** The number of accounts of one statement, given the number of assets. */
export const accountsTogether = (assets: number): number =>
  Math.min(ACCOUNTS_MAX, Math.max(ACCOUNTS_MIN, Math.floor(HOLDINGS_MAX / Math.max(1, assets))));

/** Selects holdings. Readers may give further ones as well. */
export interface HoldingFilter {
  /** The ids of the assets; undefined for all assets. */
  readonly assets?: readonly number[] | undefined;
  /**
   * Conditions that the balance must all meet. They are tested only in the order of insertion; by effective date, holdings
   * that fail are given as well.
   */
  readonly bounds?: readonly BalanceBound[];
}

/** Some accounts, and all their holdings. */
export interface HoldingBatch {
  readonly accounts: readonly number[];
  readonly holdings: readonly Holding[];
}

/** Groups holdings by account. Accounts without holdings are missing. */
export function byAccount({ holdings }: HoldingBatch): ReadonlyMap<number, Holding[]> {
  const found = new Map<number, Holding[]>();
  for (const holding of holdings) {
    const others = found.get(holding.account);
    if (others === undefined) found.set(holding.account, [holding]);
    else others.push(holding);
  }
  return found;
}

/** The pairs of account and asset of a statement: the common table expression that lists them, and its two parameters. */
interface PairList {
  readonly select: string;
  readonly bindings: readonly [string, string | null];
}

const listOf = (pairs: readonly Pair[]): PairList => ({
  select: LISTED,
  bindings: [jsonOf(pairs), null],
});

const jsonOf = (pairs: readonly Pair[]): string =>
  `[${pairs.map(({ account, asset }) => `[${account},${asset}]`).join(",")}]`;

const NOTHING: Volumes = { input: 0n, output: 0n };
const DISPLACED_PAGE_SIZE = 5000;

type MoveSqlRow = {
  account: number;
  asset: number;
  tx: number;
  input: StoredAmount;
  output: StoredAmount;
};

/** A move with its effective date, or null if the pair has no second row with which the date would be compared. */
type DatedSqlRow = MoveSqlRow & {
  date: string | number | null;
  effective_delta_input: StoredAmount | null;
  effective_delta_output: StoredAmount | null;
};

type DisplacedSqlRow = {
  /** The index of the pair in the list of pairs. */
  place: number;
  account: number;
  asset: number;
  tx: number;
  date: string;
  /** 1 for a move that is added, -1 for a move that is subtracted. */
  sign: number;
  input: StoredAmount;
  output: StoredAmount;
  inputBefore: StoredAmount | null;
  outputBefore: StoredAmount | null;
};

const toHolding = ({ account, asset, tx, input, output }: MoveSqlRow): Holding => ({
  account,
  asset,
  tx,
  input: fromStored(input),
  output: fromStored(output),
});

function toEffective(row: DatedSqlRow): Holding {
  const holding = toHolding(row);
  if (row.effective_delta_input === null && row.effective_delta_output === null) return holding;
  return {
    ...holding,
    input: holding.input + fromStored(row.effective_delta_input ?? 0),
    output: holding.output + fromStored(row.effective_delta_output ?? 0),
  };
}

/** A bound above all balances of volumes that are stored as integers (below 2^54), and within the 64 bits of SQL. */
const CLAMP = 2n ** 60n;
const clamped = (value: bigint): bigint =>
  value > CLAMP ? CLAMP : value < -CLAMP ? -CLAMP : value;

const difference = (after: StoredAmount, before: StoredAmount | null): bigint =>
  fromStored(after) - fromStored(before ?? 0);

function laterOf(a: DatedSqlRow, b: DatedSqlRow): DatedSqlRow {
  const [left, right] = [BigInt(a.date ?? 0), BigInt(b.date ?? 0)];
  if (left !== right) return left > right ? a : b;
  return a.tx > b.tx ? a : b;
}
