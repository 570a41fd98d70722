import type { Timestamp } from "#platform/time.ts";

/** Why an evaluation ran. */
export type RunCause =
  | { readonly kind: "demand" }
  | {
      readonly kind: "cron";
      /** The time of the schedule that the run answers, the last one of those that were due. */
      readonly dueAt: Timestamp;
      /** The number of times of the schedule that were due, at most `MISSED_MAX`: more than 1 where a run answers several. */
      readonly due: number;
      readonly isLate: boolean;
    }
  | { readonly kind: "events" };
