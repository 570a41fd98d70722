/** On the queue `events`: new log entries of a ledger, from and to inclusive. Holds no payload: entries may be large. */
export interface EventsMessage {
  readonly ledger: string;
  readonly from: number;
  readonly to: number;
}

/** On the queue `deliveries`: one attempt of a delivery is due. */
export interface DeliveryMessage {
  readonly deliveryId: string;
}
