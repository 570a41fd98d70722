import type { DateValue, NamedNumber } from "#expr/values/moments.ts";
import { StepMeter } from "#expr/values/step-meter.ts";
import type { ExprValue } from "#expr/values/values.ts";

/** What a function of the caller answers. */
export type HostAnswer =
  | { readonly kind: "value"; readonly value: ExprValue }
  | { readonly kind: "error"; readonly message: string }
  /**
   * The value is not there yet. The evaluation ends; the caller gets the value that `key` names, and evaluates again
   * with a function that knows it.
   */
  | { readonly kind: "pending"; readonly key: string };

export type HostFunction = (args: readonly ExprValue[]) => HostAnswer;

export interface EvaluationInput {
  /** The variables of the environment. Other names are nil. */
  readonly names: Readonly<Record<string, ExprValue>>;
  readonly functions?: Readonly<Record<string, HostFunction>>;
  /** What the function `now` answers. */
  readonly now: () => DateValue;
  /** Most steps of the evaluation, where they are fewer than usual. */
  readonly stepsMax?: number;
}

/** Ends an evaluation that needs a value that is not there yet. */
export class PendingValue extends Error {
  readonly key: string;

  constructor(key: string) {
    super(`the value of ${key} is not there yet`);
    this.name = "PendingValue";
    this.key = key;
  }
}

/** The element that a predicate is evaluated for. */
export interface Frame {
  element: ExprValue;
  index: number;
  acc: ExprValue;
}

/** The state of one evaluation. */
export class EvaluationContext {
  readonly meter: StepMeter;
  readonly input: EvaluationInput;
  readonly locals: (ExprValue | NamedNumber)[] = [];
  frame: Frame = { element: null, index: 0, acc: null };

  constructor(input: EvaluationInput) {
    this.input = input;
    this.meter = new StepMeter(input.stepsMax);
  }
}
