import {
  type CompiledExpression,
  type EqualityTest,
  type Evaluated,
  evaluateExpression,
  type ExprValue,
  leadingEquality,
  momentAt,
  parseExpression,
} from "#expr";
import { linkFunction } from "#modules/orchestration/triggers/link-function.ts";
import type { Trigger } from "#modules/orchestration/triggers/trigger.ts";
import { type Timestamp, toMicros } from "#platform/time.ts";

/** The verdict of a filter on a payload: `passes` where it is not true, and `unknown` where it reads links. */
export type FilterVerdict =
  | { readonly kind: "fires" | "passes" | "unknown" }
  | { readonly kind: "fails"; readonly error: string };

/** The verdict of one evaluation, and its steps in the expression language. */
export interface Judgement {
  readonly verdict: FilterVerdict;
  readonly steps: number;
}

/** The filter of a trigger, ready to be evaluated. */
export class TriggerFilter {
  readonly trigger: Trigger;
  readonly #expression: CompiledExpression | undefined;
  readonly #fault: string = "";
  /** The test of equality with which the filter begins, by which an index finds the filter. */
  readonly test: EqualityTest | undefined;

  constructor(trigger: Trigger) {
    this.trigger = trigger;
    if (trigger.filter === undefined) return;
    const parsed = parseExpression(trigger.filter);
    if (!parsed.ok) {
      this.#fault = parsed.diagnostic.message;
      return;
    }
    this.#expression = parsed.expression;
    this.test = leadingEquality(parsed.expression, "event");
  }

  judge(payload: ExprValue, now: Timestamp): Judgement {
    if (this.trigger.filter === undefined) return { verdict: { kind: "fires" }, steps: 0 };
    if (this.#expression === undefined) {
      return { verdict: { kind: "fails", error: this.#fault }, steps: 1 };
    }
    const result = evaluateExpression(this.#expression, {
      names: { event: payload },
      functions: { link: (args) => linkFunction(args, NO_LINKS) },
      now: () => momentAt(toMicros(now)),
    });
    return { verdict: verdictOf(result), steps: result.steps };
  }
}

function verdictOf(result: Evaluated): FilterVerdict {
  switch (result.kind) {
    case "value":
      return { kind: result.value === true ? "fires" : "passes" };
    case "pending":
      return { kind: "unknown" };
    case "error":
      return { kind: "fails", error: result.diagnostic.message };
  }
}

const NO_LINKS: ReadonlyMap<string, ExprValue> = new Map();

/** Filters that were parsed before, by the ids of their triggers. The filter of a trigger never changes. */
const parsed = new WeakMap<object, Map<string, TriggerFilter>>();
/** Most filters that an isolate keeps, which is more than a deployment has triggers. */
const KEPT_MAX = 2000;

/** The filters of triggers, each parsed once by an isolate. */
export function filtersOf(env: object, triggers: readonly Trigger[]): TriggerFilter[] {
  const known = parsed.get(env) ?? new Map<string, TriggerFilter>();
  parsed.set(env, known);
  return triggers.map((trigger) => {
    const found = known.get(trigger.id);
    if (found !== undefined) return found;
    if (known.size >= KEPT_MAX) known.clear();
    const filter = new TriggerFilter(trigger);
    known.set(trigger.id, filter);
    return filter;
  });
}
