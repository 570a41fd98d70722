import { BREAK_CLASSES, type BreakClass } from "#modules/reconciliation/core/breaks/classify.ts";
import type { MatchSide } from "#modules/reconciliation/core/matching/line.ts";

/** Why a line is open; `unclassified` for a line that no run has looked at yet. */
export type OpenClass = BreakClass | "unclassified";

export const OPEN_CLASSES: readonly OpenClass[] = [...BREAK_CLASSES, "unclassified"];

/** Lines, and the sum of their amounts. */
export interface LineSum {
  readonly lines: number;
  readonly amount: bigint;
}

/** The sum of the lines of a side and asset that share state, class and period. */
export interface PartialSum extends LineSum {
  readonly side: MatchSide;
  readonly asset: string;
  /** Whether the lines lie before the period of the report, instead of in it. */
  readonly isBefore: boolean;
  /** The class of open lines; undefined for matched ones. */
  readonly class: OpenClass | undefined;
}

/** A line, as far as sums need it. */
export interface SummedLine {
  readonly side: MatchSide;
  readonly asset: string;
  readonly day: number;
  readonly amount: bigint;
  /** As in `PartialSum`. */
  readonly class: OpenClass | undefined;
}

/** Sums of lines, in exact integers. They can be made of parts of the lines, and put together in any order. */
export class CloseSums {
  readonly #sums = new Map<string, PartialSum>();

  /** Adds a line; `from` is the first day of the period, in days since 1970-01-01. */
  addLine({ day, amount, ...line }: SummedLine, from: number): void {
    this.add({ ...line, isBefore: day < from, lines: 1, amount });
  }

  add(sum: PartialSum): void {
    const key = `${sum.side} ${String(sum.isBefore)} ${sum.class ?? ""} ${sum.asset}`;
    const known = this.#sums.get(key);
    this.#sums.set(key, known === undefined ? sum : { ...known, ...together(known, sum) });
  }

  all(): readonly PartialSum[] {
    return [...this.#sums.values()];
  }
}

const NOTHING: LineSum = { lines: 0, amount: 0n };

const together = (one: LineSum, other: LineSum): LineSum => ({
  lines: one.lines + other.lines,
  amount: one.amount + other.amount,
});

const total = (sums: readonly LineSum[]): LineSum => sums.reduce(together, NOTHING);

/** Open lines of one class. */
export interface ClassSum extends LineSum {
  readonly class: OpenClass;
}

/** One side of a period, in one asset: `opening + matched + open = closing`, exactly. */
export interface SideClose {
  /** All lines before the period. */
  readonly opening: LineSum;
  /** Lines of the period that are matched, and those that are not, by class. */
  readonly matched: LineSum;
  readonly open: readonly ClassSum[];
  readonly closing: LineSum;
  /** All lines up to the end of the period that are not matched, those before the period included. */
  readonly outstanding: readonly ClassSum[];
}

/**
 * A period in one asset. `difference = outstandingDifference + matchedDifference`, exactly: the sides differ by what is not matched, and by
 * what matches allow (fees, tolerances, and partners behind the end of the period).
 */
export interface AssetClose {
  readonly asset: string;
  readonly left: SideClose;
  readonly right: SideClose;
  /** Left less right, of the closing sums. */
  readonly difference: bigint;
  readonly outstandingDifference: bigint;
  readonly matchedDifference: bigint;
}

/** The close of a period by asset, in the order of assets. */
export function closeByAsset(sums: readonly PartialSum[]): readonly AssetClose[] {
  const assets = [...new Set(sums.map(({ asset }) => asset))].toSorted();
  return assets.map((asset) => {
    const of = sums.filter((sum) => sum.asset === asset);
    const [left, right] = [closeOf("left", of), closeOf("right", of)];
    const difference = left.closing.amount - right.closing.amount;
    const outstandingDifference = total(left.outstanding).amount - total(right.outstanding).amount;
    return {
      asset,
      left,
      right,
      difference,
      outstandingDifference,
      matchedDifference: difference - outstandingDifference,
    };
  });
}

function closeOf(side: MatchSide, sums: readonly PartialSum[]): SideClose {
  const mine = sums.filter((sum) => sum.side === side);
  const inPeriod = mine.filter(({ isBefore }) => !isBefore);
  return {
    opening: total(mine.filter(({ isBefore }) => isBefore)),
    matched: total(inPeriod.filter((sum) => sum.class === undefined)),
    open: byClass(inPeriod),
    closing: total(mine),
    outstanding: byClass(mine),
  };
}

const byClass = (sums: readonly PartialSum[]): readonly ClassSum[] =>
  OPEN_CLASSES.flatMap((name) => {
    const of = sums.filter((sum) => sum.class === name);
    return of.length === 0 ? [] : [{ class: name, ...total(of) }];
  });
