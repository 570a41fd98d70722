import { and, eq, isNull, type SQL, sql } from "drizzle-orm";
import { alertChanges, type AlertChanges } from "./alert-changes.ts";
import type { Findings } from "./compute.ts";
import { type RuleEvaluation, toEvaluation } from "./evaluation.ts";
import type { FinishedEvaluation } from "./finished.ts";
import { reconciliationEvaluations } from "./tables.ts";
import { alertStatements } from "#modules/reconciliation/alerts/write.ts";
import { nextTime } from "#modules/reconciliation/core/schedule.ts";
import { noRule } from "#modules/reconciliation/rules/store.ts";
import { reconciliationRules } from "#modules/reconciliation/rules/tables.ts";
import { present } from "#platform/assert.ts";
import { AuditedChange } from "#platform/audit/audited-change.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { rowValues } from "#platform/db/row-values.ts";
import { AppError } from "#platform/errors.ts";
import { Outbox } from "#platform/events/outbox.ts";
import { stringifyJson } from "#platform/json.ts";
import { fromMillis, toMillis } from "#platform/time.ts";

/** How often alerts are read again because somebody has changed one of them meanwhile. */
const ATTEMPTS_MAX = 10;
/** Longest evidence of one evaluation, in characters: a row of D1 holds two million bytes. */
const EVIDENCE_LENGTH_MAX = 600_000;
/** Most checks of an evaluation that are stored with their evidence although they fail as they did before. */
const REPETITIONS_MAX = 20;
/** The fingerprint of the entry that counts the other ones. */
const UNCHANGED = "unchanged";

/**
 * Stores an evaluation with what follows for alerts, in one batch with the events, and releases the rule. Throws `RULE_CHANGED` where the
 * rule was changed or disabled, or its lock has ended meanwhile, and `NOT_FOUND` where it was deleted; then nothing is stored.
 */
export async function storeEvaluation(
  context: ServiceContext,
  finished: FinishedEvaluation,
): Promise<RuleEvaluation> {
  let evaluation = withinLimits(finished);
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    const changes = await alertChanges(context, evaluation);
    try {
      const stored = await store(context, evaluation, changes);
      // The sweep of the retention runs once an hour anyway. A call of its clock could fail after everything is stored.
      if (stored !== undefined) return stored;
    } catch (error) {
      if (!isTooLarge(error) || evaluation.findings.kind === "error") throw error;
      evaluation = withError(evaluation, `the outcomes cannot be stored: ${error.message}`);
      continue;
    }
    await assertUnchanged(context, evaluation);
  }
  throw new AppError("RULE_BUSY", "the alerts of the rule are being changed again and again");
}

const isTooLarge = (error: unknown): error is AppError =>
  error instanceof AppError && error.kind === "VALIDATION";

function withinLimits(finished: FinishedEvaluation): FinishedEvaluation {
  const { length } = evidenceText(finished.findings);
  return length <= EVIDENCE_LENGTH_MAX
    ? finished
    : withError(
        finished,
        `the outcomes have ${length} characters, and at most ${EVIDENCE_LENGTH_MAX} are stored; check fewer accounts or assets`,
      );
}

const withError = (finished: FinishedEvaluation, error: string): FinishedEvaluation => {
  const { moments, costUnits } = finished.findings;
  return { ...finished, findings: { kind: "error", error, moments, costUnits } };
};

const evidenceText = (findings: Findings): string =>
  stringifyJson(findings.kind === "error" ? { error: findings.error } : findings.outcomes);

/**
 * Findings whose checks that fail as they did before are counted beyond the first ones: their alerts have the same evidence, and a rule that
 * nobody mends would store it with each evaluation.
 */
function withoutRepetitions(
  findings: Findings,
  transitions: AlertChanges["transitions"],
): Findings {
  if (findings.kind === "error") return findings;
  const others = new Set(
    transitions
      .flatMap(({ alert, isRepetition }) => (isRepetition ? [alert.fingerprint] : []))
      .slice(REPETITIONS_MAX),
  );
  if (others.size === 0) return findings;
  const evidence = { failed: String(others.size) };
  return {
    ...findings,
    outcomes: [
      ...findings.outcomes.filter(({ fingerprint }) => !others.has(fingerprint)),
      { fingerprint: UNCHANGED, passed: false, evidence },
    ],
  };
}

