import { and, eq, isNotNull, isNull, lte, ne, or, sql } from "drizzle-orm";
import { type FiringResult, triggerEvent } from "./event-types.ts";
import { Expressions } from "./expressions.ts";
import { LinkError, readLink } from "./link-reader.ts";
import { eventOf } from "./occurrence.ts";
import { EVENT_LENGTH_MAX, firingKey } from "./occurrences.ts";
import { triggerRows } from "./store.ts";
import { orchestrationOccurrences, orchestrationTriggers } from "./tables.ts";
import { toTrigger, type Trigger } from "./trigger.ts";
import { fromJson } from "#expr";
import type { Variables } from "#modules/orchestration/core/variables.ts";
import { startInstance } from "#modules/orchestration/instances/start.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { AppError } from "#platform/errors.ts";
import { Outbox } from "#platform/events/outbox.ts";
import { log } from "#platform/log.ts";
import { armClock } from "#platform/objects/deployment-clock.ts";
import { fromMillis, type Timestamp, toMillis } from "#platform/time.ts";
import { doubling, waitAfterFailures } from "#platform/work/backoff.ts";

/** How long an occurrence belongs to the one who fires it, in milliseconds. */
const LEASE_MS = 60_000;
/** When it is tried again after a failure, and how often links are. */
const BACKOFF = doubling(1000, 100_000);
const LINK_ATTEMPTS_MAX = 12;

type OccurrenceRow = typeof orchestrationOccurrences.$inferSelect;

/**
 * Fires an occurrence: evaluates the variables, starts the instance in the name of the trigger's creator, and stores how it has ended.
 * Done twice, or by two at once, it starts one instance: the occurrence is the instance's idempotency key.
 */
export async function fireOccurrence(context: ServiceContext, id: string): Promise<void> {
  const claimed = await claim(context, id);
  if (claimed === undefined) return;
  const { row, trigger } = claimed;
  try {
    const result = await attempt(context, trigger, row);
    if (result !== undefined) await settle(context, { trigger, row, result });
  } catch (error) {
    await postpone(context, { trigger, row, error });
  }
}

/** Takes an occurrence for a while. Undefined where it is done, or somebody else has it. */
async function claim(
  { env, clock }: ServiceContext,
  id: string,
): Promise<{ readonly row: OccurrenceRow; readonly trigger: Trigger } | undefined> {
  const db = databaseOf(env);
  const now = clock();
  const leaseUntil = fromMillis(toMillis(now) + LEASE_MS);
  const { attempts, dueAt, leaseUntil: lease, triggerKey } = orchestrationOccurrences;
  const [[row], [trigger]] = await db.batch([
    db
      .update(orchestrationOccurrences)
      .set({ dueAt: leaseUntil, leaseUntil, attempts: sql`${attempts} + 1` })
      .where(
        and(
          eq(orchestrationOccurrences.id, id),
          isNotNull(dueAt),
          or(isNull(lease), lte(lease, now)),
        ),
      )
      .returning(),
    triggerRows(db).where(
      sql`${orchestrationTriggers.key} = (SELECT ${triggerKey} FROM ${orchestrationOccurrences} WHERE ${orchestrationOccurrences.id} = ${id})`,
    ),
  ]);
  if (row === undefined || trigger === undefined) return undefined;
  return { row, trigger: toTrigger(trigger) };
}

/** Undefined where the trigger does not fire after all. Throws where another attempt may end differently. */
async function attempt(
  context: ServiceContext,
  trigger: Trigger,
  row: OccurrenceRow,
): Promise<FiringResult | undefined> {
  const acting = { ...context, principal: trigger.principal, requestId: `trigger:${row.id}` };
  const event = eventOf(row);
  if (event.isTruncated === true) {
    return { kind: "failed", error: `the event is longer than ${EVENT_LENGTH_MAX} characters` };
  }
  const expressions = new Expressions(fromJson(event.payload), context.clock(), (uri) =>
    readLink(acting, uri, trigger.principal),
  );
  if (row.state === "filter" && !(await passes(context, { trigger, row, expressions }))) {
    return undefined;
  }
  const variables = await variablesOf(trigger, expressions);
  if (variables.kind === "failed") return variables;
  try {
    const instance = await startInstance(acting, {
      workflowId: trigger.workflowId,
      variables: variables.values,
      idempotencyKey: `occurrence:${row.id}`,
    });
    return { kind: "started", instanceId: instance.id };
  } catch (error) {
    if (!(error instanceof AppError) || error.kind !== "VALIDATION") throw error;
    return { kind: "failed", error: error.message };
  }
}

