import { asc, eq, type SQL, sql } from "drizzle-orm";
import type { BankAccount, BankAccountWithNumbers, RelatedAccount } from "./bank-account.ts";
import { paymentBankAccountRelations, paymentBankAccounts } from "./tables.ts";
import type { ObjectMetadata } from "#modules/payments/common/metadata.ts";
import type { BankNumbers } from "#modules/payments/core/owners/bank-numbers.ts";
import { paymentConnectors } from "#modules/payments/installs/tables.ts";
import { type Database, databaseOf } from "#platform/db/database.ts";
import { AppError } from "#platform/errors.ts";
import { parseJson, stringifyJson } from "#platform/json.ts";
import { SecretBox } from "#platform/secrets/secrets.ts";

type BankAccountRow = typeof paymentBankAccounts.$inferSelect;
type ListedRow = Omit<BankAccountRow, "numbers" | "psuId" | "metadataBits">;

/** The columns that lists show. They leave out the numbers, which need not be decrypted then. */
export const LISTED_COLUMNS = {
  key: paymentBankAccounts.key,
  id: paymentBankAccounts.id,
  name: paymentBankAccounts.name,
  country: paymentBankAccounts.country,
  metadata: paymentBankAccounts.metadata,
  createdAt: paymentBankAccounts.createdAt,
};

export const sealNumbers = (env: Env, id: string, numbers: BankNumbers): string =>
  SecretBox.from(env).seal(stringifyJson(numbers), purposeOf(id));

/** A bank account with its numbers in clear; undefined for an unknown id. */
export async function findBankAccount(
  env: Env,
  id: string,
): Promise<BankAccountWithNumbers | undefined> {
  const db = databaseOf(env);
  const [row] = await db.select().from(paymentBankAccounts).where(eq(paymentBankAccounts.id, id));
  if (row === undefined) return undefined;
  const [account] = await withRelated(db, [row]);
  // The column holds the JSON that `sealNumbers` has encrypted.
  const numbers = parseJson(SecretBox.from(env).open(row.numbers, purposeOf(id))) as BankNumbers;
  return account === undefined ? undefined : { ...account, numbers };
}

/** A bank account with its numbers in clear. Throws `NOT_FOUND`. */
export async function getBankAccountInClear(env: Env, id: string): Promise<BankAccountWithNumbers> {
  const account = await findBankAccount(env, id);
  if (account === undefined) throw unknownBankAccount();
  return account;
}

export async function findBankAccountKey(
  { env }: { readonly env: Env },
  id: string,
): Promise<number | undefined> {
  const [row] = await databaseOf(env)
    .select({ key: paymentBankAccounts.key })
    .from(paymentBankAccounts)
    .where(eq(paymentBankAccounts.id, id));
  return row?.key;
}

export const unknownBankAccount = (): AppError =>
  new AppError("NOT_FOUND", "cannot get bank account: not found");

/** Turns rows into bank accounts with their related accounts, in the same order. */
export async function withRelated(
  db: Database,
  rows: readonly ListedRow[],
): Promise<BankAccount[]> {
  const related = await relatedOf(
    db,
    rows.map(({ key }) => key),
  );
  return rows.map((row) => ({
    key: row.key,
    id: row.id,
    name: row.name,
    ...(row.country === null ? {} : { country: row.country }),
    metadata: parseJson(row.metadata) as ObjectMetadata, // only this module writes the column
    createdAt: row.createdAt,
    related: related.get(row.key) ?? [],
  }));
}

async function relatedOf(
  db: Database,
  keys: readonly number[],
): Promise<Map<number, RelatedAccount[]>> {
  const relations = paymentBankAccountRelations;
  const byKey = new Map<number, RelatedAccount[]>();
  if (keys.length === 0) return byKey;
  const rows = await db
    .select({
      key: relations.bankAccountKey,
      createdAt: relations.createdAt,
      accountReference: relations.accountReference,
      provider: paymentConnectors.provider,
      reference: paymentConnectors.reference,
    })
    .from(relations)
    .innerJoin(paymentConnectors, eq(paymentConnectors.key, relations.connectorKey))
    .where(isAmong(relations.bankAccountKey, keys))
    .orderBy(asc(relations.createdAt), asc(relations.connectorKey));
  for (const { key, createdAt, accountReference, provider, reference } of rows) {
    const id = { connector: { provider, reference }, reference: accountReference };
    byKey.set(key, [...(byKey.get(key) ?? []), { id, createdAt }]);
  }
  return byKey;
}

/** The condition that a column has one of many keys, which need only one parameter. */
const isAmong = (
  column: typeof paymentBankAccountRelations.bankAccountKey,
  keys: readonly number[],
): SQL => sql`${column} IN (SELECT value FROM json_each(${stringifyJson(keys)}))`;

const purposeOf = (id: string): string => `payment bank account ${id}`;
