/** Limits of work, in steps: how many a second, and how many at once after a pause. */
export interface Rate {
  readonly perSecond: number;
  readonly burst: number;
}

/** The steps that are left in a budget at a time, in milliseconds since the epoch; below zero after work that took more than were left. */
export interface BudgetState {
  readonly steps: number;
  readonly atMs: number;
}

/**
 * A token bucket (as in Tanenbaum, "Computer Networks", on traffic shaping) whose tokens are steps. Work may begin while a step is left,
 * and then takes as many as it needs, because the number is not known before. A clock that steps back refills nothing.
 */
export function refilled(state: BudgetState | undefined, rate: Rate, nowMs: number): BudgetState {
  if (state === undefined) return { steps: rate.burst, atMs: nowMs };
  const passedMs = Math.max(0, nowMs - state.atMs);
  const added = Math.floor((passedMs * rate.perSecond) / 1000);
  return { steps: Math.min(rate.burst, state.steps + added), atMs: nowMs };
}

/** Time until work may begin, in milliseconds. */
export const waitMsOf = ({ steps }: BudgetState, { perSecond }: Rate): number =>
  steps > 0 ? 0 : Math.ceil(((1 - steps) * 1000) / perSecond);
