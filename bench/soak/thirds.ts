import { percentiles } from "#bench/load/percentiles.ts";

/** The measurements of a short part of the load. */
export interface Sample {
  readonly timesMs: readonly number[];
  readonly seconds: number;
  readonly memoryBytes: number;
}

/** The figures that are compared between two parts of the load. */
export interface Part {
  readonly memoryBytes: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly requestsPerSecond: number;
}

/** Largest growth of a figure from the second to the last third of the load, as a share. */
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

/** The second and the last third of the samples. Memory and caches still fill in the first third. */
export function lastThirds(samples: readonly Sample[]): { second: Part; last: Part } {
  const third = Math.floor(samples.length / 3);
  if (third === 0) throw new Error("three samples at least are compared");
  return {
    second: partOf(samples.slice(-2 * third, -third)),
    last: partOf(samples.slice(-third)),
  };
}
