import { and, asc, eq, sql } from "drizzle-orm";
import type { FlowInstance } from "./instance.ts";
import { orchestrationActivities, orchestrationInstances } from "./tables.ts";
import type { InstanceTransition } from "./transition.ts";
import type {
  ActivityName,
  ActivityOutcome,
  ActivityRequest,
} from "#modules/orchestration/core/activities.ts";
import { linksOf } from "#modules/orchestration/core/links.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { parseJson, stringifyJson } from "#platform/json.ts";
import type { Timestamp } from "#platform/time.ts";

export interface Activity {
  readonly ordinal: number;
  readonly name: ActivityName;
  readonly input: unknown;
  readonly output?: unknown;
  readonly error?: string;
  readonly errorKind?: string;
  readonly attempt: number;
  readonly lastFailure?: string;
  readonly nextExecution: Timestamp;
  readonly startedAt: Timestamp;
  readonly terminatedAt?: Timestamp;
}

/** The activities of a stage, in order. */
export async function activitiesOf(
  { env }: Pick<ServiceContext, "env">,
  { key }: Pick<FlowInstance, "key">,
  stage: number,
): Promise<Activity[]> {
  const rows = await databaseOf(env)
    .select()
    .from(orchestrationActivities)
    .where(
      and(eq(orchestrationActivities.instanceKey, key), eq(orchestrationActivities.stage, stage)),
    )
    .orderBy(asc(orchestrationActivities.ordinal));
  return rows.map((row) => ({
    ordinal: row.ordinal,
    name: row.name as ActivityName, // `beginActivity` writes only names of activities
    input: parseJson(row.input),
    attempt: row.attempt,
    nextExecution: row.nextExecution,
    startedAt: row.startedAt,
    ...(row.output === null ? {} : { output: parseJson(row.output) }),
    ...(row.error === null ? {} : { error: row.error }),
    ...(row.errorKind === null ? {} : { errorKind: row.errorKind }),
    ...(row.lastFailure === null ? {} : { lastFailure: row.lastFailure }),
    ...(row.terminatedAt === null ? {} : { terminatedAt: row.terminatedAt }),
  }));
}

/** The outcome of an activity that has ended. */
export const outcomeOf = ({ output, error, errorKind = "" }: Activity): ActivityOutcome =>
  error === undefined ? { ok: true, output } : { ok: false, kind: errorKind, message: error };

/** A stage, and which of its activities. */
export interface ActivityPlace {
  readonly number: number;
  readonly ordinal: number;
}

/** Adds an attempt of an activity. Returns the number of its attempts, with this one. */
export function beginActivity(
  { env }: Pick<ServiceContext, "env">,
  transition: InstanceTransition,
  begin: ActivityPlace & {
    readonly pending: Activity | undefined;
    readonly request: ActivityRequest;
  },
): { attempts: number } {
  const { number, ordinal, pending, request } = begin;
  const { now } = transition;
  const attempts = (pending?.attempt ?? 0) + 1;
  const input = stringifyJson(request.input);
  transition.add(
    databaseOf(env)
      .insert(orchestrationActivities)
      .select(sql`
        SELECT key, ${number}, ${ordinal}, ${request.name}, ${input}, NULL, NULL, NULL, ${attempts}, NULL, ${now}, ${now}, NULL
        FROM ${orchestrationInstances} WHERE ${transition.isChanged}`)
      .onConflictDoUpdate({
        target: [
          orchestrationActivities.instanceKey,
          orchestrationActivities.stage,
          orchestrationActivities.ordinal,
        ],
        set: { attempt: attempts, nextExecution: now, input },
      }),
  );
  if (pending === undefined) {
    transition.moment("activity-started", { activity: ordinal, name: request.name }, number);
  }
  return { attempts };
}

/** Ends an activity with its outcome, which is final. */
export function endActivity(
  { env }: Pick<ServiceContext, "env">,
  transition: InstanceTransition,
  end: ActivityPlace & { readonly request: ActivityRequest; readonly outcome: ActivityOutcome },
): void {
  const { number, ordinal, request, outcome } = end;
  const set = outcome.ok
    ? { output: outcome.output === undefined ? null : stringifyJson(outcome.output) }
    : { error: outcome.message, errorKind: outcome.kind };
  transition.add(
    databaseOf(env)
      .update(orchestrationActivities)
      .set({ ...set, terminatedAt: transition.now })
      .where(at(transition, { number, ordinal })),
  );
  const data = { activity: ordinal, name: request.name };
  if (outcome.ok) {
    const links = linksOf(request, outcome.output);
    transition.moment("activity-succeeded", { ...data, ...links }, number);
  } else {
    transition.moment("activity-failed", { ...data, error: outcome.message }, number);
  }
}

/** Stores the failure of an attempt, and the time of the next attempt. */
export function postponeActivity(
  { env }: Pick<ServiceContext, "env">,
  transition: InstanceTransition,
  failure: ActivityPlace & {
    readonly attempts: number;
    readonly message: string;
    readonly nextExecution: Timestamp;
    readonly isShown: boolean;
  },
): void {
  const { number, ordinal, attempts, message, nextExecution, isShown } = failure;
  transition.add(
    databaseOf(env)
      .update(orchestrationActivities)
      .set({ lastFailure: message, nextExecution })
      .where(at(transition, { number, ordinal })),
  );
  if (!isShown) return;
  const data = { activity: ordinal, attempt: attempts, error: message };
  transition.moment("activity-attempt-failed", data, number);
}

/** Stores that an attempt was not begun, and the time of the next one. */
export function undoAttempt(
  { env }: Pick<ServiceContext, "env">,
  transition: InstanceTransition,
  undone: ActivityPlace & { readonly attempts: number; readonly nextExecution: Timestamp },
): void {
  const { number, ordinal, attempts, nextExecution } = undone;
  transition.add(
    databaseOf(env)
      .update(orchestrationActivities)
      .set({ attempt: attempts, nextExecution })
      .where(at(transition, { number, ordinal })),
  );
}

const at = (transition: InstanceTransition, { number, ordinal }: ActivityPlace) =>
  and(
    eq(orchestrationActivities.instanceKey, transition.key),
    eq(orchestrationActivities.stage, number),
    eq(orchestrationActivities.ordinal, ordinal),
  );
