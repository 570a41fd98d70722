import { sql } from "drizzle-orm";
import { wakeRunner } from "./runner.ts";
import { stageAt } from "#modules/orchestration/core/config.ts";
import { resolveStage } from "#modules/orchestration/core/resolve.ts";
import { changeInstance } from "#modules/orchestration/instances/change.ts";
import type { FlowInstance } from "#modules/orchestration/instances/instance.ts";
import {
  orchestrationInstances,
  orchestrationMoments,
} from "#modules/orchestration/instances/tables.ts";
import {
  InstanceTransition,
  type MomentKind,
} from "#modules/orchestration/instances/transition.ts";
import { AuditedChange } from "#platform/audit/audited-change.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { AppError } from "#platform/errors.ts";
import { stringifyJson } from "#platform/json.ts";

/** Longest name of an event that the timeline shows, in characters. */
const NAME_LENGTH_MAX = 1000;

/**
 * Gives an event to the current stage of an instance. If the stage waits for an event of this name, it ends in the same change that stores
 * the event, so that another event at the same time is for the next stage. Any other stage ignores the event. Throws `NOT_FOUND`,
 * `VALIDATION` for an instance that has ended, and `OVERLOADED` as `changeInstance` does.
 */
export function sendEvent(context: ServiceContext, id: string, name: string): Promise<void> {
  return changeInstance(context, id, (instance) => {
    if (instance.terminatedAt === undefined) return storeEvent(context, instance, name);
    throw new AppError("VALIDATION", "the instance has ended and takes no more events");
  });
}

/** Stores an event. Returns false if the instance has changed meanwhile. */
async function storeEvent(
  context: ServiceContext,
  instance: FlowInstance,
  name: string,
): Promise<boolean> {
  const data = { name: name.slice(0, NAME_LENGTH_MAX) };
  const change = new AuditedChange(context, {
    action: "orchestration.instance.event",
    object: `instances/${instance.id}`,
  });
  if (!isWaitingFor(instance, name)) return ignoreEvent(context, instance, { data, change });
  const { stage } = instance;
  const transition = new InstanceTransition(context, instance);
  transition.moment("event-received", data, stage);
  transition.endStage(stage);
  if (!(await transition.store(change))) return false;
  await wakeRunner(context, instance, Date.now());
  return true;
}

/** Adds an event that no stage waits for to the timeline, and leaves the instance as it is, so that many such events do not hold it up. */
async function ignoreEvent(
  { env, clock }: ServiceContext,
  { id, changeId, stage }: FlowInstance,
  { data, change }: { readonly data: object; readonly change: AuditedChange },
): Promise<boolean> {
  const kind: MomentKind = "event-ignored";
  const noted = await change.store(
    databaseOf(env)
      .insert(orchestrationMoments)
      .select(sql`
        SELECT NULL, key, ${clock()}, ${kind}, ${stage}, ${stringifyJson(data)}
        FROM ${orchestrationInstances} WHERE id = ${id} AND change_id = ${changeId}`)
      .returning({ key: orchestrationMoments.key }),
  );
  return noted.length > 0;
}

function isWaitingFor({ workflow, stage: number, variables }: FlowInstance, name: string): boolean {
  const config = stageAt(workflow.config, number);
  if (config === undefined) return false;
  const stage = resolveStage(config, variables);
  return stage.type === "wait_event" && stage.event === name;
}
