import type { HeadRange, LogRange, WrittenLog } from "./calls.ts";
import { writeEntries } from "./event-payloads.ts";
import type { CommittedTransaction, LedgerEngine } from "#ledger-engine";
import type { LedgerMessage } from "#platform/events/messages.ts";

/** Most log entries that one message announces. The next message follows its confirmation. */
const ANNOUNCED_MAX = 10_000;
/** Most bytes of transactions that one call gives to the answer of a stream. */
const COMMITTED_LIMITS = { bytesMax: 4_000_000 };
/** Most log entries and bytes that one call gives to the consumer of events. */
const LIMITS = { countMax: 500, bytesMax: 4_000_000 };
/** Most heads of log entries that one call gives to the consumer of events. */
const HEADS_MAX = 2000;

/** Log entries of a range, as many of the first ones as one call gives. */
export const readLogRange = (engine: LedgerEngine, from: number, to: number): LogRange => ({
  info: engine.info,
  entries: engine.readLogs(from, to, LIMITS),
  causationDepths: engine.causation.depthsIn(from, to),
  publishedLogId: engine.publishedLogId,
});

/** Log entries of a range with the payloads of their events as JSON, as many of the first ones as one call gives. */
export const readWrittenRange = (engine: LedgerEngine, from: number, to: number): WrittenLog[] =>
  writeEntries(engine.info, engine.readLogs(from, to, LIMITS));

/** Heads of the log entries of a range, as many of the first ones as one call gives. */
export const readHeadRange = (engine: LedgerEngine, from: number, to: number): HeadRange => ({
  heads: engine.readHeads(from, to, HEADS_MAX),
  publishedLogId: engine.publishedLogId,
});

/** The transactions of log entries, as many of the first ones as one call gives. */
export const readCommitted = (
  engine: LedgerEngine,
  logIds: readonly number[],
): CommittedTransaction[] => engine.readCommitted(logIds, COMMITTED_LIMITS);

/** The message that announces the first entries that are not confirmed. */
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
