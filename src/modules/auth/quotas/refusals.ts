import { desc, sql } from "drizzle-orm";
import type { Refusals } from "./counts.ts";
import { authQuotaRefusals } from "./tables.ts";
import { databaseOf } from "#platform/db/database.ts";
import { stringifyJson } from "#platform/json.ts";

/** Most rows of the table. Issuers that are trusted no more, and clients whose last refusals came after their deletion, may leave rows behind. */
const ROWS_MAX = 10_000;
/** Most rows of the metrics. */
const SHOWN_MAX = 100;

const { client, kind, count, updatedMs } = authQuotaRefusals;

/** Adds refusals to those of a client. A full table takes no further clients. */
export async function addRefusals(
  env: Pick<Env, "DB">,
  label: string,
  refused: Refusals,
): Promise<void> {
  const nowMs = Date.now();
  await databaseOf(env)
    .insert(authQuotaRefusals)
    .select(
      sql`
        SELECT ${label}, key, value, ${nowMs} FROM json_each(${stringifyJson(refused)})
        WHERE (SELECT count(*) FROM ${authQuotaRefusals}) < ${ROWS_MAX}
          OR EXISTS (SELECT 1 FROM ${authQuotaRefusals} WHERE ${client} = ${label} AND ${kind} = key)`,
    )
    .onConflictDoUpdate({
      target: [client, kind],
      set: { count: sql`${count} + excluded.count`, updatedMs: nowMs },
    });
}

/** The refusals of the clients that were refused last, a hundred rows at most. */
export const latestRefusals = (env: Pick<Env, "DB">) =>
  databaseOf(env)
    .select({ client, kind, count })
    .from(authQuotaRefusals)
    .orderBy(desc(updatedMs))
    .limit(SHOWN_MAX);
