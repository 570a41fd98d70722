import type { Names } from "./names.ts";
import type { StoredTransaction } from "./transaction-reader.ts";
import type { AccountVolumes } from "#ledger-engine/rules/types.ts";
import { fromStored, type Sql, type StoredAmount } from "#platform/sql/sql.ts";

/**
 * The volumes after each of some transactions, in order of first appearance. It is meant for transactions with
 * consecutive ids: for each account, it reads all moves between the first and the last of them as one range.
 */
export function readContiguousVolumes(
  sql: Sql,
  transactions: readonly StoredTransaction[],
  names: Names,
): Map<number, AccountVolumes[]> {
  const moves = readMoves(sql, transactions, names);
  return new Map(
    transactions.map(({ id, payload }) => {
      const unseen = moves.get(id) ?? new Map<number, AccountVolumes>();
      const volumes: AccountVolumes[] = [];
      for (const { source, destination, asset } of payload.postings) {
        for (const account of [source, destination]) {
          const key = pairKey(account, asset);
          const move = unseen.get(key);
          if (move === undefined) continue;
          volumes.push(move);
          unseen.delete(key);
        }
      }
      return [id, volumes];
    }),
  );
}

/** The moves by transaction, then by account and asset. */
function readMoves(sql: Sql, transactions: readonly StoredTransaction[], names: Names) {
  const found = new Map<number, Map<number, AccountVolumes>>();
  const ids = transactions.map(({ id }) => id);
  const [first, last] = [ids[0] ?? 0, ids.at(-1) ?? 0];
  for (const [asset, accounts] of accountsByAsset(transactions)) {
    const rows = sql.all<MoveSqlRow>(
      SELECT_MOVES,
      `[${[...accounts].join(",")}]`,
      asset,
      first,
      last,
    );
    const assetName = names.asset(asset);
    for (const { account, tx, input, output } of rows) {
      let moves = found.get(tx);
      if (moves === undefined) {
        moves = new Map();
        found.set(tx, moves);
      }
      moves.set(pairKey(account, asset), {
        account: names.account(account),
        asset: assetName,
        input: fromStored(input),
        output: fromStored(output),
      });
    }
  }
  return found;
}

function accountsByAsset(transactions: readonly StoredTransaction[]): Map<number, Set<number>> {
  const found = new Map<number, Set<number>>();
  for (const { payload } of transactions) {
    for (const { source, destination, asset } of payload.postings) {
      let accounts = found.get(asset);
      if (accounts === undefined) {
        accounts = new Set();
        found.set(asset, accounts);
      }
      accounts.add(source).add(destination);
    }
  }
  return found;
}

type MoveSqlRow = { account: number; tx: number; input: StoredAmount; output: StoredAmount };

// CROSS JOIN makes each account a range of the primary key.
const SELECT_MOVES = `SELECT move.account, move.tx, input, output FROM json_each(?1) AS wanted CROSS JOIN move
  ON move.account = wanted.value AND move.asset = ?2 AND move.tx BETWEEN ?3 AND ?4`;

/** A ledger has fewer assets than this. */
const ASSETS = 2 ** 20;
const pairKey = (account: number, asset: number): number => account * ASSETS + asset;
