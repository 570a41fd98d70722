import { z } from "@hono/zod-openapi";
import { actingOf } from "./acting.ts";
import { EvaluateRequest, EvaluationResponse, toEvaluationView } from "./evaluation-schemas.ts";
import { LIST, listing } from "./lists.ts";
import { uuidParam } from "./path-ids.ts";
import { RuleParams } from "./rules.ts";
import { assertMargin } from "#modules/reconciliation/core/schedule.ts";
import {
  evaluateRule,
  type EvaluationRequest,
} from "#modules/reconciliation/evaluations/evaluate.ts";
import { getEvaluation, listEvaluations } from "#modules/reconciliation/evaluations/list.ts";
import { AppError } from "#platform/errors.ts";
import { ok, operations, registration } from "#platform/http/index.ts";
import type { Timestamp } from "#platform/time.ts";

const evaluations = operations({ tags: ["Rules"], scope: "reconciliation" });

/** The moments of a request. Throws `VALIDATION` for one in the future, and for moments of sources without a moment of the whole. */
function toRequest(
  body: z.output<typeof EvaluateRequest>,
  now: Timestamp,
): Omit<EvaluationRequest, "ruleId"> {
  const { at, safetyMargin = "30s", sourcePITs = {} } = body ?? {};
  const marginMs = assertMargin(safetyMargin, "safetyMargin");
  if (at !== undefined && at > now) throw new AppError("VALIDATION", "at is in the future");
  const bySource = new Map(Object.entries(sourcePITs));
  if (bySource.size > 0 && at === undefined) {
    throw new AppError("VALIDATION", "sourcePITs needs at");
  }
  for (const [key, moment] of bySource) {
    if (moment > now) {
      throw new AppError("VALIDATION", `sourcePITs: '${key.slice(0, 100)}' is in the future`);
    }
  }
  return { at, marginMs, bySource };
}

export const registerEvaluations = registration(
  evaluations.post("/rules/{ruleID}/evaluate", {
    operationId: "evaluateRule",
    summary: "Evaluate a rule now",
    description:
      "Reads the sources of the rule, stores the evaluation, and opens, updates or resolves alerts. A source that cannot be read gives the result `ERROR`, with status 200. One evaluation of a rule runs at a time: another one is refused with `RULE_BUSY`. A rule that is not enabled, or is changed meanwhile, answers `RULE_CHANGED`.",
    params: RuleParams,
    body: EvaluateRequest,
    bodyFailure: "MISSING_OR_INVALID_BODY",
    answer: ok.data("The evaluation", EvaluationResponse, toEvaluationView),
    errors: [404, 409],
    handle: async ({ params, body, context, c }) => {
      const request = toRequest(body, context.clock());
      return evaluateRule(await actingOf(c, context), { ...request, ruleId: params.ruleID });
    },
  }),
  evaluations.get("/evaluations", {
    operationId: "listEvaluations",
    summary: "List evaluations",
    description: "Filters: `id`, `ruleID`, `result`, `createdAt`, `startedAt` and `endedAt`.",
    ...LIST,
    answer: ok.page(
      "A page of evaluations, the newest first",
      EvaluationResponse,
      toEvaluationView,
    ),
    handle: listing("evaluations", listEvaluations),
  }),
  evaluations.get("/evaluations/{evaluationID}", {
    operationId: "getEvaluation",
    summary: "Read an evaluation",
    params: z.object({ evaluationID: uuidParam() }),
    answer: ok.data("The evaluation", EvaluationResponse, toEvaluationView),
    errors: [404],
    handle: async ({ params, context, c }) =>
      getEvaluation(await actingOf(c, context), params.evaluationID),
  }),
);
