/** The result of one slice: a rate, and the processor time of one request. */
export interface Slice {
  readonly perSecond: number;
  readonly cpuMicros?: number;
}

/** Two consecutive slices of one case: of another checkout (`before`) and of this checkout (`after`). */
export interface Pair {
  readonly before: Slice;
  readonly after: Slice;
}

/** The comparison of two checkouts in one case. Ratios are above 1 if this checkout is faster or takes less processor time. */
export interface Comparison {
  readonly name: string;
  readonly clients?: number;
  /** The median rates of the other checkout and of this checkout. */
  readonly beforePerSecond: number;
  readonly afterPerSecond: number;
  readonly ratio: number;
  readonly ratioMin: number;
  readonly ratioMax: number;
  readonly cpuRatio?: number;
}

/** The medians of a case. Ratios are taken within pairs, because the machine's speed changes from pair to pair. */
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

/** The median: the middle value, or the mean of the two middle values. */
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
