import { asc, eq, sql } from "drizzle-orm";
import { paymentUsers } from "./tables.ts";
import type { Address, ContactDetails, User } from "./user.ts";
import { paymentBankAccounts } from "#modules/payments/bank-accounts/tables.ts";
import type { ObjectMetadata } from "#modules/payments/common/metadata.ts";
import { given } from "#modules/payments/core/given.ts";
import { type Database, databaseOf } from "#platform/db/database.ts";
import { AppError } from "#platform/errors.ts";
import { parseJson, stringifyJson } from "#platform/json.ts";

type UserRow = typeof paymentUsers.$inferSelect;

/** A user by id. Throws `NOT_FOUND`. */
export async function getUser(context: { readonly env: Env }, id: string): Promise<User> {
  const user = await findUser(context, id);
  if (user === undefined) throw unknownUser();
  return user;
}

export async function findUser(
  { env }: { readonly env: Env },
  id: string,
): Promise<User | undefined> {
  const db = databaseOf(env);
  const rows = await db.select().from(paymentUsers).where(eq(paymentUsers.id, id));
  const [user] = await toUsers(db, rows);
  return user;
}

/** The key of a user. Throws `NOT_FOUND`. */
export async function getUserKey({ env }: { readonly env: Env }, id: string): Promise<number> {
  const [row] = await databaseOf(env)
    .select({ key: paymentUsers.key })
    .from(paymentUsers)
    .where(eq(paymentUsers.id, id));
  if (row === undefined) throw unknownUser();
  return row.key;
}

export const unknownUser = (): AppError =>
  new AppError("NOT_FOUND", "cannot get payment service user: not found");

/** Turns rows into users with the ids of their bank accounts, in the same order. */
export async function toUsers(db: Database, rows: readonly UserRow[]): Promise<User[]> {
  const bankAccounts = await bankAccountIdsOf(
    db,
    rows.map(({ id }) => id),
  );
  return rows.map((row) => ({
    key: row.key,
    id: row.id,
    name: row.name,
    ...given({
      // Only this module writes the columns of contact details and address.
      contactDetails: fromColumn(row.contactDetails) as ContactDetails | undefined,
      address: fromColumn(row.address) as Address | undefined,
    }),
    bankAccountIds: bankAccounts.get(row.id) ?? [],
    metadata: parseJson(row.metadata) as ObjectMetadata, // only this module writes the column
    createdAt: row.createdAt,
  }));
}

const fromColumn = (json: string | null): unknown => (json === null ? undefined : parseJson(json));

async function bankAccountIdsOf(
  db: Database,
  ids: readonly string[],
): Promise<Map<string, string[]>> {
  const byUser = new Map<string, string[]>();
  if (ids.length === 0) return byUser;
  const rows = await db
    .select({ id: paymentBankAccounts.id, psuId: paymentBankAccounts.psuId })
    .from(paymentBankAccounts)
    .where(
      sql`${paymentBankAccounts.psuId} IN (SELECT value FROM json_each(${stringifyJson(ids)}))`,
    )
    .orderBy(asc(paymentBankAccounts.key));
  for (const { id, psuId } of rows) {
    if (psuId !== null) byUser.set(psuId, [...(byUser.get(psuId) ?? []), id]);
  }
  return byUser;
}
