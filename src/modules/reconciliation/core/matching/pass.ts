import type { DayCount } from "./days.ts";
import type { LineField } from "./line.ts";
import type { Normalisation } from "./normalise.ts";

/** Which numbers of lines of the left and of the right side belong together. */
export const CARDINALITIES = ["1:1", "1:n", "n:1", "n:m"] as const;
export type Cardinality = (typeof CARDINALITIES)[number];

/** Texts of both sides that are equal after normalising. A line without the text takes no part in the pass. */
export interface KeyComparison {
  readonly left: LineField;
  readonly right: LineField;
  readonly normalise: readonly Normalisation[];
  /** The least number of characters of a normalised text; shorter ones say too little. */
  readonly lengthMin: number;
}

/** When amounts agree. Amounts are sums where several lines belong together. */
export type AmountComparison =
  | { readonly kind: "equal" }
  /** The difference is at most `absolute` units, or so many millionths of the left amount, whichever is more. */
  | { readonly kind: "tolerance"; readonly absolute: bigint; readonly millionths: bigint }
  /**
   * One side has what is left of the other one's amount after a fee of `fixed` units and so many millionths of the whole amount. A fee of a
   * fraction of a unit may be rounded in either direction.
   */
  | {
      readonly kind: "fee";
      readonly netSide: "left" | "right";
      readonly fixed: bigint;
      readonly millionths: bigint;
    };

/** What decides between candidates that all fit: the nearer one is better. */
export const TIE_BREAKS = ["date", "amount"] as const;
export type TieBreak = (typeof TIE_BREAKS)[number];

/** One rule of a matching: which lines belong together, and how sure that is. Lines of different assets never do. */
export interface Pass {
  readonly name: string;
  readonly keys: readonly KeyComparison[];
  readonly amount: AmountComparison;
  /** How far days may be apart; undefined where dates do not count. */
  readonly dates: { readonly max: number; readonly count: DayCount } | undefined;
  readonly cardinality: Cardinality;
  /** The largest number of lines of one side that belong together. */
  readonly groupMax: number;
  readonly tieBreaks: readonly TieBreak[];
  /** From 0 to 100. At or above the threshold of the matching, a match is made; below it is a proposal. */
  readonly confidence: number;
}
