import { eq } from "drizzle-orm";
import { z } from "zod";
import { endRun } from "./end-run.ts";
import { noteFailure } from "./failure.ts";
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
 * Does the next piece of a schedule's work: begins a run, stores a page, notes a failure, or ends the run. Each piece is one
 * batch, in which the place of the run moves on together with what was fetched. So a crash repeats a page and skips none, and
 * of two that do the same piece, one is refused as stale.
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
  // A fault of the plugin must not hold up the other schedules of the connector. Those of the database are plain errors.
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
