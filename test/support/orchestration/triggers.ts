import { env } from "cloudflare:workers";
import { expect, vi } from "vitest";
import { triggerListener } from "#modules/orchestration/triggers/event-listener.ts";
import { type ServiceContext, systemContext } from "#platform/context.ts";
import type { PlatformEvent } from "#platform/events/envelope.ts";
import { Outbox } from "#platform/events/outbox.ts";
import { fromMillis } from "#platform/time.ts";
import { readOwnApiOf } from "#src/app.ts";
import { api, type ApiInit, bodyOf, freshName } from "#test/support/platform/api.ts";
import { eventually } from "#test/support/platform/eventually.ts";

export const TRIGGERS = "/api/orchestration/v2/triggers";
const WORKFLOWS = "/api/orchestration/v2/workflows";

export const triggerContext = { ...systemContext(env, "test"), readOwnApi: readOwnApiOf(env) };

/** A workflow, which ends at once unless `stages` are given; returns its id. */
export async function newWorkflow(stages: readonly object[] = [{ noop: {} }]): Promise<string> {
  const response = await api(WORKFLOWS, { body: { name: freshName("workflow"), stages } });
  expect(response.status).toBe(201);
  const { data } = (await bodyOf(response)) as { data: { id: string } }; // the schema of the answer has this shape
  return data.id;
}

export interface TriggerBody {
  readonly event: string;
  readonly workflowID: string;
  readonly filter?: string;
  readonly version?: string;
  readonly vars?: Readonly<Record<string, string>>;
}

/** Creates a trigger of an event type that nothing else publishes; returns its id. */
export async function newTrigger(
  body: Partial<TriggerBody> = {},
  init: Pick<ApiInit, "token"> = {},
): Promise<{ id: string; event: string }> {
  const event = body.event ?? freshName("EVENT");
  const workflowID = body.workflowID ?? (await newWorkflow());
  const response = await api(TRIGGERS, { ...init, body: { ...body, event, workflowID } });
  expect(response.status).toBe(201);
  const { data } = (await bodyOf(response)) as { data: { id: string } }; // the schema of the answer has this shape
  return { id: data.id, event };
}

/** An event as a module would publish it. */
export const eventOf = (type: string, payload: unknown): PlatformEvent => ({
  id: `test:${freshName("event")}`,
  app: "payments",
  version: "v2",
  type,
  date: triggerContext.clock(),
  idempotencyKey: "",
  payload,
});

export const publish = async (...events: readonly PlatformEvent[]): Promise<void> => {
  await Outbox.from(triggerContext).publish({
    change: [],
    events: events.map((event) => ({ event })),
  });
};

export interface OccurrenceBody {
  readonly id: string;
  readonly workflowInstanceID?: string;
  readonly workflowInstance?: { readonly terminated: boolean };
  readonly event: { readonly payload: unknown; readonly type: string };
  readonly error?: string;
}

export async function occurrencesOf(triggerId: string): Promise<OccurrenceBody[]> {
  const response = await api(`/api/orchestration/triggers/${triggerId}/occurrences`);
  const { data } = (await bodyOf(response)) as { data: OccurrenceBody[] }; // the schema of the answer has this shape
  return data;
}

/** Waits until a trigger has fired `count` times; returns its occurrences. */
export const untilFired = (triggerId: string, count = 1): Promise<OccurrenceBody[]> =>
  eventually(async () => {
    const found = await occurrencesOf(triggerId);
    expect(found.length).toBeGreaterThanOrEqual(count);
    return found;
  });

/** The variables of an instance at its start. */
export async function variablesOf(instanceId: string | undefined): Promise<unknown> {
  const row = await env.DB.prepare("SELECT variables FROM orchestration_instances WHERE id = ?")
    .bind(instanceId ?? "")
    .first<{ variables: string }>();
  return row === null ? undefined : JSON.parse(row.variables);
}

/** Gives events to the listener as the queue does, without confirming them. */
export async function deliver(events: readonly PlatformEvent[]): Promise<void> {
  const sink = await triggerListener.open([], triggerContext);
  await sink?.(events, { source: "outbox", ids: events.map(({ id }) => id) });
}

/** Matches a text that contains `part`. */
export const containing = (part: string): unknown => expect.stringContaining(part);

/** A context whose clock is `milliseconds` ahead. */
export const later = (milliseconds: number): ServiceContext => ({
  ...triggerContext,
  clock: () => fromMillis(Date.now() + milliseconds),
});

export interface StoredOccurrence {
  readonly id: string;
  readonly state: string;
  readonly attempts: number;
}

export async function storedOf(triggerId: string): Promise<StoredOccurrence[]> {
  const { results } = await env.DB.prepare(
    `SELECT o.id, state, attempts FROM orchestration_occurrences o
     JOIN orchestration_triggers t ON t.key = trigger_key WHERE t.id = ?`,
  )
    .bind(triggerId)
    .all<StoredOccurrence>();
  return results;
}

/** Lets all messages of the queue get lost. */
export const loseMessages = () =>
  vi.spyOn(env.TRIGGERS, "sendBatch").mockRejectedValue(new Error("lost"));
