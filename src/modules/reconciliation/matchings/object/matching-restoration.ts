import { sql } from "drizzle-orm";
import { LineFit } from "#modules/reconciliation/matchings/desk/fit-lines.ts";
import type { MatchingEngine } from "#modules/reconciliation/matchings/engine/engine.ts";
import { MATCHING_TABLES } from "#modules/reconciliation/matchings/engine/tables.ts";
import { knownOrigins } from "#modules/reconciliation/sources/known-lines.ts";
import { ObjectRestoration } from "#platform/backup/object-restoration.ts";
import { databaseOf } from "#platform/db/database.ts";
import { stringifyJson } from "#platform/json.ts";
import type { Sql } from "#platform/sql/sql.ts";

/** A matching that comes back from a backup. */
interface RestoredMatching {
  readonly sql: Sql;
  /** The engine; undefined before the first run. */
  readonly engine: () => MatchingEngine | undefined;
  readonly matchingId: () => string;
  /** Lets the object send D1 what it does not know. */
  readonly goOn: () => void;
}

/**
 * Brings a matching back from a backup. It is later than the database and the logs of ledgers:
 *
 *     what the matching knows               and then
 *     lines that its sources do not have    They are removed with their groups. The next run reads the sources from their beginnings.
 *     decisions, groups of other lines      They stay. D1 and the audit get those that they do not know.
 *     a run that works                      It ends as failed: another one has to be begun.
 *     lines of a correction that D1 lacks   They are open again.
 */
export const matchingRestoration = (
  env: Env,
  { sql: rows, engine, matchingId, goOn }: RestoredMatching,
): ObjectRestoration =>
  new ObjectRestoration({
    sql: rows,
    tables: MATCHING_TABLES,
    settle: async () => {
      const opened = engine();
      if (opened === undefined) return { change: () => undefined, wake: () => undefined };
      const lines = new LineFit(rows);
      const known = await knownOrigins(env, lines.origins());
      const unknownCorrections = await unknownAmong(env, lines.corrections());
      const firstUncopied = await lastCopiedRun(env, matchingId());
      return {
        change: () => {
          opened.fail("the deployment was restored from a backup while the run worked");
          opened.heads.setUncopied(firstUncopied);
          lines.fit(known, unknownCorrections);
        },
        wake: goOn,
      };
    },
  });

/** Those of some corrections that D1 does not have. */
async function unknownAmong(env: Env, ids: readonly string[]): Promise<string[]> {
  const found = await databaseOf(env).all<{ id: string }>(sql`
    SELECT value AS id FROM json_each(${stringifyJson(ids)})
    WHERE value NOT IN (SELECT id FROM reconciliation_corrections)`);
  return found.map(({ id }) => id);
}

/** The last run whose head D1 has; 0 for none. It may be that of an earlier moment. */
async function lastCopiedRun(env: Env, matchingId: string): Promise<number> {
  const [row] = await databaseOf(env).all<{ last: number | null }>(sql`
    SELECT max(number) AS last FROM reconciliation_matching_runs
    WHERE matching_key = (SELECT key FROM reconciliation_matchings WHERE id = ${matchingId})`);
  return row?.last ?? 0;
}
