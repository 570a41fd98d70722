import type { MetricFamily } from "./families.ts";
import type { ServiceContext } from "#platform/context.ts";

/** A measurement, which the status shows as a value and `GET /metrics` as a sample. */
export interface Sample {
  readonly family: MetricFamily;
  /** The values of the family's labels, by name. */
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
  /** What the sample is of a histogram, whose buckets have the label `le`; absent for gauges and counters. */
  readonly part?: HistogramPart;
}

export type HistogramPart = "bucket" | "count" | "sum";

/**
 * How bad a problem is. `critical`: the deployment itself does not do its work. `warning`: somebody else's system does not, such as an
 * endpoint or a provider, or a limit is near.
 */
export type ProblemSeverity = "warning" | "critical";

/** Something that an operator should know, as sentences without full stops. */
export interface Problem {
  readonly severity: ProblemSeverity;
  /** What has the problem: `ledger/main`. */
  readonly what: string;
  /** Since when, in milliseconds since the epoch; undefined where it is not known. */
  readonly sinceMs: number | undefined;
  readonly why: string;
  readonly whatToDo: string;
}

/** A piece of work that waits longer than it should, or has failed, and stays so until somebody looks at it. */
export interface StuckWork extends Problem {
  /** The kind of work, as in metrics: `movements`. */
  readonly work: string;
  /** The path of the API that shows it, or the list that has it. */
  readonly path: string;
}

export interface Observation {
  readonly samples: readonly Sample[];
  /** The worst first. */
  readonly problems: readonly Problem[];
}

/**
 * A part of the status, which a module contributes. It reads durable rows only, through indexes and with limits, so that its cost does not
 * grow with the data. It may fail or hang: the other sections are shown all the same.
 */
export interface StatusSection {
  /** Unique in its module: `deliveries`. */
  readonly name: string;
  /** What the section is about, as a noun. */
  readonly description: string;
  readonly read: (context: ServiceContext) => Promise<Observation>;
  /** Lists what is stuck, at most `max` pieces of each kind of work; absent where nothing can be. It is bounded as `read` is. */
  readonly stuck?: (context: ServiceContext, max: number) => Promise<readonly StuckWork[]>;
}

/** A section together with the module that contributes it. */
export interface ModuleSection {
  readonly module: string;
  readonly section: StatusSection;
}

/** Makes a sample. */
export const sample = <const F extends MetricFamily>(
  family: F,
  value: number,
  labels: Readonly<Record<F["labels"][number], string>>,
): Sample => ({ family, labels, value });

/** Seconds between two times in milliseconds, at least 0. */
export const ageSeconds = (sinceMs: number, nowMs: number): number =>
  Math.max(nowMs - sinceMs, 0) / 1000;

/** Most problems that a section shows. */
const PROBLEMS_MAX = 20;

/** The first problems, and one that tells how many more there are. */
export function firstProblems(problems: readonly Problem[], total = problems.length): Problem[] {
  const shown = problems.slice(0, PROBLEMS_MAX);
  const [first] = shown;
  const more = total - shown.length;
  if (first === undefined || more <= 0) return shown;
  const { severity, whatToDo } = first;
  const why = "there are more problems of this kind than are shown";
  return [...shown, { severity, what: `${more} more`, sinceMs: undefined, why, whatToDo }];
}
