import { z } from "@hono/zod-openapi";
import { AnyObject } from "./policy-schemas.ts";
import { PUBLISHED_TYPES } from "#modules/reconciliation/core/alert.ts";
import { PERIOD_TYPES, SEVERITIES, TEMPLATE_KINDS } from "#modules/reconciliation/core/rule.ts";
import type { RuleSchedule, ScheduleFields } from "#modules/reconciliation/core/schedule.ts";
import { parseTemplate } from "#modules/reconciliation/core/templates/parse.ts";
import type { NewRule, RuleFields } from "#modules/reconciliation/rules/create.ts";
import type { Rule } from "#modules/reconciliation/rules/rule.ts";
import { AppError } from "#platform/errors.ts";
import { MetadataSchema, TimestampOutput } from "#platform/http/index.ts";
import { formatTimestamp } from "#platform/time.ts";

/** A text that may be null or absent, both of which count as undefined. */
const optional = (description: string, values?: readonly string[]) =>
  z
    .string()
    .nullish()
    .transform((value) => value ?? undefined)
    .openapi({
      type: "string",
      description,
      ...(values === undefined ? {} : { enum: [...values] }),
    });

const DURATION = "A duration in Go's notation, such as `30s` or `1h30m`.";

const ScheduleTexts = z.object({
  kind: optional("Required.", ["on_demand", "cron"]),
  expr: optional(
    "Of the kind `cron`: five fields, or a descriptor such as `@hourly` or `@every 90m`. Runs come due at full minutes.",
  ).openapi({ example: "0 6 * * *" }),
  tz: optional("The time zone of the expression; UTC by default.").openapi({
    example: "Europe/Paris",
  }),
  safetyMargin: optional(
    `Of the kinds \`cron\` and \`on_demand\`: how long before a scheduled run its sources are read; 30s by default. ${DURATION}`,
  ).openapi({ example: "30s" }),
});

export const ScheduleRequest = ScheduleTexts.openapi("RuleScheduleRequest")
  .nullish()
  .transform((schedule) => schedule ?? undefined);

const Fields = z.object({
  name: optional("Any text."),
  templateKind: optional("What is checked.", TEMPLATE_KINDS),
  templateSpec: AnyObject.nullish()
    .transform((spec) => spec ?? undefined)
    .openapi({
      type: "object",
      additionalProperties: true,
      description: "The details of the check, by its kind; docs/reconciliation.md lists them.",
    }),
  enabled: z
    .boolean()
    .nullish()
    .transform((enabled) => enabled ?? undefined)
    .openapi({ type: "boolean", description: "A rule that is not enabled is not run." }),
  severity: optional(
    "The severity of alerts that open from now on; `medium` by default.",
    SEVERITIES,
  ),
  schedule: ScheduleRequest,
  notifications: z
    .array(z.string())
    .nullish()
    .transform((types) => types ?? undefined)
    .openapi({
      type: "array",
      items: { type: "string", enum: [...PUBLISHED_TYPES] },
      description: "The types of events that are published; empty for all.",
    }),
  labels: MetadataSchema.nullish()
    .transform((labels) => labels ?? undefined)
    .openapi({ description: "Any texts, which alerts of the rule have, too." }),
});

const EXAMPLE = {
  name: "safeguarding",
  templateKind: "ledger_vs_pool_drift",
  templateSpec: {
    ledger: "main",
    ledgerQuery: { $match: { address: "obligations:" } },
    paymentsPoolID: "7f0e6f0a-30a3-4c0e-bd8e-6e1c0f0a4b55",
    tolerance: { "USD/2": 50 },
  },
  severity: "high",
  cadence: "monthly",
  schedule: { kind: "cron", expr: "0 6 * * *", tz: "Europe/Paris" },
  labels: { team: "treasury" },
};

const PERIOD =
  "Splits failures into cases: one alert for each failing asset or account in each period.";

/** A new rule. The use case reports missing fields and unknown values. */
export const RuleRequest = Fields.extend({
  cadence: optional(`${PERIOD} \`continuous\` by default.`, PERIOD_TYPES),
  periodType: optional("Another name of `cadence`.", PERIOD_TYPES),
}).openapi("RuleRequest", { example: EXAMPLE });

export const RulePatchRequest = Fields.openapi("RulePatchRequest", {
  example: { enabled: false },
});

type ScheduleTextsOutput = z.output<typeof ScheduleTexts>;

export const toScheduleFields = (
  { kind = "", expr = "", tz = "", safetyMargin = "" }: ScheduleTextsOutput,
  { types = [], debounce = "" }: { types?: readonly string[]; debounce?: string } = {},
): ScheduleFields => ({ kind, expr, tz, safetyMargin, types, debounce });

