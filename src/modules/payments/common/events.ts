import { type ConnectorId, encodeEventId, idempotencyKeyOf } from "#modules/payments/core/ids.ts";
import type { PlatformEvent } from "#platform/events/envelope.ts";
import { parseJson } from "#platform/json.ts";
import type { Timestamp } from "#platform/time.ts";

/** The version of the events of payments and of their payloads. */
const EVENT_VERSION = "v3";

/**
 * An event of payments. Equal connectors and keys make equal ids, so that a repetition is recognised. The idempotency key,
 * which clients know, may be longer than an id may be, so that the id is its hash.
 */
export function paymentEvent(event: {
  readonly type: string;
  /** Where it comes from; absent for what belongs to no connector. */
  readonly connector?: ConnectorId;
  /** See `idempotencyKeyOf`. */
  readonly key: string;
  readonly date: Timestamp;
  readonly payload: object;
}): PlatformEvent {
  const { type, date, payload } = event;
  const idempotencyKey = encodeEventId(event.connector, event.key);
  const id = `payments:${idempotencyKeyOf(idempotencyKey)}`;
  return { id, app: "payments", version: EVENT_VERSION, type, date, idempotencyKey, payload };
}

/** Longest raw data of an event, in characters: a page of a hundred objects publishes its events together, in 4 MB. */
const RAW_LENGTH_MAX = 20_000;

/** What a provider has sent, for an event; null where that is too long, so that only the API shows it. */
export const rawDataOf = (raw: string): unknown =>
  raw.length > RAW_LENGTH_MAX ? null : parseJson(raw);
