import { sql } from "drizzle-orm";
import type { AnnouncedOccurrence } from "./announce.ts";
import type { OccurrenceEvent } from "./occurrence.ts";
import { orchestrationOccurrences } from "./tables.ts";
import type { Trigger } from "./trigger.ts";
import { derivedId } from "#modules/orchestration/instances/derived-id.ts";
import { OCCURRENCES_SWEEP } from "#modules/orchestration/sweep-names.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { columnValues, jsonRowParts, ROW_ORDER } from "#platform/db/json-rows.ts";
import type { PlatformEvent } from "#platform/events/envelope.ts";
import { newId } from "#platform/ids.ts";
import { stringifyJson } from "#platform/json.ts";
import { watchChange } from "#platform/objects/deployment-clock.ts";
import { formatTimestamp, fromMillis, toMillis } from "#platform/time.ts";

/**
 * A trigger and an event. The verdict is `unknown` where the filter is still to be evaluated, because it reads links or its lane did not
 * take the event.
 */
export interface Match {
  readonly trigger: Trigger;
  readonly event: PlatformEvent;
  readonly verdict: "fires" | "unknown";
}

/** How long after an occurrence is stored the sweep announces it, unless it was fired, in milliseconds. */
const ANNOUNCED_AGAIN_MS = 30_000;
/** Largest event that an occurrence shows, in characters of its JSON: a row of D1 takes 2 MB. */
export const EVENT_LENGTH_MAX = 500_000;

/**
 * Stores occurrences, and returns those that are new. A trigger has at most one occurrence for an event, and at most one for a payment or
 * an account where `ONCE_PER_ID` has the type of the event.
 */
export async function storeOccurrences(
  { env, clock }: Pick<ServiceContext, "env" | "clock">,
  matches: readonly Match[],
): Promise<AnnouncedOccurrence[]> {
  const now = clock();
  const dueAt = fromMillis(toMillis(now) + ANNOUNCED_AGAIN_MS);
  // The sweep is asked for before the occurrences are stored, so that it comes even if the process is killed right afterwards.
  await watchChange(env, OCCURRENCES_SWEEP, toMillis(now));
  const stored: AnnouncedOccurrence[] = [];
  for (const { source, items } of jsonRowParts(matches.map(toRow))) {
    const values = columnValues(orchestrationOccurrences, {
      ...items,
      key: null,
      date: now,
      attempts: 0,
      dueAt,
      leaseUntil: null,
      instanceId: null,
      error: null,
    });
    const inserted = await databaseOf(env)
      .insert(orchestrationOccurrences)
      .select(sql`SELECT ${values} FROM ${source} WHERE true ORDER BY ${ROW_ORDER}`)
      .onConflictDoNothing()
      .returning({
        id: orchestrationOccurrences.id,
        trigger: orchestrationOccurrences.triggerKey,
      });
    stored.push(...inserted);
  }
  return stored;
}

function toRow({ trigger, event, verdict }: Match) {
  const dedupKey = verdict === "fires" ? firingKey(event) : eventKey(event);
  return {
    id: firingId(trigger, dedupKey) ?? newId(),
    triggerKey: trigger.key,
    dedupKey,
    event: eventText(event),
    state: verdict === "fires" ? "fire" : "filter",
    causationDepth: event.causationDepth ?? 0,
    cause: event.cause ?? null,
  };
}

/** What begins the key of a firing for a payment or an account. */
const ID_KEY = "id:";

/**
 * The id of the occurrence of a trigger for a payment or an account: the same in a deployment and in each copy of it, so that what the started
 * instance orders has the same reference in all of them, by which a provider knows it. Undefined for other firings: a copy gives the ids of its
 * events to other events than its original.
 */
export const firingId = ({ id }: Pick<Trigger, "id">, dedupKey: string): string | undefined =>
  dedupKey.startsWith(ID_KEY) ? derivedId([id, dedupKey]) : undefined;

/** Types of events for which a trigger fires once for each payment or account, whatever happens to the payment or account later. */
const ONCE_PER_ID: ReadonlySet<string> = new Set(["SAVED_PAYMENT", "SAVED_ACCOUNT"]);

/** The key for which a trigger fires at most once. */
export function firingKey(event: Pick<PlatformEvent, "id" | "type" | "payload">): string {
  const { type, payload } = event;
  if (!ONCE_PER_ID.has(type) || typeof payload !== "object" || payload === null) {
    return eventKey(event);
  }
  const id = "id" in payload ? payload.id : undefined;
  return typeof id === "string" && id !== "" ? `${ID_KEY}${id}` : eventKey(event);
}

export const eventKey = ({ id }: Pick<PlatformEvent, "id">): string => `event:${id}`;

/** The JSON of an event with its envelope. The payload is left out where the JSON would be too long. */
export function eventText({
  idempotencyKey,
  date,
  app,
  version,
  type,
  payload,
}: PlatformEvent): string {
  const envelope: OccurrenceEvent = {
    idempotency_key: idempotencyKey,
    date: formatTimestamp(date),
    app,
    version,
    type,
    payload: payload ?? null,
  };
  const text = stringifyJson(envelope);
  if (text.length <= EVENT_LENGTH_MAX) return text;
  const truncated: OccurrenceEvent = { ...envelope, payload: null, isTruncated: true };
  return stringifyJson(truncated);
}
