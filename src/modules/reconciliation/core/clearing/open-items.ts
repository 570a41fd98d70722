import type { Timestamp } from "#platform/time.ts";

/** What a transaction moved on an account in one asset. */
export interface AccountMovement {
  readonly transactionID: bigint;
  readonly reference: string | undefined;
  readonly timestamp: Timestamp;
  /** In the asset's smallest unit: positive for what the account received. */
  readonly amount: bigint;
  /** What the transaction names as the item that it opens or clears; undefined where it names none. */
  readonly item: string | undefined;
}

/** A movement, or the movements of an item, that nothing has cleared yet. */
export interface OpenItem extends AccountMovement {
  /** The part of the amount that is open. */
  readonly open: bigint;
}

/**
 * The open items of a balance, first in, first out: what came in last is what is still there, so that the newest movements in the direction
 * of the balance are open until their sum is the balance.
 */
export class FirstInFirstOut {
  #left: bigint;

  constructor(balance: bigint) {
    this.#left = balance;
  }

  /** Whether the open items that were taken make up the balance. */
  get isDone(): boolean {
    return this.#left === 0n;
  }

  /** Takes the next older movement. Gives the item if a part of the movement is open. */
  take(movement: AccountMovement): OpenItem | undefined {
    const left = this.#left;
    const { amount } = movement;
    if (left === 0n || amount === 0n || amount > 0n !== left > 0n) return undefined;
    const open = magnitude(amount) < magnitude(left) ? amount : left;
    this.#left = left - open;
    return { ...movement, open };
  }
}

/**
 * The open items among all movements of an account and asset, the newest first. Movements that name an item clear each other within it: an
 * item whose sum is not zero is open since its first movement. The others are open first in, first out.
 */
export function openItems(movements: readonly AccountMovement[]): readonly OpenItem[] {
  const unnamed = movements.filter(({ item }) => item === undefined);
  const named = Map.groupBy(
    movements.filter(({ item }) => item !== undefined),
    ({ item }) => item,
  );
  const fifo = new FirstInFirstOut(sumOf(unnamed));
  return [
    ...unnamed.flatMap((movement) => fifo.take(movement) ?? []),
    ...[...named.values()].flatMap((of) => {
      const open = sumOf(of);
      const first = of.at(-1);
      return first === undefined || open === 0n ? [] : [{ ...first, open }];
    }),
  ];
}

const sumOf = (movements: readonly AccountMovement[]): bigint =>
  movements.reduce((sum, { amount }) => sum + amount, 0n);

const magnitude = (amount: bigint): bigint => (amount < 0n ? -amount : amount);

/** Ages of open items in whole days: each bucket begins behind the one before, and the last one never ends. */
export const AGE_BUCKETS = [
  { from: 0, to: 1 },
  { from: 2, to: 3 },
  { from: 4, to: 7 },
  { from: 8, to: 30 },
  { from: 31, to: 90 },
  { from: 91, to: undefined },
] as const;

/** The place of an age in `AGE_BUCKETS`. Items of the future are new. */
export const bucketOf = (days: number): number =>
  AGE_BUCKETS.findIndex(({ to }) => to === undefined || days <= to);

/**
 * The share of what passed through accounts that has left them again, in per cent with two decimals, rounded down: `99.42`. Nothing that
 * passed through is complete.
 */
export function completeness({
  cleared,
  total,
}: {
  readonly cleared: bigint;
  readonly total: bigint;
}): string {
  const basisPoints = total === 0n ? 10_000n : (cleared * 10_000n) / total;
  return `${basisPoints / 100n}.${String(basisPoints % 100n).padStart(2, "0")}`;
}
