import type { Comparison } from "#ledger-engine/rules/filters/filters.ts";

/*
 * The statements that read volumes. Each begins with a common table expression that finds the pairs of account and asset
 * that it is about.
 */

/** A condition on a balance. */
export interface BalanceBound {
  readonly operator: Comparison;
  readonly value: bigint;
}

export const OPERATORS: Readonly<Record<Comparison, string>> = {
  $match: "=",
  $lt: "<",
  $lte: "<=",
  $gt: ">",
  $gte: ">=",
};

/** Every account with every asset. */
export const CROSSED = `WITH pair (account, asset) AS (
    SELECT accounts.value, assets.value FROM json_each(?1) AS accounts CROSS JOIN json_each(?2) AS assets
  )`;

/** A skip scan of the primary key: the assets of an account from the highest id down, one step for each. */
export const SKIP_SCAN = `WITH RECURSIVE pair (account, asset) AS (
    SELECT value, (SELECT max(asset) FROM move WHERE account = value) FROM json_each(?1) WHERE ?2 IS NULL
    UNION ALL
    SELECT account, (SELECT max(asset) FROM move WHERE move.account = pair.account AND move.asset < pair.asset)
      FROM pair WHERE asset IS NOT NULL
  )`;

export const LISTED = `WITH pair (account, asset) AS (
    SELECT value ->> 0, value ->> 1 FROM json_each(?1) WHERE ?2 IS NULL
  )`;

/**
 * The last moves by insertion, without those whose balance is known to fail the conditions. SQL computes balances
 * exactly where they are stored as integers, up to 2^53; balances that are stored as text are left to the caller.
 */
export function selectLastInserted(bounds: readonly BalanceBound[]): string {
  const tests = bounds.map(
    ({ operator }, index) => `input - output ${OPERATORS[operator]} CAST(?${index + 4} AS INTEGER)`,
  );
  const tx =
    tests.length === 0
      ? "tx"
      : `iif(typeof(input) = 'text' OR typeof(output) = 'text' OR (${tests.join(" AND ")}), tx, NULL)`;
  // CROSS JOIN keeps the order of the tables, so that each pair is a look-up in the primary key.
  return `SELECT move.account, move.asset, move.tx, input, output
    FROM pair CROSS JOIN move ON move.account = pair.account AND move.asset = pair.asset AND move.tx = (
      SELECT ${tx} FROM move WHERE account = pair.account AND asset = pair.asset AND tx <= ?3 ORDER BY tx DESC LIMIT 1
    )`;
}

const INSERTED = "SELECT date FROM tx WHERE tx.id = move.tx";

/**
 * The last move that has a date of its own, and the last one that has none. The search for the second skips moves of
 * the first kind. It stops at a move that was inserted before the date of the first, because no earlier move can be
 * later by date. Otherwise it would skip all moves of an account whose transactions all have dates of their own.
 */
export const BY_DATE = `, dated AS MATERIALIZED (
    SELECT account, asset, (
      SELECT timestamp FROM move WHERE account = pair.account AND asset = pair.asset
        AND timestamp IS NOT NULL AND timestamp <= CAST(?4 AS INTEGER) ORDER BY timestamp DESC LIMIT 1
    ) AS last FROM pair
  )
  SELECT move.account, move.asset, move.tx, iif(last IS NULL, NULL, (${INSERTED})) AS date,
      input, output, effective_delta_input, effective_delta_output
    FROM dated CROSS JOIN move ON move.account = dated.account AND move.asset = dated.asset AND move.tx = (
      SELECT tx FROM move WHERE account = dated.account AND asset = dated.asset
        AND tx <= ?3 AND (timestamp IS NULL OR (${INSERTED}) < last) ORDER BY tx DESC LIMIT 1
    )
  UNION ALL
  SELECT move.account, move.asset, move.tx, CAST(last AS TEXT), input, output, effective_delta_input, effective_delta_output
    FROM dated CROSS JOIN move ON move.account = dated.account AND move.asset = dated.asset AND move.tx = (
      SELECT max(tx) FROM move WHERE account = dated.account AND asset = dated.asset AND timestamp = last
    ) WHERE last IS NOT NULL`;

/**
 * The rows come in the order of the pairs, and for each pair in the order of `move_dated`, because that is the order of
 * the loops.
 */
export const SELECT_DISPLACED = `SELECT wanted.key AS place, moved.account, moved.asset, moved.tx,
    CAST(moved.timestamp AS TEXT) AS date, iif(moved.tx > ?2, 1, -1) AS sign, moved.input, moved.output,
    earlier.input AS inputBefore, earlier.output AS outputBefore
  FROM json_each(?1) AS wanted CROSS JOIN move AS moved INDEXED BY move_dated
    ON moved.account = wanted.value ->> 0 AND moved.asset = wanted.value ->> 1 AND moved.timestamp IS NOT NULL
      AND (moved.timestamp > CAST(?3 AS INTEGER)) = (moved.tx <= ?2)
      AND (?4 IS NULL OR wanted.key > 0 OR (moved.timestamp, moved.tx) > (CAST(?4 AS INTEGER), ?5))
  LEFT JOIN move AS earlier
    ON earlier.account = moved.account AND earlier.asset = moved.asset AND earlier.tx = (
      SELECT max(tx) FROM move WHERE account = moved.account AND asset = moved.asset AND tx < moved.tx
    )
  LIMIT ?6 + 0`;
