import { type ConnectorId, encodeEventId, idempotencyKeyOf } from "#modules/payments/core/ids.ts";
import type { PlatformEvent } from "#platform/events/envelope.ts";
import { parseJson } from "#platform/json.ts";
import type { Timestamp } from "#platform/time.ts";

/** The version of the events of payments and of their payloads. */
const EVENT_VERSION = "v3";

/**
 * An event of payments. Events with equal connectors and keys have equal ids, by which consumers recognise a repetition.
 * The id is a hash of the idempotency key, because the key, which clients know, may be longer than an id may be.
 */
export function paymentEvent(event: {
  readonly type: string;
  /** The connector that the event is about; absent for an event about an object without a connector. */
  readonly connector?: ConnectorId;
  /** Equal for repetitions of the same event of this connector; see `encodeEventId`. */
  readonly key: string;
  readonly date: Timestamp;
  readonly payload: object;
}): PlatformEvent {
  const { type, date, payload } = event;
  const idempotencyKey = encodeEventId(event.connector, event.key);
  const id = `payments:${idempotencyKeyOf(idempotencyKey)}`;
  return { id, app: "payments", version: EVENT_VERSION, type, date, idempotencyKey, payload };
}

/**
 * Longest raw data of an event, in characters. A page of a hundred objects publishes its events together, which may take 4
 * MB.
 */
const RAW_LENGTH_MAX = 20_000;

/** The provider's raw data for the payload of an event; null for data that is too long, which only the API shows. */
export const rawDataOf = (raw: string): unknown =>
  raw.length > RAW_LENGTH_MAX ? null : parseJson(raw);
