import { sql } from "drizzle-orm";
import type { RestorationPlan } from "./restoration-plan.ts";
import { type Database, databaseOf } from "#platform/db/database.ts";

/** The kind of ledgers among the parts. */
export const LEDGER_PART = "ledger";

/** A ledger or an object that is back. */
export interface RestoredPart {
  /** `ledger`, or the class of the object. */
  readonly kind: string;
  readonly name: string;
  /** The id of a ledger's last entry; -1 for an empty log. */
  readonly lastLogId?: number;
}

/** Notes that a part is back, as long as the restoration is under way. A repetition does no harm. */
export async function noteRestoredPart(
  { env }: { readonly env: Pick<Env, "DB"> },
  restoration: string,
  { kind, name, lastLogId }: RestoredPart,
): Promise<void> {
  await databaseOf(env).run(sql`
    INSERT OR REPLACE INTO restored_parts (kind, name, last_log_id)
    SELECT ${kind}, ${name}, ${lastLogId ?? null}
    WHERE EXISTS (SELECT 1 FROM restoration WHERE reference = ${restoration} AND stage = 'under-way')`);
}

/** Whether a part is back. */
export async function isRestoredPart(
  { env }: { readonly env: Pick<Env, "DB"> },
  { kind, name }: Pick<RestoredPart, "kind" | "name">,
): Promise<boolean> {
  const found = await databaseOf(env).all(
    sql`SELECT 1 FROM restored_parts WHERE kind = ${kind} AND name = ${name}`,
  );
  return found.length > 0;
}

/** Whether all rows of the database and all logs of the plan are there. */
export async function areRowsAndLogsBack(
  { env }: { readonly env: Pick<Env, "DB"> },
  { tables, ledgers }: Pick<RestorationPlan, "tables" | "ledgers">,
): Promise<boolean> {
  const [row] = await databaseOf(env).all<{ tables: number; ledgers: number }>(sql`
    SELECT (SELECT count(*) FROM restored_tables WHERE is_complete = 1) AS tables,
      (SELECT count(*) FROM restored_parts WHERE kind = ${LEDGER_PART}) AS ledgers`);
  const counts = row ?? { tables: 0, ledgers: 0 };
  return counts.tables >= Object.keys(tables).length && counts.ledgers >= ledgers;
}

/** How many parts of each kind are back. */
export async function restoredCounts(db: Database): Promise<ReadonlyMap<string, number>> {
  const rows = await db.all<{ kind: string; parts: number }>(
    sql`SELECT kind, count(*) AS parts FROM restored_parts GROUP BY kind`,
  );
  return new Map(rows.map(({ kind, parts }) => [kind, parts]));
}
