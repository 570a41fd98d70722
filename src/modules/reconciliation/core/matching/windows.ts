import { leftRange, rightRange } from "./amounts.ts";
import { type Block, isByAmount } from "./block.ts";
import { calendarReach } from "./days.ts";
import type { OpenLine } from "./line.ts";
import type { Pass } from "./pass.ts";

/** The largest number of lines that are compared with each other. */
export const WINDOW_LINES_MAX = 5_000;

/** By what the lines of a key are ordered, so that lines which belong together are neighbours. */
export const windowOrder = (pass: Pass): "amount" | "day" =>
  pass.cardinality === "1:1" && !isByAmount(pass) ? "amount" : "day";

/** Lines of both sides that may belong together, or, where they are more than the limit, their ids. */
export type Window = Block | { readonly tooMany: readonly number[] };

/**
 * Cuts lines with one key, in the order of `windowOrder`, into windows: no line of a window can belong to one of another window, because
 * their days or amounts are too far apart (a sort-merge band join: D. DeWitt, J. Naughton and D. Schneider, 1991).
 *
 *     day    1 1 2 3         9 9 10
 *            └──────┘ > 2    └─────┘      dates at most 2 days apart
 */
export function* windowsOf(pass: Pass, lines: Iterable<OpenLine>): Generator<Window> {
  let window = new WindowBuilder(pass);
  for (const line of lines) {
    if (window.endsBefore(line)) {
      yield window.finish();
      window = new WindowBuilder(pass);
    }
    window.add(line);
  }
  yield window.finish();
}

/** Collects the lines of one window. Beyond the limit, only their ids are kept. */
export class WindowBuilder {
  readonly #pass: Pass;
  readonly #left: OpenLine[] = [];
  readonly #right: OpenLine[] = [];
  readonly #ids: number[] = [];
  #lastDay: number | undefined;
  /** The greatest amount that may agree with a line of the window. */
  #reach: bigint | undefined;

  constructor(pass: Pass) {
    this.#pass = pass;
  }

  get isTooLarge(): boolean {
    return this.#ids.length > WINDOW_LINES_MAX;
  }

  /** Whether a line, the next one in the order, belongs to another window. */
  endsBefore(line: OpenLine): boolean {
    const { dates } = this.#pass;
    if (windowOrder(this.#pass) === "amount")
      return this.#reach !== undefined && line.amount > this.#reach;
    if (dates === undefined || this.#lastDay === undefined) return false;
    return line.day - this.#lastDay > calendarReach(dates.max, dates.count);
  }

  add(line: OpenLine): void {
    this.#lastDay = line.day;
    const range = (line.side === "left" ? rightRange : leftRange)(this.#pass.amount, line.amount);
    if (this.#reach === undefined || range.greatest > this.#reach) this.#reach = range.greatest;
    this.#ids.push(line.id);
    if (!this.isTooLarge) (line.side === "left" ? this.#left : this.#right).push(line);
  }

  finish(): Window {
    return this.isTooLarge ? { tooMany: this.#ids } : { left: this.#left, right: this.#right };
  }
}
