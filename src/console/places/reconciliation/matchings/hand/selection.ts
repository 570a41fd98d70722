import type { MatchingLine } from "#console/places/reconciliation/queries/groups.ts";

/** Most lines of a side that are matched by hand at once. */
export const HAND_LINES_MAX = 500;

/** The ids of lines in a search parameter, such as `12,15`. */
export const idsIn = (text: string | undefined): readonly number[] => [
  ...new Set(
    (text ?? "")
      .split(",")
      .filter((part) => /^[1-9]\d{0,14}$/.test(part))
      .map(Number)
      .slice(0, HAND_LINES_MAX),
  ),
];

/** The search parameter for ids; undefined for none. */
export const textOf = (ids: readonly number[]): string | undefined =>
  ids.length === 0 ? undefined : ids.join(",");

/** The ids with one more, or without it. */
export const toggled = (ids: readonly number[], id: number): readonly number[] =>
  ids.includes(id) ? ids.filter((other) => other !== id) : [...ids, id];

/** The sums of chosen lines of an asset. */
export interface HandSum {
  readonly asset: string;
  readonly left: bigint;
  readonly right: bigint;
}

/** The sums of chosen lines by asset. */
export function sumsOf(lines: readonly MatchingLine[]): readonly HandSum[] {
  const sums = new Map<string, HandSum>();
  for (const { asset, amount, side } of lines) {
    const sum = sums.get(asset) ?? { asset, left: 0n, right: 0n };
    sums.set(asset, { ...sum, [side]: sum[side] + BigInt(amount) });
  }
  return [...sums.values()];
}
