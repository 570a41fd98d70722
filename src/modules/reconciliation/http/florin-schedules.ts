import { actingOf } from "./acting.ts";
import {
  FlorinScheduleRequest,
  FlorinScheduleResponse,
  toFlorinScheduleView,
  toScheduleFields,
} from "./rule-schemas.ts";
import { RuleParams } from "./rules.ts";
import { setSchedule } from "#modules/reconciliation/rules/change.ts";
import { getRule } from "#modules/reconciliation/rules/store.ts";
import { AppError } from "#platform/errors.ts";
import { knownEventTypes } from "#platform/events/known-event-types.ts";
import { ok, operations, registration } from "#platform/http/index.ts";

const schedules = operations({
  path: "/reconciliation/rules/{ruleID}/schedule",
  tags: ["Rules"],
  scope: "reconciliation",
  params: RuleParams,
});

/** Throws `VALIDATION` for events that no module publishes. */
function assertKnownEvents(types: readonly string[]): void {
  const unknown = types.find((type) => !knownEventTypes().has(type));
  if (unknown === undefined) return;
  throw new AppError("VALIDATION", `schedule.types: no module publishes ${unknown.slice(0, 80)}`);
}

export const registerFlorinSchedules = registration(
  schedules.get("", {
    operationId: "florinReadRuleSchedule",
    summary: "Read the schedule of a rule",
    answer: ok.data("The schedule", FlorinScheduleResponse, toFlorinScheduleView),
    errors: [404],
    handle: async ({ params, context, c }) => getRule(await actingOf(c, context), params.ruleID),
  }),
  schedules.put("", {
    operationId: "florinSetRuleSchedule",
    summary: "Set the schedule of a rule, which may be one on events",
    description:
      "A rule on events runs once for all events that come within the debounce, and not for events of reconciliation itself. Whoever sets such a schedule, or changes a rule that has it, may read the modules of its types.",
    body: FlorinScheduleRequest,
    answer: ok.data("The schedule", FlorinScheduleResponse, toFlorinScheduleView),
    errors: [404, 409],
    handle: async ({ params, body, context, c }) => {
      const acting = await actingOf(c, context);
      const { types, debounce, ...texts } = body;
      assertKnownEvents(types);
      const fields = toScheduleFields(texts, { types, debounce: debounce ?? "" });
      return setSchedule(acting, params.ruleID, fields);
    },
  }),
);
