import { eq } from "drizzle-orm";
import { endRun } from "./end-run.ts";
import { storeFetchFailure } from "./failure.ts";
import { fetchPage, type FetchedPage } from "./fetch-page.ts";
import { beginInstance, latestInstance } from "./instances.ts";
import { retryRejected } from "./retry-rejected.ts";
import type { Run } from "./run-context.ts";
import { changeOf, nextFetch } from "./schedule.ts";
import { storeFetched } from "./store-page.ts";
import { toConnectorError } from "#modules/payments/connectors/provider-fault.ts";
import type { Schedule } from "#modules/payments/schedules/schedule.ts";
import { paymentSchedules } from "#modules/payments/schedules/tables.ts";
import { databaseOf } from "#platform/db/database.ts";

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
    // The alarm repeats the step.
    if (failure === undefined) throw error;
    return storeFetchFailure(run, schedule, { next, failure });
  }
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
