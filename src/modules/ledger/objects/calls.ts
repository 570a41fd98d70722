import type { CausationDepths, EntryHead, LedgerInfo, LogEntry } from "#ledger-engine";
import type { JsonText } from "#platform/json.ts";

/** Consecutive log entries, and their ledger. */
export interface LogRange {
  readonly info: LedgerInfo;
  readonly entries: readonly LogEntry[];
  /** The numbers of triggers that led to entries, by the entries' ids; entries without triggers are absent. */
  readonly causationDepths: CausationDepths;
  /** Id of the last entry whose event has certainly been published. */
  readonly publishedLogId: number;
}

/** The heads of consecutive log entries. */
export interface HeadRange extends Pick<LogRange, "publishedLogId"> {
  readonly heads: readonly EntryHead[];
}

/** The head of a log entry, and the payload of its event. */
export interface WrittenLog extends EntryHead {
  readonly payload: JsonText<unknown>;
}

/** The import to which a batch belongs. With a uuid, only the ledger with this uuid accepts the batch. */
export interface ImportCall {
  /** Identifies the import. All batches of the import have this id, and no other import has it. */
  readonly importId: string;
  readonly uuid?: string | undefined;
}
