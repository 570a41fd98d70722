import { and, eq } from "drizzle-orm";
import { findBankAccountKey, unknownBankAccount } from "./store.ts";
import { paymentBankAccounts } from "./tables.ts";
import {
  mergedMetadata,
  type ObjectMetadata,
  metadataTooLarge,
} from "#modules/payments/common/metadata.ts";
import { AuditedChange } from "#platform/audit/audited-change.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";

/**
 * Adds or replaces keys in the metadata of a bank account. Throws `NOT_FOUND`, and `VALIDATION` if the metadata gets too
 * large.
 */
export async function addBankAccountMetadata(
  context: ServiceContext,
  { id, metadata: added }: { readonly id: string; readonly metadata: ObjectMetadata },
): Promise<void> {
  const db = databaseOf(context.env);
  const { metadata, metadataBits, fits } = mergedMetadata(paymentBankAccounts, added);
  const change = new AuditedChange(context, {
    action: "payments.bank-account.add-metadata",
    object: `bank-accounts/${id}`,
  });
  const updated = await change.store(
    db
      .update(paymentBankAccounts)
      .set({ metadata, metadataBits })
      .where(and(eq(paymentBankAccounts.id, id), fits))
      .returning({ key: paymentBankAccounts.key }),
  );
  if (updated.length > 0) return;
  const key = await findBankAccountKey(context, id);
  throw key === undefined ? unknownBankAccount() : metadataTooLarge();
}
