import { sql } from "drizzle-orm";
import { ledgers } from "./tables.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { objectBacklogs } from "#platform/status/tables.ts";
import { storageSizes } from "#platform/storage/tables.ts";

/** The kind of ledgers among objects whose work waits: their events do. */
export const LEDGER_BACKLOG = "ledger-events";

/**
 * Deletes the sizes of purged ledgers, whose names other ledgers may have by now, and the notes of their events. This sweep runs once an
 * hour, because it asks for no earlier time.
 */
export async function deletePurgedLedgerSizes({
  env,
}: Pick<ServiceContext, "env">): Promise<undefined> {
  const db = databaseOf(env);
  await db
    .delete(objectBacklogs)
    .where(
      sql`kind = ${LEDGER_BACKLOG} AND NOT EXISTS (SELECT 1 FROM ${ledgers} AS l WHERE l.name = object_backlogs.name)`,
    );
  await db.delete(storageSizes).where(
    sql`name LIKE 'ledger/%' AND NOT EXISTS (
        SELECT 1 FROM ${ledgers} AS l
        WHERE l.name = substr(storage_sizes.name, 8) AND unixepoch(l.added_at) * 1000 <= storage_sizes.measured_ms)`,
  );
}
