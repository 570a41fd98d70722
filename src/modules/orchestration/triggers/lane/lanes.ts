import type { Draw, DrawCall, LaneFigures } from "./lane-object.ts";
import type { LaneEvent } from "#modules/orchestration/triggers/lane-event.ts";
import { ownerOf } from "#modules/orchestration/triggers/matching/select.ts";
import type { Trigger } from "#modules/orchestration/triggers/trigger.ts";
import { reachObject } from "#platform/objects/call.ts";

/** How long the consumer of events waits for a lane, in milliseconds: it only stores what it is given. */
const ACCEPT_MS_MAX = 5000;

const laneOf = (env: Env, owner: string) => env.TRIGGER_LANES.getByName(owner);

/** Gives events to the lane of an owner. Returns whether it has taken them: not where it is full. */
export const giveToLane = (
  env: Env,
  owner: string,
  events: readonly LaneEvent[],
): Promise<boolean> =>
  reachObject(laneOf(env, owner).accept(events), {
    object: "lane of triggers",
    timeoutMs: ACCEPT_MS_MAX,
  });

/** How the work of a trigger stands. */
export const triggerFigures = (env: Env, trigger: Trigger): Promise<LaneFigures> =>
  reachObject(laneOf(env, ownerOf(trigger)).figures(trigger.key), {
    object: "lane of triggers",
    isRead: true,
    timeoutMs: ACCEPT_MS_MAX,
  });

/** Draws from the budget of an owner. */
export const drawFromLane = (env: Env, owner: string, call: DrawCall): Promise<Draw> =>
  reachObject(laneOf(env, owner).draw(call), {
    object: "lane of triggers",
    timeoutMs: ACCEPT_MS_MAX,
  });
