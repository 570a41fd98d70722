import { and, isNotNull, isNull, sql } from "drizzle-orm";
import { debounceOf, type RuleSchedule } from "#modules/reconciliation/core/schedule.ts";
import { ownBookings } from "#modules/reconciliation/corrections/own-bookings.ts";
import { reconciliationRules } from "#modules/reconciliation/rules/tables.ts";
import { armRules, watchRules } from "#modules/reconciliation/rules/watch.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { jsonRows } from "#platform/db/json-rows.ts";
import { eventName, type PlatformEvent } from "#platform/events/envelope.ts";
import type { EventListener } from "#platform/events/source.ts";
import { parseJson } from "#platform/json.ts";
import { fromMillis, type Timestamp, toMillis } from "#platform/time.ts";

/** The app of the module's own events, on which no rule runs, so that no rule starts itself. */
const OWN_EVENTS = "reconciliation";

/**
 * Makes rules due on whose schedules events are. Bookings of the module's own corrections make no rule due. The first event sets the time, and those that come until then change nothing; events that
 * come while the rule is run make it due once more. An event that comes twice starts at most one run more, which finds the same.
 */
export const ruleListener: EventListener = {
  wants: async ({ name }, context) =>
    !name.startsWith(`${OWN_EVENTS}.`) &&
    (await readEventRules(context)).some(({ types }) => types.has(name)),
  open: async (_messages, context) => {
    // Rules are read after the messages have come, so that a rule counts for each event that was announced after its schedule was set.
    const rules = await readEventRules(context);
    return rules.length === 0 ? undefined : (events) => makeDue(context, rules, events);
  },
};

/** A rule that runs on events. */
interface EventRule {
  readonly key: number;
  readonly types: ReadonlySet<string>;
  readonly ledgers: readonly string[];
  readonly debounceMs: number;
  /** When the rule is due because of earlier events. */
  readonly dueAt: Timestamp | null;
  readonly depth: number;
}

const { key, schedule, eventTypes, ledgers, eventsDueAt, eventsDepth, deletedAt } =
  reconciliationRules;

async function readEventRules({ env }: Pick<ServiceContext, "env">): Promise<EventRule[]> {
  const rows = await databaseOf(env)
    .select({ key, schedule, ledgers, dueAt: eventsDueAt, depth: eventsDepth })
    .from(reconciliationRules)
    .where(and(isNotNull(eventTypes), isNull(deletedAt)));
  return rows.flatMap((row) => {
    const known = row.schedule === null ? undefined : (parseJson(row.schedule) as RuleSchedule); // `toSchedule` has made it
    if (known?.kind !== "events") return [];
    return {
      key: row.key,
      types: new Set(known.types),
      ledgers: parseJson(row.ledgers) as string[], // the column is a list of names
      debounceMs: debounceOf(known),
      dueAt: row.dueAt,
      depth: row.depth,
    };
  });
}

async function makeDue(
  context: ServiceContext,
  rules: readonly EventRule[],
  events: readonly PlatformEvent[],
): Promise<void> {
  const now = context.clock();
  const own = await ownBookings(context, events);
  const foreign = events.filter(({ app, id }) => app !== OWN_EVENTS && !own.has(id));
  const due = rules.flatMap((rule) => {
    const depths = foreign
      .filter((event) => isFor(rule, event))
      .map(({ causationDepth = 0 }) => causationDepth);
    const depth = Math.max(...depths);
    // The run that is due begins later than now, so that it sees what these events tell of.
    const isKnown = isAhead(rule, now) && rule.depth >= depth;
    return depths.length === 0 || isKnown ? [] : [{ ...rule, depth }];
  });
  if (due.length === 0) return;
  await watchRules(context);
  const times = due.map((rule) => fromMillis(toMillis(now) + rule.debounceMs));
  const { source, items } = jsonRows(
    due.map((rule, place) => ({ key: rule.key, dueAt: times[place], depth: rule.depth })),
  );
  // An earlier event has set the due time, and a later time was set while the clock was ahead.
  await databaseOf(context.env).run(sql`
    UPDATE ${reconciliationRules} SET
      events_due_at = min(coalesce(events_due_at, ${items.dueAt}), ${items.dueAt}),
      events_depth = max(events_depth, ${items.depth})
    FROM ${source}
    WHERE ${reconciliationRules}.key = ${items.key} AND event_types IS NOT NULL AND deleted_at IS NULL`);
  const [earliest] = times.toSorted();
  if (earliest !== undefined) await armRules(context, earliest);
}

/** Whether a rule is due within its debounce, and not by a time that was set while the clock was ahead. */
const isAhead = ({ dueAt, debounceMs }: EventRule, now: Timestamp): boolean =>
  dueAt !== null && dueAt > now && dueAt <= fromMillis(toMillis(now) + debounceMs);

/** Whether a rule runs on an event. An event of a ledger that the rule does not read changes nothing for it. */
function isFor({ types, ledgers: read }: EventRule, event: PlatformEvent): boolean {
  if (!types.has(eventName(event))) return false;
  const { payload } = event;
  if (typeof payload !== "object" || payload === null || !("ledger" in payload)) return true;
  return typeof payload.ledger !== "string" || read.includes(payload.ledger);
}
