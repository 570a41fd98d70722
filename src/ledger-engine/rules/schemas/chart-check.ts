import {
  type Chart,
  type ChartSegment,
  defaultMetadataOf,
  type Resolution,
  resolveAccount,
  type Violation,
} from "./chart.ts";
import { invalid } from "./failures.ts";
import { CHART_VISITS_MAX, VISITS_PER_STEP } from "./limits.ts";
import type { WorkMeter } from "./pattern.ts";
import type { Metadata, Posting } from "#ledger-engine/rules/types.ts";

/**
 * Checks the addresses of one transaction against a chart. Each address is looked up once. The work of all look-ups is
 * bounded, because patterns can be made to take much work.
 */
export class ChartCheck {
  readonly #chart: Chart;
  readonly #known = new Map<string, Resolution>();
  /** The default metadata by segment, because a transaction may create thousands of accounts of one segment. */
  readonly #defaults = new Map<ChartSegment, Metadata>();
  readonly #meter: WorkMeter = { visits: 0 };

  constructor(chart: Chart) {
    this.#chart = chart;
  }

  /** The work so far, in steps of scripts. */
  get steps(): number {
    return Math.ceil(this.#meter.visits / VISITS_PER_STEP);
  }

  /**
   * The first violation of the chart, in the order of the postings, sources before destinations; undefined if there is none.
   * Throws `VALIDATION` if the patterns take too much work.
   */
  findViolation(postings: readonly Posting[]): Violation | undefined {
    for (const { source, destination } of postings) {
      for (const address of [source, destination]) {
        const resolution = this.#resolve(address);
        if (resolution.account === undefined) return resolution.violation;
      }
    }
    return undefined;
  }

  /** The metadata with which an account is created. Addresses that are not in the chart have none. */
  defaultMetadata(address: string): Metadata {
    const { account } = this.#resolve(address);
    if (account === undefined) return {};
    const metadata = this.#defaults.get(account) ?? defaultMetadataOf(account);
    this.#defaults.set(account, metadata);
    return metadata;
  }

  #resolve(address: string): Resolution {
    const known = this.#known.get(address);
    if (known !== undefined) return known;
    const resolution = resolveAccount(this.#chart, address, this.#meter);
    if (this.#meter.visits > CHART_VISITS_MAX) {
      throw invalid("the patterns of the chart of accounts take too much work for one transaction");
    }
    this.#known.set(address, resolution);
    return resolution;
  }
}

/** The message of the first violation of a chart by postings; undefined if there is none. Throws the errors of `ChartCheck`. */
export const checkAgainstChart = (chart: Chart, postings: readonly Posting[]): string | undefined =>
  new ChartCheck(chart).findViolation(postings)?.what;
