import { and, eq, isNull, sql } from "drizzle-orm";
import type { RuleFields } from "./create.ts";
import { assertReadsEvents } from "./event-reach.ts";
import {
  assertLabels,
  labelColumn,
  notificationColumn,
  oneOf,
  scheduleColumns,
  toNotifications,
} from "./fields.ts";
import { reachOf, type Rule, type RuleRow, toRule } from "./rule.ts";
import { getRule, noRule } from "./store.ts";
import { reconciliationRules } from "./tables.ts";
import { armRules, watchRetention, watchRules } from "./watch.ts";
import { assertReaches, type Reach } from "#modules/reconciliation/balances/reach.ts";
import { canonicalJson } from "#modules/reconciliation/core/canonical-json.ts";
import { assertName, invalid } from "#modules/reconciliation/core/fields.ts";
import { SEVERITIES, TEMPLATE_KINDS } from "#modules/reconciliation/core/rule.ts";
import {
  type RuleSchedule,
  type ScheduleFields,
  toSchedule,
} from "#modules/reconciliation/core/schedule.ts";
import { parseTemplate } from "#modules/reconciliation/core/templates/parse.ts";
import { toPrincipalColumn } from "#platform/access/stored-principal.ts";
import { AuditedChange } from "#platform/audit/audited-change.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { AppError } from "#platform/errors.ts";
import { stringifyJson } from "#platform/json.ts";

/** Most ledgers that one rule reads from its creation on. */
const EVIDENCE_LEDGERS_MAX = 100;

/**
 * Changes the fields of a rule that are given; without any, nothing changes. From then on, scheduled runs have the rights of the principal
 * of the context. Throws `NOT_FOUND`, `VALIDATION`, `RULE_CHANGED` where another change came in between, and `UNAUTHENTICATED` for a
 * principal that may not read what the rule read before and reads then, or the events on which it runs.
 */
export async function patchRule(
  context: ServiceContext,
  id: string,
  fields: RuleFields,
): Promise<Rule> {
  const rule = await getRule(context, id);
  if (Object.values(fields).every((value) => value === undefined)) return rule;
  const enabled = fields.enabled ?? rule.enabled;
  const schedule =
    fields.schedule === undefined ? rule.schedule : patchedSchedule(rule, fields.schedule);
  assertReadsEvents(context.principal, schedule);
  return storeChange(context, rule, {
    ...textColumns(fields),
    ...checkColumns(context, rule, fields),
    ...(fields.enabled === undefined ? {} : { enabled }),
    ...changedSchedule(context, rule, { schedule, enabled }),
  });
}

/** The columns of a schedule that changes. One that is written back as it was keeps its next time, and the events that have come. */
function changedSchedule(
  { clock }: Pick<ServiceContext, "clock">,
  rule: Rule,
  { schedule, enabled }: { readonly schedule: RuleSchedule | undefined; readonly enabled: boolean },
): Changes {
  const isSame = canonicalJson(schedule ?? null) === canonicalJson(rule.schedule ?? null);
  return isSame && enabled === rule.enabled
    ? {}
    : scheduleColumns(schedule, { enabled, now: clock() });
}

/** Sets the schedule of a rule, which may be one on events. Throws as `patchRule` does. */
export async function setSchedule(
  context: ServiceContext,
  id: string,
  fields: ScheduleFields,
): Promise<Rule> {
  const rule = await getRule(context, id);
  const schedule = toSchedule(fields, ["on_demand", "cron", "events"]);
  assertReadsEvents(context.principal, schedule);
  const { enabled } = rule;
  return storeChange(context, rule, changedSchedule(context, rule, { schedule, enabled }));
}

/**
 * The schedule after a change. A rule that runs on events shows `on_demand`, because clients of the API know no third kind: a client that
 * writes back what it has read keeps the events.
 */
function patchedSchedule({ schedule }: Rule, fields: ScheduleFields): RuleSchedule {
  const given = toSchedule(fields);
  const isAsShown = given.kind === "on_demand" && given.safetyMargin === undefined;
  return isAsShown && schedule?.kind === "events" ? schedule : given;
}

