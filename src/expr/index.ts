import { type ExprDiagnostic, ExprError, toDiagnostic } from "./diagnostics.ts";
import { type EvaluationInput, PendingValue } from "./evaluate/context.ts";
import { Evaluator } from "./evaluate/evaluate.ts";
import type { CompiledExpression } from "./syntax/ast.ts";
import { parse } from "./syntax/parser.ts";
import { DateValue, UTC } from "./values/moments.ts";
import { printValue } from "./values/print.ts";
import { StepMeter } from "./values/step-meter.ts";
import type { ExprValue } from "./values/values.ts";

export { checkExpression, type ExpressionReport, type ExpressionUse } from "./check/check.ts";
export type { EvaluationInput, HostAnswer, HostFunction } from "./evaluate/context.ts";
export {
  type EqualityTest,
  leadingEquality,
  type MemberKey,
  memberKeyAt,
} from "./leading-equality.ts";
export type { CompiledExpression } from "./syntax/ast.ts";
export { type ExprDiagnostic, printDiagnostic } from "./diagnostics.ts";
export { lspRanges } from "./source.ts";
export { elementsOf, type ExprValue, fromJson, memberOrNil } from "./values/values.ts";

export type ParsedExpression =
  | { readonly ok: true; readonly expression: CompiledExpression }
  | { readonly ok: false; readonly diagnostic: ExprDiagnostic };

/** Parses an expression. Never throws. */
export function parseExpression(source: string): ParsedExpression {
  try {
    return { ok: true, expression: parse(source) };
  } catch (error) {
    if (!(error instanceof ExprError)) throw error;
    return { ok: false, diagnostic: toDiagnostic(error) };
  }
}

/** The result of an evaluation and its work in steps, by which callers bound the work of many evaluations. */
export type Evaluated = { readonly steps: number } & EvaluationResult;

type EvaluationResult =
  | { readonly kind: "value"; readonly value: ExprValue }
  | { readonly kind: "error"; readonly diagnostic: ExprDiagnostic }
  /** The evaluation can be repeated when a function of the caller knows the value that `key` names. */
  | { readonly kind: "pending"; readonly key: string };

/** Evaluates an expression. Throws only if a function of the caller throws. */
export function evaluateExpression(
  { root }: CompiledExpression,
  input: EvaluationInput,
): Evaluated {
  const evaluator = new Evaluator(input);
  const result = guard(() => ({ kind: "value", value: evaluator.evaluate(root) }));
  return { ...result, steps: evaluator.steps };
}

function guard(work: () => EvaluationResult): EvaluationResult {
  try {
    return work();
  } catch (error) {
    if (error instanceof PendingValue) return { kind: "pending", key: error.key };
    if (error instanceof ExprError) return { kind: "error", diagnostic: toDiagnostic(error) };
    throw error;
  }
}

export type ValueText =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "error"; readonly diagnostic: ExprDiagnostic };

/** A value as the text of a variable. Never throws. */
export function valueText(value: ExprValue): ValueText {
  try {
    return { kind: "text", text: printValue(value, new StepMeter()) };
  } catch (error) {
    if (!(error instanceof ExprError)) throw error;
    return { kind: "error", diagnostic: toDiagnostic(error) };
  }
}

/** A date for the function `now`. */
export const momentAt = (epochMicros: bigint): DateValue => new DateValue(epochMicros * 1000n, UTC);
