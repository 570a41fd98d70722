/** What one slice showed: how much happened in a second, and what processor time one request took. */
export interface Slice {
  readonly perSecond: number;
  readonly cpuMicros?: number;
}

/** Two slices of the same case, one right after the other: of another checkout and of this one. */
export interface Pair {
  readonly before: Slice;
  readonly after: Slice;
}

/** A case of two checkouts. Ratios are above 1 where this one is faster or takes less processor time. */
export interface Comparison {
  readonly name: string;
  readonly clients?: number;
  /** The median rates of the other checkout and of this one. */
  readonly beforePerSecond: number;
  readonly afterPerSecond: number;
  readonly ratio: number;
  readonly ratioMin: number;
  readonly ratioMax: number;
  readonly cpuRatio?: number;
}

/** The medians of a case. A ratio is taken within each pair, because the machine's speed changes from pair to pair. */
export function compare(
  { name, clients }: { readonly name: string; readonly clients?: number },
  pairs: readonly Pair[],
): Comparison {
  const ratios = pairs.map(({ before, after }) => after.perSecond / before.perSecond);
  const cpuRatios = pairs.flatMap(({ before, after }) =>
    before.cpuMicros === undefined || !after.cpuMicros ? [] : [before.cpuMicros / after.cpuMicros],
  );
  return {
    name,
    ...(clients === undefined ? {} : { clients }),
    beforePerSecond: median(pairs.map(({ before }) => before.perSecond)),
    afterPerSecond: median(pairs.map(({ after }) => after.perSecond)),
    ratio: median(ratios),
    ratioMin: Math.min(...ratios),
    ratioMax: Math.max(...ratios),
    ...(cpuRatios.length === 0 ? {} : { cpuRatio: median(cpuRatios) }),
  };
}

/** The value in the middle, or the mean of the two there. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const low = sorted[Math.floor((sorted.length - 1) / 2)];
  const high = sorted[Math.floor(sorted.length / 2)];
  if (low === undefined || high === undefined) throw new Error("nothing was measured");
  return (low + high) / 2;
}

const COLUMNS = ["clients", "before/s", "after/s", "ratio", "min", "max", "cpu ratio"] as const;
const NAME_WIDTH = 44;
const COLUMN_WIDTH = 10;

export const comparisonHead = (): string => line("case", COLUMNS);

export const comparisonLine = (item: Comparison): string =>
  line(item.name, [
    `${item.clients ?? ""}`,
    item.beforePerSecond.toFixed(0),
    item.afterPerSecond.toFixed(0),
    item.ratio.toFixed(3),
    item.ratioMin.toFixed(2),
    item.ratioMax.toFixed(2),
    item.cpuRatio?.toFixed(3) ?? "",
  ]);

const line = (name: string, cells: readonly string[]): string =>
  name.padEnd(NAME_WIDTH) + cells.map((cell) => cell.padStart(COLUMN_WIDTH)).join("");
