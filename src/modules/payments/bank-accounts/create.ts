import type { BankAccountWithNumbers } from "./bank-account.ts";
import { savedBankAccountEvent } from "./event-types.ts";
import { sealNumbers } from "./store.ts";
import { paymentBankAccounts } from "./tables.ts";
import { type ObjectMetadata, toMetadataColumn } from "#modules/payments/common/metadata.ts";
import { metadataBloom } from "#modules/payments/core/bloom/metadata-bloom.ts";
import {
  type BankNumbers,
  maskNumbers,
  numbersProblem,
} from "#modules/payments/core/owners/bank-numbers.ts";
import { AuditedChange } from "#platform/audit/audited-change.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { AppError } from "#platform/errors.ts";
import { Outbox } from "#platform/events/outbox.ts";
import { newId } from "#platform/ids.ts";

export interface NewBankAccount {
  readonly name: string;
  readonly numbers: BankNumbers;
  readonly country?: string;
  readonly metadata: ObjectMetadata;
}

/** Stores a bank account, with its numbers encrypted. Returns it with masked numbers. Throws `VALIDATION`. */
export async function createBankAccount(
  context: ServiceContext,
  { name, numbers, country, metadata }: NewBankAccount,
): Promise<BankAccountWithNumbers> {
  const problem = numbersProblem(numbers);
  if (problem !== undefined) throw new AppError("VALIDATION", problem);
  const { env, clock } = context;
  const id = newId();
  const createdAt = clock();
  const insertion = databaseOf(env)
    .insert(paymentBankAccounts)
    .values({
      id,
      name,
      country: country ?? null,
      numbers: sealNumbers(env, id, numbers),
      metadata: toMetadataColumn(metadata),
      metadataBits: metadataBloom(metadata),
      createdAt,
    })
    .returning({ key: paymentBankAccounts.key });
  const shown = { id, name, metadata, createdAt, related: [], numbers: maskNumbers(numbers) };
  const account = { ...shown, ...(country === undefined ? {} : { country }) };
  const [[stored]] = await Outbox.from(context).publish({
    change: [insertion],
    events: [{ event: savedBankAccountEvent(account, createdAt) }],
    audit: new AuditedChange(context, {
      action: "payments.bank-account.create",
      object: `bank-accounts/${id}`,
    }),
  });
  return { ...account, key: stored?.key ?? 0 };
}
