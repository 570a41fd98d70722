/** How much work may be done: so much a second, and at most so much at once after a pause. */
export interface Rate {
  readonly perSecond: number;
  readonly burst: number;
}

/** What is left of a budget, and since when. It is below zero after work that took more than was left. */
export interface BudgetState {
  readonly steps: number;
  readonly atMs: number;
}

/**
 * A token bucket (as in Tanenbaum, "Computer Networks", on traffic shaping) whose tokens are steps. Work may begin while there is a step left,
 * and takes what it takes: nobody knows before how much that is. A clock that steps back refills nothing.
 */
export function refilled(state: BudgetState | undefined, rate: Rate, nowMs: number): BudgetState {
  if (state === undefined) return { steps: rate.burst, atMs: nowMs };
  const passedMs = Math.max(0, nowMs - state.atMs);
  const added = Math.floor((passedMs * rate.perSecond) / 1000);
  return { steps: Math.min(rate.burst, state.steps + added), atMs: nowMs };
}

/** How long it takes until work may begin, in milliseconds. */
export const waitMsOf = ({ steps }: BudgetState, { perSecond }: Rate): number =>
  steps > 0 ? 0 : Math.ceil(((1 - steps) * 1000) / perSecond);
