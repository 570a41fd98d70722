import { percentiles } from "#bench/load/percentiles.ts";

/** What was seen in a short while of the load. */
export interface Sample {
  readonly timesMs: readonly number[];
  readonly seconds: number;
  readonly memoryBytes: number;
}

/** What is compared between two parts of the load. */
export interface Part {
  readonly memoryBytes: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly requestsPerSecond: number;
}

/** How much more of something the last third of the load took than the one before may be. */
export const GROWTH_MAX = 0.05;

/** The mean memory and the latencies of some samples. */
export function partOf(samples: readonly Sample[]): Part {
  const sum = (value: (sample: Sample) => number): number =>
    samples.reduce((total, sample) => total + value(sample), 0);
  const { p50Ms, p99Ms } = percentiles(samples.flatMap(({ timesMs }) => timesMs));
  return {
    memoryBytes: sum(({ memoryBytes }) => memoryBytes) / samples.length,
    p50Ms,
    p99Ms,
    requestsPerSecond: sum(({ timesMs }) => timesMs.length) / sum(({ seconds }) => seconds),
  };
}

/** The second and the last third: in the first one, memory and caches still fill. */
export function lastThirds(samples: readonly Sample[]): { second: Part; last: Part } {
  const third = Math.floor(samples.length / 3);
  if (third === 0) throw new Error("three samples at least are compared");
  return {
    second: partOf(samples.slice(-2 * third, -third)),
    last: partOf(samples.slice(-third)),
  };
}
