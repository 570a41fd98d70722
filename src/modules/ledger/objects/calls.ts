import type {
  AmountForm,
  CausationDepths,
  LedgerInfo,
  LogEntry,
  EntryHead,
  ReadName,
} from "#ledger-engine";
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

/** A read of the ledger, with the arguments and the answer of the method of `LedgerReads`. */
export interface ReadCall {
  readonly name: ReadName;
  readonly args: readonly unknown[];
  /** The form of amounts in the JSON of an answer's items. Without it, the items are objects. */
  readonly amounts?: AmountForm;
}

/** The import to which a batch belongs. With a uuid, only the ledger with this uuid accepts the batch. */
export interface ImportCall {
  /** Identifies the import. All batches of the import have this id, and no other import has it. */
  readonly importId: string;
  readonly uuid?: string | undefined;
}

/** A page of an export: entries after `after`, up to the last entry `to` of the export. */
export interface ExportCall {
  /** Identifies the export. All calls of the export have this id, and no other export has it. */
  readonly exportId: string;
  readonly uuid: string;
  readonly after: number;
  readonly to?: number;
}
