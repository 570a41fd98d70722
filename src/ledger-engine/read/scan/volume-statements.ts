import type { Comparison } from "#ledger-engine/rules/filters/filters.ts";

/*
 * Statements that read volumes. Each begins with a common table expression, `pair`, that lists the pairs of account and
 * asset to look up.
 */

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

/** Lists every account with every asset. */
export const CROSSED = `WITH pair (account, asset) AS (
    SELECT accounts.value, assets.value FROM json_each(?1) AS accounts CROSS JOIN json_each(?2) AS assets
  )`;

/** Lists the assets of each account by a skip scan (loose index scan) of the primary key: from the highest id down, one seek for each. */
export const SKIP_SCAN = `WITH RECURSIVE pair (account, asset) AS (
    SELECT value, (SELECT max(asset) FROM move WHERE account = value) FROM json_each(?1) WHERE ?2 IS NULL
    UNION ALL
    SELECT account, (SELECT max(asset) FROM move WHERE move.account = pair.account AND move.asset < pair.asset)
      FROM pair WHERE asset IS NOT NULL
  )`;

/** Lists given pairs. */
export const LISTED = `WITH pair (account, asset) AS (
    SELECT value ->> 0, value ->> 1 FROM json_each(?1) WHERE ?2 IS NULL
  )`;

/**
 * Selects the last move of each pair by insertion, without moves whose balance fails the conditions. SQL computes balances
 * exactly if volumes are stored as integers, up to 2^53; moves with volumes that are stored as text always pass.
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
 * Selects, for each pair, the last move with a date of its own and the last move without one. The search for the move
 * without a date skips dated moves. It stops at a move that was inserted before the date of the last dated move, because
 * no move before that can be later by date; otherwise it would skip all moves of an account that has only dated moves.
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
 * Selects displaced moves (see `AccountVolumeReader`) with the volumes before them. Rows come in the order of the pairs, and
 * within a pair in the order of `move_dated`, because SQLite loops over the tables in the order of the join.
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
