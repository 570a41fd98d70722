import type { HeadRange, LogRange, WrittenLog } from "./calls.ts";
import { writeEntries } from "./event-payloads.ts";
import type { CommittedTransaction, LedgerEngine } from "#ledger-engine";
import type { LedgerMessage } from "#platform/events/messages.ts";

/** Most log entries that one message announces; the next one follows its confirmation. */
const ANNOUNCED_MAX = 10_000;
/** What one call gives of the transactions that a stream has made, in bytes. */
const COMMITTED_LIMITS = { bytesMax: 4_000_000 };
/** What one call gives to the events consumer. */
const LIMITS = { countMax: 500, bytesMax: 4_000_000 };
/** The same for heads of entries. */
const HEADS_MAX = 2000;

/** Log entries of a range, as many as one call gives. */
export const readLogRange = (engine: LedgerEngine, from: number, to: number): LogRange => ({
  info: engine.info,
  entries: engine.readLogs(from, to, LIMITS),
  causationDepths: engine.causation.depthsIn(from, to),
  publishedLogId: engine.publishedLogId,
});

/** The same entries, with the payloads of their events as JSON. */
export const readWrittenRange = (engine: LedgerEngine, from: number, to: number): WrittenLog[] =>
  writeEntries(engine.info, engine.readLogs(from, to, LIMITS));

/** The heads of the same entries and further ones. */
export const readHeadRange = (engine: LedgerEngine, from: number, to: number): HeadRange => ({
  heads: engine.readHeads(from, to, HEADS_MAX),
  publishedLogId: engine.publishedLogId,
});

/** The transactions that log entries made, as many of the first as one call gives. */
export const readCommitted = (
  engine: LedgerEngine,
  logIds: readonly number[],
): CommittedTransaction[] => engine.readCommitted(logIds, COMMITTED_LIMITS);

/** The message that announces the first entries that nobody has confirmed. */
export const unpublishedRange = ({
  info,
  publishedLogId,
  lastLogId,
}: LedgerEngine): LedgerMessage => ({
  source: "ledger",
  ledger: info.name,
  uuid: info.uuid,
  from: publishedLogId + 1,
  to: Math.min(lastLogId, publishedLogId + ANNOUNCED_MAX),
});
