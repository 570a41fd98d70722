import type {
  AmountForm,
  CausationDepths,
  LedgerInfo,
  LogEntry,
  EntryHead,
  ReadName,
} from "#ledger-engine";
import type { JsonText } from "#platform/json.ts";

/** A run of log entries, and the ledger that they are of. */
export interface LogRange {
  readonly info: LedgerInfo;
  readonly entries: readonly LogEntry[];
  /** How many causes led to entries, by their ids, where there were any. */
  readonly causationDepths: CausationDepths;
  /** The last entry whose event has certainly been published. */
  readonly publishedLogId: number;
}

/** The heads of a run of log entries. */
export interface HeadRange extends Pick<LogRange, "publishedLogId"> {
  readonly heads: readonly EntryHead[];
}

/** A log entry, with the payload of its event. */
export interface WrittenLog extends EntryHead {
  readonly payload: JsonText<unknown>;
}

/** A read of the ledger: its arguments and its answer are those of `LedgerReads`. */
export interface ReadCall {
  readonly name: ReadName;
  readonly args: readonly unknown[];
  /** How amounts are written, where the answer has the JSON of its items in their place. */
  readonly amounts?: AmountForm;
}

/** The import that a batch belongs to. With a uuid, only the ledger of that uuid accepts the batch. */
export interface ImportCall {
  /** Identifies the import: all its batches have this id, and no other import has it. */
  readonly importId: string;
  readonly uuid?: string | undefined;
}

/** A page of an export that one call asks for: the entries after one, up to the last one that the export gives. */
export interface ExportCall {
  /** Identifies the export: all its pages are asked for with this id, and those of no other. */
  readonly exportId: string;
  readonly uuid: string;
  readonly after: number;
  readonly to?: number;
}
