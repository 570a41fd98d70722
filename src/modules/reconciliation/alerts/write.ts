import { type SQL, sql } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import { type AlertEvent, toAlertColumns } from "./alert.ts";
import { publishedEvent } from "./event-types.ts";
import { reconciliationAlertEvents, reconciliationAlerts } from "./tables.ts";
import type {
  AlertEventFacts,
  AlertState,
  AlertTransition,
} from "#modules/reconciliation/core/alert-states.ts";
import type { PublishedType } from "#modules/reconciliation/core/alert.ts";
import { canonicalJson } from "#modules/reconciliation/core/canonical-json.ts";
import type { Database } from "#platform/db/database.ts";
import { columnValues, jsonRows, ROW_ORDER } from "#platform/db/json-rows.ts";
import type { OutboxEvent } from "#platform/events/outbox-store.ts";
import { newId } from "#platform/ids.ts";

/** The rule whose alerts are written. */
export interface AlertOwner {
  readonly key: number;
  readonly id: string;
  /** The types of events that are published; empty for all. */
  readonly notifications: readonly PublishedType[];
}

/** A transition with the rows and the event that store it. */
interface WrittenTransition {
  readonly alert: AlertState;
  readonly event: Omit<AlertEvent, "key">;
  readonly published: readonly OutboxEvent[];
  /** Whether the history has no row of the event. */
  readonly isRepetition: boolean;
}

/** The row of a transition's event, and the published event, if the rule publishes its type. */
export function writeTransition(
  { alert, event: facts, isRepetition = false }: AlertTransition,
  { id: ruleId, notifications }: AlertOwner,
): WrittenTransition {
  const type = publishedTypeOf(facts, notifications);
  const { published: _type, ...rest } = facts;
  const event = { ...rest, id: newId(), alertId: alert.id, notify: type !== undefined };
  return {
    alert,
    event,
    isRepetition,
    published: type === undefined ? [] : [publishedEvent({ ...alert, ruleId }, event, type)],
  };
}

const publishedTypeOf = (
  { published }: AlertEventFacts,
  wanted: readonly PublishedType[],
): PublishedType | undefined =>
  published !== undefined && (wanted.length === 0 || wanted.includes(published))
    ? published
    : undefined;

/** The columns that a transition changes, in SQL, from the row that could not be inserted. */
const REPLACED = Object.fromEntries(
  (
    [
      ["status", "status"],
      ["lastSeenAt", "last_seen_at"],
      ["occurrenceCount", "occurrence_count"],
      ["lastEvaluationId", "last_evaluation_id"],
      ["evidence", "evidence"],
      ["ack", "ack"],
      ["resolution", "resolution"],
      ["snooze", "snooze"],
      ["updatedAt", "updated_at"],
      ["changeId", "change_id"],
    ] as const
  ).map(([name, column]) => [name, sql.raw(`excluded.${column}`)]),
);

/**
 * The statements that store alerts and their events, for the batch of an evaluation. Rows are stored if the condition holds; the caller has
 * read the alerts as they are.
 */
export function alertStatements(
  db: Database,
  {
    owner,
    transitions,
    condition,
  }: {
    readonly owner: AlertOwner;
    readonly transitions: readonly Omit<WrittenTransition, "published">[];
    readonly condition: SQL;
  },
): BatchItem<"sqlite">[] {
  if (transitions.length === 0) return [];
  const alerts = jsonRows(
    transitions.map(({ alert }) => ({ ...toAlertColumns(alert), changeId: newId() })),
  );
  const alertValues = columnValues(reconciliationAlerts, {
    ...alerts.items,
    key: null,
    ruleKey: owner.key,
    ruleId: owner.id,
  });
  const events = transitions.flatMap(({ event, isRepetition }) => (isRepetition ? [] : [event]));
  return [
    db
      .insert(reconciliationAlerts)
      .select(
        sql`SELECT ${alertValues} FROM ${alerts.source} WHERE ${condition} ORDER BY ${ROW_ORDER}`,
      )
      .onConflictDoUpdate({
        target: [
          reconciliationAlerts.ruleKey,
          reconciliationAlerts.fingerprint,
          reconciliationAlerts.periodId,
        ],
        set: REPLACED,
      }),
    ...(events.length === 0 ? [] : [eventStatement(db, { events, ruleKey: owner.key, condition })]),
  ];
}

/** The statement that stores events of alerts, at least one, if the condition holds. */
export function eventStatement(
  db: Database,
  {
    events,
    ruleKey,
    condition,
  }: {
    readonly events: readonly Omit<AlertEvent, "key">[];
    readonly ruleKey: number;
    readonly condition: SQL;
  },
): BatchItem<"sqlite"> {
  const { source, items } = jsonRows(
    events.map((event) => ({
      id: event.id,
      alertId: event.alertId,
      evaluationId: event.evaluationId ?? null,
      type: event.type,
      prevStatus: event.prevStatus ?? null,
      newStatus: event.newStatus,
      payload: event.payload === undefined ? null : canonicalJson(event.payload),
      at: event.at,
      isReopen: event.isReopen ? 1 : 0,
      notify: event.notify ? 1 : 0,
    })),
  );
  const values = columnValues(reconciliationAlertEvents, { ...items, key: null, ruleKey });
  return db
    .insert(reconciliationAlertEvents)
    .select(sql`SELECT ${values} FROM ${source} WHERE ${condition} ORDER BY ${ROW_ORDER}`);
}
