import { ExprError } from "#expr/diagnostics.ts";
import { CHARACTERS_PER_STEP, STEPS_MAX } from "#expr/limits.ts";

/** Counts the work of one evaluation. Throws `ExprError` when the work exceeds the limit. */
export class StepMeter {
  steps = 0;
  readonly #most: number;

  constructor(most = STEPS_MAX) {
    this.#most = Math.min(most, STEPS_MAX);
  }

  spend(steps: number): void {
    this.steps += steps;
    if (this.steps > this.#most) {
      throw new ExprError("limit-exceeded", `an evaluation takes at most ${this.#most} steps`);
    }
  }

  /** Spends the steps of a text that is made or searched. */
  spendText(characters: number): void {
    this.spend(Math.ceil(characters / CHARACTERS_PER_STEP));
  }
}
