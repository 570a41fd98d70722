import {
  accountsTogether,
  type AccountVolumeReader,
  type AsOf,
  CROSSED_MAX,
} from "./account-volumes.ts";
import { readColumns } from "#platform/sql/columns.ts";
import type { Sql, SqlValue } from "#platform/sql/sql.ts";
import { toMicros } from "#platform/time.ts";

/** Accounts as a part of a statement, which binds two values. There are at most `SummedBalances.sizeMax` accounts. */
export interface AccountSource {
  /** A table with the column `id`, with the bindings `?1` and `?2`. */
  readonly table: string;
  readonly bindings: readonly [SqlValue, SqlValue];
}

export const sourceOfIds = (ids: readonly number[]): AccountSource => ({
  table: "(SELECT value AS id FROM json_each(?1) WHERE ?2 IS NULL)",
  bindings: [`[${ids.join(",")}]`, null],
});

export interface AssetBalanceSum {
  readonly asset: number;
  readonly balance: bigint;
}

/**
 * Sums balances in SQL, exactly:
 *
 *     all balances and their sum fit 64 bits      sum(balance)
 *     the sum does not                            sum(balance >> 32) × 2^32 + sum(balance & (2^32 − 1))
 *     a balance does not                          is read on its own, and added outside of SQL
 *
 * SQLite's sum of integers fails above 64 bits. The halves of the balances of one statement's accounts have sums below 2^53. SQL
 * computes a balance that does not fit 64 bits as a floating-point number, by which such balances are recognised.
 */
export class SummedBalances {
  readonly #sql: Sql;
  readonly #volumes: AccountVolumeReader;
  /** Whether some balance or sum had more than 64 bits before. Most sums of such a ledger have. */
  #isHalved = false;

  constructor(sql: Sql, volumes: AccountVolumeReader) {
    this.#sql = sql;
    this.#volumes = volumes;
  }

  /** The ids of the accounts of a source. */
  idsOf({ table, bindings }: AccountSource): readonly number[] {
    const statement = `SELECT json_group_array(id) AS ids FROM ${table} AS accounts`;
    const columns = readColumns(this.#sql, statement, ...bindings);
    return (columns as { readonly ids: readonly number[] }).ids; // the column of the statement
  }

  /** The most accounts that a source may have. */
  sizeMax(assets: readonly number[]): number {
    return accountsTogether(assets.length);
  }

  /**
   * Yields sums of the balances of all assets that accounts had moved by a point in time. An asset may have several sums. By
   * effective date, the ledger must keep effective volumes.
   */
  *of(accounts: AccountSource, asOf: AsOf, assets: readonly number[]): Generator<AssetBalanceSum> {
    const crossed = assets.length <= CROSSED_MAX ? assets : [null];
    for (const asset of crossed) yield* this.#sums(accounts, asOf, asset);
  }

  /** The sums of one asset, or of all assets that the accounts hold if `asset` is null. */
  *#sums(
    { table, bindings }: AccountSource,
    asOf: AsOf,
    asset: number | null,
  ): Generator<AssetBalanceSum> {
    const { date, lastTx } = asOf;
    const held = heldBy(table, { isByDate: date !== undefined, isOneAsset: asset !== null });
    const values = [
      ...bindings,
      asset,
      lastTx,
      ...(date === undefined ? [] : [toMicros(date).toString()]),
    ];
    const group = asset === null ? " GROUP BY asset" : "";
    const whole = this.#wholeSums(`${held} ${WHOLE_SUMS}${group}`, values);
    if (whole !== undefined) {
      yield* whole;
      return;
    }
    const halved = `${held} ${HALVED_SUMS} WHERE typeof(balance) = 'integer'${group}`;
    yield* this.#sql.all<HalvedSqlRow>(halved, ...values).flatMap(toSum);
    const pairs = this.#sql.all<LargeSqlRow>(`${held} ${LARGE}`, ...values);
    for (const { asset: id, input, output } of this.#volumes.ofPairs(pairs, asOf)) {
      yield { asset: id, balance: input - output };
    }
  }

