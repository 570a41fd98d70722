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
): readonly Move[] {
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

/** The same for a single posting, which most transactions have. */
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

/** The amount that a move adds to the balance. */
const change = ({ before, input, output }: Move): bigint =>
  input - before.input - (output - before.output);

/** The moves of one transaction, one for each account and asset, in order of first appearance. */
class MoveSet {
  readonly #reader: VolumeReader;
  readonly #moves = new PairList<Move>();

  constructor(reader: VolumeReader) {
    this.#reader = reader;
  }

  get(account: Account, asset: Asset): Move {
    const known = this.#moves.find(account, asset);
    if (known !== undefined) return known;
    const before = this.#reader.volumes(account, asset);
    const { input, output } = before;
    const move = { account, asset, before, input, output, isSource: false, isDestination: false };
    return this.#moves.add(move);
  }

  all(): readonly Move[] {
    return this.#moves.items;
  }
}

/** Up to this many items are looked at one by one, because most transactions have two. */
const FEW = 8;

/** Items that are found by account and asset. */
class PairList<T extends { readonly account: Account; readonly asset: Asset }> {
  readonly items: T[] = [];
  /** The items by account and asset, if there are more than a few. */
  #byKey: Map<string, T> | undefined;

  find(account: Account, asset: Asset): T | undefined {
    return this.#byKey === undefined
      ? this.items.find((item) => item.account === account && item.asset === asset)
      : this.#byKey.get(keyOf({ account, asset }));
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

/** No address and no asset contains a space. */
const keyOf = ({ account, asset }: { readonly account: Account; readonly asset: Asset }): string =>
  `${account} ${asset}`;
