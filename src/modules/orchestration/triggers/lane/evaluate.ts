import type { Evaluation, WaitingEvent } from "./lane-store.ts";
import { type ExprValue, fromJson } from "#expr";
import type { TriggerFilter } from "#modules/orchestration/triggers/matching/filter.ts";
import type { Match } from "#modules/orchestration/triggers/occurrences.ts";
import type { PlatformEvent } from "#platform/events/envelope.ts";
import { parseJson } from "#platform/json.ts";
import type { Timestamp } from "#platform/time.ts";

/**
 * A turn ends after so many steps or so many evaluations, which are some milliseconds of work. An evaluation is not interrupted; the
 * longest one takes ten times as many steps as a turn.
 */
const TURN_STEPS = 20_000;
const TURN_EVALUATIONS = 500;

export interface Turn {
  readonly evaluations: readonly Evaluation[];
  readonly matches: readonly Match[];
  readonly failed: readonly FailedFilter[];
  readonly steps: number;
}

export interface FailedFilter {
  readonly filter: TriggerFilter;
  readonly event: PlatformEvent;
  readonly error: string;
}

/** Evaluates filters in the order of events, until the turn is over or the budget is used up. */
export function evaluateTurn(
  events: readonly WaitingEvent[],
  filters: ReadonlyMap<number, TriggerFilter>,
  { now, stepsMax }: { readonly now: Timestamp; readonly stepsMax: number },
): Turn {
  const most = Math.min(TURN_STEPS, stepsMax);
  const evaluations: Evaluation[] = [];
  const matches: Match[] = [];
  const failed: FailedFilter[] = [];
  let steps = 0;
  for (const { seq, text, triggers } of events) {
    const event = parseJson(text) as PlatformEvent; // the listener has written it
    const payload: ExprValue = fromJson(event.payload);
    for (const key of triggers) {
      if (steps >= most || evaluations.length >= TURN_EVALUATIONS) {
        return { evaluations, matches, failed, steps };
      }
      const filter = filters.get(key);
      const origin = { seq, eventId: event.id, trigger: key };
      if (filter === undefined) {
        evaluations.push({ ...origin, steps: 0, kind: "gone" });
        continue;
      }
      const { verdict, steps: spent } = filter.judge(payload, now);
      steps += spent;
      evaluations.push({ ...origin, steps: spent, ...verdict });
      const { kind } = verdict;
      if (kind === "fails") failed.push({ filter, event, error: verdict.error });
      else if (kind !== "passes") matches.push({ trigger: filter.trigger, event, verdict: kind });
    }
  }
  return { evaluations, matches, failed, steps };
}
