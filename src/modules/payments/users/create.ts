import { sql } from "drizzle-orm";
import { paymentUsers } from "./tables.ts";
import type { Address, ContactDetails } from "./user.ts";
import { unknownBankAccount } from "#modules/payments/bank-accounts/store.ts";
import { paymentBankAccounts } from "#modules/payments/bank-accounts/tables.ts";
import { type ObjectMetadata, toMetadataColumn } from "#modules/payments/common/metadata.ts";
import { metadataBloom } from "#modules/payments/core/bloom/metadata-bloom.ts";
import { AuditedChange } from "#platform/audit/audited-change.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { newId } from "#platform/ids.ts";
import { stringifyJson } from "#platform/json.ts";

export interface NewUser {
  readonly name: string;
  readonly contactDetails?: ContactDetails;
  readonly address?: Address;
  readonly bankAccountIds: readonly string[];
  readonly metadata: ObjectMetadata;
}

/** Stores a user and returns its id. Throws `NOT_FOUND` for an unknown bank account. */
export async function createUser(context: ServiceContext, user: NewUser): Promise<string> {
  const db = databaseOf(context.env);
  const id = newId();
  const { name, contactDetails, address, metadata } = user;
  const bankAccountIds = new Set(user.bankAccountIds);
  const wanted = sql`${paymentBankAccounts.id} IN (SELECT value FROM json_each(${stringifyJson([...bankAccountIds])}))`;
  if (bankAccountIds.size > 0) {
    // Bank accounts are never deleted, so all that were found still exist when the user is stored.
    const found = await db
      .select({ id: paymentBankAccounts.id })
      .from(paymentBankAccounts)
      .where(wanted);
    if (found.length < bankAccountIds.size) throw unknownBankAccount();
  }
  const change = new AuditedChange(context, {
    action: "payments.payment-service-user.create",
    object: `payment-service-users/${id}`,
  });
  await change.store(
    db.insert(paymentUsers).values({
      id,
      name,
      contactDetails: toColumn(contactDetails),
      address: toColumn(address),
      metadata: toMetadataColumn(metadata),
      metadataBits: metadataBloom(metadata),
      createdAt: context.clock(),
    }),
    ...(bankAccountIds.size === 0
      ? []
      : [db.update(paymentBankAccounts).set({ psuId: id }).where(wanted)]),
  );
  return id;
}

const toColumn = (details: object | undefined): string | null =>
  details === undefined || Object.keys(details).length === 0 ? null : stringifyJson(details);
