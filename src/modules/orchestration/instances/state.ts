import type { ActivityName } from "#modules/orchestration/core/activities.ts";
import { parseJson, stringifyJson } from "#platform/json.ts";
import type { Timestamp } from "#platform/time.ts";

/**
 * How an instance is:
 *
 *     running ──► waiting   for a time or an event
 *        │  ▲──────┘
 *        ├──► stuck         an activity has failed and is tried again
 *        │  ▲──┘
 *        └──► succeeded, failed
 */
export const INSTANCE_STATES = ["running", "waiting", "stuck", "succeeded", "failed"] as const;
export type InstanceState = (typeof INSTANCE_STATES)[number];
export type UnfinishedState = Exclude<InstanceState, "succeeded">;

/** Why an instance does not go on: what it waits for, or what it tries again. */
export type InstanceHold =
  | { readonly kind: "time"; readonly since: Timestamp; readonly until: Timestamp }
  | { readonly kind: "event"; readonly since: Timestamp; readonly event: string }
  | {
      readonly kind: "retry";
      /** When the activity was tried first. */
      readonly since: Timestamp;
      readonly activity: ActivityName;
      readonly attempts: number;
      readonly lastFailure: string;
      readonly nextAttemptAt: Timestamp;
    };

/** The columns that say why an instance does not go on; of one that does, without a hold. */
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
