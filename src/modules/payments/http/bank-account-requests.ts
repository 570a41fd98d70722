import { z } from "@hono/zod-openapi";
import { OptionalCountry, OptionalMetadata, OptionalText, RequiredText } from "./fields.ts";
import type { NewBankAccount } from "#modules/payments/bank-accounts/create.ts";
import { given } from "#modules/payments/core/given.ts";

/** The fields of a new bank account, in both versions of the API. */
export const BankAccountFields = z.object({
  name: RequiredText,
  accountNumber: OptionalText.openapi({
    type: "string",
    description: "Letters and digits. Either this or `iban` is required.",
  }),
  iban: OptionalText.openapi({ type: "string", minLength: 15, maxLength: 31 }),
  swiftBicCode: OptionalText.openapi({ type: "string", minLength: 8, maxLength: 11 }),
  country: OptionalCountry,
  metadata: OptionalMetadata,
});

export function toNewBankAccount(body: z.output<typeof BankAccountFields>): NewBankAccount {
  const { name, country, metadata, accountNumber, iban, swiftBicCode } = body;
  const numbers = given({ accountNumber, iban, swiftBicCode });
  return { name, numbers, metadata, ...given({ country }) };
}
