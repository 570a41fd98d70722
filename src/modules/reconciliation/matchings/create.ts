import { isNull, sql } from "drizzle-orm";
import type { LinePeriod } from "./engine/collection.ts";
import { accountColumns, assertPeriod, passesColumn } from "./fields.ts";
import { type CorrectionAccounts, type Matching, toMatching } from "./matching.ts";
import { joinedReach } from "./store.ts";
import { reconciliationMatchings } from "./tables.ts";
import { assertName, invalid } from "#modules/reconciliation/core/fields.ts";
import type { Pass } from "#modules/reconciliation/core/matching/index.ts";
import { reachOfSource } from "#modules/reconciliation/sources/source.ts";
import { sourceOf } from "#modules/reconciliation/sources/store.ts";
import { reconciliationSourceUses } from "#modules/reconciliation/sources/tables.ts";
import { hasSources, useSources } from "#modules/reconciliation/sources/uses.ts";
import { toPrincipalColumn } from "#platform/access/stored-principal.ts";
import { AuditedChange } from "#platform/audit/audited-change.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { columnValues } from "#platform/db/json-rows.ts";
import { AppError } from "#platform/errors.ts";
import { newId } from "#platform/ids.ts";
import { stringifyJson } from "#platform/json.ts";

export interface NewMatching {
  readonly name: string;
  readonly leftSourceId: string;
  readonly rightSourceId: string;
  readonly period: LinePeriod;
  /** Undefined for the passes that ship. */
  readonly passes: readonly Pass[] | undefined;
  readonly threshold: number;
  readonly timingDays: number;
  readonly accounts: CorrectionAccounts;
}

/** Most matchings of a deployment. */
export const MATCHINGS_MAX = 1000;

/**
 * Creates a matching of two sources. Throws `VALIDATION`, `NOT_FOUND` for a source that does not exist, `CONFLICT` for one that is deleted at
 * the same time, and `UNAUTHENTICATED` for a principal that may not read both.
 */
export async function createMatching(
  context: ServiceContext,
  input: NewMatching,
): Promise<Matching> {
  const { name, leftSourceId, rightSourceId, period, passes, accounts } = input;
  const { env, principal, clock } = context;
  assertName(name);
  const now = clock();
  assertPeriod(period, now);
  const columns = { passes: passesColumn(passes), ...accountColumns(accounts) };
  if (leftSourceId === rightSourceId) throw invalid("a matching has two different sources");
  const sources = [
    await sourceOf(context, leftSourceId),
    await sourceOf(context, rightSourceId),
  ] as const;
  await assertRoom(context);
  const id = newId();
  const reach = joinedReach(sources.map(reachOfSource));
  const values = columnValues(reconciliationMatchings, {
    key: null,
    id,
    name,
    leftSourceId,
    rightSourceId,
    periodFrom: period.from,
    periodTo: period.to ?? null,
    ...columns,
    threshold: input.threshold,
    timingDays: input.timingDays,
    ledgers: stringifyJson(reach.ledgers),
    hasPayments: sql`${reach.hasPools ? 1 : 0}`,
    createdBy: toPrincipalColumn(principal),
    createdAt: now,
    updatedAt: now,
    deletedAt: null,
    revision: 1,
    lastRun: null,
    auditedDecision: 0,
  });
  const change = new AuditedChange(context, {
    action: "reconciliation.matching.create",
    object: `matchings/${id}`,
  });
  const [row] = await change.storeAfter(
    [useSources(context, { matchingId: id, sourceIds: [leftSourceId, rightSourceId] })],
    databaseOf(env)
      .insert(reconciliationMatchings)
      .select(sql`SELECT ${values} WHERE ${hasSources(id, 2)}`)
      .returning(),
    // Sources that are there without the other one are not held by a matching that is not stored.
    databaseOf(env)
      .delete(reconciliationSourceUses)
      .where(
        sql`matching_id = ${id} AND NOT EXISTS (SELECT 1 FROM ${reconciliationMatchings} WHERE id = ${id})`,
      ),
  );
  if (row === undefined)
    throw new AppError("CONFLICT", "one of the sources was deleted at the same time");
  return toMatching(row);
}

async function assertRoom({ env }: Pick<ServiceContext, "env">): Promise<void> {
  const [row] = await databaseOf(env)
    .select({ count: sql<number>`count(*)` })
    .from(reconciliationMatchings)
    .where(isNull(reconciliationMatchings.deletedAt));
  if (row === undefined || row.count < MATCHINGS_MAX) return;
  throw invalid(`there are at most ${MATCHINGS_MAX} matchings`);
}
