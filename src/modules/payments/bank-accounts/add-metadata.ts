import { and, eq, sql } from "drizzle-orm";
import { savedBankAccountMetadataEvent } from "./event-types.ts";
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
import { Outbox } from "#platform/events/outbox.ts";
import { newId } from "#platform/ids.ts";

/**
 * Adds or replaces keys in the metadata of a bank account, and publishes the change. Throws `NOT_FOUND`, and `VALIDATION` if the metadata gets too
 * large.
 */
export async function addBankAccountMetadata(
  context: ServiceContext,
  { id, metadata: added }: { readonly id: string; readonly metadata: ObjectMetadata },
): Promise<void> {
  const db = databaseOf(context.env);
  const { metadata, metadataBits, fits } = mergedMetadata(paymentBankAccounts, added);
  const update = db
    .update(paymentBankAccounts)
    .set({ metadata, metadataBits })
    .where(and(eq(paymentBankAccounts.id, id), fits))
    .returning({ key: paymentBankAccounts.key });
  const change = { changeId: newId(), date: context.clock() };
  const [updated] = await Outbox.from(context).publish({
    change: [update],
    events: [{ event: savedBankAccountMetadataEvent(id, added, change) }],
    // Adding the same once more changes no size: what fits now has been stored.
    condition: sql`EXISTS (SELECT 1 FROM ${paymentBankAccounts} WHERE ${paymentBankAccounts.id} = ${id} AND ${fits})`,
    audit: new AuditedChange(context, {
      action: "payments.bank-account.add-metadata",
      object: `bank-accounts/${id}`,
    }),
  });
  if (updated.length > 0) return;
  const key = await findBankAccountKey(context, id);
  throw key === undefined ? unknownBankAccount() : metadataTooLarge();
}
