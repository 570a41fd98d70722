import { z } from "@hono/zod-openapi";
import { actingOf } from "./acting.ts";
import { LIST, listing } from "./lists.ts";
import { uuidParam } from "./path-ids.ts";
import {
  RulePatchRequest,
  RuleRequest,
  RuleResponse,
  toNewRule,
  toRuleFields,
  toRuleView,
} from "./rule-schemas.ts";
import { deleteRule, patchRule } from "#modules/reconciliation/rules/change.ts";
import { createRule } from "#modules/reconciliation/rules/create.ts";
import { listRules } from "#modules/reconciliation/rules/list.ts";
import { getRule } from "#modules/reconciliation/rules/store.ts";
import { ok, operations, registration } from "#platform/http/index.ts";

const rules = operations({ path: "/rules", tags: ["Rules"], scope: "reconciliation" });
export const RuleParams = z.object({ ruleID: uuidParam() });

export const registerRules = registration(
  rules.post("", {
    operationId: "createRule",
    summary: "Create a rule",
    description:
      "Whoever creates, changes, runs or reads a rule may read the ledgers that it reads, and payments where it reads pools. A client that acts for itself needs no token of these scopes, if it may ask for one. Scheduled runs have the rights that whoever last changed the rule has at the time of the run.",
    body: RuleRequest,
    bodyFailure: "MISSING_OR_INVALID_BODY",
    answer: ok.created("The rule", RuleResponse, toRuleView),
    handle: async ({ body, context, c }) => createRule(await actingOf(c, context), toNewRule(body)),
  }),
  rules.get("", {
    operationId: "listRules",
    summary: "List rules",
    description: "Filters: `id`, `name`, `templateKind`, `enabled`, `createdAt` and `updatedAt`.",
    ...LIST,
    answer: ok.page("A page of rules, the newest first", RuleResponse, toRuleView),
    handle: listing("rules", listRules),
  }),
  rules.get("/{ruleID}", {
    operationId: "getRule",
    summary: "Read a rule",
    params: RuleParams,
    answer: ok.data("The rule", RuleResponse, toRuleView),
    errors: [404],
    handle: async ({ params, context, c }) => getRule(await actingOf(c, context), params.ruleID),
  }),
  rules.patch("/{ruleID}", {
    operationId: "patchRule",
    summary: "Change a rule",
    description:
      "Absent fields stay as they are; objects and lists are replaced as a whole. The type of the periods cannot be changed. A schedule on events is shown as `on_demand`, and stays if it is written back as that.",
    params: RuleParams,
    body: RulePatchRequest,
    bodyFailure: "MISSING_OR_INVALID_BODY",
    answer: ok.data("The rule", RuleResponse, toRuleView),
    errors: [404, 409],
    handle: async ({ params, body, context, c }) =>
      patchRule(await actingOf(c, context), params.ruleID, toRuleFields(body)),
  }),
  rules.delete("/{ruleID}", {
    operationId: "deleteRule",
    summary: "Delete a rule with its evaluations and alerts",
    params: RuleParams,
    answer: ok.empty("Deleted"),
    errors: [404],
    handle: async ({ params, context, c }) => deleteRule(await actingOf(c, context), params.ruleID),
  }),
);
