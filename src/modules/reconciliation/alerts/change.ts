import { and, eq, sql } from "drizzle-orm";
import { type Alert, toAlertColumns } from "./alert.ts";
import { getAlert } from "./list.ts";
import { reconciliationAlerts } from "./tables.ts";
import { eventStatement, writeTransition } from "./write.ts";
import {
  acceptAlert,
  ackAlert,
  type AlertTransition,
  type Mark,
  resolveAlert,
  snoozeAlert,
  unsnoozeAlert,
} from "#modules/reconciliation/core/alert-states.ts";
import { invalid } from "#modules/reconciliation/core/fields.ts";
import { getRule } from "#modules/reconciliation/rules/store.ts";
import { reconciliationRules } from "#modules/reconciliation/rules/tables.ts";
import { AuditedChange } from "#platform/audit/audited-change.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { AppError } from "#platform/errors.ts";
import { Outbox } from "#platform/events/outbox.ts";
import { newId } from "#platform/ids.ts";
import type { Timestamp } from "#platform/time.ts";

/** What a person does with an alert. Empty texts count as absent ones. */
export interface AlertAction {
  readonly alertId: string;
  /** The name of the person; required. */
  readonly by: string;
  readonly note: string;
}

/** Longest name and note, most references of transactions, and the longest of these, in characters. */
const NAME_LENGTH_MAX = 255;
const NOTE_LENGTH_MAX = 2000;
const REFERENCES_MAX = 100;
const REFERENCE_LENGTH_MAX = 1024;
/** How often an alert is read again because somebody else has changed it meanwhile. */
const ATTEMPTS_MAX = 10;

/** Says that somebody works on an alert. Throws as `getAlert` does, `VALIDATION`, and `NOT_FOUND` for a resolved alert. */
export const acknowledge = (context: ServiceContext, action: AlertAction): Promise<Alert> =>
  change(context, { action, verb: "ack" }, (alert, at) => ackAlert(alert, markOf(action, at)));

/** Resolves an alert by bookings, whose references are kept. Throws as `acknowledge` does. */
export function resolve(
  context: ServiceContext,
  action: AlertAction & { readonly transactionRefs: readonly string[] },
): Promise<Alert> {
  const { transactionRefs: refs } = action;
  if (refs.length > REFERENCES_MAX) {
    throw invalid(`transactionRefs has more than ${REFERENCES_MAX} references`);
  }
  if (refs.some((ref) => ref.length > REFERENCE_LENGTH_MAX)) {
    throw invalid(`references of transactionRefs have at most ${REFERENCE_LENGTH_MAX} characters`);
  }
  return change(context, { action, verb: "resolve" }, (alert, at) =>
    resolveAlert(alert, {
      ...markOf(action, at),
      ...(refs.length === 0 ? {} : { transactionRefs: refs }),
    }),
  );
}

/** Accepts what an alert says; the note is required. Throws as `acknowledge` does. */
export function accept(context: ServiceContext, action: AlertAction): Promise<Alert> {
  if (action.note === "") throw invalid("missing note");
  return change(context, { action, verb: "accept" }, (alert, at) =>
    acceptAlert(alert, markOf(action, at)),
  );
}

/** Silences an alert until a time in the future. Throws as `acknowledge` does. */
export function snooze(
  context: ServiceContext,
  action: AlertAction & { readonly until: Timestamp | undefined },
): Promise<Alert> {
  const { until } = action;
  if (until === undefined) throw invalid("missing until");
  if (until <= context.clock()) throw invalid("until is not in the future");
  return change(context, { action, verb: "snooze" }, (alert, at) =>
    snoozeAlert(alert, { ...markOf(action, at), until }),
  );
}

/** Ends the silence of an alert. Throws as `acknowledge` does, but takes resolved alerts. */
export const unsnooze = (context: ServiceContext, action: AlertAction): Promise<Alert> =>
  change(context, { action, verb: "unsnooze" }, (alert, at) =>
    unsnoozeAlert(alert, markOf(action, at)),
  );

const markOf = ({ by, note }: AlertAction, at: Timestamp): Mark => ({
  by,
  at,
  ...(note === "" ? {} : { note }),
});

type Transit = (alert: Alert, at: Timestamp) => AlertTransition<Alert> | undefined;

/** Stores a transition, whose alert is read again as often as somebody else has changed it in between. */
async function change(
  context: ServiceContext,
  { action, verb }: { readonly action: AlertAction; readonly verb: string },
  transit: Transit,
): Promise<Alert> {
  assertTexts(action);
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    const alert = await getAlert(context, action.alertId);
    const transition = transit(alert, context.clock());
    if (transition === undefined) return alert;
    if (await store(context, transition, verb)) return getAlert(context, alert.id);
  }
  throw new AppError("CONFLICT", "the alert is being changed again and again");
}

function assertTexts({ by, note }: AlertAction): void {
  if (by.trim() === "") throw invalid("missing by");
  if (by.length > NAME_LENGTH_MAX) throw invalid(`by has at most ${NAME_LENGTH_MAX} characters`);
  if (note.length > NOTE_LENGTH_MAX) {
    throw invalid(`note has at most ${NOTE_LENGTH_MAX} characters`);
  }
}

/** Stores a transition with its event. Returns whether the alert was still as it was read. */
async function store(
  context: ServiceContext,
  transition: AlertTransition<Alert>,
  verb: string,
): Promise<boolean> {
  const { env } = context;
  const { alert } = transition;
  const rule = await getRule(context, alert.ruleId);
  const { event, published } = writeTransition(transition, rule);
  const db = databaseOf(env);
  const changeId = newId();
  const isStored = sql`EXISTS (
    SELECT 1 FROM ${reconciliationAlerts} WHERE key = ${alert.key} AND change_id = ${changeId})`;
  const update = db
    .update(reconciliationAlerts)
    .set({ ...toAlertColumns(alert), changeId })
    .where(
      and(
        eq(reconciliationAlerts.key, alert.key),
        eq(reconciliationAlerts.changeId, alert.changeId),
      ),
    )
    .returning({ key: reconciliationAlerts.key });
  const revise = db
    .update(reconciliationRules)
    .set({ alertRevision: sql`${reconciliationRules.alertRevision} + 1` })
    .where(and(eq(reconciliationRules.key, alert.ruleKey), isStored));
  const [updated] = await Outbox.from(context).publish({
    change: [
      update,
      revise,
      eventStatement(db, { events: [event], ruleKey: alert.ruleKey, condition: isStored }),
    ],
    events: published,
    condition: isStored,
    audit: new AuditedChange(context, {
      action: `reconciliation.alert.${verb}`,
      object: `alerts/${alert.id}`,
    }),
  });
  return (updated as readonly unknown[]).length > 0;
}
