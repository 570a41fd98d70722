import { eq } from "drizzle-orm";
import { z } from "zod";
import { endRun } from "./end-run.ts";
import { storeFetchFailure } from "./failure.ts";
import { fetchPage, type FetchedPage } from "./fetch-page.ts";
import { beginInstance, latestInstance } from "./instances.ts";
import { retryRejected } from "./retry-rejected.ts";
import type { Run } from "./run-context.ts";
import { changeOf, nextFetch } from "./schedule.ts";
import { storeFetched } from "./store-page.ts";
import { ConnectorError } from "#modules/payments/connectors/connector-error.ts";
import type { Schedule } from "#modules/payments/schedules/schedule.ts";
import { paymentSchedules } from "#modules/payments/schedules/tables.ts";
import { databaseOf } from "#platform/db/database.ts";
import { AppError } from "#platform/errors.ts";
import { logError } from "#platform/log.ts";

/**
 * Does the next step of a schedule. Each step is one batch, in which the position of the run moves together with the items
 * that it stores. A crash therefore repeats a page and skips none, and of two workers that do the same step, one is refused
 * as stale.
 *
 *     between runs ── due ──> begin ──> ┌─> next fetch ── page ──> store the page ──┐
 *         ^                             │      │    └── error ─┬> repeat it later ──┤
 *         │                             │      │              ├> skip the items ───┤
 *         │                             └──────┼──────────────│────────────────────┘
 *         │                          none left │              │ root, too many in a row, or limited too long
 *         │                                    v              │
 *         │                          retry pages with         │
 *         │                          rejected items           │
 *         │                          none left │              │
 *         │                                    v              │
 *         └──────────────────────────── end the run <─────────┘
 */
export async function step(run: Run, schedule: Schedule): Promise<Schedule> {
  if (schedule.instanceKey === null) return beginRun(run, schedule);
  const next = await nextFetch(run.context, schedule, run.walk);
  if (next === undefined) {
    return (
      (await retryRejected(run, schedule)) ??
      endRun(run, schedule, { error: schedule.error, isFatal: false })
    );
  }
  let page: FetchedPage;
  try {
    page = await fetchPage(run.context, {
      ...run,
      next,
      plugin: await run.openPlugin(),
    });
    return await storeFetched(run, schedule, { next, page, isRetry: false });
  } catch (error) {
    const failure = toConnectorError(error);
    if (failure === undefined) throw error;
    return storeFetchFailure(run, schedule, { next, failure });
  }
}

/**
 * The failure for which the provider or its answer is to blame; undefined for every other error, after which the alarm
 * repeats the step.
 */
function toConnectorError(error: unknown): ConnectorError | undefined {
  if (error instanceof ConnectorError) return error;
  // A page that is too large for one batch cannot be stored.
  if (error instanceof AppError && error.kind === "VALIDATION") {
    return new ConnectorError("invalid", error.message, { cause: error });
  }
  // A fault of the plugin must not delay the other schedules of the connector. Errors of the database have none of these
  // types.
  if (FAULTS.some((type) => error instanceof type)) {
    logError("a connector cannot read what its provider has sent", error);
    return new ConnectorError("invalid", "the connector cannot read the answer", { cause: error });
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

const FAULTS = [TypeError, RangeError, SyntaxError, z.ZodError];
