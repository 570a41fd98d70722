/** On the queue `events`: new log entries of a ledger, from and to inclusive. Holds no payload: entries may be large. */
export interface EventsMessage {
  readonly ledger: string;
  /** Tells the ledger from one that gets its name after a purge. */
  readonly uuid?: string | undefined;
  readonly from: number;
  readonly to: number;
}

/** The ledger that events are of. */
export type EventsOrigin = Pick<EventsMessage, "ledger" | "uuid">;

/** On the queue `deliveries`: one attempt of a delivery is due. */
export interface DeliveryMessage {
  readonly deliveryId: string;
}
