import { z } from "@hono/zod-openapi";
import type { RunCause } from "#modules/reconciliation/core/run-cause.ts";
import type { CheckOutcome } from "#modules/reconciliation/core/templates/template.ts";
import type { RuleEvaluation } from "#modules/reconciliation/evaluations/evaluation.ts";
import type { RunOutcome } from "#modules/reconciliation/evaluations/list.ts";
import { TimestampInput, TimestampOutput } from "#platform/http/index.ts";
import { formatTimestamp } from "#platform/time.ts";

const optionalTime = (description: string) =>
  TimestampInput.nullish()
    .transform((time) => time ?? undefined)
    .openapi({ type: "string", format: "date-time", description });

export const EvaluateRequest = z
  .object({
    at: optionalTime("The moment of the evaluation; now by default. Not in the future."),
    safetyMargin: z
      .string()
      .nullish()
      .transform((text) => (text === null || text === undefined || text === "" ? "30s" : text))
      .openapi({
        type: "string",
        description: "How long before the moment ledgers are read; `0s` reads them exactly then.",
        default: "30s",
      }),
    sourcePITs: z
      .record(z.string(), TimestampInput)
      .nullish()
      .transform((moments) => moments ?? {})
      .openapi({
        type: "object",
        additionalProperties: { type: "string", format: "date-time" },
        description:
          "Moments of single sources by their keys, such as `ledger:main#0`, read exactly then. Needs `at`.",
      }),
  })
  .openapi("EvaluateRuleRequest", { example: { at: "2026-03-04T06:00:00Z" } })
  .nullish();

const OutcomeResponse = z.object({
  fingerprint: z.string(),
  passed: z.boolean(),
  proof: z
    .record(z.string(), z.string())
    .optional()
    .openapi({ description: "The balances of a check that passes." }),
  evidence: z
    .record(z.string(), z.unknown())
    .optional()
    .openapi({ description: "The balances of a check that fails, and what was expected." }),
});

export const EvaluationResponse = z
  .object({
    id: z.string().openapi({ format: "uuid" }),
    ruleID: z.string().openapi({ format: "uuid" }),
    startedAt: TimestampOutput,
    endedAt: TimestampOutput,
    createdAt: TimestampOutput,
    result: z.enum(["PASS", "FAIL", "ERROR"]),
    pitPerSource: z
      .record(z.string(), TimestampOutput)
      .optional()
      .openapi({ description: "The moment as of which each source was read." }),
    evidence: z.union([z.array(OutcomeResponse), z.object({ error: z.string() })]),
    error: z.string().optional(),
    costUnits: z.int().openapi({ description: "The number of sources that were read." }),
    run: z
      .object({
        kind: z.enum(["demand", "cron", "events"]),
        dueAt: TimestampOutput.optional().openapi({
          description: "The time of the schedule that the run answers.",
        }),
        due: z.int().optional().openapi({
          description:
            "How many times of the schedule the run answers: more than 1 if some had passed unanswered. At most 1000 are counted.",
        }),
        late: z.boolean().optional().openapi({
          description: "Whether the run began more than a minute after its time.",
        }),
      })
      .openapi({ description: "Florin's own: why the evaluation ran." }),
  })
  .openapi("Evaluation");

export const RuleOutcomeResponse = EvaluationResponse.pick({
  id: true,
  result: true,
  startedAt: true,
  endedAt: true,
}).openapi("RuleOutcome");

export const toRuleOutcomeView = ({
  id,
  result,
  startedAt,
  endedAt,
}: RunOutcome): z.output<typeof RuleOutcomeResponse> => ({
  id,
  result,
  startedAt: formatTimestamp(startedAt),
  endedAt: formatTimestamp(endedAt),
});

const toRunView = (cause: RunCause): z.output<typeof EvaluationResponse>["run"] =>
  cause.kind === "cron"
    ? { kind: cause.kind, dueAt: formatTimestamp(cause.dueAt), due: cause.due, late: cause.isLate }
    : cause;

const toOutcomeView = (outcome: CheckOutcome): z.output<typeof OutcomeResponse> =>
  outcome.passed
    ? { ...outcome, proof: { ...outcome.proof } }
    : { ...outcome, evidence: { ...outcome.evidence } };

export function toEvaluationView(evaluation: RuleEvaluation): z.output<typeof EvaluationResponse> {
  const moments = Object.entries(evaluation.moments);
  const { evidence } = evaluation;
  return {
    id: evaluation.id,
    ruleID: evaluation.ruleId,
    startedAt: formatTimestamp(evaluation.startedAt),
    endedAt: formatTimestamp(evaluation.endedAt),
    createdAt: formatTimestamp(evaluation.createdAt),
    result: evaluation.result,
    ...(moments.length === 0
      ? {}
      : {
          pitPerSource: Object.fromEntries(
            moments.map(([key, moment]) => [key, formatTimestamp(moment)]),
          ),
        }),
    evidence: "error" in evidence ? { error: evidence.error } : evidence.map(toOutcomeView),
    ...(evaluation.error === undefined ? {} : { error: evaluation.error }),
    costUnits: evaluation.costUnits,
    run: toRunView(evaluation.cause),
  };
}
