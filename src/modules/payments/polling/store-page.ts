import { eq, sql } from "drizzle-orm";
import type { FetchedPage } from "./fetch-page.ts";
import type { Run } from "./run-context.ts";
import { changeOf, type NextFetch, type ScheduleChange } from "./schedule.ts";
import { addPending } from "#modules/payments/balances/confirmations.ts";
import { healthTransition } from "#modules/payments/health/transition.ts";
import { isOutdated } from "#modules/payments/ingestion/page.ts";
import { completeReportedMovements } from "#modules/payments/movements/complete.ts";
import {
  rejectionStatements,
  type RejectionPlace,
  retriedStatement,
  rejectionDeletion,
} from "#modules/payments/rejected/store.ts";
import type { Schedule } from "#modules/payments/schedules/schedule.ts";
import { paymentFetches } from "#modules/payments/schedules/tables.ts";
import { connectionOf } from "#modules/payments/users/connection-fetches.ts";
import { type Database, databaseOf } from "#platform/db/database.ts";
import { columnValues, jsonRows, ROW_ORDER } from "#platform/db/json-rows.ts";
import { Outbox } from "#platform/events/outbox.ts";
import { stringifyJson } from "#platform/json.ts";

/** How often a page is prepared at most when other changes are stored meanwhile. */
const PREPARATIONS_MAX = 5;

export interface PageOfFetch {
  readonly next: NextFetch;
  readonly page: FetchedPage;
  /** Whether the page was fetched again because of its rejected items. The fetch then keeps its state. */
  readonly isRetry: boolean;
}

/** Stores a page and moves the run's position past it, in one batch. Throws `ConnectorError`. */
export async function storeFetched(
  run: Run,
  schedule: Schedule,
  fetched: PageOfFetch,
): Promise<Schedule> {
  const { context, connector } = run;
  const db = databaseOf(context.env);
  const { next, page, isRetry } = fetched;
  const place = placeOf(schedule, fetched);
  const progress = [
    ...(isRetry ? [retriedStatement(db, place, context.clock())] : fetchStatements(db, next, page)),
    ...childStatements(db, next, page),
    ...settled(db, schedule, page),
    ...(await rejectionStatements(context, { connector, place }, page.rejected)),
  ];
  for (let attempt = 1; ; attempt++) {
    const { statements, events, count, confirmed = [] } = await page.prepare();
    const waiting =
      confirmed.length === 0 ? undefined : addPending(db, schedule.confirmed, confirmed);
    const now = context.clock();
    const { statement, changed } = changeOf(db, schedule, {
      nextAt: now,
      progressAt: now,
      ...(isRetry ? {} : placeAfter(schedule, next, page)),
      attempts: 0,
      givenUp: 0,
      items: schedule.items + count,
      ...rejectionChange(schedule, page, now),
      ...(waiting === undefined ? {} : { confirmed: waiting.pending }),
    });
    const health =
      page.rejected.length > 0 && schedule.degradedSince === null
        ? await healthTransition(context, connector, changed)
        : { statements: [], events: [] };
    try {
      await Outbox.from(context).publish({
        change: [
          statement,
          ...progress,
          ...statements,
          ...(waiting?.statements ?? []),
          ...health.statements,
        ],
        events: [...events, ...health.events],
      });
      if (next.node.task === "FETCH_PAYMENTS" && count > 0)
        await completeReportedMovements(context, connector);
      return changed;
    } catch (error) {
      if (attempt === PREPARATIONS_MAX || !isOutdated(error)) throw error;
    }
  }
}

const placeOf = (
  { key: scheduleKey, instanceKey }: Schedule,
  { next: { node, fetch }, isRetry }: PageOfFetch,
): RejectionPlace => ({
  scheduleKey,
  fetchKey: fetch.key,
  task: node.task,
  state: fetch.state,
  instanceKey: instanceKey ?? 0,
  isRetry,
});

/**
 * The position of the run after a page: at its fetch, or before it if the fetch has more pages. Position 0 is before the
 * first fetch of a node.
 */
const placeAfter = (
  schedule: Schedule,
  { node, fetch }: NextFetch,
  { hasMore }: FetchedPage,
): ScheduleChange => ({
  node: node.path,
  ...(hasMore ? (schedule.node === node.path ? {} : { fetchKey: 0 }) : { fetchKey: fetch.key }),
});

/** A schedule whose page has rejected items is degraded and goes on without them. */
function rejectionChange(
  schedule: Schedule,
  { rejected: [first] }: FetchedPage,
  now: Schedule["nextAt"],
): ScheduleChange {
  if (first === undefined) return {};
  const error = schedule.error ?? `${first.id} is set aside: ${first.reason}`;
  const degradedSince = schedule.degradedSince ?? now;
  return { degradedSince, error, lastFailureAt: now, lastError: error };
}

/** The statement that removes items from the rejected ones which this page could read; none if nothing is rejected. */
function settled(db: Database, { key, degradedSince }: Schedule, { read, rejected }: FetchedPage) {
  const bad = new Set(rejected.map(({ id }) => id));
  const ids = read.filter((id) => !bad.has(id));
  if (degradedSince === null || ids.length === 0) return [];
  return [rejectionDeletion(db, { scheduleKey: key, ids })];
}

/** The statement that stores a page's effect on its fetch; none without an effect. */
function fetchStatements(db: Database, { node, fetch }: NextFetch, page: FetchedPage) {
  // A connection is fetched once, and again when its consent is renewed.
  if (connectionOf(fetch) !== undefined && !page.hasMore) {
    return [db.delete(paymentFetches).where(eq(paymentFetches.key, fetch.key))];
  }
  const state = page.state ?? null;
  const isDue = node.isPeriodic || page.hasMore ? 1 : 0;
  if (state === fetch.state && isDue === fetch.isDue && fetch.failures === 0) return [];
  return [
    db
      .update(paymentFetches)
      .set({ state, isDue, failures: 0, retryAt: null })
      .where(eq(paymentFetches.key, fetch.key)),
  ];
}

/** The statements that insert the fetches below the items of a page. The same run makes them. */
function childStatements(db: Database, { node, fetch }: NextFetch, { parents }: FetchedPage) {
  if (parents.length === 0) return [];
  const { source, items } = jsonRows(
    parents.map((item) => ({ parent: item.reference, payload: stringifyJson(item) })),
  );
  return node.children.map(({ path, isPeriodic }) => {
    const insertion = db.insert(paymentFetches).select(sql`
      SELECT ${columnValues(paymentFetches, {
        ...items,
        key: null,
        scheduleKey: fetch.scheduleKey,
        node: path,
        state: null,
        isDue: sql`1`,
        failures: sql`0`,
        retryAt: null,
      })}
      FROM ${source} WHERE true ORDER BY ${ROW_ORDER}`);
    if (isPeriodic) return insertion.onConflictDoNothing();
    const { scheduleKey, node: ofNode, parent } = paymentFetches;
    return insertion.onConflictDoUpdate({
      target: [scheduleKey, ofNode, parent],
      set: { isDue: 1 },
    });
  });
}
