import type { ActivityName } from "#modules/orchestration/core/activities.ts";
import { parseJson, stringifyJson } from "#platform/json.ts";
import type { Timestamp } from "#platform/time.ts";

/**
 * The states of an instance:
 *
 *               ┌──────────────── not ended ─────────────────┐
 *     start ──► │ running ◄──► waiting   for a time or event │ ──► succeeded   all stages are done
 *         ┌───► │    ▲                                       │
 *         │     │    └───────► stuck     an activity has     │ ──► failed      a stage has failed, or the instance was aborted
 *         │     │                        failed and is tried │       │
 *         │     │                        again               │       │
 *         │     └────────────────────────────────────────────┘       │
 *         └──── retry of an instance that was not aborted ───────────┘
 *
 * An instance whose first stages do nothing or fail may end in the change that starts it.
 */
export const INSTANCE_STATES = ["running", "waiting", "stuck", "succeeded", "failed"] as const;
export type InstanceState = (typeof INSTANCE_STATES)[number];
export type UnfinishedState = Exclude<InstanceState, "succeeded">;

/** Why an instance does not go on: the time or event that it waits for, or the activity that is tried again. */
export type InstanceHold =
  | { readonly kind: "time"; readonly since: Timestamp; readonly until: Timestamp }
  | { readonly kind: "event"; readonly since: Timestamp; readonly event: string }
  | {
      readonly kind: "retry";
      /** Time of the first attempt. */
      readonly since: Timestamp;
      readonly activity: ActivityName;
      readonly attempts: number;
      readonly lastFailure: string;
      readonly nextAttemptAt: Timestamp;
    };

/** The columns of an instance that has not ended. Without a hold, the instance is running. */
export const holdColumns = (hold?: InstanceHold) => ({
  state: stateOf(hold),
  // JSON has halves of surrogate pairs as escapes; the column could not hold them otherwise.
  hold: hold === undefined ? null : stringifyJson(hold).toWellFormed(),
});

function stateOf(hold: InstanceHold | undefined): UnfinishedState {
  if (hold === undefined) return "running";
  return hold.kind === "retry" ? "stuck" : "waiting";
}

/** Reads what `holdColumns` has written. */
export const fromHoldColumn = (text: string): InstanceHold => parseJson(text) as InstanceHold;

/** The columns of an instance that has ended. */
export const endColumns = (error: string | undefined) => ({
  state: error === undefined ? null : ("failed" as const),
  hold: null,
});
