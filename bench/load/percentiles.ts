export interface Percentiles {
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly p99Ms: number;
}

/** The 50th, 95th and 99th percentiles of some times, by the nearest-rank method. */
export function percentiles(timesMs: readonly number[]): Percentiles {
  const sorted = Float64Array.from(timesMs).toSorted();
  const at = (share: number): number => sorted[Math.ceil(sorted.length * share) - 1] ?? Number.NaN;
  return { p50Ms: at(0.5), p95Ms: at(0.95), p99Ms: at(0.99) };
}
