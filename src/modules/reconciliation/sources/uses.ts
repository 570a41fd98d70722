import { and, eq, inArray, isNull, sql } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import { reconciliationSources, reconciliationSourceUses } from "./tables.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { stringifyJson } from "#platform/json.ts";

type Statement = BatchItem<"sqlite">;
type Where = Pick<ServiceContext, "env">;

/**
 * The statement that keeps sources from being deleted as long as a matching uses them. It belongs into the batch that stores the matching,
 * and comes before it: where a source is gone, `hasSources` is false afterwards.
 */
export const useSources = (
  { env }: Where,
  { matchingId, sourceIds }: { readonly matchingId: string; readonly sourceIds: readonly string[] },
): Statement =>
  databaseOf(env)
    .insert(reconciliationSourceUses)
    .select(
      sql`SELECT id, ${matchingId} FROM ${reconciliationSources}
        WHERE id IN (SELECT value FROM json_each(${stringifyJson(sourceIds)})) AND deleted_at IS NULL`,
    )
    .onConflictDoNothing();

/** SQL condition that a matching holds so many sources, for the insertion of the matching in the batch of `useSources`. */
export const hasSources = (matchingId: string, count: number) =>
  sql`(SELECT count(*) FROM ${reconciliationSourceUses} WHERE matching_id = ${matchingId}) = ${count}`;

/** The statement that gives up the sources of a matching, for the batch that deletes the matching. */
export const releaseSources = ({ env }: Where, matchingId: string): Statement =>
  databaseOf(env)
    .delete(reconciliationSourceUses)
    .where(eq(reconciliationSourceUses.matchingId, matchingId));

/** The matchings that use a source, at most `limit` of them. */
export async function matchingsOf({ env }: Where, sourceId: string, limit = 1): Promise<string[]> {
  const rows = await databaseOf(env)
    .select({ id: reconciliationSourceUses.matchingId })
    .from(reconciliationSourceUses)
    .where(eq(reconciliationSourceUses.sourceId, sourceId))
    .limit(limit);
  return rows.map(({ id }) => id);
}

/** SQL condition for a source that is not deleted and that no matching uses. */
export const isUnused = (id: string) =>
  and(
    eq(reconciliationSources.id, id),
    isNull(reconciliationSources.deletedAt),
    sql`NOT EXISTS (SELECT 1 FROM ${reconciliationSourceUses} WHERE source_id = ${id})`,
  );

/** Those of some matchings that use a source now. */
export async function usersAmong(
  { env }: Where,
  sourceId: string,
  matchingIds: readonly string[],
): Promise<string[]> {
  const rows = await databaseOf(env)
    .select({ id: reconciliationSourceUses.matchingId })
    .from(reconciliationSourceUses)
    .where(
      and(
        eq(reconciliationSourceUses.sourceId, sourceId),
        inArray(
          reconciliationSourceUses.matchingId,
          sql`(SELECT value FROM json_each(${stringifyJson(matchingIds)}))`,
        ),
      ),
    );
  return rows.map(({ id }) => id);
}
