import { z } from "@hono/zod-openapi";
import { actingOf } from "./acting.ts";
import { RuleOutcomeResponse, toRuleOutcomeView } from "./evaluation-schemas.ts";
import { RuleParams } from "./rules.ts";
import { lastOutcomes, type RunOutcome } from "#modules/reconciliation/evaluations/list.ts";
import { ok, operations, registration } from "#platform/http/index.ts";

const outcomes = operations({
  path: "/reconciliation/rules/{ruleID}/outcomes",
  tags: ["Rules"],
  scope: "reconciliation",
  params: RuleParams,
});

export const registerFlorinOutcomes = registration(
  outcomes.get("", {
    operationId: "florinListRuleOutcomes",
    summary: "Show how the last runs of a rule ended",
    description:
      "At most 20 evaluations, the newest first, without their evidence, which may be large. Empty for those who may not read all that the rule has read.",
    answer: ok.data("The outcomes", z.array(RuleOutcomeResponse), (all: readonly RunOutcome[]) =>
      all.map(toRuleOutcomeView),
    ),
    errors: [404],
    handle: async ({ params, context, c }) =>
      lastOutcomes(await actingOf(c, context), params.ruleID),
  }),
);
