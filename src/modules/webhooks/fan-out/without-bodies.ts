import type { EventBatch, OwedEvent, OwedRun } from "#modules/webhooks/core/lane.ts";

/**
 * A batch without bodies, which its lane reads itself. Events of a ledger that have no key become runs: a bulk of many
 * transactions is then one run for each endpoint, and not one object for each event.
 */
export function withoutBodies({ events, runs = [], ...batch }: EventBatch): EventBatch {
  const bare: OwedEvent[] = [];
  const joined: OwedRun[] = [...runs];
  for (const { position, eventType, idempotencyKey, cause } of events) {
    const caused = cause === undefined ? {} : { cause };
    if (typeof position === "string" || idempotencyKey !== "") {
      bare.push({ position, eventType, idempotencyKey, ...caused });
      continue;
    }
    const run = joined.at(-1);
    const continues =
      run?.last === position - 1 && run.eventType === eventType && run.cause === cause;
    if (continues) joined[joined.length - 1] = { ...run, last: position };
    else joined.push({ first: position, last: position, eventType, ...caused });
  }
  return { ...batch, events: bare, ...(joined.length === 0 ? {} : { runs: joined }) };
}
