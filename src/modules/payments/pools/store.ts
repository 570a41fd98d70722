import { asc, eq, sql } from "drizzle-orm";
import type { Pool } from "./pool.ts";
import { paymentPoolAccounts, paymentPools } from "./tables.ts";
import { given } from "#modules/payments/core/given.ts";
import type { OwnedId } from "#modules/payments/core/ids.ts";
import { paymentConnectors } from "#modules/payments/installs/tables.ts";
import { type Database, databaseOf } from "#platform/db/database.ts";
import { AppError } from "#platform/errors.ts";
import { stringifyJson } from "#platform/json.ts";

type PoolRow = typeof paymentPools.$inferSelect;

export async function findPool(
  { env }: { readonly env: Env },
  id: string,
): Promise<Pool | undefined> {
  const db = databaseOf(env);
  const rows = await db.select().from(paymentPools).where(eq(paymentPools.id, id));
  const [pool] = await toPools(db, rows);
  return pool;
}

/** The columns by which a pool's accounts are found. The accounts themselves, which may be a thousand, are not read. */
export type PoolQuery = Pick<PoolRow, "key" | "query">;

/** The key and query of a pool. Throws `NOT_FOUND`. */
export async function getPoolQuery(context: { readonly env: Env }, id: string): Promise<PoolQuery> {
  const pool = await findPoolQuery(context, id);
  if (pool === undefined) throw unknownPool();
  return pool;
}

export async function findPoolQuery(
  { env }: { readonly env: Env },
  id: string,
): Promise<PoolQuery | undefined> {
  const [row] = await databaseOf(env)
    .select({ key: paymentPools.key, query: paymentPools.query })
    .from(paymentPools)
    .where(eq(paymentPools.id, id));
  return row;
}

/** A pool by id. Throws `NOT_FOUND`. */
export async function getPool(context: { readonly env: Env }, id: string): Promise<Pool> {
  const pool = await findPool(context, id);
  if (pool === undefined) throw unknownPool();
  return pool;
}

const unknownPool = (): AppError => new AppError("NOT_FOUND", "cannot get pool: not found");

/** Turns rows into pools, in the same order, with the accounts of static pools. */
export async function toPools(db: Database, rows: readonly PoolRow[]): Promise<Pool[]> {
  const keys = rows.flatMap(({ type, key }) => (type === "STATIC" ? [key] : []));
  const accounts = await accountsOf(db, keys);
  return rows.map((row) => ({ ...given(row), accounts: accounts.get(row.key) ?? [] }));
}

async function accountsOf(db: Database, keys: readonly number[]): Promise<Map<number, OwnedId[]>> {
  const byPool = new Map<number, OwnedId[]>();
  if (keys.length === 0) return byPool;
  const members = paymentPoolAccounts;
  const rows = await db
    .select({
      poolKey: members.poolKey,
      accountReference: members.accountReference,
      provider: paymentConnectors.provider,
      reference: paymentConnectors.reference,
    })
    .from(members)
    .innerJoin(paymentConnectors, eq(paymentConnectors.key, members.connectorKey))
    .where(sql`${members.poolKey} IN (SELECT value FROM json_each(${stringifyJson(keys)}))`)
    .orderBy(asc(members.key));
  for (const { poolKey, accountReference, provider, reference } of rows) {
    const accounts = byPool.get(poolKey) ?? [];
    accounts.push({ connector: { provider, reference }, reference: accountReference });
    byPool.set(poolKey, accounts);
  }
  return byPool;
}
