import type * as z from "zod";
import { DriftSpec, driftTemplate } from "./drift.ts";
import { InvariantSpec, invariantTemplate } from "./invariant.ts";
import { ParitySpec, parityTemplate } from "./parity.ts";
import { type Template } from "./template.ts";
import { ThresholdSpec, thresholdTemplate } from "./threshold.ts";
import { invalid } from "#modules/reconciliation/core/fields.ts";
import type { TemplateKind } from "#modules/reconciliation/core/rule.ts";
import { stringifyJson } from "#platform/json.ts";
import { toValidationError } from "#platform/validation.ts";

/** Longest specification of a rule, as JSON in characters. */
export const SPEC_LENGTH_MAX = 32_768;

type TemplateParser = (spec: unknown) => Template;

const PARSERS: Readonly<Record<TemplateKind, TemplateParser>> = {
  ledger_vs_pool_drift: (spec) => driftTemplate(fitting(DriftSpec, spec)),
  ledger_invariant: (spec) => invariantTemplate(fitting(InvariantSpec, spec)),
  account_threshold: (spec) => thresholdTemplate(fitting(ThresholdSpec, spec)),
  source_parity: (spec) => parityTemplate(fitting(ParitySpec, spec)),
};

/**
 * The check that a specification of a kind describes. Throws `VALIDATION` for a specification that is too long or does not fit, also for a
 * member that the kind does not have: a misspelt tolerance would be none.
 */
export function parseTemplate(kind: TemplateKind, spec: unknown): Template {
  if (stringifyJson(spec).length > SPEC_LENGTH_MAX) {
    throw invalid(`templateSpec has more than ${SPEC_LENGTH_MAX} characters as JSON`);
  }
  return PARSERS[kind](spec);
}

function fitting<S extends z.ZodType>(schema: S, spec: unknown): z.output<S> {
  const parsed = schema.safeParse(spec);
  if (parsed.success) return parsed.data;
  throw toValidationError(parsed.error, "templateSpec");
}
