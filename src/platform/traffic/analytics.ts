import type { AnsweredRequest } from "./answered-request.ts";
import { trafficSettings } from "./traffic-settings.ts";
import { logError } from "#platform/log.ts";

/** The name of the optional binding to a dataset of Workers Analytics Engine. */
export const ANALYTICS_BINDING = "FLORIN_ANALYTICS";

/** Writes data points of requests. */
export class Analytics {
  readonly #dataset: AnalyticsEngineDataset;
  readonly #oneIn: number;
  #hasFailed = false;

  constructor(dataset: AnalyticsEngineDataset, oneIn: number) {
    this.#dataset = dataset;
    this.#oneIn = oneIn;
  }

  /** What writes to the dataset of a deployment; undefined if the deployment has none. */
  static from(env: object): Analytics | undefined {
    const dataset: unknown = Reflect.get(env, ANALYTICS_BINDING);
    if (!isDataset(dataset)) return undefined;
    return new Analytics(dataset, trafficSettings.of(env).FLORIN_ANALYTICS_ONE_IN);
  }

  /**
   * Writes a data point of a request, or none: requests are sampled. The platform sends data points after the answer, so that nobody waits
   * for them. Never throws; a dataset that fails is logged once in the life of the isolate.
   */
  write({ module, operation, ledger, client, rejection, status, durationMs }: AnsweredRequest) {
    if (this.#oneIn > 1 && Math.random() * this.#oneIn >= 1) return;
    try {
      this.#dataset.writeDataPoint({
        indexes: [module],
        blobs: [module, operation, ledger ?? "", client, rejection ?? ""],
        doubles: [status, durationMs, this.#oneIn],
      });
    } catch (error) {
      if (!this.#hasFailed) logError("a data point of a request could not be written", error);
      this.#hasFailed = true;
    }
  }
}

const isDataset = (value: unknown): value is AnalyticsEngineDataset =>
  typeof value === "object" &&
  value !== null &&
  "writeDataPoint" in value &&
  typeof value.writeDataPoint === "function";
