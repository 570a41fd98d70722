import { z } from "zod";
import type { BenchApi } from "./api.ts";
import { ACCOUNTS, fill } from "./cases.ts";

export type StorageFigures = z.output<typeof StorageFigures>;
/** The writes of a ledger since its object started. */
export const StorageFigures = z.object({
  /** Rows written, confirmations included. */
  rows: z.int(),
  /** Rows that record the progress of the events' publication. */
  confirmations: z.int(),
  alarms: z.int(),
  /** Size of the ledger's database, in bytes. */
  bytes: z.int(),
});

/** The storage of an additional transaction with one posting, existing accounts, no reference and no key, in a ledger with all features. */
export interface StoragePerTransaction {
  readonly transactions: number;
  /** Rows without confirmations and alarms, whose number depends on the number of events that are published together. */
  readonly rows: number;
  readonly confirmationsAndAlarms: number;
  readonly bytes: number;
}

const LEDGER = "storage";

/** Measures storage on the Worker of `workers/counting.ts`, with `size` transactions on existing accounts. */
export async function measureStorage(size: number, api: BenchApi): Promise<StoragePerTransaction> {
  await api.createLedger(LEDGER);
  await fill(LEDGER, ACCOUNTS, api);
  const before = await figures(api);
  await fill(LEDGER, size, api);
  const after = await figures(api);
  const extras = ({ confirmations, alarms }: StorageFigures): number => confirmations + alarms;
  const rows = after.rows - after.confirmations - (before.rows - before.confirmations);
  return {
    transactions: size,
    rows: rows / size,
    confirmationsAndAlarms: (extras(after) - extras(before)) / size,
    bytes: (after.bytes - before.bytes) / size,
  };
}

const figures = async (api: BenchApi): Promise<StorageFigures> =>
  StorageFigures.parse(await api.send("GET", `/api/bench/figures/${LEDGER}`));
