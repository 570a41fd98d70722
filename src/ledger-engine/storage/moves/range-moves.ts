import { numberOf, readColumns } from "./columns.ts";
import type { AccountVolumes } from "#ledger-engine/rules/types.ts";
import { textOfTwo, type VolumeTexts, volumesText } from "#ledger-engine/rules/volume-texts.ts";
import { pairKey, SELECT_MOVES } from "#ledger-engine/storage/contiguous-volumes.ts";
import type { StoredNames } from "#ledger-engine/storage/names/names.ts";
import type { StoredTransaction } from "#ledger-engine/storage/transaction-reader.ts";
import { isSafe, type Sql } from "#platform/sql/sql.ts";

/**
 * The moves of transactions that follow one another, where numbers hold all volumes exactly. The transactions must be asked for in
 * their order.
 */
export class RangeMoves {
  readonly #pairs: ReadonlyMap<number, PairMoves>;
  readonly #columns: NumberColumns;

  private constructor(pairs: ReadonlyMap<number, PairMoves>, columns: NumberColumns) {
    this.#pairs = pairs;
    this.#columns = columns;
  }

  /** Reads the moves of transactions that are given in their order; undefined where numbers do not hold all volumes. */
  static read(
    sql: Sql,
    transactions: readonly StoredTransaction[],
    names: StoredNames,
  ): RangeMoves | undefined {
    if (transactions.length === 0) return new RangeMoves(new Map(), NO_MOVES);
    const wanted = pairsOf(transactions);
    const columns = readMoves(sql, [...wanted.keys()], transactions);
    if (!hasNumbers(columns)) return undefined;
    const ids = [...wanted.values()];
    names.prefetch({
      accounts: ids.map(({ account }) => account),
      assets: new Set(ids.map(({ asset }) => asset)),
    });
    const pairs = new Map<number, PairMoves>();
    let end = 0;
    for (const [key, { account, asset }] of wanted) {
      const next = end;
      while (columns.pairs[end] === pairs.size) end++;
      const named = { account: names.account(account), asset: names.asset(asset) };
      pairs.set(key, { ...named, next, end, input: 0, output: 0, text: ZERO });
    }
    return new RangeMoves(pairs, columns);
  }

  /** The volumes after a transaction, in order of first appearance. */
  volumesOf({ id, payload }: StoredTransaction): AccountVolumes[] {
    const moved = new Set<PairMoves>();
    for (const { source, destination, asset } of payload.postings) {
      for (const account of [source, destination]) {
        const pair = this.#movedBy(id, pairKey(account, asset));
        if (pair !== undefined) moved.add(pair);
      }
    }
    const { inputs, outputs } = this.#columns;
    return Array.from(moved, ({ account, asset, next }) => ({
      account,
      asset,
      input: BigInt(inputs[next] ?? 0),
      output: BigInt(outputs[next] ?? 0),
    }));
  }

  /** The volumes of a transaction with one posting between two accounts, as JSON; undefined for any other one. */
  textsOf({ id, payload }: StoredTransaction): VolumeTexts | undefined {
    const [posting] = payload.postings;
    if (posting === undefined || payload.postings.length > 1) return undefined;
    if (posting.source === posting.destination || !isSafe(posting.amount)) return undefined;
    const source = this.#movedBy(id, pairKey(posting.source, posting.asset));
    const destination = this.#movedBy(id, pairKey(posting.destination, posting.asset));
    if (source === undefined || destination === undefined) return undefined;
    const amount = Number(posting.amount);
    const ofSource = this.#textsOf(source, 0, amount);
    const ofDestination = this.#textsOf(destination, amount, 0);
    const accounts = [source.account, destination.account] as const;
    return {
      before: textOfTwo(accounts, [ofSource.before, ofDestination.before], source.asset),
      after: textOfTwo(accounts, [ofSource.after, ofDestination.after], source.asset),
    };
  }

  /** The account and asset, if a transaction has moved them: their next move is then that of the transaction. */
  #movedBy(transaction: number, key: number): PairMoves | undefined {
    const pair = this.#pairs.get(key);
    if (pair === undefined) return undefined;
    const { transactions } = this.#columns;
    while (pair.next < pair.end && (transactions[pair.next] ?? transaction) < transaction) {
      pair.next++;
    }
    const isMoved = pair.next < pair.end && transactions[pair.next] === transaction;
    return isMoved ? pair : undefined;
  }

  /** The volumes before and after the next move, which adds these amounts. */
  #textsOf(pair: PairMoves, received: number, sent: number): VolumeTexts {
    const { inputs, outputs } = this.#columns;
    const [input, output] = [inputs[pair.next] ?? 0, outputs[pair.next] ?? 0];
    const before = textAt(pair, input - received, output - sent);
    const after = volumesText(input, output, input - output);
    pair.input = input;
    pair.output = output;
    pair.text = after;
    return { before, after };
  }
}

/** The moves of one account and asset: where they are in the columns, and the volumes that were written last. */
interface PairMoves extends Pick<AccountVolumes, "account" | "asset"> {
  next: number;
  readonly end: number;
  input: number;
  output: number;
  text: string;
}

const ZERO = volumesText(0, 0, 0);

/** What was written after the move before is what is written before the next one. */
const textAt = (last: PairMoves, input: number, output: number): string =>
  input === last.input && output === last.output
    ? last.text
    : volumesText(input, output, input - output);

interface Pair {
  readonly account: number;
  readonly asset: number;
}

/** The accounts and assets that transactions move, by their keys. */
function pairsOf(transactions: readonly StoredTransaction[]): ReadonlyMap<number, Pair> {
  const pairs = new Map<number, Pair>();
  for (const { payload } of transactions) {
    for (const { source, destination, asset } of payload.postings) {
      for (const account of [source, destination]) {
        const key = pairKey(account, asset);
        if (!pairs.has(key)) pairs.set(key, { account, asset });
      }
    }
  }
  return pairs;
}

/** Moves in the order of their pairs and, for each pair, in that of their transactions. `pairs` has the places of the pairs. */
type MoveColumns = {
  readonly pairs: readonly number[];
  readonly transactions: readonly number[];
  readonly inputs: readonly (number | null)[];
  readonly outputs: readonly (number | null)[];
};

interface NumberColumns extends MoveColumns {
  readonly inputs: readonly number[];
  readonly outputs: readonly number[];
}

const NO_MOVES: NumberColumns = { pairs: [], transactions: [], inputs: [], outputs: [] };

const hasNumbers = (columns: MoveColumns): columns is NumberColumns =>
  !columns.inputs.includes(null) && !columns.outputs.includes(null);

function readMoves(
  sql: Sql,
  pairs: readonly number[],
  transactions: readonly StoredTransaction[],
): MoveColumns {
  const columns = readColumns(
    sql,
    SELECT_COLUMNS,
    `[${pairs.join(",")}]`,
    transactions[0]?.id ?? 0,
    transactions.at(-1)?.id ?? -1,
  );
  return columns as MoveColumns; // as the statement lists them
}

const SELECT_COLUMNS = `SELECT json_group_array(pair) AS pairs, json_group_array(tx) AS transactions,
    json_group_array(${numberOf("input")}) AS inputs, json_group_array(${numberOf("output")}) AS outputs
  FROM (${SELECT_MOVES})`;
