import { eventName, type PlatformEvent, type WrittenEvent } from "#platform/events/envelope.ts";
import { quoteJson, stringifyJson } from "#platform/json.ts";
import { formatTimestamp } from "#platform/time.ts";

/** The body of an event's deliveries. It is made once and stored as text, so that every attempt sends the same bytes. */
export const toPayload = (event: PlatformEvent): string =>
  bodyOf(event, stringifyJson(event.payload ?? null));

/** The body of an event whose payload is JSON text already. */
export const toWrittenPayload = (event: WrittenEvent): string => bodyOf(event, event.payload);

function bodyOf(event: Omit<PlatformEvent, "payload">, payload: string): string {
  const { idempotencyKey, date, app, version } = event;
  return `{"idempotency_key":${quoteJson(idempotencyKey)},"date":"${formatTimestamp(date)}","app":${quoteJson(app)},"version":${quoteJson(version)},"type":${quoteJson(eventName(event))},"payload":${payload}}`;
}
