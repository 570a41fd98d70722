import type { LogRange, WrittenEntry } from "./calls.ts";
import { writeEntries } from "./event-payloads.ts";
import type { LedgerEngine } from "#ledger-engine";

/** What one call gives to the events consumer. */
const LIMITS = { countMax: 500, bytesMax: 4_000_000 };

/** Log entries of a range, as many as one call gives. */
export const readLogRange = (engine: LedgerEngine, from: number, to: number): LogRange => ({
  info: engine.info,
  entries: engine.readLogs(from, to, LIMITS),
  publishedLogId: engine.publishedLogId,
});

/** The same entries, with the payloads of their events as JSON. */
export const readWrittenRange = (engine: LedgerEngine, from: number, to: number): WrittenEntry[] =>
  writeEntries(engine.info, engine.readLogs(from, to, LIMITS));
