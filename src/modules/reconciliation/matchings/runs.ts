import { and, eq } from "drizzle-orm";
import type { RunHead } from "./engine/heads.ts";
import { dayAt } from "./fields.ts";
import { toRunHead } from "./matching.ts";
import { callMatching, reachMatching } from "./object-calls.ts";
import { getMatching, joinedReach, reachColumns } from "./store.ts";
import { reconciliationMatchingRuns, reconciliationMatchings } from "./tables.ts";
import { DEFAULT_PASSES } from "#modules/reconciliation/core/matching/default-passes.ts";
import { reachOfSource } from "#modules/reconciliation/sources/source.ts";
import { sourceOf } from "#modules/reconciliation/sources/store.ts";
import { toPrincipalColumn } from "#platform/access/stored-principal.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { listPage } from "#platform/db/list.ts";
import { AppError } from "#platform/errors.ts";
import type { Page } from "#platform/paging/pagination.ts";
import type { PageQuery } from "#platform/paging/query.ts";

/**
 * Begins a run, which collects what is new in both sources and matches what is open, by itself, with the rights of the principal. Throws
 * `NOT_FOUND`, `UNAUTHENTICATED`, and `CONFLICT` while another run works.
 */
export async function startRun(context: ServiceContext, id: string): Promise<RunHead> {
  const matching = await getMatching(context, id);
  const { leftSourceId, rightSourceId, period, threshold, timingDays, passes } = matching;
  const sources = [
    await sourceOf(context, leftSourceId),
    await sourceOf(context, rightSourceId),
  ] as const;
  const reach = joinedReach([matching.reach, ...sources.map(reachOfSource)]);
  const { env, principal, clock, requestId } = context;
  // Whoever reads the matching from now on may read all that its lines come from.
  if (
    reach.ledgers.length > matching.reach.ledgers.length ||
    reach.hasPools !== matching.reach.hasPools
  )
    await databaseOf(env)
      .update(reconciliationMatchings)
      .set(reachColumns(reach))
      .where(eq(reconciliationMatchings.key, matching.key));
  const now = clock();
  return callMatching(env, id, (object) =>
    object.start({
      matchingId: id,
      settings: {
        passes: passes ?? DEFAULT_PASSES,
        threshold,
        today: dayAt(now),
        timingDays,
      },
      period,
      start: { principal: toPrincipalColumn(principal), request: requestId, at: now },
    }),
  );
}

/** A run as it is now. Throws `NOT_FOUND` and `UNAUTHENTICATED`. */
export async function getRun(
  context: ServiceContext,
  id: string,
  number: number,
): Promise<RunHead> {
  await getMatching(context, id);
  const head = await reachMatching(context.env, id, (object) => object.runHead(number));
  if (head === undefined) throw new AppError("NOT_FOUND", `the matching has no run ${number}`);
  return head;
}

/** A page of the runs of a matching, the newest first. A run that works is shown as it was at its last change of state. */
export async function listRuns(
  context: ServiceContext,
  id: string,
  query: PageQuery,
): Promise<Page<RunHead>> {
  const { key } = await getMatching(context, id);
  const { number, head, matchingKey } = reconciliationMatchingRuns;
  return listPage<RunHead>(query, {
    sort: {
      number: { type: "integer", column: number, keyOf: (run) => ({ value: BigInt(run.number) }) },
    },
    read: async ({ where, orderBy, limit, offset }) => {
      const rows = await databaseOf(context.env)
        .select({ head })
        .from(reconciliationMatchingRuns)
        .where(and(eq(matchingKey, key), where))
        .orderBy(...orderBy)
        .limit(limit)
        .offset(offset);
      return rows.map((row) => toRunHead(row.head));
    },
  });
}
