import { measureIngestion } from "./ingestion.ts";
import { LIST_GROUPS } from "./lists/groups.ts";
import { paymentOperations } from "./operations.ts";
import type { PaymentRead } from "./reads.ts";
import { COUNT, ListWorld } from "./world.ts";
import type { ReadFigures } from "#bench/reads/measure.ts";

const INGESTION_NAME = "payments.ingestion";

/** Names of all measurements of payments. */
export const PAYMENTS_NAMES = [
  ...Object.keys(LIST_GROUPS).map((group) => `payments.${group}`),
  INGESTION_NAME,
];

export interface PaymentsReport {
  /** The number of rows of each listed entity. */
  readonly count: number;
  readonly lists: readonly ListFigures[];
  /** The rate at which payments are prepared and stored with their events, a second, in pages of one connector. */
  readonly storedPerSecond?: number;
}

export interface ListFigures {
  readonly list: string;
  readonly reads: readonly ReadFigures[];
}

const LIMIT_MS = 50;
const RUNS_MAX = 7;
const RUNS_MIN = 3;
/** Time for which a read is repeated, in milliseconds, within `RUNS_MIN` and `RUNS_MAX`. */
const READ_MS = 150;

/** Measures a page of each list of payments with each filter, and the rate at which pages of a provider are stored, on `node:sqlite`. */
export async function measurePayments(wants: (name: string) => boolean): Promise<PaymentsReport> {
  const app = await paymentOperations();
  const lists: ListFigures[] = [];
  for (const [group, fill] of Object.entries(LIST_GROUPS)) {
    if (!wants(`payments.${group}`)) continue;
    // Each group has a world of its own, so that its rows are freed before the next group.
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

/** Measures a read. The first run warms pages and is not counted. */
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
