import { type Account, type AccountVolumes, type Asset, type Posting, WORLD } from "./types.ts";
import { assert } from "#platform/assert.ts";
import { AppError } from "#platform/errors.ts";

/** The current volumes of an account and asset; zero where it never moved. */
export interface VolumeReader {
  volumes(account: Account, asset: Asset): { readonly input: bigint; readonly output: bigint };
}

/** What a transaction does to one account and asset. */
export interface Move {
  readonly account: Account;
  readonly asset: Asset;
  /** The volumes before the move. */
  readonly before: { readonly input: bigint; readonly output: bigint };
  /** The volumes after the move. */
  input: bigint;
  output: bigint;
  isSource: boolean;
  isDestination: boolean;
}

/**
 * Runs postings in order against current volumes. Each source but `world` must have the amount when its posting runs,
 * so that the order matters and no balance is ever negative in between. Throws `INSUFFICIENT_FUND`.
 */
export function runPostings(
  postings: readonly Posting[],
  reader: VolumeReader,
  { force }: { force: boolean },
): Move[] {
  const moves = new MoveSet(reader);
  for (const { source, destination, amount, asset } of postings) {
    const from = moves.get(source, asset);
    if (!force && source !== WORLD && amount > 0n && from.input - from.output < amount) {
      throw new AppError(
        "INSUFFICIENT_FUND",
        `account(s) @${source} had/have insufficient funds: ${amount} ${asset} wanted, ${from.input - from.output} available`,
      );
    }
    from.output += amount;
    from.isSource = true;
    const to = moves.get(destination, asset);
    to.input += amount;
    to.isDestination = true;
  }
  const all = moves.all();
  const net = all.reduce((sum, move) => sum + change(move), 0n);
  assert(net === 0n, "what accounts receive is what others send");
  return all;
}

/**
 * Applies the reversed postings of a transaction. Only the net result counts: no account that the original paid into
 * may end below zero. Throws `INSUFFICIENT_FUND`.
 */
export function runRevert(
  postings: readonly Posting[],
  reader: VolumeReader,
  { force }: { force: boolean },
): Move[] {
  const moves = runPostings(postings, reader, { force: true });
  const short = moves.find(
    (move) => move.isSource && move.account !== WORLD && move.input < move.output,
  );
  if (short !== undefined && !force) {
    throw new AppError(
      "INSUFFICIENT_FUND",
      `insufficient fund for ${short.account}/${short.asset}`,
    );
  }
  return moves;
}

/** The postings that undo others: they move the money back, starting with the last. */
export const reversePostings = (postings: readonly Posting[]): Posting[] =>
  postings.toReversed().map(({ source, destination, ...rest }) => ({
    ...rest,
    source: destination,
    destination: source,
  }));

/** The volumes before a transaction: those after it, less its own postings. */
export function volumesBefore(
  after: readonly AccountVolumes[],
  postings: readonly Posting[],
): AccountVolumes[] {
  const moved = new Map<string, { input: bigint; output: bigint }>();
  const movedBy = (account: Account, asset: Asset): { input: bigint; output: bigint } => {
    const key = moveKey(account, asset);
    const known = moved.get(key) ?? { input: 0n, output: 0n };
    moved.set(key, known);
    return known;
  };
  for (const { source, destination, amount, asset } of postings) {
    movedBy(source, asset).output += amount;
    movedBy(destination, asset).input += amount;
  }
  return after.map(({ account, asset, input, output }) => {
    const delta = movedBy(account, asset);
    return { account, asset, input: input - delta.input, output: output - delta.output };
  });
}

/** The amount that a move adds to the balance. */
const change = ({ before, input, output }: Move): bigint =>
  input - before.input - (output - before.output);

/** No address and no asset contains a space. */
const moveKey = (account: Account, asset: Asset): string => `${account} ${asset}`;

/** The moves of one transaction, one for each account and asset, in order of first appearance. */
class MoveSet {
  readonly #reader: VolumeReader;
  readonly #moves = new Map<string, Move>();

  constructor(reader: VolumeReader) {
    this.#reader = reader;
  }

  get(account: Account, asset: Asset): Move {
    const key = moveKey(account, asset);
    let move = this.#moves.get(key);
    if (move === undefined) {
      const before = this.#reader.volumes(account, asset);
      const { input, output } = before;
      move = { account, asset, before, input, output, isSource: false, isDestination: false };
      this.#moves.set(key, move);
    }
    return move;
  }

  all(): Move[] {
    return [...this.#moves.values()];
  }
}
