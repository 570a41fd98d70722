import { sql } from "drizzle-orm";
import { assertAccountFilter, matchingAccounts } from "./dynamic.ts";
import { savedPoolEvent } from "./event-types.ts";
import { type Member, memberRows, requireMembers } from "./members.ts";
import type { Pool } from "./pool.ts";
import { paymentPoolAccounts, paymentPools } from "./tables.ts";
import { given } from "#modules/payments/core/given.ts";
import type { OwnedId } from "#modules/payments/core/ids.ts";
import { AuditedChange } from "#platform/audit/audited-change.ts";
import type { ServiceContext } from "#platform/context.ts";
import { type Database, databaseOf } from "#platform/db/database.ts";
import { columnValues, ROW_ORDER } from "#platform/db/json-rows.ts";
import { AppError } from "#platform/errors.ts";
import { Outbox } from "#platform/events/outbox.ts";
import { newId } from "#platform/ids.ts";

export interface NewPool {
  readonly name: string;
  /** The filter of a dynamic pool, as JSON text; absent for a static pool. */
  readonly query?: string;
  readonly accounts: readonly OwnedId[];
}

/**
 * Stores a pool. Throws `NOT_FOUND` for an unknown account, `VALIDATION` for a bad filter or account, and `ALREADY_EXISTS`
 * for a name that is taken.
 */
export async function createPool(
  context: ServiceContext,
  { name, query, accounts }: NewPool,
): Promise<Omit<Pool, "key">> {
  if (query !== undefined) assertAccountFilter(query);
  const members = query === undefined ? await requireMembers(context, accounts) : [];
  const found =
    query === undefined ? members.map(({ id }) => id) : await matchingAccounts(context, query);
  const db = databaseOf(context.env);
  const createdAt = context.clock();
  const type = query === undefined ? ("STATIC" as const) : ("DYNAMIC" as const);
  const pool = { id: newId(), name, type, createdAt, changeId: newId(), ...given({ query }) };
  const [inserted] = await Outbox.from(context).publish({
    change: [
      db
        .insert(paymentPools)
        .values({ ...pool, query: query ?? null })
        .onConflictDoNothing()
        .returning({ key: paymentPools.key }),
      ...insertMembers(db, pool.id, members),
    ],
    events: [{ event: savedPoolEvent(pool, found, createdAt) }],
    condition: sql`EXISTS (SELECT 1 FROM ${paymentPools} WHERE id = ${pool.id})`,
    audit: new AuditedChange(context, {
      action: "payments.pool.create",
      object: `pools/${pool.id}`,
    }),
  });
  if (inserted.length === 0) {
    throw new AppError("ALREADY_EXISTS", `the name '${name}' of the pool: object already exists`);
  }
  return { ...pool, accounts: members.map(({ id }) => id) };
}

/** Does nothing if the pool was not inserted. */
function insertMembers(db: Database, poolId: string, members: readonly Member[]) {
  if (members.length === 0) return [];
  const { source, items } = memberRows(members);
  return [
    db.insert(paymentPoolAccounts).select(sql`
      SELECT ${columnValues(paymentPoolAccounts, { ...items, key: null, poolKey: sql`p.key` })}
      FROM ${source} CROSS JOIN ${paymentPools} AS p ON p.id = ${poolId} ORDER BY ${ROW_ORDER}`),
  ];
}
