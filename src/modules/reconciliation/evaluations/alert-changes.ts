import { and, eq, sql } from "drizzle-orm";
import type { FinishedEvaluation } from "./finished.ts";
import { type Alert, toAlert } from "#modules/reconciliation/alerts/alert.ts";
import { reconciliationAlerts } from "#modules/reconciliation/alerts/tables.ts";
import { writeTransition } from "#modules/reconciliation/alerts/write.ts";
import {
  type AlertTransition,
  failAlert,
  type CheckFailure,
  openAlert,
  passAlert,
} from "#modules/reconciliation/core/alert-states.ts";
import { CONTINUOUS } from "#modules/reconciliation/core/period.ts";
import type { Severity } from "#modules/reconciliation/core/rule.ts";
import type { Evidence } from "#modules/reconciliation/core/templates/template.ts";
import { reconciliationRules } from "#modules/reconciliation/rules/tables.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import type { OutboxEvent } from "#platform/events/outbox-store.ts";
import { newId } from "#platform/ids.ts";
import { stringifyJson } from "#platform/json.ts";

/** What follows from an evaluation for the alerts of its rule. */
export interface AlertChanges {
  /** The revision of the alerts that were read. */
  readonly alertRevision: number;
  readonly transitions: readonly Omit<ReturnType<typeof writeTransition>, "published">[];
  readonly events: readonly OutboxEvent[];
}

/** The fingerprint of the alert about evaluations that end with an error, and its severity. */
const ENGINE_ERROR = "engine.error";
const ENGINE_SEVERITY: Severity = "high";

/** An outcome that fails, with what its alert would be opened with. */
interface Failing {
  readonly fingerprint: string;
  readonly periodId: string;
  readonly severity: Severity;
  readonly labels: Readonly<Record<string, string>>;
  readonly evidence: Evidence;
}

/**
 * The transitions of alerts that follow from an evaluation: each failing outcome opens an alert or updates it; every other active alert of
 * the rule and period is resolved, and so is the alert about errors. An evaluation that ends with an error leaves the alerts of the checks
 * alone and opens or updates the one about errors.
 */
export async function alertChanges(
  context: Pick<ServiceContext, "env">,
  evaluation: FinishedEvaluation,
): Promise<AlertChanges> {
  const failing = failingOf(evaluation);
  const { alertRevision, alerts } = await readAlerts(context, evaluation, failing);
  const byName = new Map(alerts.map((alert) => [nameOf(alert), alert]));
  const { id: evaluationId, endedAt: at, rule, findings } = evaluation;
  const failed = failing.map((one): AlertTransition => {
    const failure: CheckFailure = { evidence: one.evidence, evaluationId, at };
    const known = byName.get(nameOf(one));
    if (known !== undefined) return failAlert(known, failure);
    const { evidence: _evidence, ...fresh } = one;
    return openAlert({ ...fresh, id: newId() }, failure);
  });
  const names = new Set(failing.map(nameOf));
  const passed =
    findings.kind === "error"
      ? []
      : alerts
          .filter((alert) => alert.status !== "RESOLVED" && !names.has(nameOf(alert)))
          .map((alert) => passAlert(alert, { evaluationId, at }));
  const transitions = [...failed, ...passed].map((transition) =>
    writeTransition(transition, {
      key: rule.key,
      id: rule.id,
      notifications: rule.notifications,
    }),
  );
  return {
    alertRevision,
    transitions,
    events: transitions.flatMap(({ published }) => published),
  };
}

function failingOf({ rule, findings, id, periodId }: FinishedEvaluation): Failing[] {
  const { severity, labels } = rule;
  if (findings.kind === "error") {
    return [
      {
        fingerprint: ENGINE_ERROR,
        periodId: CONTINUOUS,
        severity: ENGINE_SEVERITY,
        labels: { ...labels, kind: ENGINE_ERROR },
        evidence: { error: findings.error, evaluationId: id },
      },
    ];
  }
  return findings.outcomes.flatMap((outcome) =>
    outcome.passed
      ? []
      : [
          {
            fingerprint: outcome.fingerprint,
            periodId,
            severity,
            labels,
            evidence: outcome.evidence,
          },
        ],
  );
}

const nameOf = ({ fingerprint, periodId }: Pick<Alert, "fingerprint" | "periodId">): string =>
  `${periodId} ${fingerprint}`;

/** The alerts that an evaluation may change, and the revision of all alerts of the rule at the same time. */
async function readAlerts(
  { env }: Pick<ServiceContext, "env">,
  { rule, periodId, findings }: FinishedEvaluation,
  failing: readonly Failing[],
): Promise<{ alertRevision: number; alerts: Alert[] }> {
  const db = databaseOf(env);
  const fingerprints = stringifyJson(failing.map(({ fingerprint }) => fingerprint));
  const isEngine = sql`period_id = ${CONTINUOUS} AND fingerprint = ${ENGINE_ERROR}`;
  const isOfPeriod = sql`period_id = ${periodId} AND (status <> 'RESOLVED'
    OR fingerprint IN (SELECT value FROM json_each(${fingerprints})))`;
  const condition = findings.kind === "error" ? isEngine : sql`((${isEngine}) OR (${isOfPeriod}))`;
  const [revisions, rows] = await db.batch([
    db
      .select({ alertRevision: reconciliationRules.alertRevision })
      .from(reconciliationRules)
      .where(eq(reconciliationRules.key, rule.key)),
    db
      .select()
      .from(reconciliationAlerts)
      .where(and(eq(reconciliationAlerts.ruleKey, rule.key), condition)),
  ]);
  return { alertRevision: revisions[0]?.alertRevision ?? 0, alerts: rows.map(toAlert) };
}
