import { computeFindings, errorText, type Findings, type Moments } from "./compute.ts";
import type { RuleEvaluation } from "./evaluation.ts";
import { storeEvaluation } from "./store.ts";
import { lackingOf } from "#modules/reconciliation/balances/reach.ts";
import { invalid } from "#modules/reconciliation/core/fields.ts";
import { periodOf } from "#modules/reconciliation/core/period.ts";
import type { RunCause } from "#modules/reconciliation/core/run-cause.ts";
import { parseTemplate } from "#modules/reconciliation/core/templates/parse.ts";
import { sourceKeys, type Template } from "#modules/reconciliation/core/templates/template.ts";
import { lackingEvents } from "#modules/reconciliation/rules/event-reach.ts";
import { type LockedRule, lockRule, releaseRule } from "#modules/reconciliation/rules/lock.ts";
import { type Rule, toRule } from "#modules/reconciliation/rules/rule.ts";
import { getRule } from "#modules/reconciliation/rules/store.ts";
import type { Principal, ServiceContext } from "#platform/context.ts";
import { newId } from "#platform/ids.ts";
import { fromMicros, MICROS_MIN, type Timestamp, toMicros } from "#platform/time.ts";

/** How a rule is evaluated. */
export interface EvaluationRequest {
  readonly ruleId: string;
  /** The moment less the margin is that of the sources; now by default, when the newest balances of pools count. */
  readonly at?: Timestamp | undefined;
  readonly marginMs: number;
  /** The moments of single sources by their keys, from which no margin is subtracted. */
  readonly bySource?: ReadonlyMap<string, Timestamp>;
}

/**
 * Evaluates a rule for a request, in the name of its principal. A failure of a source is the result `ERROR`. Throws `NOT_FOUND`,
 * `UNAUTHENTICATED` for a principal that may not read what the rule reads, `RULE_BUSY`, `RULE_CHANGED`, and `VALIDATION` for moments of
 * sources that the rule does not have.
 *
 * **No crash stores a part of an evaluation, and two evaluations of a rule are never stored side by side:**
 *
 * | A kill after | leaves | and then |
 * | --- | --- | --- |
 * | the rule is locked | the lock | The lock ends after `LOCK_MS`. A scheduled run is still due, and so are the events that it answers. |
 * | sources are read | the lock | as above |
 * | the batch is stored | evaluation, alerts, their events, and events in the outbox | The outbox publishes the events. |
 *
 * A rule that is changed or disabled meanwhile has another revision, and the batch changes nothing. Alerts that somebody acknowledges
 * meanwhile are read again.
 */
export async function evaluateRule(
  context: ServiceContext,
  request: EvaluationRequest,
): Promise<RuleEvaluation> {
  await getRule(context, request.ruleId);
  const locked = await lockRule(context, request.ruleId);
  return evaluateLocked(context, locked, {
    ...request,
    cause: { kind: "demand" },
    mayRead: ({ reach }) => {
      // The rule may have been changed since it was read without the lock.
      const lacking = lackingOf(context.principal, reach);
      return lacking === undefined ? undefined : `you lack ${lacking}`;
    },
  });
}

export interface LockedRequest extends Omit<EvaluationRequest, "ruleId"> {
  readonly cause: RunCause;
  /** Says why the principal of the context may not read what the rule reads; undefined where it may. */
  readonly mayRead: (rule: Rule) => string | undefined;
}

/** Evaluates a rule that the caller has locked, and releases it. Throws as `evaluateRule` does. */
export async function evaluateLocked(
  context: ServiceContext,
  locked: LockedRule,
  request: LockedRequest,
): Promise<RuleEvaluation> {
  let isStored = false;
  try {
    const rule = toRule(locked.row);
    const startedAt = context.clock();
    const check = storedCheck(rule);
    const moments = momentsOf(check, request, startedAt);
    const refusal = request.mayRead(rule);
    const findings: Findings =
      refusal === undefined ? await findingsOf(context, check, moments) : failed(refusal);
    const evaluation = await storeEvaluation(context, {
      locked,
      rule,
      findings,
      id: newId(),
      periodId: periodOf(rule.periodType, moments.at),
      startedAt,
      endedAt: context.clock(),
      cause: request.cause,
    });
    isStored = true;
    return evaluation;
  } finally {
    if (!isStored) await releaseRule(context, locked);
  }
}

/** The check of a rule, or why its stored specification is refused, which another version may have accepted. */
type StoredCheck =
  | { readonly kind: "template"; readonly template: Template }
  | { readonly kind: "refused"; readonly error: string };

function storedCheck(rule: Rule): StoredCheck {
  try {
    return { kind: "template", template: parseTemplate(rule.kind, rule.spec) };
  } catch (error) {
    const text = `the stored specification of the rule is refused: ${errorText(error)}`;
    return { kind: "refused", error: text };
  }
}

const findingsOf = async (
  context: ServiceContext,
  check: StoredCheck,
  moments: Moments,
): Promise<Findings> =>
  check.kind === "refused"
    ? failed(check.error)
    : computeFindings(context, check.template, moments);

const failed = (error: string): Findings => ({ kind: "error", error, moments: {}, costUnits: 0 });

/** Throws `VALIDATION` for the moment of a source that the check does not have. */
function momentsOf(check: StoredCheck, request: LockedRequest, now: Timestamp): Moments {
  const { at, marginMs, bySource = new Map<string, Timestamp>() } = request;
  if (bySource.size > 0 && check.kind === "template") {
    const keys = sourceKeys(check.template.sources);
    const unknown = [...bySource.keys()].find((key) => !keys.includes(key));
    if (unknown !== undefined) {
      throw invalid(
        `sourcePITs: the rule has no source '${unknown.slice(0, 100)}'; its sources are ${keys.join(", ")}`,
      );
    }
  }
  const micros = toMicros(at ?? now) - BigInt(Math.round(marginMs * 1000));
  return {
    at: fromMicros(micros < MICROS_MIN ? MICROS_MIN : micros),
    arePoolsLatest: at === undefined,
    bySource,
  };
}

/** The principal of a scheduled run with its present rights, or why it has none. */
export const refusalOf = (rule: Rule, principal: Principal | undefined): string | undefined => {
  if (principal === undefined) {
    return `${nameOf(rule.principal)}, who last changed the rule, is gone, so the rule reads nothing; somebody who may read its sources has to change it`;
  }
  const lacking = lackingOf(principal, rule.reach) ?? lackingEvents(principal, rule.schedule);
  return lacking === undefined
    ? undefined
    : `${nameOf(rule.principal)}, who last changed the rule, has lost ${lacking}, so the rule reads nothing; somebody who may read its sources has to change it`;
};

const nameOf = ({ subject, clientId, isPerson }: Principal): string =>
  isPerson ? `the user '${subject}' of the client '${clientId}'` : `the client '${clientId}'`;
