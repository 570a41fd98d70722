import { and, eq, isNull, sql } from "drizzle-orm";
import { accountColumns, assertPeriod, passesColumn } from "./fields.ts";
import {
  type CorrectionAccounts,
  type Matching,
  type MatchingRow,
  toMatching,
} from "./matching.ts";
import { reachMatching } from "./object-calls.ts";
import { getMatching, noMatching } from "./store.ts";
import { reconciliationMatchings } from "./tables.ts";
import { assertName } from "#modules/reconciliation/core/fields.ts";
import { dateOf } from "#modules/reconciliation/core/matching/days.ts";
import type { Pass } from "#modules/reconciliation/core/matching/index.ts";
import { releaseSources } from "#modules/reconciliation/sources/uses.ts";
import { RETENTION_SWEEP } from "#modules/reconciliation/sweep-names.ts";
import { AuditedChange } from "#platform/audit/audited-change.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { AppError } from "#platform/errors.ts";
import { watchChange } from "#platform/objects/deployment-clock.ts";
import { toMillis } from "#platform/time.ts";

/** The fields of a change; undefined for one that stays. */
export interface MatchingChange {
  readonly name: string | undefined;
  /** Null for the passes that ship. */
  readonly passes: readonly Pass[] | null | undefined;
  readonly threshold: number | undefined;
  readonly timingDays: number | undefined;
  /** In days since 1970-01-01; null for a period without an end. */
  readonly periodTo: number | null | undefined;
  readonly accounts: Partial<CorrectionAccounts>;
}

/**
 * Changes a matching. A run that works keeps the passes that it began with. Throws `NOT_FOUND`, `UNAUTHENTICATED`, `VALIDATION`, and
 * `CONFLICT` for a period that ends before a line that was collected, and where somebody else changes the matching at the same time.
 */
export async function patchMatching(
  context: ServiceContext,
  id: string,
  change: MatchingChange,
): Promise<Matching> {
  const matching = await getMatching(context, id);
  const columns = changedColumns(matching, change, context);
  if (change.periodTo !== undefined) await assertCovers(context, id, change.periodTo);
  const { env, clock } = context;
  const audited = new AuditedChange(context, {
    action: "reconciliation.matching.update",
    object: `matchings/${id}`,
  });
  const [row] = await audited.store(
    databaseOf(env)
      .update(reconciliationMatchings)
      .set({
        ...columns,
        updatedAt: clock(),
        revision: sql`${reconciliationMatchings.revision} + 1`,
      })
      .where(
        and(
          eq(reconciliationMatchings.key, matching.key),
          eq(reconciliationMatchings.revision, matching.revision),
          isNull(reconciliationMatchings.deletedAt),
        ),
      )
      .returning(),
  );
  if (row !== undefined) return toMatching(row);
  await getMatching(context, id); // throws for a matching that was deleted meanwhile
  throw new AppError("CONFLICT", "the matching was changed by somebody else at the same time");
}

function changedColumns(
  { period, accounts }: Matching,
  change: MatchingChange,
  { clock }: ServiceContext,
): Partial<MatchingRow> {
  const { name, passes, threshold, timingDays, periodTo } = change;
  if (name !== undefined) assertName(name);
  if (periodTo !== undefined)
    assertPeriod({ from: period.from, to: periodTo ?? undefined }, clock());
  return {
    ...(name === undefined ? {} : { name }),
    ...(passes === undefined ? {} : { passes: passesColumn(passes ?? undefined) }),
    ...(threshold === undefined ? {} : { threshold }),
    ...(timingDays === undefined ? {} : { timingDays }),
    ...(periodTo === undefined ? {} : { periodTo }),
    ...accountColumns({ ...accounts, ...change.accounts }),
  };
}

/** Throws `CONFLICT` for a period that would leave out a line that the matching has, or may be about to get. */
async function assertCovers(
  { env }: ServiceContext,
  id: string,
  periodTo: number | null,
): Promise<void> {
  const { lastDay, isCollecting } = await reachMatching(env, id, (object) => object.extent());
  if (isCollecting)
    throw new AppError("CONFLICT", "a run collects lines of the present period: wait for its end");
  if (periodTo === null || lastDay === undefined || lastDay <= periodTo) return;
  throw new AppError(
    "CONFLICT",
    `period.to, ${dateOf(periodTo)}, would leave out lines that the matching has, up to ${dateOf(lastDay)}`,
  );
}

/** Deletes a matching with all that it holds, which is shown no more at once. Throws `NOT_FOUND` and `UNAUTHENTICATED`. */
export async function deleteMatching(context: ServiceContext, id: string): Promise<void> {
  const { key } = await getMatching(context, id);
  const { env, clock } = context;
  const now = clock();
  await watchChange(env, RETENTION_SWEEP, toMillis(now));
  const change = new AuditedChange(context, {
    action: "reconciliation.matching.delete",
    object: `matchings/${id}`,
  });
  const deleted = await change.store(
    databaseOf(env)
      .update(reconciliationMatchings)
      .set({ deletedAt: now })
      .where(and(eq(reconciliationMatchings.key, key), isNull(reconciliationMatchings.deletedAt)))
      .returning({ key: reconciliationMatchings.key }),
    releaseSources(context, id),
  );
  if (deleted.length === 0) throw noMatching(id);
}