interface Filtering {
  readonly trigger: Trigger;
  readonly row: OccurrenceRow;
  readonly expressions: Expressions;
}

/** Whether the filter, which reads links, lets the event through, and the trigger has not fired for it. */
async function passes(
  { env }: ServiceContext,
  { trigger, row, expressions }: Filtering,
): Promise<boolean> {
  const result = await expressions.filter(trigger.filter ?? "true");
  if (result.kind === "error") {
    log("warn", "the filter of a trigger failed", {
      trigger: trigger.id,
      error: result.error.slice(0, 500),
    });
  }
  const db = databaseOf(env);
  if (result.kind === "match") {
    const { type, payload } = eventOf(row);
    const dedupKey = firingKey({ id: row.dedupKey.replace(/^event:/, ""), type, payload });
    const kept = await db.all(sql`
      UPDATE OR IGNORE ${orchestrationOccurrences} SET state = 'fire', dedup_key = ${dedupKey}
      WHERE id = ${row.id} RETURNING id`);
    if (kept.length > 0) return true;
  }
  await db.delete(orchestrationOccurrences).where(eq(orchestrationOccurrences.id, row.id));
  return false;
}

/** All variables fail together if one fails. */
async function variablesOf(
  { vars }: Trigger,
  expressions: Expressions,
): Promise<{ kind: "values"; values: Variables } | { kind: "failed"; error: string }> {
  const values: [string, string][] = [];
  for (const [name, source] of Object.entries(vars)) {
    const result = await expressions.variable(source);
    if (result.kind === "error") {
      return { kind: "failed", error: `variable '${name}': ${result.error}` };
    }
    values.push([name, result.value]);
  }
  return { kind: "values", values: Object.fromEntries(values) };
}

interface Settlement {
  readonly trigger: Trigger;
  readonly row: OccurrenceRow;
  readonly result: FiringResult;
}

/** Longest error that is stored, in characters. */
const ERROR_LENGTH_MAX = 2000;

/** Stores how an occurrence has ended, with its event, unless somebody has done so. */
async function settle(
  context: ServiceContext,
  { trigger, row, result }: Settlement,
): Promise<void> {
  const ended =
    result.kind === "failed"
      ? { ...result, error: result.error.slice(0, ERROR_LENGTH_MAX) }
      : result;
  const change = databaseOf(context.env)
    .update(orchestrationOccurrences)
    .set({
      state: "done",
      dueAt: null,
      leaseUntil: null,
      ...(ended.kind === "started" ? { instanceId: ended.instanceId } : { error: ended.error }),
    })
    .where(
      and(eq(orchestrationOccurrences.id, row.id), ne(orchestrationOccurrences.state, "done")),
    );
  const origin = { id: row.id, triggerId: trigger.id, date: context.clock() };
  await Outbox.from(context).publish({
    change: [change],
    events: [triggerEvent(origin, ended)],
    // The statement of the events comes right after the change.
    condition: sql`changes() > 0`,
  });
}

interface Failure {
  readonly trigger: Trigger;
  readonly row: OccurrenceRow;
  readonly error: unknown;
}

/** Has an occurrence tried again. Links that fail again and again let it fail for good. */
async function postpone(context: ServiceContext, { trigger, row, error }: Failure): Promise<void> {
  if (error instanceof LinkError && row.attempts >= LINK_ATTEMPTS_MAX) {
    await settle(context, { trigger, row, result: { kind: "failed", error: error.message } });
    return;
  }
  const message = error instanceof Error ? error.message : String(error);
  log("warn", "an occurrence could not be fired; it is tried again", {
    occurrence: row.id,
    trigger: trigger.id,
    attempts: row.attempts,
    error: message.slice(0, 500),
  });
  await retryAt(context, row, waitAfterFailures(BACKOFF, row.attempts));
}

async function retryAt(
  { env, clock }: ServiceContext,
  { id, attempts }: OccurrenceRow,
  waitMs: number,
): Promise<void> {
  const next: Timestamp = fromMillis(toMillis(clock()) + waitMs);
  await databaseOf(env)
    .update(orchestrationOccurrences)
    .set({ dueAt: next, leaseUntil: null })
    .where(
      and(eq(orchestrationOccurrences.id, id), eq(orchestrationOccurrences.attempts, attempts)),
    );
  await armClock(env, toMillis(next));
}
