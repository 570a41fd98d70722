import type { DrawCall } from "#modules/orchestration/triggers/lane/lane-object.ts";
import { drawFromBudget } from "#modules/orchestration/triggers/lane/lanes.ts";
import { memoByEnv } from "#platform/memo.ts";

/** Steps that an isolate may spend of an owner's budget without asking the owner's lane. */
interface Allowance {
  steps: number;
  /** Until when the budget is known to be used up, in milliseconds since the epoch. */
  usedUntilMs: number;
  readonly endsMs: number;
}

/** The budget of a trigger's owner is used up. It has steps again after `waitMs`. */
export class BudgetUsed extends Error {
  override readonly name = "BudgetUsed";
  readonly waitMs: number;

  constructor(waitMs: number) {
    super("the budget of steps of the trigger's owner is used");
    this.waitMs = waitMs;
  }
}

/** Most steps that an isolate draws at once. */
const DRAWN_STEPS = 20_000;
/** How long an isolate keeps the steps that it has drawn, in milliseconds. Steps that are left then are lost to the owner. */
const KEPT_MS = 10_000;
/** Most owners for whom an isolate keeps an allowance. */
const OWNERS_MAX = 1000;
/** Longest time for which an isolate takes a budget for used up without asking again, in milliseconds. */
const USED_MS_MAX = 1000;

const allowancesOf = memoByEnv((_env: Env) => new Map<string, Allowance>());

/**
 * The budget of an owner's triggers (`lane/token-bucket.ts`) for evaluations outside of the owner's lane, which are those of variables, and
 * of filters that read links or that the lane did not take. An isolate draws some steps at a time, so that most evaluations ask nobody:
 *
 *     may begin? ── steps left ──────────────────────────► evaluate ─► spend(steps)
 *         │ none                                                          │ more than was left
 *         └─► lane.draw ── granted ──► evaluate                           └─► lane.draw, the debt only
 *                 └── used up ──► BudgetUsed: the occurrence is fired later
 */
export class OwnerBudget {
  readonly #env: Env;
  readonly #owner: string;

  constructor(env: Env, owner: string) {
    this.#env = env;
    this.#owner = owner;
  }

  /** Asks for the right to evaluate an expression. Throws `BudgetUsed`. */
  async begin(): Promise<void> {
    const nowMs = Date.now();
    const held = this.#held(nowMs);
    if (held !== undefined && held.steps > 0) return;
    const usedMs = (held?.usedUntilMs ?? 0) - nowMs;
    // A longer time is left where the machine's clock was set back.
    if (usedMs > 0 && usedMs <= USED_MS_MAX) throw new BudgetUsed(usedMs);
    const waitMs = await this.#draw({ debt: 0, most: DRAWN_STEPS });
    if (waitMs > 0) throw new BudgetUsed(waitMs);
  }

  /** Counts the steps of an evaluation. */
  async spend(steps: number): Promise<void> {
    const held = this.#held(Date.now());
    const left = (held?.steps ?? 0) - steps;
    if (held !== undefined) held.steps = Math.max(0, left);
    if (left < 0) await this.#draw({ debt: -left, most: 0 });
  }

  #held(nowMs: number): Allowance | undefined {
    const held = allowancesOf(this.#env).get(this.#owner);
    return held !== undefined && Math.abs(held.endsMs - nowMs) <= KEPT_MS && held.endsMs > nowMs
      ? held
      : undefined;
  }

  /** Draws steps from the lane. Returns how long to wait where the budget is used up, in milliseconds. */
  async #draw(call: DrawCall): Promise<number> {
    const { granted, waitMs } = await drawFromBudget(this.#env, this.#owner, call);
    const nowMs = Date.now();
    const all = allowancesOf(this.#env);
    const steps = granted + (this.#held(nowMs)?.steps ?? 0);
    if (all.size >= OWNERS_MAX) all.clear();
    const usedUntilMs = nowMs + Math.min(waitMs, USED_MS_MAX);
    all.set(this.#owner, { steps, usedUntilMs, endsMs: nowMs + KEPT_MS });
    return waitMs;
  }
}