/** The result of findings. */
const resultOf = (findings: Findings): RuleEvaluation["result"] => {
  if (findings.kind === "error") return "ERROR";
  return findings.outcomes.every(({ passed }) => passed) ? "PASS" : "FAIL";
};

/** Stores the batch. Returns undefined if the rule, its lock or one of its alerts has changed meanwhile. */
async function store(
  context: ServiceContext,
  evaluation: FinishedEvaluation,
  { alertRevision, transitions, events }: AlertChanges,
): Promise<RuleEvaluation | undefined> {
  const { env } = context;
  const { id, rule, locked, cause } = evaluation;
  const db = databaseOf(env);
  const isStored = sql`EXISTS (
    SELECT 1 FROM ${reconciliationRules} WHERE key = ${rule.key} AND last_evaluation_id = ${id})`;
  const release = db
    .update(reconciliationRules)
    .set({
      lockToken: null,
      lockUntil: null,
      lastEvaluationId: id,
      ...(transitions.length === 0 ? {} : { alertRevision: alertRevision + 1 }),
      ...scheduledColumns(evaluation),
    })
    .where(
      and(
        eq(reconciliationRules.key, rule.key),
        eq(reconciliationRules.lockToken, locked.token),
        eq(reconciliationRules.revision, rule.revision),
        eq(reconciliationRules.enabled, true),
        eq(reconciliationRules.alertRevision, alertRevision),
        isNull(reconciliationRules.deletedAt),
      ),
    )
    .returning({ key: reconciliationRules.key });
  const insert = db
    .insert(reconciliationEvaluations)
    .select(sql`SELECT ${evaluationValues(evaluation, transitions)} WHERE ${isStored}`)
    .returning();
  const audit = new AuditedChange(context, {
    action: "reconciliation.rule.evaluate",
    object: `evaluations/${id}`,
  });
  const owner = { key: rule.key, id: rule.id, notifications: rule.notifications };
  const [released, inserted] = await Outbox.from(context).publish({
    change: [release, insert, ...alertStatements(db, { owner, transitions, condition: isStored })],
    events,
    condition: isStored,
    ...(cause.kind === "demand" ? { audit } : {}),
  });
  if ((released as readonly unknown[]).length === 0) return undefined;
  const [row] = inserted;
  return toEvaluation(present(row, "a stored evaluation has a row"));
}

function evaluationValues(
  evaluation: FinishedEvaluation,
  transitions: AlertChanges["transitions"],
): SQL {
  const { id, rule, findings, startedAt, endedAt, cause } = evaluation;
  return rowValues(reconciliationEvaluations, {
    key: null as unknown as number, // the database numbers the row
    id,
    ruleKey: rule.key,
    ruleId: rule.id,
    result: resultOf(findings),
    startedAt,
    endedAt,
    createdAt: endedAt,
    moments: stringifyJson(findings.moments),
    evidence: evidenceText(withoutRepetitions(findings, transitions)),
    error: findings.kind === "error" ? findings.error : null,
    costUnits: findings.costUnits,
    cause: stringifyJson(cause),
  });
}

/** The columns by which the rule knows what its schedule still owes. Events that came during the run stay due. */
function scheduledColumns({ rule, cause, endedAt }: FinishedEvaluation) {
  if (cause.kind === "events") {
    return {
      eventsTakenAt: null,
      eventsDepth: sql`CASE WHEN events_due_at IS NULL THEN 0 ELSE events_depth END`,
    };
  }
  if (cause.kind === "demand") return {};
  // A clock that has stepped back does not bring the same time about again.
  const next = nextTime(rule.schedule, Math.max(toMillis(endedAt), toMillis(cause.dueAt)));
  return { nextAt: next === undefined ? null : fromMillis(next) };
}

/** Throws `NOT_FOUND` or `RULE_CHANGED` where the rule or its lock has changed. */
async function assertUnchanged(
  { env }: Pick<ServiceContext, "env">,
  { rule, locked }: FinishedEvaluation,
): Promise<void> {
  const [row] = await databaseOf(env)
    .select()
    .from(reconciliationRules)
    .where(and(eq(reconciliationRules.key, rule.key), isNull(reconciliationRules.deletedAt)));
  if (row === undefined) throw noRule(rule.id);
  if (row.lockToken === locked.token && row.revision === rule.revision && row.enabled) return;
  throw new AppError("RULE_CHANGED", "the rule was changed or disabled while it was evaluated");
}
