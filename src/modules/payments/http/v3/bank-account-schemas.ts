import { z } from "@hono/zod-openapi";
import type {
  BankAccount,
  BankAccountWithNumbers,
} from "#modules/payments/bank-accounts/bank-account.ts";
import { given } from "#modules/payments/core/given.ts";
import { encodeOwnedId } from "#modules/payments/core/ids.ts";
import { BankAccountFields } from "#modules/payments/http/bank-account-requests.ts";
import { MetadataSchema, TimestampOutput } from "#platform/http/index.ts";
import { formatTimestamp } from "#platform/time.ts";

export const BankAccountRequest = BankAccountFields.openapi("BankAccountRequest", {
  example: { name: "Rent", iban: "FR7630006000011234567890189", country: "FR" },
});

export const BankAccountResponse = z
  .object({
    id: z.string(),
    createdAt: TimestampOutput,
    name: z.string(),
    accountNumber: z.string().optional().openapi({ description: "Masked; not in lists." }),
    iban: z.string().optional().openapi({ description: "Masked; not in lists." }),
    swiftBicCode: z.string().optional().openapi({ description: "Not in lists." }),
    country: z.string().optional(),
    metadata: MetadataSchema,
    relatedAccounts: z
      .array(z.object({ accountID: z.string(), createdAt: TimestampOutput }))
      .openapi({ description: "The accounts that connectors have created for it." }),
  })
  .openapi("BankAccount");

export const toBankAccountView = (account: BankAccount | BankAccountWithNumbers) => ({
  id: account.id,
  createdAt: formatTimestamp(account.createdAt),
  name: account.name,
  ...("numbers" in account ? account.numbers : {}),
  ...given({ country: account.country }),
  metadata: account.metadata,
  relatedAccounts: account.related.map(({ id, createdAt }) => ({
    accountID: encodeOwnedId(id),
    createdAt: formatTimestamp(createdAt),
  })),
});
