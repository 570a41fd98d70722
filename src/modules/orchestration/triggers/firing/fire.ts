import { sql } from "drizzle-orm";
import { BudgetUsed, OwnerBudget } from "./allowances.ts";
import { type ClaimedOccurrence, claimOccurrences } from "./claim.ts";
import { postponeOccurrence, type FiredOccurrence, completeOccurrences } from "./complete.ts";
import { deferOccurrences, type Deferral } from "./defer.ts";
import { loopVerdict } from "./loops.ts";
import { missingOwnerError, lostRightsError, currentOwners } from "./owners.ts";
import { fromJson } from "#expr";
import type { Variables } from "#modules/orchestration/core/variables.ts";
import type { FlowInstance } from "#modules/orchestration/instances/instance.ts";
import {
  type PreparedStart,
  prepareStart,
  startInstances,
} from "#modules/orchestration/instances/start.ts";
import { Expressions, type LinkRead } from "#modules/orchestration/triggers/expressions.ts";
import { LinkError, readLink } from "#modules/orchestration/triggers/link-reader.ts";
import { ownerOf } from "#modules/orchestration/triggers/matching/select.ts";
import { eventOf } from "#modules/orchestration/triggers/occurrence.ts";
import {
  EVENT_LENGTH_MAX,
  firingId,
  firingKey,
} from "#modules/orchestration/triggers/occurrences.ts";
import { orchestrationOccurrences } from "#modules/orchestration/triggers/tables.ts";
import type { Trigger } from "#modules/orchestration/triggers/trigger.ts";
import { workflowsById } from "#modules/orchestration/workflows/get.ts";
import type { Workflow } from "#modules/orchestration/workflows/workflow.ts";
import { HELD_MS, isHeld } from "#platform/arming/arming-watch.ts";
import { present } from "#platform/assert.ts";
import type { Principal, ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { AppError } from "#platform/errors.ts";
import { log, logError } from "#platform/log.ts";
import { runCausedBy } from "#platform/tracing/cause.ts";

/** Longest time for all links of an occurrence, in milliseconds. An occurrence that needs more is tried again. */
const LINKS_MS_MAX = 30_000;

/**
 * Fires occurrences: evaluates their variables, starts instances in the name of the triggers' owners, with the rights that the owners have
 * now, and stores the results. An occurrence is the idempotency key of its instance, so that it starts one instance however often it is
 * fired. At most `STARTS_PER_CHANGE_MAX` occurrences are fired at once. Returns the instances that are new and have not ended; the caller
 * executes them.
 */
export async function fireOccurrences(
  context: ServiceContext,
  ids: readonly string[],
): Promise<FlowInstance[]> {
  return fireClaimed(context, await claimOccurrences(context, ids));
}

/** Fires occurrences together, or each by itself if that fails, so that an occurrence that cannot be fired holds back no other. */
async function fireClaimed(
  context: ServiceContext,
  claimed: readonly ClaimedOccurrence[],
): Promise<FlowInstance[]> {
  const [first] = claimed;
  if (first === undefined) return [];
  try {
    return await fire(context, claimed);
  } catch (error) {
    if (claimed.length === 1) {
      await postponeOccurrence(context, { ...first, error });
      return [];
    }
    logError("occurrences could not be fired together; each is fired by itself", error, {
      count: claimed.length,
    });
    const started: FlowInstance[] = [];
    for (const one of claimed) started.push(...(await fireClaimed(context, [one])));
    return started;
  }
}

/** Fires occurrences together. Throws where another attempt may end differently. */
async function fire(
  context: ServiceContext,
  claimed: readonly ClaimedOccurrence[],
): Promise<FlowInstance[]> {
  const workflows = await workflowsById(
    context,
    claimed.map(({ trigger }) => trigger.workflowId),
  );
  const owners = await currentOwners(
    context,
    claimed.map(({ trigger }) => trigger),
  );
  // All have ended before a failure is thrown, because a filter that lets its event through changes its row.
  const prepared = await allEnded(
    claimed.map((one) =>
      prepareOrDefer(context, one, { workflows, owner: owners.get(one.trigger.id) }),
    ),
  );
  const starts = prepared.flatMap((one) => (one?.kind === "start" ? [one] : []));
  const started = await startInstances(
    context,
    starts.map(({ start }) => start),
  );
  const fired: FiredOccurrence[] = [
    ...prepared.flatMap((one) => (one?.kind === "failed" ? [{ ...one.claimed, result: one }] : [])),
    ...starts.map(({ claimed: one }, at) => {
      const { instance } = present(started[at], "each start gives an instance");
      return { ...one, result: { kind: "started", instanceId: instance.id } as const };
    }),
  ];
  await completeOccurrences(context, fired);
  await deferOccurrences(
    context,
    prepared.flatMap((one) => (one?.kind === "deferred" ? [one] : [])),
  );
  return started.flatMap(({ instance, isNew }) =>
    isNew && instance.terminatedAt === undefined ? [instance] : [],
  );
}

/** The results of promises, when all have ended. Throws the first failure. */
async function allEnded<T>(promises: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(promises);
  return Promise.all(promises);
}

type PreparedFiring =
  | { readonly kind: "start"; readonly claimed: ClaimedOccurrence; readonly start: PreparedStart }
  | {
      readonly kind: "failed";
      readonly claimed: ClaimedOccurrence;
      readonly error: string;
      readonly stops?: boolean;
    }
  | ({ readonly kind: "deferred" } & Deferral);

interface Surroundings {
  readonly workflows: ReadonlyMap<string, Workflow>;
  /** The owner of the trigger with its present rights; undefined where the owner is gone. */
  readonly owner: Principal | undefined;
}

/** Prepares a firing, or defers it where the budget of the trigger's owner is used up, and where its links must not be read now. */
async function prepareOrDefer(
  context: ServiceContext,
  claimed: ClaimedOccurrence,
  surroundings: Surroundings,
): Promise<PreparedFiring | undefined> {
  try {
    return await runCausedBy(claimed.row.cause, () => prepare(context, claimed, surroundings));
  } catch (error) {
    if (isHeld(error)) return { kind: "deferred", claimed, reason: "disarmed", waitMs: HELD_MS };
    if (!(error instanceof BudgetUsed)) throw error;
    return { kind: "deferred", claimed, reason: "budget", waitMs: error.waitMs };
  }
}

/**
 * Prepares a firing; undefined where the trigger does not fire after all. Throws where another attempt may end differently, and
 * `BudgetUsed`.
 */
async function prepare(
  context: ServiceContext,
  claimed: ClaimedOccurrence,
  { workflows, owner }: Surroundings,
): Promise<PreparedFiring | undefined> {
  const { trigger, row } = claimed;
  const event = eventOf(row);
  if (owner === undefined) return { kind: "failed", claimed, error: missingOwnerError(trigger) };
  const error = lostRightsError(owner, event);
  if (error !== undefined) return { kind: "failed", claimed, error };
  const acting = {
    ...context,
    principal: owner,
    requestId: `trigger:${row.id}`,
    causationDepth: row.causationDepth + 1,
  };
  if (event.isTruncated === true) {
    const error = `the event is longer than ${EVENT_LENGTH_MAX} characters`;
    return { kind: "failed", claimed, error };
  }
  const payload = fromJson(event.payload);
  const expressions = new Expressions(payload, context.clock(), {
    read: linkReader(acting),
    meter: new OwnerBudget(context.env, ownerOf(trigger)),
  });
  if (row.state === "filter" && !(await pass(context, claimed, expressions))) return undefined;
  const loop = loopVerdict(context, claimed);
  if (loop !== undefined) return { kind: "failed", claimed, ...loop };
  const variables = await variablesOf(trigger, expressions);
  if (variables.kind === "failed") return { ...variables, claimed };
  try {
    const start = prepareStart(acting, {
      workflow: present(workflows.get(trigger.workflowId), "a trigger has a workflow"),
      variables: variables.values,
      idempotencyKey: `occurrence:${claimed.row.id}`,
      keyOwner: trigger.principal,
    });
    return { kind: "start", claimed, start };
  } catch (error) {
    if (!(error instanceof AppError) || error.kind !== "VALIDATION") throw error;
    return { kind: "failed", claimed, error: error.message };
  }
}

/** Reads the links of one occurrence in the name of the trigger's owner, for at most `LINKS_MS_MAX` together. */
function linkReader(acting: ServiceContext): LinkRead {
  const untilMs = Date.now() + LINKS_MS_MAX;
  return (uri) => {
    const leftMs = untilMs - Date.now();
    if (leftMs <= 0) {
      throw new LinkError(`reading resource: the links take longer than ${LINKS_MS_MAX} ms`);
    }
    return readLink(acting, uri, { principal: acting.principal, timeoutMs: leftMs });
  };
}

/**
 * Whether the filter lets the event of an occurrence through, and the trigger has not fired for it: then the occurrence becomes one that is fired.
 * Deletes the occurrence otherwise, and does nothing if another attempt has it meanwhile.
 */
async function pass(
  { env }: ServiceContext,
  claimed: ClaimedOccurrence,
  expressions: Expressions,
): Promise<boolean> {
  const { trigger, row } = claimed;
  const result = await expressions.filter(trigger.filter ?? "true");
  if (result.kind === "error") {
    log("warn", "the filter of a trigger failed", {
      trigger: trigger.id,
      error: result.error.slice(0, 500),
    });
  }
  const db = databaseOf(env);
  // The lease may have expired while links were read: another attempt then has the occurrence, or has completed it.
  const isOurs = sql`id = ${row.id} AND attempts = ${row.attempts} AND state = 'filter'`;
  if (result.kind === "match") {
    const { type, payload } = eventOf(row);
    const dedupKey = firingKey({ id: row.dedupKey.replace(/^event:/, ""), type, payload });
    const id = firingId(trigger, dedupKey) ?? row.id;
    const kept = await db.all(sql`
      UPDATE OR IGNORE ${orchestrationOccurrences} SET state = 'fire', dedup_key = ${dedupKey}, id = ${id}
      WHERE ${isOurs} RETURNING id`);
    if (kept.length > 0) {
      claimed.row = { ...row, state: "fire", dedupKey, id };
      return true;
    }
  }
  await db.delete(orchestrationOccurrences).where(isOurs);
  return false;
}

/** The values of a trigger's variables, or the error of the first one that fails. */
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
