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
 * their days or amounts are too far apart (a sort-merge band join: D. DeWitt, J. Naughton and D. Schneider, 1991). Windows of one side only
 * are left out. Memory is bounded by the largest window, of whose lines only ids are kept beyond the limit.
 *
 *     day    1 1 2 3         9 9 10
 *            └──────┘ > 2    └─────┘      dates at most 2 days apart
 */
export function* windowsOf(pass: Pass, lines: Iterable<OpenLine>): Generator<Window> {
  let window = new WindowBuilder();
  for (const line of lines) {
    if (window.endsBefore(pass, line)) {
      yield* window.finished();
      window = new WindowBuilder();
    }
    window.add(pass, line);
  }
  yield* window.finished();
}

class WindowBuilder {
  readonly #left: OpenLine[] = [];
  readonly #right: OpenLine[] = [];
  readonly #ids: number[] = [];
  #lastDay: number | undefined;
  /** The greatest amount that may agree with a line of the window. */
  #reach: bigint | undefined;

  endsBefore(pass: Pass, line: OpenLine): boolean {
    if (windowOrder(pass) === "amount")
      return this.#reach !== undefined && line.amount > this.#reach;
    if (pass.dates === undefined || this.#lastDay === undefined) return false;
    return line.day - this.#lastDay > calendarReach(pass.dates.max, pass.dates.count);
  }

  add(pass: Pass, line: OpenLine): void {
    this.#lastDay = line.day;
    const range = (line.side === "left" ? rightRange : leftRange)(pass.amount, line.amount);
    if (this.#reach === undefined || range.greatest > this.#reach) this.#reach = range.greatest;
    this.#ids.push(line.id);
    if (this.#ids.length <= WINDOW_LINES_MAX)
      (line.side === "left" ? this.#left : this.#right).push(line);
  }

  *finished(): Generator<Window> {
    if (this.#ids.length > WINDOW_LINES_MAX) yield { tooMany: this.#ids };
    else if (this.#left.length > 0 && this.#right.length > 0)
      yield { left: this.#left, right: this.#right };
  }
}
