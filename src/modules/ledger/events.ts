import type { LEDGER_EVENT_TYPES } from "./event-types.ts";
import type { WrittenLog } from "./objects/calls.ts";
import {
  type CausationDepths,
  type LedgerInfo,
  type LogData,
  type LogEntry,
  type EntryHead,
  type MetadataTarget,
  renderStoredSchema,
  toTransactionView,
  withoutNulls,
} from "#ledger-engine";
import { EVENT_VERSION, type PlatformEvent, type WrittenEvent } from "#platform/events/envelope.ts";

/** The events of log entries. Each entry is one event, which is named by the ledger's uuid and the entry's id. */
export function toPlatformEvents(
  { uuid, name }: LedgerInfo,
  entries: readonly LogEntry[],
  causationDepths: CausationDepths = new Map(),
): PlatformEvent[] {
  return entries.map(({ id, date, data }) => {
    const causationDepth = causationDepths.get(id);
    return {
      ...toEvent(uuid, { id, date, type: data.type }),
      payload: { ledger: name, ...toPayload(data) },
      ...(causationDepth === undefined ? {} : { causationDepth }),
    };
  });
}

/** The events of log entries, without payloads. */
export const toBareEvents = (uuid: string, heads: readonly EntryHead[]): PlatformEvent[] =>
  heads.map((head) => ({ ...toEvent(uuid, head), payload: undefined }));

/** The events of log entries whose payloads their ledger has written. */
export const toWrittenEvents = (uuid: string, entries: readonly WrittenLog[]): WrittenEvent[] =>
  entries.map((entry) => ({ ...toEvent(uuid, entry), payload: entry.payload }));

const toEvent = (uuid: string, { id, date, type }: EntryHead) => ({
  id: `${uuid}:${id}`,
  app: "ledger",
  version: EVENT_VERSION,
  type: EVENT_TYPES[type],
  date,
  idempotencyKey: "",
});

const EVENT_TYPES: Readonly<Record<LogData["type"], keyof typeof LEDGER_EVENT_TYPES>> = {
  NEW_TRANSACTION: "COMMITTED_TRANSACTIONS",
  REVERTED_TRANSACTION: "REVERTED_TRANSACTION",
  SET_METADATA: "SAVED_METADATA",
  DELETE_METADATA: "DELETED_METADATA",
  INSERTED_SCHEMA: "INSERTED_SCHEMA",
};

function toPayload(data: LogData): Record<string, unknown> {
  switch (data.type) {
    case "NEW_TRANSACTION":
      return {
        transactions: [toTransactionView(data.transaction)],
        accountMetadata: withoutNulls(data.accountMetadata),
      };
    case "REVERTED_TRANSACTION":
      return {
        revertedTransaction: toTransactionView(data.revertedTransaction),
        revertTransaction: toTransactionView(data.transaction),
      };
    case "SET_METADATA":
      return { ...toTargetPayload(data.target), metadata: data.metadata ?? {} };
    case "DELETE_METADATA":
      return { ...toTargetPayload(data.target), key: data.key };
    case "INSERTED_SCHEMA":
      return { schema: renderStoredSchema(data.schema) };
  }
}

/** The target of metadata in a payload, where also the id of a transaction is a text. */
const toTargetPayload = ({ type, id }: MetadataTarget) => ({
  targetType: type,
  targetId: id.toString(),
});