  /** The sums if all balances and all sums fit 64 bits; else undefined. */
  #wholeSums(statement: string, values: readonly SqlValue[]): AssetBalanceSum[] | undefined {
    if (this.#isHalved) return undefined;
    try {
      const rows = this.#sql.all<WholeSqlRow>(statement, ...values);
      this.#isHalved = rows.some(({ type }) => type === "real");
      if (this.#isHalved) return undefined;
      return rows.flatMap(({ asset, sum }) =>
        asset === null || sum === null ? [] : { asset, balance: BigInt(sum) },
      );
    } catch {
      // The sum has more than 64 bits. After any other failure, the next statement fails, too.
      this.#isHalved = true;
      return undefined;
    }
  }
}

type WholeSqlRow = {
  asset: number | null;
  /** The sum as text, because it may exceed 2^53; null if no account has moved the asset. */
  sum: string | null;
  type: string;
};

type HalvedSqlRow = {
  asset: number | null;
  /** Null if there are no balances. */
  high: number | null;
  low: number | null;
};

type LargeSqlRow = { account: number; asset: number };

const toSum = ({ asset, high, low }: HalvedSqlRow): AssetBalanceSum[] =>
  asset === null || high === null
    ? []
    : [{ asset, balance: BigInt(high) * 2n ** 32n + BigInt(low ?? 0) }];

const WHOLE_SUMS =
  "SELECT asset, CAST(sum(balance) AS TEXT) AS sum, typeof(sum(balance)) AS type FROM held";

const HALVED_SUMS = `SELECT asset, sum(balance >> 32) AS high, sum(balance & 4294967295) AS low FROM held`;

const LARGE = "SELECT account, asset FROM held WHERE typeof(balance) = 'real'";

/**
 * A common table expression with the balances of accounts: of the asset `?3` (null if an account has never moved it), or of
 * all assets that an account holds. `LIMIT -1` makes SQLite compute each balance once instead of at each use.
 */
function heldBy(
  table: string,
  { isByDate, isOneAsset }: { isByDate: boolean; isOneAsset: boolean },
): string {
  const balance = isByDate ? BALANCE_BY_DATE : BALANCE_BY_INSERTION;
  const pairs = isOneAsset
    ? `pair (account, asset) AS (SELECT id, ?3 FROM ${table} AS accounts)`
    : `pair (account, asset) AS (
        SELECT id, (SELECT max(asset) FROM move WHERE account = id) FROM ${table} AS accounts WHERE ?3 IS NULL
        UNION ALL
        SELECT account, (SELECT max(asset) FROM move WHERE move.account = pair.account AND move.asset < pair.asset)
          FROM pair WHERE asset IS NOT NULL
      )`;
  return `WITH RECURSIVE ${pairs},
    held AS (SELECT account, asset, ${balance} AS balance FROM pair WHERE asset IS NOT NULL LIMIT -1)`;
}

const BALANCE_BY_INSERTION = `(SELECT input - output FROM move
  WHERE account = pair.account AND asset = pair.asset AND tx <= ?4 ORDER BY tx DESC LIMIT 1)`;

/** The balance by effective date. It is the floating-point number 0.0, and so read outside of SQL, if moves have dates of their own. */
const BALANCE_BY_DATE = `iif(
  EXISTS (SELECT 1 FROM move WHERE account = pair.account AND asset = pair.asset
    AND timestamp IS NOT NULL AND timestamp <= CAST(?5 AS INTEGER)),
  0.0,
  (SELECT input - output + coalesce(effective_delta_input, 0) - coalesce(effective_delta_output, 0) FROM move
    WHERE account = pair.account AND asset = pair.asset AND timestamp IS NULL AND tx <= ?4 ORDER BY tx DESC LIMIT 1)
)`;
