import { proceed } from "./proceed.ts";
import { isUnfinished, takeStep, unfinishedBefore } from "./store.ts";
import { reconciliationCorrections } from "./tables.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { AppError } from "#platform/errors.ts";
import { logError } from "#platform/log.ts";
import { fromMillis, toMillis } from "#platform/time.ts";
import { settleAll } from "#platform/work/lanes.ts";

/** How long a correction may be in the middle of something before the sweep goes on with it, in milliseconds: longer than a request takes. */
const CUT_OFF_MS = 60_000;
const LANES = { total: 4, perKey: 1, timeoutMs: 35_000 };
/** Most corrections of one sweep. */
const SWEPT_MAX = 100;

/**
 * Goes on with corrections that a crash, a lost answer or a busy ledger has left in the middle. A correction that cannot be booked ends as
 * `failed`, as it does in a request. Returns the time of the next run, in milliseconds since the epoch; undefined where none is left.
 */
export async function sweepCorrections(context: ServiceContext): Promise<number | undefined> {
  const nowMs = toMillis(context.clock());
  const before = fromMillis(nowMs - CUT_OFF_MS);
  const due = await unfinishedBefore(context, { before, limit: SWEPT_MAX });
  const results = await settleAll(due, {
    limits: LANES,
    keyOf: ({ ledger }) => ledger,
    run: async (correction) => {
      await proceed({ ...context, requestId: `correction:${correction.id}` }, correction);
    },
  });
  for (const { item, error } of results) {
    if (error === undefined) continue;
    if (!(error instanceof AppError))
      logError(`the correction ${item.id} could not be booked`, error);
    // It goes to the end of the queue, so that corrections which fail again and again keep no place of others.
    await takeStep(context, item, { from: item.state, to: item.state });
  }
  const left = await databaseOf(context.env).$count(reconciliationCorrections, isUnfinished());
  return left === 0 ? undefined : nowMs + CUT_OFF_MS;
}
