import { and, eq, type SQL } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import { authClientQuotas, authQuotaRefusals } from "./tables.ts";
import type { Quota } from "#modules/auth/core/quota.ts";
import { databaseOf } from "#platform/db/database.ts";
import { parseJson } from "#platform/json.ts";

const { clientId, quota } = authClientQuotas;

/** The quotas of all clients that have one of their own, by client ids. */
export async function loadQuotas(env: Pick<Env, "DB">): Promise<Map<string, Quota>> {
  const rows = await databaseOf(env).select().from(authClientQuotas);
  return new Map(rows.map((row) => [row.clientId, fromColumn(row.quota)]));
}

/** The client's own quota; undefined if it has none. */
export async function findQuota(env: Pick<Env, "DB">, id: string): Promise<Quota | undefined> {
  const [row] = await databaseOf(env)
    .select({ quota })
    .from(authClientQuotas)
    .where(eq(clientId, id));
  return row === undefined ? undefined : fromColumn(row.quota);
}

/** The statements that forget the own quota of a client, and how often it was refused, if a condition holds. */
export const forgetQuota = (
  env: Pick<Env, "DB">,
  id: string,
  condition: SQL,
): readonly BatchItem<"sqlite">[] => [
  databaseOf(env)
    .delete(authClientQuotas)
    .where(and(eq(clientId, id), condition)),
  databaseOf(env)
    .delete(authQuotaRefusals)
    .where(and(eq(authQuotaRefusals.client, id), condition)),
];

const fromColumn = (text: string): Quota => parseJson(text) as Quota;
