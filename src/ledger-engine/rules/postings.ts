import { type Account, type AccountVolumes, type Asset, type Posting, WORLD } from "./types.ts";
import { assert } from "#platform/assert.ts";
import { AppError } from "#platform/errors.ts";

/** Reads the current volumes of an account and asset, which are zero if the account has never moved the asset. */
export interface VolumeReader {
  volumes(account: Account, asset: Asset): { readonly input: bigint; readonly output: bigint };
}

/** The effect of a transaction on one account and asset. The moves of a transaction are in order of first appearance. */
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
 * Runs postings in order against current volumes. Without `force`, each source except `world` must have the amount when its
 * posting runs, so that the order of postings matters. Throws `INSUFFICIENT_FUND`.
 */
export function runPostings(
  postings: readonly Posting[],
  reader: VolumeReader,
  { force }: { force: boolean },
): readonly Move[] {
  const moves = new PairList<Move>();
  for (const { source, destination, amount, asset } of postings) {
    const from = moves.find(source, asset) ?? moves.add(toMove(reader, source, asset));
    if (!force && source !== WORLD && amount > 0n && from.input - from.output < amount) {
      throw new AppError(
        "INSUFFICIENT_FUND",
        `account(s) @${source} had/have insufficient funds: ${amount} ${asset} wanted, ${from.input - from.output} available`,
      );
    }
    from.output += amount;
    from.isSource = true;
    const to = moves.find(destination, asset) ?? moves.add(toMove(reader, destination, asset));
    to.input += amount;
    to.isDestination = true;
  }
  assert(netOf(moves.items) === 0n, "what accounts receive is what others send");
  return moves.items;
}

/** The move of an account and asset before the first posting. */
function toMove(reader: VolumeReader, account: Account, asset: Asset): Move {
  const before = reader.volumes(account, asset);
  const { input, output } = before;
  return { account, asset, before, input, output, isSource: false, isDestination: false };
}

/** The sum of all received amounts minus the sum of all sent amounts. */
function netOf(moves: readonly Move[]): bigint {
  let net = 0n;
  for (const { before, input, output } of moves) {
    // Most moves change only input or only output, and comparing takes less time than subtracting.
    if (input !== before.input) net += input - before.input;
    if (output !== before.output) net -= output - before.output;
  }
  return net;
}

/**
 * Runs the reversed postings of a transaction. Only balances after all postings count: without `force`, no account that
 * the original transaction paid into may end below zero, except `world`. Throws `INSUFFICIENT_FUND`.
 */
export function runRevert(
  postings: readonly Posting[],
  reader: VolumeReader,
  { force }: { force: boolean },
): readonly Move[] {
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

/** The postings that undo others: they move the money back, beginning with the last posting. */
export const reversePostings = (postings: readonly Posting[]): Posting[] =>
  postings.toReversed().map(({ source, destination, ...rest }) => ({
    ...rest,
    source: destination,
    destination: source,
  }));

/** The volumes before a transaction: the volumes after it minus the amounts of its postings. */
export function volumesBefore(
  after: readonly AccountVolumes[],
  postings: readonly Posting[],
): AccountVolumes[] {
  const [posting, ...others] = postings;
  if (posting !== undefined && others.length === 0) {
    return after.map((volumes) => volumesBeforeOne(volumes, posting));
  }
  const moved = new PairList<AccountAmounts>();
  const movedBy = (account: Account, asset: Asset): AccountAmounts =>
    moved.find(account, asset) ?? moved.add({ account, asset, input: 0n, output: 0n });
  for (const { source, destination, amount, asset } of postings) {
    movedBy(source, asset).output += amount;
    movedBy(destination, asset).input += amount;
  }
  return after.map(({ account, asset, input, output }) => {
    const delta = movedBy(account, asset);
    return { account, asset, input: input - delta.input, output: output - delta.output };
  });
}

/** `volumesBefore` for a single posting, which most transactions have. */
function volumesBeforeOne(
  { account, asset, input, output }: AccountVolumes,
  posting: Posting,
): AccountVolumes {
  const amountTo = (side: Account): bigint =>
    side === account && posting.asset === asset ? posting.amount : 0n;
  return {
    account,
    asset,
    input: input - amountTo(posting.destination),
    output: output - amountTo(posting.source),
  };
}

type AccountAmounts = { -readonly [K in keyof AccountVolumes]: AccountVolumes[K] };

/** Up to this many items are searched one by one, because most transactions have two. */
const FEW = 8;

/** Items that are found by account and asset, in the order in which they were added. */
class PairList<T extends { readonly account: Account; readonly asset: Asset }> {
  readonly items: T[] = [];
  /** The items by account and asset, if there are more than a few. */
  #byKey: Map<string, T> | undefined;

  find(account: Account, asset: Asset): T | undefined {
    if (this.#byKey !== undefined) return this.#byKey.get(keyOf({ account, asset }));
    for (const item of this.items) {
      if (item.account === account && item.asset === asset) return item;
    }
    return undefined;
  }

  add(item: T): T {
    this.items.push(item);
    if (this.#byKey !== undefined) this.#byKey.set(keyOf(item), item);
    else if (this.items.length > FEW) {
      this.#byKey = new Map(this.items.map((each) => [keyOf(each), each]));
    }
    return item;
  }
}

/** A key for an account and asset. No address and no asset contains a space. */
const keyOf = ({ account, asset }: { readonly account: Account; readonly asset: Asset }): string =>
  `${account} ${asset}`;
