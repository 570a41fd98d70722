import { isNull, sql } from "drizzle-orm";
import {
  assertLabels,
  labelColumn,
  notificationColumn,
  oneOf,
  scheduleColumns,
  toNotifications,
} from "./fields.ts";
import { reachOf, type Rule, toRule } from "./rule.ts";
import { reconciliationRules } from "./tables.ts";
import { armRules, watchRules } from "./watch.ts";
import { assertReaches } from "#modules/reconciliation/balances/reach.ts";
import { assertName, invalid } from "#modules/reconciliation/core/fields.ts";
import { PERIOD_TYPES, SEVERITIES, TEMPLATE_KINDS } from "#modules/reconciliation/core/rule.ts";
import { type ScheduleFields, toSchedule } from "#modules/reconciliation/core/schedule.ts";
import { parseTemplate } from "#modules/reconciliation/core/templates/parse.ts";
import { toPrincipalColumn } from "#platform/access/stored-principal.ts";
import { present } from "#platform/assert.ts";
import { AuditedChange } from "#platform/audit/audited-change.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { newId } from "#platform/ids.ts";
import { stringifyJson } from "#platform/json.ts";

/** The fields of a rule in a request; undefined for an absent one. */
export interface RuleFields {
  readonly name?: string | undefined;
  readonly kind?: string | undefined;
  readonly spec?: unknown;
  readonly enabled?: boolean | undefined;
  readonly severity?: string | undefined;
  readonly schedule?: ScheduleFields | undefined;
  readonly notifications?: readonly string[] | undefined;
  readonly labels?: Readonly<Record<string, string>> | undefined;
}

export interface NewRule extends RuleFields {
  /** The type of the rule's periods, under both names that clients know; empty for none. */
  readonly cadence: string;
  readonly periodType: string;
}

/** Most rules of a deployment. */
const RULES_MAX = 1000;

/**
 * Creates a rule. Its scheduled runs have the rights that the principal of the context has then. Throws `VALIDATION`, and
 * `UNAUTHENTICATED` for a principal that may not read what the rule reads.
 */
export async function createRule(context: ServiceContext, input: NewRule): Promise<Rule> {
  const { name = "", kind: kindText = "", spec, enabled = true, severity = "medium" } = input;
  const { notifications = [], labels = {} } = input;
  assertName(name);
  const kind = oneOf(TEMPLATE_KINDS, kindText, "templateKind");
  const template = parseTemplate(kind, spec ?? null);
  const schedule = input.schedule === undefined ? undefined : toSchedule(input.schedule);
  assertLabels(labels);
  const reach = reachOf(template);
  assertReaches(context.principal, reach, "the rule");
  const { env, principal, clock } = context;
  const id = newId();
  const now = clock();
  const row = {
    id,
    name,
    templateKind: kind,
    templateSpec: stringifyJson(spec),
    enabled,
    severity: oneOf(SEVERITIES, severity, "severity"),
    periodType: periodTypeOf(input),
    ...scheduleColumns(schedule, { enabled, now }),
    notifications: notificationColumn(toNotifications(notifications)),
    labels: labelColumn(labels),
    ledgers: stringifyJson(reach.ledgers),
    hasPools: reach.hasPools,
    evidenceLedgers: stringifyJson(reach.ledgers),
    evidenceHasPools: reach.hasPools,
    principal: toPrincipalColumn(principal),
    createdAt: now,
    updatedAt: now,
    revision: 1,
    alertRevision: 0,
  };
  await assertRoom(context);
  await watchRules(context);
  const change = new AuditedChange(context, {
    action: "reconciliation.rule.create",
    object: `rules/${id}`,
  });
  const [stored] = await change.store(
    databaseOf(env).insert(reconciliationRules).values(row).returning(),
  );
  await armRules(context, row.nextAt);
  return toRule(present(stored, "an insertion gives its row"));
}

function periodTypeOf({ cadence, periodType }: Pick<NewRule, "cadence" | "periodType">) {
  if (cadence !== "" && periodType !== "" && cadence !== periodType) {
    throw invalid("cadence and periodType are two names of the same field, and differ");
  }
  const given = periodType === "" ? cadence : periodType;
  return given === "" ? "continuous" : oneOf(PERIOD_TYPES, given, "periodType");
}

async function assertRoom({ env }: Pick<ServiceContext, "env">): Promise<void> {
  const [row] = await databaseOf(env)
    .select({ count: sql<number>`count(*)` })
    .from(reconciliationRules)
    .where(isNull(reconciliationRules.deletedAt));
  if (row !== undefined && row.count >= RULES_MAX) {
    throw invalid(`there are at most ${RULES_MAX} rules`);
  }
}
