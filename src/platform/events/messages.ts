/** A message on the queue `events`: the location of events. Payloads stay out of messages, because events may be large. */
export type EventsMessage = LedgerMessage | OutboxMessage;

/** New log entries of a ledger, with the ids `from` to `to`, both inclusive. */
export interface LedgerMessage extends LedgerOrigin {
  readonly source: "ledger";
  readonly from: number;
  readonly to: number;
  /**
   * What has caused entries of the range, as far as the ledger remembers it: a ledger that was restarted, or had too many writes at once,
   * does not.
   */
  readonly causes?: readonly EntryCause[] | undefined;
}

/** What has caused consecutive log entries with the ids `from` to `to`, both inclusive. */
export interface EntryCause {
  readonly from: number;
  readonly to: number;
  readonly cause: string;
}

/** The ledger that events come from. */
export interface LedgerOrigin {
  /** The name by which the ledger's object is found. */
  readonly ledger: string;
  /** The id that tells the ledger from a later ledger of the same name, after a purge. */
  readonly uuid: string;
}

/** Events of modules whose data is in D1, by their ids. */
export interface OutboxMessage {
  readonly source: "outbox";
  readonly ids: readonly string[];
}
