import { linkFunction } from "./link-function.ts";
import type { Trigger } from "./trigger.ts";
import {
  type CompiledExpression,
  type Evaluated,
  evaluateExpression,
  type ExprValue,
  momentAt,
  parseExpression,
  printDiagnostic,
  valueText,
} from "#expr";
import { type Timestamp, toMicros } from "#platform/time.ts";

/** Most links that the expressions of one firing read. */
const LINKS_MAX = 20;

/** Whether expressions of a trigger may read links, so that evaluating them may wait for other servers. */
export const readsLinks = ({ filter = "", vars }: Pick<Trigger, "filter" | "vars">): boolean =>
  [filter, ...Object.values(vars)].some((source) => source.includes("link"));

/** Counts the steps of evaluations. */
export interface EvaluationMeter {
  /** Called before each evaluation, which it refuses by throwing. */
  begin(): Promise<void>;
  /** Called after each evaluation, with its steps. */
  spend(steps: number): Promise<void>;
}

/** Reads the resource that a URI names. Throws `LinkError`. */
export type LinkRead = (uri: string) => Promise<ExprValue>;

export type FilterResult =
  | { readonly kind: "match" }
  | { readonly kind: "no-match" }
  | { readonly kind: "error"; readonly error: string };

export type VariableResult =
  | { readonly kind: "value"; readonly value: string }
  | { readonly kind: "error"; readonly error: string };

/** The expressions of one firing. They see the same payload and the same time, and each link is read once for all of them. */
export class Expressions {
  readonly #payload: ExprValue;
  readonly #now: Timestamp;
  readonly #read: LinkRead;
  readonly #meter: EvaluationMeter | undefined;
  readonly #links = new Map<string, ExprValue>();

  /** Without a meter, steps are not counted, because the request that evaluates counts in its client's share of requests. */
  constructor(
    payload: ExprValue,
    now: Timestamp,
    { read, meter }: { readonly read: LinkRead; readonly meter?: EvaluationMeter },
  ) {
    this.#payload = payload;
    this.#now = now;
    this.#read = read;
    this.#meter = meter;
  }

  /** Throws `LinkError`, and what the meter throws. */
  async filter(source: string): Promise<FilterResult> {
    const result = await this.#evaluate(source);
    if (result.kind === "error") return result;
    return { kind: result.value === true ? "match" : "no-match" };
  }

  /** Throws `LinkError`, and what the meter throws. */
  async variable(source: string): Promise<VariableResult> {
    const result = await this.#evaluate(source);
    if (result.kind === "error") return result;
    const printed = valueText(result.value);
    if (printed.kind === "text") return { kind: "value", value: printed.text };
    return { kind: "error", error: printDiagnostic(source, printed.diagnostic) };
  }

  async #evaluate(
    source: string,
  ): Promise<{ kind: "value"; value: ExprValue } | { kind: "error"; error: string }> {
    const parsed = parseExpression(source);
    if (!parsed.ok) return { kind: "error", error: printDiagnostic(source, parsed.diagnostic) };
    for (;;) {
      await this.#meter?.begin();
      const result = this.#run(parsed.expression);
      await this.#meter?.spend(result.steps);
      if (result.kind === "value") return { kind: "value", value: result.value };
      if (result.kind === "error") {
        return { kind: "error", error: printDiagnostic(source, result.diagnostic) };
      }
      if (this.#links.size >= LINKS_MAX) {
        return { kind: "error", error: `a trigger reads at most ${LINKS_MAX} links` };
      }
      this.#links.set(result.key, await this.#read(result.key));
    }
  }

  #run(expression: CompiledExpression): Evaluated {
    return evaluateExpression(expression, {
      names: { event: this.#payload },
      functions: { link: (args) => linkFunction(args, this.#links) },
      now: () => momentAt(toMicros(this.#now)),
    });
  }
}
