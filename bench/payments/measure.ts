import { measureIngestion } from "./ingestion.ts";
import { LIST_GROUPS } from "./lists/groups.ts";
import { paymentOperations } from "./operations.ts";
import type { PaymentRead } from "./reads.ts";
import { COUNT, ListWorld } from "./world.ts";
import type { ReadFigures } from "#bench/reads/measure.ts";

const INGESTION_NAME = "payments.ingestion";

/** All that can be measured of payments. */
export const PAYMENTS_NAMES = [
  ...Object.keys(LIST_GROUPS).map((group) => `payments.${group}`),
  INGESTION_NAME,
];

export interface PaymentsReport {
  /** The rows of each entity that is listed. */
  readonly count: number;
  readonly lists: readonly ListFigures[];
  /** Payments that are prepared and stored with their events in a second, in pages of one connector. */
  readonly storedPerSecond?: number;
}

export interface ListFigures {
  readonly list: string;
  readonly reads: readonly ReadFigures[];
}

const LIMIT_MS = 50;
const RUNS_MAX = 7;
const RUNS_MIN = 3;
/** How long a read is repeated, within the limits above on the number of runs. */
const READ_MS = 150;

/** Measures a page of each list of payments with each filter, and how fast pages of a provider are stored, on `node:sqlite`. */
export async function measurePayments(wants: (name: string) => boolean): Promise<PaymentsReport> {
  const app = await paymentOperations();
  const lists: ListFigures[] = [];
  for (const [group, fill] of Object.entries(LIST_GROUPS)) {
    if (!wants(`payments.${group}`)) continue;
    // The rows of a group go before those of the next one come.
    const reads = fill(new ListWorld(app));
    for (const [list, ofList] of Map.groupBy(reads, (read) => read.list)) {
      const figures: ReadFigures[] = [];
      for (const read of ofList) figures.push(await measured(read));
      lists.push({ list, reads: figures });
    }
  }
  if (!wants(INGESTION_NAME)) return { count: COUNT, lists };
  return { count: COUNT, lists, storedPerSecond: await measureIngestion() };
}

/** The first run warms pages; it is not counted. */
async function measured({ name, run, check }: PaymentRead): Promise<ReadFigures> {
  check(await run());
  const timesMs: number[] = [];
  const endMs = performance.now() + READ_MS;
  while (timesMs.length < RUNS_MIN || (timesMs.length < RUNS_MAX && performance.now() < endMs)) {
    const startMs = performance.now();
    await run();
    timesMs.push(performance.now() - startMs);
  }
  timesMs.sort((a, b) => a - b);
  const medianMs = timesMs[Math.floor(timesMs.length / 2)] ?? 0;
  return { name, limitMs: LIMIT_MS, medianMs, slowestMs: timesMs.at(-1) ?? 0 };
}
