import { eq, sql } from "drizzle-orm";
import { connectionOf, hasConnectionFetch } from "./connection-fetches.ts";
import { fetchPage, type FetchedPage } from "./fetch-page.ts";
import { beginInstance, endInstance, latestInstance } from "./instances.ts";
import { changeOf, FAILURES_MAX, type NextFetch, nextFetch, type Schedule } from "./schedule.ts";
import { paymentFetches, paymentSchedules } from "./tables.ts";
import { after, nextAttemptAt, nextRunAt } from "./timing.ts";
import type { WalkNode } from "./walk.ts";
import { ConnectorError } from "#modules/payments/connectors/connector-error.ts";
import type { Plugin } from "#modules/payments/connectors/contract.ts";
import { isOutdated } from "#modules/payments/ingest.ts";
import { holdStatements } from "#modules/payments/installs/hold.ts";
import type { InstalledConnector } from "#modules/payments/installs/store.ts";
import type { ServiceContext } from "#platform/context.ts";
import { type Database, databaseOf } from "#platform/db/database.ts";
import { jsonRows, ROW_ORDER } from "#platform/db/json-rows.ts";
import { AppError } from "#platform/errors.ts";
import { Outbox } from "#platform/events/outbox.ts";
import { stringifyJson } from "#platform/json.ts";

/** What a run works with. */
export interface Run {
  readonly context: ServiceContext;
  readonly connector: InstalledConnector;
  readonly pageSize: number;
  readonly walk: readonly WalkNode[];
  /** Throws `ConnectorError`. */
  readonly openPlugin: () => Promise<Plugin>;
}

/** How often a call that may succeed later is made before its fetch is given up for this run. */
const ATTEMPTS_MAX = 5;
/** After so many fetches in a row that were given up because the provider does not answer, the run ends. */
const GIVEN_UP_MAX = 3;
/** How often a page is prepared again, where other changes came between. */
const PREPARATIONS_MAX = 5;

/**
 * Does the next piece of a schedule's work: begins a run, stores a page, notes a failure, or ends the run. Each piece is one
 * batch, in which the place of the run moves on together with what was fetched. So a crash repeats a page and skips none, and
 * of two that do the same piece, one is refused as stale.
 */
export async function step(run: Run, schedule: Schedule): Promise<Schedule> {
  if (schedule.instanceKey === null) return beginRun(run, schedule);
  const next = await nextFetch(databaseOf(run.context.env), schedule, run.walk);
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
    const { statement, changed } = changeOf(db, schedule, {
      nextAt: context.clock(),
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
      .set({ state, isDue, failures: 0 })
      .where(eq(paymentFetches.key, fetch.key)),
  ];
}

/** What hangs on the items of a page is fetched in the same run. */
function childStatements(db: Database, { node, fetch }: NextFetch, { parents }: FetchedPage) {
  if (parents.length === 0) return [];
  const rows = parents.map((item) => [item.reference, stringifyJson(item)]);
  return node.children.map(({ path, isPeriodic }) => {
    const insertion = db.insert(paymentFetches).select(sql`
      SELECT NULL, ${fetch.scheduleKey}, ${path}, r.item ->> 0, r.item ->> 1, NULL, 1, 0
      FROM ${jsonRows(rows)} AS r WHERE true ORDER BY ${ROW_ORDER}`);
    if (isPeriodic) return insertion.onConflictDoNothing();
    const { scheduleKey, node: ofNode, parent } = paymentFetches;
    return insertion.onConflictDoUpdate({
      target: [scheduleKey, ofNode, parent],
      set: { isDue: 1 },
    });
  });
}

/** Decides when the call that has failed is made again, or that the run goes on without it. */
async function noteFailure(
  run: Run,
  schedule: Schedule,
  { next, failure }: { readonly next: NextFetch; readonly failure: ConnectorError },
): Promise<Schedule> {
  const { context, connector } = run;
  const db = databaseOf(context.env);
  const now = context.clock();
  const seen = { lastFailureAt: now, lastError: failure.message };
  if (failure.kind === "rate-limited") {
    const nextAt = after(now, failure.retryAfterMs ?? 0);
    const { statement, changed } = changeOf(db, schedule, { ...seen, nextAt });
    // The limit is that of the provider, and holds for all that is asked of it.
    const hold = holdStatements(db, { connectorKey: connector.key, until: nextAt });
    await db.batch([statement, ...hold]);
    return changed;
  }
  const isFinal = failure.kind === "invalid";
  const attempts = schedule.attempts + 1;
  if (!isFinal && attempts < ATTEMPTS_MAX && schedule.givenUp === 0) {
    const nextAt = nextAttemptAt(now, attempts);
    const { statement, changed } = changeOf(db, schedule, { ...seen, attempts, nextAt });
    await statement;
    return changed;
  }
  return giveUp(run, schedule, { next, failure });
}

/** Goes on without an item, or ends the run where nothing else can be fetched either. */
async function giveUp(
  run: Run,
  schedule: Schedule,
  { next, failure }: { readonly next: NextFetch; readonly failure: ConnectorError },
): Promise<Schedule> {
  const { node, fetch } = next;
  const isRoot = fetch.parent === "";
  const givenUp = failure.kind === "invalid" ? 0 : schedule.givenUp + 1;
  const error = schedule.error ?? describe(next, failure);
  if (isRoot || givenUp >= GIVEN_UP_MAX) return endRun(run, schedule, { error, isFatal: true });
  const { context } = run;
  const db = databaseOf(context.env);
  const now = context.clock();
  const { statement, changed } = changeOf(db, schedule, {
    node: node.path,
    fetchKey: fetch.key,
    nextAt: now,
    attempts: 0,
    givenUp,
    error,
    lastFailureAt: now,
    lastError: error,
  });
  const failed = db
    .update(paymentFetches)
    .set({ failures: fetch.failures + 1 })
    .where(eq(paymentFetches.key, fetch.key));
  await db.batch([statement, failed]);
  return changed;
}

const describe = ({ fetch }: NextFetch, { message }: ConnectorError): string =>
  fetch.parent === "" ? message : `${fetch.parent}: ${message}`;

/** Ends a run. After too many in a row that could not go on, the schedule is paused. */
async function endRun(
  { context, connector }: Run,
  schedule: Schedule,
  { error, isFatal }: { readonly error: string | null; readonly isFatal: boolean },
): Promise<Schedule> {
  const db = databaseOf(context.env);
  const now = context.clock();
  const failures = isFatal ? schedule.failures + 1 : 0;
  const { statement, changed } = changeOf(db, schedule, {
    instanceKey: null,
    nextAt:
      !isFatal && (await hasConnectionFetch(db, schedule))
        ? now
        : nextRunAt(now, connector.pollingPeriodMs),
    node: "",
    fetchKey: 0,
    attempts: 0,
    givenUp: 0,
    failures,
    lastItems: schedule.items,
    ...(error === null ? { lastSuccessAt: now } : { lastFailureAt: now, lastError: error }),
    ...(failures < FAILURES_MAX ? {} : { pausedAt: now, pausedReason: error }),
  });
  const { instanceKey } = schedule;
  await db.batch([
    statement,
    ...(instanceKey === null ? [] : [endInstance(db, { instanceKey, now, error })]),
  ]);
  return changed;
}
