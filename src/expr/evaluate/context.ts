import type { DateValue, NamedNumber } from "#expr/values/moments.ts";
import { StepMeter } from "#expr/values/step-meter.ts";
import type { ExprValue } from "#expr/values/values.ts";

/** The answer of a function of the caller. */
export type HostAnswer =
  | { readonly kind: "value"; readonly value: ExprValue }
  | { readonly kind: "error"; readonly message: string }
  /**
   * A value that is not known yet. The evaluation ends; the caller gets the value that `key` names and evaluates again, with a function
   * that knows the value.
   */
  | { readonly kind: "pending"; readonly key: string };

export type HostFunction = (args: readonly ExprValue[]) => HostAnswer;

export interface EvaluationInput {
  /** The variables of the environment. Other names are nil. */
  readonly names: Readonly<Record<string, ExprValue>>;
  readonly functions?: Readonly<Record<string, HostFunction>>;
  /** The answer of the function `now`. */
  readonly now: () => DateValue;
  /** Most steps of the evaluation; `STEPS_MAX` by default. */
  readonly stepsMax?: number;
}

/** The error that ends an evaluation which needs a value that is not known yet. */
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
