import { sql } from "drizzle-orm";
import type { AnnouncedOccurrence } from "./announce.ts";
import type { OccurrenceEvent } from "./occurrence.ts";
import { orchestrationOccurrences } from "./tables.ts";
import type { Trigger } from "./trigger.ts";
import { OCCURRENCES_SWEEP } from "#modules/orchestration/sweep-names.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { packJson } from "#platform/db/pack-json.ts";
import type { PlatformEvent } from "#platform/events/envelope.ts";
import { newId } from "#platform/ids.ts";
import { stringifyJson } from "#platform/json.ts";
import { watchChange } from "#platform/objects/deployment-clock.ts";
import { formatTimestamp, fromMillis, toMillis } from "#platform/time.ts";

/** A trigger and an event for which it fires, or whose filter reads links, so that it is not known yet whether it does. */
export interface Match {
  readonly trigger: Trigger;
  readonly event: PlatformEvent;
  readonly verdict: "fires" | "unknown";
}

/** When the sweep announces an occurrence that nobody has fired, in milliseconds. */
const ANNOUNCED_AGAIN_MS = 30_000;
/** Largest event that an occurrence shows, in characters of its JSON: a row of D1 takes 2 MB. */
export const EVENT_LENGTH_MAX = 500_000;

/**
 * Stores what triggers fire for, and returns those that are new: of one trigger and event, there is one occurrence at
 * most, and of one trigger and payment or account, too.
 */
export async function storeOccurrences(
  { env, clock }: Pick<ServiceContext, "env" | "clock">,
  matches: readonly Match[],
): Promise<AnnouncedOccurrence[]> {
  const now = clock();
  const dueAt = fromMillis(toMillis(now) + ANNOUNCED_AGAIN_MS);
  // The clock watches from before they are stored, so that a sweep comes after that.
  await watchChange(env, OCCURRENCES_SWEEP, toMillis(now));
  const rows = matches.map(({ trigger, event, verdict }) =>
    stringifyJson([
      newId(),
      trigger.key,
      verdict === "fires" ? firingKey(event) : eventKey(event),
      eventText(event),
      verdict === "fires" ? "fire" : "filter",
      event.causationDepth ?? 0,
    ]),
  );
  const stored: AnnouncedOccurrence[] = [];
  for (const pack of packJson(rows)) {
    const inserted = await databaseOf(env)
      .insert(orchestrationOccurrences)
      .select(sql`
        SELECT NULL, e.value ->> 0, e.value ->> 1, e.value ->> 2, ${now}, e.value ->> 3, e.value ->> 4,
          0, ${dueAt}, NULL, NULL, NULL, e.value ->> 5
        FROM json_each(${pack}) AS e WHERE true ORDER BY e.key`)
      .onConflictDoNothing()
      .returning({
        id: orchestrationOccurrences.id,
        trigger: orchestrationOccurrences.triggerKey,
      });
    stored.push(...inserted);
  }
  return stored;
}

/** The types of events of which a trigger fires once for what they are about, whatever happens to that later. */
const ONCE_PER_ID: ReadonlySet<string> = new Set(["SAVED_PAYMENT", "SAVED_ACCOUNT"]);

/** What a trigger fires for at most once. */
export function firingKey(event: Pick<PlatformEvent, "id" | "type" | "payload">): string {
  const { type, payload } = event;
  if (!ONCE_PER_ID.has(type) || typeof payload !== "object" || payload === null) {
    return eventKey(event);
  }
  const id = "id" in payload ? payload.id : undefined;
  return typeof id === "string" && id !== "" ? `id:${id}` : eventKey(event);
}

export const eventKey = ({ id }: Pick<PlatformEvent, "id">): string => `event:${id}`;

/** An event with its envelope, as an occurrence has it. */
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
