import { and, eq, sql } from "drizzle-orm";
import { paymentUsers } from "./tables.ts";
import { findBankAccountKey } from "#modules/payments/bank-accounts/store.ts";
import { paymentBankAccounts } from "#modules/payments/bank-accounts/tables.ts";
import { AuditedChange } from "#platform/audit/audited-change.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { AppError } from "#platform/errors.ts";

const FAILED = "failed to add bank account to payment service user";

/**
 * Makes a user the owner of a bank account. A bank account has at most one owner, so a former owner loses it. Throws
 * `NOT_FOUND` for an unknown bank account, and `VALIDATION` for an unknown user.
 */
export async function addBankAccountToUser(
  context: ServiceContext,
  { userId, bankAccountId }: { readonly userId: string; readonly bankAccountId: string },
): Promise<void> {
  const db = databaseOf(context.env);
  if ((await findBankAccountKey(context, bankAccountId)) === undefined) {
    throw new AppError("NOT_FOUND", `${FAILED}: bank account: not found`);
  }
  const change = new AuditedChange(context, {
    action: "payments.payment-service-user.add-bank-account",
    object: `payment-service-users/${userId}/bank-accounts/${bankAccountId}`,
  });
  const users = db
    .select({ id: paymentUsers.id })
    .from(paymentUsers)
    .where(eq(paymentUsers.id, userId));
  const updated = await change.store(
    db
      .update(paymentBankAccounts)
      .set({ psuId: userId })
      .where(and(eq(paymentBankAccounts.id, bankAccountId), sql`EXISTS ${users}`))
      .returning({ key: paymentBankAccounts.key }),
  );
  if (updated.length === 0) throw new AppError("VALIDATION", `${FAILED}: value not found`);
}
