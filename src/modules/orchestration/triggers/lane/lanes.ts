import { sql } from "drizzle-orm";
import type { Draw, DrawCall, LaneFigures } from "./lane-object.ts";
import type { LaneEvent } from "#modules/orchestration/triggers/lane-event.ts";
import { ownerOf } from "#modules/orchestration/triggers/matching/select.ts";
import { orchestrationTriggers } from "#modules/orchestration/triggers/tables.ts";
import type { Trigger } from "#modules/orchestration/triggers/trigger.ts";
import { databaseOf } from "#platform/db/database.ts";
import { objectAt } from "#platform/objects/address.ts";
import { reachObject } from "#platform/objects/call.ts";

/** Longest wait for a lane, in milliseconds. A lane only stores events before it answers. */
const ACCEPT_MS_MAX = 5000;

export const laneOf = (env: Env, owner: string) => objectAt(env, env.TRIGGER_LANES, owner);

/** The owners of all triggers, whose names their lanes have. */
export async function listOwners(env: Pick<Env, "DB">): Promise<string[]> {
  const { principal } = orchestrationTriggers;
  const owners = await databaseOf(env)
    .selectDistinct({
      issuer: sql<string>`${principal} ->> 'issuer'`,
      subject: sql<string>`${principal} ->> 'subject'`,
      clientId: sql<string>`${principal} ->> 'clientId'`,
    })
    .from(orchestrationTriggers);
  return owners.map((owner) => ownerOf({ principal: owner }));
}

/** Gives events to the lane of an owner. Returns false where the lane is full. */
export const enqueueInLane = (
  env: Env,
  owner: string,
  events: readonly LaneEvent[],
): Promise<boolean> =>
  reachObject(laneOf(env, owner).accept(events), {
    object: "lane of triggers",
    timeoutMs: ACCEPT_MS_MAX,
  });

/** Figures of a trigger, which its owner's lane keeps. */
export const triggerFigures = (env: Env, trigger: Trigger): Promise<LaneFigures> =>
  reachObject(laneOf(env, ownerOf(trigger)).figures(trigger.key), {
    object: "lane of triggers",
    isRepeatable: true,
    timeoutMs: ACCEPT_MS_MAX,
  });

/** Draws steps from an owner's budget, which its lane keeps. */
export const drawFromBudget = (env: Env, owner: string, call: DrawCall): Promise<Draw> =>
  reachObject(laneOf(env, owner).draw(call), {
    object: "lane of triggers",
    timeoutMs: ACCEPT_MS_MAX,
  });
