/** On the queue `events`: where events are. It holds no payload, as events may be large. */
export type EventsMessage = LedgerMessage | OutboxMessage;

/** New log entries of a ledger, from and to inclusive. */
export interface LedgerMessage extends LedgerOrigin {
  readonly source: "ledger";
  readonly from: number;
  readonly to: number;
}

/** The ledger that events are of. */
export interface LedgerOrigin {
  /** The name by which the ledger's object is found. */
  readonly ledger: string;
  /** Tells the ledger from one that gets its name after a purge. */
  readonly uuid: string;
}

/** Events of modules whose data is in D1, by their ids. */
export interface OutboxMessage {
  readonly source: "outbox";
  readonly ids: readonly string[];
}
