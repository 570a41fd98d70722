import { sql } from "drizzle-orm";
import { ledgers } from "./tables.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { storageSizes } from "#platform/storage/tables.ts";

/**
 * Deletes the sizes of purged ledgers, whose names other ledgers may have by now. This sweep runs once an hour, because it asks for no
 * earlier time.
 */
export async function deletePurgedLedgerSizes({
  env,
}: Pick<ServiceContext, "env">): Promise<undefined> {
  await databaseOf(env)
    .delete(storageSizes)
    .where(
      sql`name LIKE 'ledger/%' AND NOT EXISTS (
        SELECT 1 FROM ${ledgers} AS l
        WHERE l.name = substr(storage_sizes.name, 8) AND unixepoch(l.added_at) * 1000 <= storage_sizes.measured_ms)`,
    );
}
