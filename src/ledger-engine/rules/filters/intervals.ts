/** The integers from `from` to `to`. Both are included, and either may be infinite. */
export interface NumberInterval {
  readonly from: number;
  readonly to: number;
}

/** A set of integers, as intervals in ascending order that neither overlap nor touch. */
export type Intervals = readonly NumberInterval[];

export const NONE: Intervals = [];
export const ALL: Intervals = [{ from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY }];

/** The integers from `from` to `to`; none if `from` is larger. */
export const interval = (from: number, to: number): Intervals =>
  from > to || from === Number.POSITIVE_INFINITY || to === Number.NEGATIVE_INFINITY
    ? NONE
    : [{ from, to }];

export function intersection(a: Intervals, b: Intervals): Intervals {
  const found: NumberInterval[] = [];
  let [left, right] = [0, 0];
  for (;;) {
    const [one, other] = [a[left], b[right]];
    if (one === undefined || other === undefined) return found;
    found.push(...interval(Math.max(one.from, other.from), Math.min(one.to, other.to)));
    if (one.to < other.to) left++;
    else right++;
  }
}

/** The union, by De Morgan: the complement of the intersection of the complements. */
export const union = (a: Intervals, b: Intervals): Intervals =>
  complement(intersection(complement(a), complement(b)));

export function complement(intervals: Intervals): Intervals {
  const found: NumberInterval[] = [];
  let from = Number.NEGATIVE_INFINITY;
  for (const { from: start, to } of intervals) {
    found.push(...interval(from, start - 1));
    from = to + 1;
  }
  return [...found, ...interval(from, Number.POSITIVE_INFINITY)];
}
