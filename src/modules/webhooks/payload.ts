import { eventName, type PlatformEvent } from "#platform/events/envelope.ts";
import { stringifyJson } from "#platform/json.ts";
import { formatTimestamp } from "#platform/time.ts";

/** The body of an event's deliveries. It is made once and stored as text, so that every attempt sends the same bytes. */
export const toPayload = (event: PlatformEvent): string =>
  stringifyJson({
    idempotency_key: event.idempotencyKey,
    date: formatTimestamp(event.date),
    app: event.app,
    version: event.version,
    type: eventName(event),
    payload: event.payload ?? null,
  });
