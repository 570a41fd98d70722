import { eq, sql } from "drizzle-orm";
import { connectionOf } from "./connection-fetches.ts";
import { endRun } from "./end-run.ts";
import { noteFailure } from "./failure.ts";
import { fetchPage, type FetchedPage } from "./fetch-page.ts";
import { beginInstance, latestInstance } from "./instances.ts";
import type { Run } from "./run-context.ts";
import { changeOf, type NextFetch, nextFetch, type Schedule } from "./schedule.ts";
import { paymentFetches, paymentSchedules } from "./tables.ts";
import type { WalkNode } from "./walk.ts";
import { ConnectorError } from "#modules/payments/connectors/connector-error.ts";
import { isOutdated } from "#modules/payments/ingest.ts";
import { type Database, databaseOf } from "#platform/db/database.ts";
import { jsonRows, ROW_ORDER } from "#platform/db/json-rows.ts";
import { AppError } from "#platform/errors.ts";
import { Outbox } from "#platform/events/outbox.ts";
import { stringifyJson } from "#platform/json.ts";

/** How often a page is prepared again, where other changes came between. */
const PREPARATIONS_MAX = 5;

/**
 * Does the next piece of a schedule's work: begins a run, stores a page, notes a failure, or ends the run. Each piece is one
 * batch, in which the place of the run moves on together with what was fetched. So a crash repeats a page and skips none, and
 * of two that do the same piece, one is refused as stale.
 */
export async function step(run: Run, schedule: Schedule): Promise<Schedule> {
  if (schedule.instanceKey === null) return beginRun(run, schedule);
  const next = await nextFetch(run.context, schedule, run.walk);
  if (next === undefined) return endRun(run, schedule, { error: schedule.error, isFatal: false });
  let page: FetchedPage;
  try {
    page = await fetchPage(run.context, {
      ...run,
      next,
      plugin: await run.openPlugin(),
    });
    return await storeFetched(run, schedule, { next, page });
  } catch (error) {
    const failure = toConnectorError(error);
    if (failure === undefined) throw error;
    return noteFailure(run, schedule, { next, failure });
  }
}

/** What a provider, or what it has sent, is to blame for; undefined for everything else, which is tried again. */
function toConnectorError(error: unknown): ConnectorError | undefined {
  if (error instanceof ConnectorError) return error;
  // A page that cannot be stored, because it is too large for one batch.
  if (error instanceof AppError && error.kind === "VALIDATION") {
    return new ConnectorError("invalid", error.message, { cause: error });
  }
  return undefined;
}

async function beginRun({ context }: Run, schedule: Schedule): Promise<Schedule> {
  const db = databaseOf(context.env);
  const now = context.clock();
  const begun = {
    nextAt: now,
    node: "",
    fetchKey: 0,
    attempts: 0,
    givenUp: 0,
    items: 0,
    error: null,
    progressAt: now,
  };
  const { statement, changed } = changeOf(db, schedule, begun);
  const [, , , [row]] = await db.batch([
    statement,
    ...beginInstance(db, { scheduleKey: schedule.key, now }),
    db
      .update(paymentSchedules)
      .set({ instanceKey: latestInstance(schedule.key) })
      .where(eq(paymentSchedules.key, schedule.key))
      .returning({ instanceKey: paymentSchedules.instanceKey }),
  ]);
  return { ...changed, instanceKey: row?.instanceKey ?? null };
}

/** Stores a page of a provider, and moves the run's place behind it, in one batch. */
async function storeFetched(
  run: Run,
  schedule: Schedule,
  { next, page }: { readonly next: NextFetch; readonly page: FetchedPage },
): Promise<Schedule> {
  const { context } = run;
  const db = databaseOf(context.env);
  const { node, fetch } = next;
  const progress = [...fetchStatements(db, next, page), ...childStatements(db, next, page)];
  for (let attempt = 1; ; attempt++) {
    const { statements, events, count } = await page.prepare();
    const now = context.clock();
    const { statement, changed } = changeOf(db, schedule, {
      nextAt: now,
      progressAt: now,
      node: node.path,
      ...(page.hasMore ? fetchBefore(schedule, node) : { fetchKey: fetch.key }),
      attempts: 0,
      givenUp: 0,
      items: schedule.items + count,
    });
    try {
      const change = [statement, ...progress, ...statements];
      await Outbox.from(context).publish({ change, events });
      return changed;
    } catch (error) {
      if (attempt === PREPARATIONS_MAX || !isOutdated(error)) throw error;
    }
  }
}

/** The place before a fetch that goes on, which is the first one of a node that was just reached. */
const fetchBefore = (schedule: Schedule, { path }: WalkNode) =>
  schedule.node === path ? {} : { fetchKey: 0 };

/** What a page changes of its fetch, where it changes something. */
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

/** What hangs on the items of a page is fetched in the same run. */
function childStatements(db: Database, { node, fetch }: NextFetch, { parents }: FetchedPage) {
  if (parents.length === 0) return [];
  const rows = parents.map((item) => [item.reference, stringifyJson(item)]);
  return node.children.map(({ path, isPeriodic }) => {
    const insertion = db.insert(paymentFetches).select(sql`
      SELECT NULL, ${fetch.scheduleKey}, ${path}, r.item ->> 0, r.item ->> 1, NULL, 1, 0, NULL
      FROM ${jsonRows(rows)} AS r WHERE true ORDER BY ${ROW_ORDER}`);
    if (isPeriodic) return insertion.onConflictDoNothing();
    const { scheduleKey, node: ofNode, parent } = paymentFetches;
    return insertion.onConflictDoUpdate({
      target: [scheduleKey, ofNode, parent],
      set: { isDue: 1 },
    });
  });
}
