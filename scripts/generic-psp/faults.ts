import { Random } from "#scripts/lib/random.ts";

/** A fault that a provider may show instead of a good answer. */
export type Fault =
  /** No answer, although a movement is made, so that the caller does not know the outcome. */
  | "hang"
  | "refuse-for-a-second"
  | "fail"
  /** Fails after a movement was made. */
  | "fail-late"
  | "break-json"
  /** Answers with the page before the requested one. */
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

/** Decides which request meets which fault. Equal seeds give equal faults. */
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

  /** The items in a random order. */
  shuffle<T>(items: readonly T[]): T[] {
    const keyed = items.map((item) => ({ item, key: this.#random.integer(0, 1_000_000) }));
    return keyed.toSorted((a, b) => a.key - b.key).map(({ item }) => item);
  }
}
