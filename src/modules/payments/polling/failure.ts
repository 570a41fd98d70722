import { eq } from "drizzle-orm";
import { endRun } from "./end-run.ts";
import type { Run } from "./run-context.ts";
import { changeOf, FAILURES_MAX, type NextFetch } from "./schedule.ts";
import { plusMillis, nextAttemptAt, nextItemAt } from "./timing.ts";
import type { ConnectorError } from "#modules/payments/connectors/connector-error.ts";
import { holdStatements } from "#modules/payments/schedules/hold.ts";
import type { Schedule } from "#modules/payments/schedules/schedule.ts";
import { paymentFetches } from "#modules/payments/schedules/tables.ts";
import { databaseOf } from "#platform/db/database.ts";
import { toMillis } from "#platform/time.ts";

/** Calls that are made in all before a run gives up a fetch. */
const ATTEMPTS_MAX = 5;
/** After this many fetches in a row that were given up because the provider does not answer, the run ends. */
const GIVEN_UP_MAX = 3;
/** A run fails if a rate limit keeps it without progress for this long, in milliseconds. */
const LIMITED_MS_MAX = 1_800_000;

interface Failure {
  readonly next: NextFetch;
  readonly failure: ConnectorError;
}

/** Stores when the failed call is repeated, or that the run goes on without its fetch, or ends. */
export async function storeFetchFailure(
  run: Run,
  schedule: Schedule,
  { next, failure }: Failure,
): Promise<Schedule> {
  const { context, connector } = run;
  const db = databaseOf(context.env);
  const now = context.clock();
  const seen = { lastFailureAt: now, lastError: failure.message };
  if (failure.kind === "rate-limited") {
    const nextAt = plusMillis(now, failure.retryAfterMs ?? 0);
    // A rate limit of the provider applies to all calls of the connector.
    const hold = holdStatements(db, { connectorKey: connector.key, until: nextAt });
    if (isStuck(schedule, now)) {
      await db.batch(hold);
      const held = { ...schedule, nextAt };
      return endRun(run, held, { error: describe(next, failure), isFatal: true });
    }
    const { statement, changed } = changeOf(db, schedule, { ...seen, nextAt });
    await db.batch([statement, ...hold]);
    return changed;
  }
  const isFinal = failure.kind === "invalid" || isProbe(schedule);
  const attempts = schedule.attempts + 1;
  if (!isFinal && attempts < ATTEMPTS_MAX && schedule.givenUp === 0) {
    const nextAt = nextAttemptAt(now, attempts);
    const { statement, changed } = changeOf(db, schedule, { ...seen, attempts, nextAt });
    await statement;
    return changed;
  }
  return giveUp(run, schedule, { next, failure });
}

/**
 * Whether a call is the first one in a run of a paused schedule. It is not repeated, so a provider that is down gets one
 * call for each probe.
 */
const isProbe = ({ pausedAt, node }: Schedule): boolean => pausedAt !== null && node === "";

/** Whether a rate limit has kept the run without progress for too long. */
const isStuck = ({ progressAt }: Schedule, now: Schedule["nextAt"]): boolean =>
  progressAt !== null && toMillis(now) - toMillis(progressAt) >= LIMITED_MS_MAX;

/** Goes on without the items of a fetch, or ends the run if the fetch is the root or the provider does not answer at all. */
async function giveUp(run: Run, schedule: Schedule, { next, failure }: Failure): Promise<Schedule> {
  const { node, fetch } = next;
  const isRoot = fetch.parent === "";
  const givenUp = failure.kind === "invalid" ? 0 : schedule.givenUp + 1;
  if (isRoot || givenUp >= GIVEN_UP_MAX) {
    return endRun(run, schedule, { error: describe(next, failure), isFatal: true });
  }
  const error = schedule.error ?? describe(next, failure);
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
    progressAt: now,
    lastFailureAt: now,
    lastError: error,
  });
  const failures = fetch.failures + 1;
  const failed = db
    .update(paymentFetches)
    .set({
      failures,
      retryAt: failures < FAILURES_MAX ? null : nextItemAt(now, failures - FAILURES_MAX + 1),
    })
    .where(eq(paymentFetches.key, fetch.key));
  await db.batch([statement, failed]);
  return changed;
}

const describe = ({ fetch }: NextFetch, { message }: ConnectorError): string =>
  fetch.parent === "" ? message : `${fetch.parent}: ${message}`;
