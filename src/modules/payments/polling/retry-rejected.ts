import { eq } from "drizzle-orm";
import { fetchPage } from "./fetch-page.ts";
import type { Run } from "./run-context.ts";
import { changeOf } from "./schedule.ts";
import { storeFetched } from "./store-page.ts";
import { plusMillis } from "./timing.ts";
import { ConnectorError } from "#modules/payments/connectors/connector-error.ts";
import { nextRetry, retriedStatement } from "#modules/payments/rejected/store.ts";
import { holdStatements } from "#modules/payments/schedules/hold.ts";
import type { Schedule } from "#modules/payments/schedules/schedule.ts";
import { paymentFetches } from "#modules/payments/schedules/tables.ts";
import { databaseOf } from "#platform/db/database.ts";

/**
 * At the end of a run, fetches a page with rejected items again. Items that can be read now are stored and no longer
 * rejected; items that were stored before do not change. Undefined if the run has no such page left.
 */
export async function retryRejected(run: Run, schedule: Schedule): Promise<Schedule | undefined> {
  const { context, connector, walk } = run;
  const { key: scheduleKey, instanceKey } = schedule;
  if (schedule.degradedSince === null || instanceKey === null) return undefined;
  const db = databaseOf(context.env);
  const place = await nextRetry(db, { scheduleKey, instanceKey });
  if (place === undefined) return undefined;
  const { fetchKey, state } = place;
  const [fetch] = await db.select().from(paymentFetches).where(eq(paymentFetches.key, fetchKey));
  const node = walk.find(({ path }) => path === fetch?.node);
  const now = context.clock();
  const tried = retriedStatement(db, { scheduleKey, fetchKey, state, instanceKey }, now);
  if (fetch === undefined || node === undefined) {
    const { statement, changed } = changeOf(db, schedule, { nextAt: now });
    await db.batch([statement, tried]);
    return changed;
  }
  try {
    const next = { node, fetch: { ...fetch, state } };
    const plugin = await run.openPlugin();
    const page = await fetchPage(context, { ...run, next, plugin });
    return await storeFetched(run, schedule, { next, page, isRetry: true });
  } catch (error) {
    if (!(error instanceof ConnectorError)) throw error;
    const isLimited = error.kind === "rate-limited";
    const nextAt = isLimited ? plusMillis(now, error.retryAfterMs ?? 0) : now;
    const { statement, changed } = changeOf(db, schedule, { nextAt });
    const hold = isLimited
      ? holdStatements(db, { connectorKey: connector.key, until: nextAt })
      : [];
    await db.batch([statement, ...(isLimited ? [] : [tried]), ...hold]);
    return changed;
  }
}
