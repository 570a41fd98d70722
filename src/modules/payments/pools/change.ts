import { and, eq, type SQL, sql } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import { assertAccountFilter, matchingAccounts } from "./dynamic.ts";
import { savedPoolEvent } from "./event-types.ts";
import { requireMembers, tooManyAccounts } from "./members.ts";
import { type Pool, POOL_ACCOUNTS_MAX } from "./pool.ts";
import { getPool } from "./store.ts";
import { paymentPoolAccounts, paymentPools } from "./tables.ts";
import { assertReachesBookings } from "#modules/payments/bookings/reach.ts";
import { paymentBookings } from "#modules/payments/bookings/tables.ts";
import { encodeOwnedId, type OwnedId } from "#modules/payments/core/ids.ts";
import { paymentConnectors } from "#modules/payments/installs/tables.ts";
import { AuditedChange } from "#platform/audit/audited-change.ts";
import type { ServiceContext } from "#platform/context.ts";
import { type Database, databaseOf } from "#platform/db/database.ts";
import { columnValues } from "#platform/db/json-rows.ts";
import { AppError } from "#platform/errors.ts";
import { Outbox } from "#platform/events/outbox.ts";
import { newId } from "#platform/ids.ts";

export interface PoolMembership {
  readonly poolId: string;
  readonly account: OwnedId;
}

/**
 * Adds an account to a pool; does nothing if it is a member already. Throws `NOT_FOUND`, and `VALIDATION` for a dynamic
 * pool or an account that is not internal.
 */
export async function addPoolAccount(
  context: ServiceContext,
  { poolId, account }: PoolMembership,
): Promise<void> {
  const [member] = await requireMembers(context, [account]);
  if (member === undefined) throw new Error("one id gives one member");
  await changePool(context, { poolId, verb: "add-account" }, (pool) => {
    assertStatic(pool);
    if (isMember(pool, account)) return undefined;
    if (pool.accounts.length >= POOL_ACCOUNTS_MAX) throw tooManyAccounts();
    return {
      set: {},
      accounts: [...pool.accounts, account],
      alsoStore: (db, isChanged) =>
        db.insert(paymentPoolAccounts).select(sql`
          SELECT ${columnValues(paymentPoolAccounts, {
            key: null,
            poolKey: pool.key,
            connectorKey: member.connectorKey,
            accountReference: account.reference,
          })}
          WHERE ${isChanged}`),
    };
  });
}

/**
 * Removes an account from a pool; does nothing if it is no member. Throws `NOT_FOUND` for an unknown pool, and `VALIDATION`
 * for a dynamic one.
 */
export async function removePoolAccount(
  context: ServiceContext,
  { poolId, account }: PoolMembership,
): Promise<void> {
  await changePool(context, { poolId, verb: "remove-account" }, (pool) => {
    assertStatic(pool);
    if (!isMember(pool, account)) return undefined;
    const { provider, reference } = account.connector;
    return {
      set: {},
      accounts: pool.accounts.filter((it) => !isSame(it, account)),
      alsoStore: (db, isChanged) =>
        db.delete(paymentPoolAccounts).where(
          and(
            eq(paymentPoolAccounts.poolKey, pool.key),
            eq(paymentPoolAccounts.accountReference, account.reference),
            sql`${paymentPoolAccounts.connectorKey} = (
              SELECT c.key FROM ${paymentConnectors} AS c
              WHERE c.reference = ${reference} AND c.provider = ${provider})`,
            isChanged,
          ),
        ),
    };
  });
}

/**
 * Changes the query of a dynamic pool. Throws `NOT_FOUND` for an unknown pool, and `VALIDATION` for a static pool or a bad
 * filter.
 */
export async function setPoolQuery(
  context: ServiceContext,
  { poolId, query }: { readonly poolId: string; readonly query: string },
): Promise<void> {
  assertAccountFilter(query);
  await changePool(context, { poolId, verb: "set-query" }, async (pool) => {
    if (pool.type === "STATIC") {
      throw new AppError(
        "VALIDATION",
        "a static pool has no query: use the endpoints of its accounts",
      );
    }
    return { set: { query }, accounts: await matchingAccounts(context, query) };
  });
}

interface PoolChange {
  readonly set: { readonly query?: string };
  /** The accounts after the change, for the event. */
  readonly accounts: readonly OwnedId[];
  /** A further statement of the batch. Its condition says whether the pool was changed. */
  readonly alsoStore?: (db: Database, isChanged: SQL) => BatchItem<"sqlite">;
}

/** How often a change is decided when other changes are stored meanwhile. */
const CHANGE_ATTEMPTS_MAX = 5;

/**
 * Changes a pool together with its event. `decide` may be called again, and returns undefined for no change. Throws
 * `UNAUTHENTICATED` for a pool that is booked in a ledger that the principal may not use, and `OVERLOADED` after
 * `CHANGE_ATTEMPTS_MAX` attempts.
 */
async function changePool(
  context: ServiceContext,
  { poolId, verb }: { readonly poolId: string; readonly verb: string },
  decide: (pool: Pool) => PoolChange | undefined | Promise<PoolChange | undefined>,
): Promise<void> {
  const db = databaseOf(context.env);
  await assertReachesBookings(context, eq(paymentBookings.poolId, poolId));
  for (let attempt = 0; attempt < CHANGE_ATTEMPTS_MAX; attempt++) {
    const pool = await getPool(context, poolId);
    const change = await decide(pool);
    if (change === undefined) return;
    const changeId = newId();
    const isChanged = sql`EXISTS (SELECT 1 FROM ${paymentPools} AS p WHERE p.change_id = ${changeId})`;
    const saved = { ...pool, ...change.set, changeId };
    const [updated] = await Outbox.from(context).publish({
      change: [
        db
          .update(paymentPools)
          .set({ ...change.set, changeId })
          .where(and(eq(paymentPools.id, poolId), eq(paymentPools.changeId, pool.changeId)))
          .returning({ key: paymentPools.key }),
        ...(change.alsoStore === undefined ? [] : [change.alsoStore(db, isChanged)]),
      ],
      events: [{ event: savedPoolEvent(saved, change.accounts, context.clock()) }],
      condition: isChanged,
      audit: new AuditedChange(context, {
        action: `payments.pool.${verb}`,
        object: `pools/${poolId}`,
      }),
    });
    if (updated.length > 0) return;
  }
  throw new AppError("OVERLOADED", "the pool is being changed by others");
}

function assertStatic({ type }: Pool): void {
  if (type === "STATIC") return;
  throw new AppError(
    "VALIDATION",
    "the accounts of a dynamic pool follow from its query: change that instead",
  );
}

const isMember = ({ accounts }: Pool, account: OwnedId): boolean =>
  accounts.some((it) => isSame(it, account));

const isSame = (a: OwnedId, b: OwnedId): boolean => encodeOwnedId(a) === encodeOwnedId(b);
