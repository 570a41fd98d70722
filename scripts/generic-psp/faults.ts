import { Random } from "#scripts/lib/random.ts";

/** What a provider may do to a request instead of answering it well. */
export type Fault =
  /** No answer, although a movement is made: the outcome is unknown to whoever asked. */
  | "hang"
  | "refuse-for-a-second"
  | "fail"
  /** Fails after a movement was made. */
  | "fail-late"
  | "break-json"
  /** Gives the page before. */
  | "repeat-page"
  | "shuffle-page";

export const FAULTS: readonly Fault[] = [
  "hang",
  "refuse-for-a-second",
  "fail",
  "fail-late",
  "break-json",
  "repeat-page",
  "shuffle-page",
];

/** Decides which request meets which fault: the same ones for the same seed. */
export class FaultPlan {
  readonly #random: Random;
  /** The share of requests that meet a fault, from 0 to 1. */
  rate: number;
  readonly #faults: readonly Fault[];

  constructor(options: { seed: number; rate: number; faults?: readonly Fault[] }) {
    this.#random = new Random(options.seed);
    this.rate = options.rate;
    this.#faults = options.faults ?? FAULTS;
  }

  next(): Fault | undefined {
    return this.#faults.length > 0 && this.#random.chance(this.rate)
      ? this.#random.pick(this.#faults)
      : undefined;
  }

  /** The items in another order. */
  shuffle<T>(items: readonly T[]): T[] {
    const keyed = items.map((item) => ({ item, key: this.#random.integer(0, 1_000_000) }));
    return keyed.toSorted((a, b) => a.key - b.key).map(({ item }) => item);
  }
}
