/** What Cloudflare takes for something that it counts, in US dollars and for a month. */
export interface Price {
  readonly name: string;
  /** What a million of the unit costs, or one of it for gigabytes. */
  readonly dollars: number;
  /** How many units `dollars` is for. */
  readonly per: number;
  /** How many units the plan includes. */
  readonly included: number;
}

/** Where the prices are published, and the month as of which they hold. */
export const PRICES_SOURCE = {
  asOf: "August 2026",
  pages: [
    "https://developers.cloudflare.com/workers/platform/pricing/",
    "https://developers.cloudflare.com/durable-objects/platform/pricing/",
    "https://developers.cloudflare.com/queues/platform/pricing/",
  ],
} as const;

const MILLION = 1_000_000;

/** The paid plan of Workers, in dollars a month. */
export const PLAN_DOLLARS = 5;

/** The list prices of the paid plan, without what a contract may change. */
export const PRICES = {
  workerRequests: {
    name: "requests to the Worker",
    dollars: 0.3,
    per: MILLION,
    included: 10 * MILLION,
  },
  workerCpuMs: {
    name: "CPU time of the Worker, ms",
    dollars: 0.02,
    per: MILLION,
    included: 30 * MILLION,
  },
  objectRequests: { name: "calls of objects", dollars: 0.15, per: MILLION, included: MILLION },
  objectGigabyteSeconds: {
    name: "time of objects, GB-s",
    dollars: 12.5,
    per: MILLION,
    included: 400_000,
  },
  rowsRead: { name: "rows read", dollars: 0.001, per: MILLION, included: 25_000 * MILLION },
  rowsWritten: { name: "rows written", dollars: 1, per: MILLION, included: 50 * MILLION },
  storedGigabytes: { name: "storage of objects, GB", dollars: 0.2, per: 1, included: 5 },
  queueOperations: { name: "operations of queues", dollars: 0.4, per: MILLION, included: MILLION },
} as const satisfies Readonly<Record<string, Price>>;

export type Unit = keyof typeof PRICES;
