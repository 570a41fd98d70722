import { PAIR_ASSETS, pairKey } from "./moves/pair-key.ts";
import type { Names } from "./names/names.ts";
import type { StoredTransaction } from "./transaction-reader.ts";
import type { AccountVolumes } from "#ledger-engine/rules/types.ts";
import { parseColumns } from "#platform/json.ts";
import { first, fromStored, type Sql, type StoredAmount } from "#platform/sql/sql.ts";

/**
 * The volumes after each transaction, in order of first appearance. The transactions must be all transactions of a range
 * of ids, in either order: for each account and asset, one range of moves is read, from the first transaction to the last.
 */
export function readContiguousVolumes(
  sql: Sql,
  transactions: readonly StoredTransaction[],
  names: Names,
): Map<number, AccountVolumes[]> {
  const [first, last] = [transactions[0]?.id ?? 0, transactions.at(-1)?.id ?? 0];
  const rising = first <= last ? transactions : transactions.toReversed();
  const moves = readMoves(sql, rising, names);
  const found = new Map<number, AccountVolumes[]>();
  for (const { id, payload } of rising) {
    const volumes: AccountVolumes[] = [];
    for (const { source, destination, asset } of payload.postings) {
      for (const account of [source, destination]) {
        const taken = takeVolumes(moves.get(pairKey(account, asset)), id);
        if (taken !== undefined) volumes.push(taken);
      }
    }
    found.set(id, volumes);
  }
  return found;
}

/** The moves of one account and asset, in order, and the number of moves that were taken. */
interface PairMoves {
  readonly account: AccountVolumes["account"];
  readonly asset: AccountVolumes["asset"];
  readonly rows: MoveSqlRow[];
  taken: number;
}

/** Takes the volumes after a transaction; undefined if they were taken before. Transactions must come in order. */
function takeVolumes(pair: PairMoves | undefined, transaction: number): AccountVolumes | undefined {
  const row = pair?.rows[pair.taken];
  if (pair === undefined || row === undefined || row.tx !== transaction) return undefined;
  pair.taken++;
  const { account, asset } = pair;
  return { account, asset, input: fromStored(row.input), output: fromStored(row.output) };
}

/** Reads the moves of transactions, by account and asset. */
function readMoves(
  sql: Sql,
  transactions: readonly StoredTransaction[],
  names: Names,
): ReadonlyMap<number, PairMoves> {
  const pairs = new Map<number, PairMoves>();
  const pairOf = (key: number, account: number, asset: number): PairMoves => {
    const known = pairs.get(key);
    if (known !== undefined) return known;
    const pair = {
      account: names.account(account),
      asset: names.asset(asset),
      rows: [],
      taken: 0,
    };
    pairs.set(key, pair);
    return pair;
  };
  for (const chunk of chunksOf(transactions)) {
    const wanted = new Map<number, PairMoves>();
    const add = (account: number, asset: number): void => {
      const key = pairKey(account, asset);
      if (!wanted.has(key)) wanted.set(key, pairOf(key, account, asset));
    };
    for (const { payload } of chunk) {
      for (const { source, destination, asset } of payload.postings) {
        add(source, asset);
        add(destination, asset);
      }
    }
    if (wanted.size > 0) readChunk(sql, chunk, wanted);
  }
  return pairs;
}

/** Groups transactions so that the moves of a group fit into one text. A transaction with too many postings is a group of its own. */
function* chunksOf(
  transactions: readonly StoredTransaction[],
): Generator<readonly StoredTransaction[]> {
  let start = 0;
  let postings = 0;
  for (const [index, { payload }] of transactions.entries()) {
    const count = payload.postings.length;
    if (index > start && postings + count > PACKED_POSTINGS_MAX) {
      yield transactions.slice(start, index);
      [start, postings] = [index, 0];
    }
    postings += count;
  }
  if (start < transactions.length) yield transactions.slice(start);
}

/** Reads the moves of a group of transactions, and adds them to the lists of their accounts and assets. */
function readChunk(
  sql: Sql,
  transactions: readonly StoredTransaction[],
  pairs: ReadonlyMap<number, PairMoves>,
): void {
  const values = [
    `[${[...pairs.keys()].join(",")}]`,
    transactions[0]?.id ?? 0,
    transactions.at(-1)?.id ?? 0,
  ];
  const lists = [...pairs.values()];
  const [only] = transactions;
  if (only !== undefined && only.payload.postings.length > PACKED_POSTINGS_MAX) {
    for (const row of sql.all<MoveSqlRow>(SELECT_MOVES, ...values)) lists[row.pair]?.rows.push(row);
    return;
  }
  const { rows } = first(sql.all<{ rows: string }>(SELECT_PACKED, ...values));
  for (const [pair, tx, input, output] of parseColumns(rows) as PackedMove[]) {
    lists[pair]?.rows.push({ pair, tx, input, output });
  }
}

/** A move. `pair` is the index of its account and asset in the list of pairs. */
type MoveSqlRow = { pair: number; tx: number; input: StoredAmount; output: StoredAmount };

// CROSS JOIN makes each pair a range of the primary key. Rows come in the order of the pairs, and within a pair in the order
// of the transactions, because SQLite loops over the tables in the order of the join.
const SELECT_MOVES = `SELECT wanted.key AS pair, move.tx, input, output
  FROM json_each(?1) AS wanted CROSS JOIN move
    ON move.account = wanted.value / ${PAIR_ASSETS} AND move.asset = wanted.value % ${PAIR_ASSETS}
      AND move.tx BETWEEN ?2 AND ?3`;

/**
 * The moves as one text, because handing over each column of each row takes longer than finding the rows. The moves of
 * `PACKED_POSTINGS_MAX` postings take some 900 KB at most.
 */
const SELECT_PACKED = `SELECT json_group_array(json_array(pair, tx, input, output)) AS rows FROM (${SELECT_MOVES})`;
const PACKED_POSTINGS_MAX = 192;
type PackedMove = readonly [pair: number, tx: number, input: StoredAmount, output: StoredAmount];