export const toRuleFields = (body: z.output<typeof Fields>): RuleFields => ({
  name: body.name,
  kind: body.templateKind,
  spec: body.templateSpec,
  enabled: body.enabled,
  severity: body.severity === "" ? undefined : body.severity,
  schedule: body.schedule === undefined ? undefined : toScheduleFields(body.schedule),
  notifications: body.notifications,
  labels: body.labels,
});

export const toNewRule = (body: z.output<typeof RuleRequest>): NewRule => ({
  ...toRuleFields(body),
  cadence: body.cadence ?? "",
  periodType: body.periodType ?? "",
});

const ScheduleResponse = z
  .object({
    kind: z.enum(["on_demand", "cron"]),
    expr: z.string().optional(),
    tz: z.string().optional(),
    safetyMargin: z.string().optional(),
  })
  .openapi("RuleSchedule");

export const RuleResponse = z
  .object({
    id: z.string().openapi({ format: "uuid" }),
    name: z.string(),
    templateKind: z.enum(TEMPLATE_KINDS),
    templateSpec: z.record(z.string(), z.unknown()),
    explanationCEL: z.string().optional().openapi({
      description:
        "An expression that shows to people what is checked; absent where the stored `templateSpec` is refused.",
    }),
    enabled: z.boolean(),
    severity: z.enum(SEVERITIES),
    cadence: z.enum(PERIOD_TYPES).openapi({ description: PERIOD }),
    periodType: z.enum(PERIOD_TYPES).openapi({ description: "The same as `cadence`." }),
    schedule: ScheduleResponse.optional(),
    notifications: z.array(z.enum(PUBLISHED_TYPES)).optional(),
    labels: z.record(z.string(), z.string()).optional(),
    createdAt: TimestampOutput,
    updatedAt: TimestampOutput,
  })
  .openapi("Rule");

/** The expression of a rule; none where this version refuses a specification that another one has stored. */
function explanationOf({ kind, spec }: Rule): { readonly explanationCEL?: string } {
  try {
    return { explanationCEL: parseTemplate(kind, spec).explanation };
  } catch (error) {
    if (error instanceof AppError) return {};
    throw error;
  }
}

/** A rule as an answer. Its specification is an object, because no other one is accepted. */
export const toRuleView = (rule: Rule): z.output<typeof RuleResponse> => ({
  id: rule.id,
  name: rule.name,
  templateKind: rule.kind,
  templateSpec: rule.spec as Record<string, unknown>,
  ...explanationOf(rule),
  enabled: rule.enabled,
  severity: rule.severity,
  cadence: rule.periodType,
  periodType: rule.periodType,
  ...(rule.schedule === undefined ? {} : { schedule: toKnownSchedule(rule.schedule) }),
  ...(rule.notifications.length === 0 ? {} : { notifications: [...rule.notifications] }),
  ...(Object.keys(rule.labels).length === 0 ? {} : { labels: { ...rule.labels } }),
  createdAt: formatTimestamp(rule.createdAt),
  updatedAt: formatTimestamp(rule.updatedAt),
});

/** A schedule in the kinds that clients know: one on events is shown as `on_demand`. */
const toKnownSchedule = (schedule: RuleSchedule): z.output<typeof ScheduleResponse> =>
  schedule.kind === "events" ? { kind: "on_demand" } : schedule;

export const FlorinScheduleRequest = ScheduleTexts.extend({
  kind: optional("Required.", ["on_demand", "cron", "events"]),
  types: z
    .array(z.string())
    .nullish()
    .transform((types) => types ?? [])
    .openapi({
      type: "array",
      items: { type: "string" },
      description:
        "Of the kind `events`: the names of the events after which the rule runs, as webhooks have them. An event of a ledger that the rule does not read starts nothing.",
      example: ["ledger.committed_transactions"],
    }),
  debounce: optional(
    `Of the kind \`events\`: how long after the first event the rule runs, once for all events that came; 30s by default, from 30s to 24h. ${DURATION}`,
  ),
}).openapi("FlorinRuleScheduleRequest");

export const FlorinScheduleResponse = z
  .object({
    kind: z.enum(["on_demand", "cron", "events"]),
    expr: z.string().optional(),
    tz: z.string().optional(),
    safetyMargin: z.string().optional(),
    types: z.array(z.string()).optional(),
    debounce: z.string().optional(),
    nextAt: TimestampOutput.optional().openapi({
      description:
        "When the rule runs next: the next time of its cron expression, or the end of the debounce once an event has come. Absent while no time is set.",
    }),
  })
  .openapi("FlorinRuleSchedule");

export function toFlorinScheduleView({
  schedule = { kind: "on_demand" },
  nextAt,
}: Rule): z.output<typeof FlorinScheduleResponse> {
  const next = nextAt === undefined ? {} : { nextAt: formatTimestamp(nextAt) };
  return schedule.kind === "events"
    ? { ...schedule, types: [...schedule.types], ...next }
    : { ...schedule, ...next };
}