type Changes = Partial<RuleRow>;

function textColumns({ name, severity, notifications, labels }: RuleFields): Changes {
  if (name !== undefined) assertName(name);
  if (labels !== undefined) assertLabels(labels);
  return {
    ...(name === undefined ? {} : { name }),
    ...(severity === undefined ? {} : { severity: oneOf(SEVERITIES, severity, "severity") }),
    ...(notifications === undefined
      ? {}
      : { notifications: notificationColumn(toNotifications(notifications)) }),
    ...(labels === undefined ? {} : { labels: labelColumn(labels) }),
  };
}

/** The columns of the check, which is looked at as a whole when its kind or its specification changes. */
function checkColumns(
  { principal }: ServiceContext,
  rule: Rule,
  { kind: kindText, spec: given }: RuleFields,
): Changes {
  if (kindText === undefined && given === undefined) return {};
  const kind = kindText === undefined ? rule.kind : oneOf(TEMPLATE_KINDS, kindText, "templateKind");
  const spec = given === undefined ? rule.spec : given;
  const reach = reachOf(parseTemplate(kind, spec));
  assertReaches(principal, reach, "the rule");
  return {
    templateKind: kind,
    templateSpec: stringifyJson(spec),
    ledgers: stringifyJson(reach.ledgers),
    hasPools: reach.hasPools,
    ...evidenceColumns(rule, reach),
  };
}

/**
 * The columns of all that the rule has read, which only grow: evaluations and alerts of the time before the change stay as closed as they
 * were. Throws `VALIDATION` for more ledgers than one rule may read in its life.
 */
function evidenceColumns({ evidenceReach }: Rule, { ledgers, hasPools }: Reach): Changes {
  const all = [...new Set([...evidenceReach.ledgers, ...ledgers])];
  if (all.length > EVIDENCE_LEDGERS_MAX) {
    throw invalid(
      `a rule reads at most ${EVIDENCE_LEDGERS_MAX} ledgers in its life, and its evaluations and alerts hold balances of all of them; create another rule`,
    );
  }
  return {
    evidenceLedgers: stringifyJson(all),
    evidenceHasPools: evidenceReach.hasPools || hasPools,
  };
}

async function storeChange(
  context: ServiceContext,
  { id, key, revision }: Rule,
  changes: Changes,
): Promise<Rule> {
  const { env, principal, clock } = context;
  await watchRules(context);
  const change = new AuditedChange(context, {
    action: "reconciliation.rule.update",
    object: `rules/${id}`,
  });
  const isSame = and(
    eq(reconciliationRules.key, key),
    eq(reconciliationRules.revision, revision),
    isNull(reconciliationRules.deletedAt),
  );
  const [row] = await change.store(
    databaseOf(env)
      .update(reconciliationRules)
      .set({
        ...changes,
        principal: toPrincipalColumn(principal),
        updatedAt: clock(),
        revision: sql`${reconciliationRules.revision} + 1`,
      })
      .where(isSame)
      .returning(),
  );
  if (row === undefined) {
    await getRule(context, id); // throws for a rule that was deleted meanwhile
    throw new AppError("RULE_CHANGED", "the rule was changed by somebody else at the same time");
  }
  await armRules(context, row.nextAt);
  return toRule(row);
}

/** Deletes a rule with its evaluations and alerts, which are shown no more at once. Throws `NOT_FOUND` and `UNAUTHENTICATED`. */
export async function deleteRule(context: ServiceContext, id: string): Promise<void> {
  const rule = await getRule(context, id);
  const { env, clock } = context;
  const now = clock();
  await watchRetention(context);
  const change = new AuditedChange(context, {
    action: "reconciliation.rule.delete",
    object: `rules/${id}`,
  });
  const deleted = await change.store(
    databaseOf(env)
      .update(reconciliationRules)
      .set({ ...scheduleColumns(undefined, { enabled: false, now }), deletedAt: now })
      .where(and(eq(reconciliationRules.key, rule.key), isNull(reconciliationRules.deletedAt)))
      .returning({ key: reconciliationRules.key }),
  );
  if (deleted.length === 0) throw noRule(id);
}
