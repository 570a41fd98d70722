import { toExternalAccount } from "./accounts.ts";
import { type MangopayClient, SPEC } from "./client.ts";
import * as kit from "#modules/payments/connectors/kit/index.ts";
import { readOwnerMetadata } from "#modules/payments/core/owners/owner-metadata.ts";

/** Registers a bank account for a user. The id of the bank account is the idempotency key. */
export async function createBankAccount(
  client: MangopayClient,
  account: kit.BankAccountDetails,
): Promise<kit.ProviderAccount> {
  const user = SPEC.require(account, "userID");
  const { kind, numbers } = numbersOf(account);
  const json = {
    OwnerName: account.name,
    OwnerAddress: addressOf(account),
    Tag: SPEC.find(account, "tag"),
    ...numbers,
  };
  const path = `/users/${encodeURIComponent(user)}/bankaccounts/${kind}`;
  return toExternalAccount(await client.create(path, json, account.id), user);
}

interface Numbers {
  readonly kind: "iban" | "us" | "ca" | "gb" | "other";
  readonly numbers: Readonly<Record<string, string | undefined>>;
}

/** The numbers of a bank account. An IBAN suffices; otherwise the country decides which numbers are required. */
function numbersOf(account: kit.BankAccountDetails): Numbers {
  const { iban, accountNumber, swiftBicCode, country } = account;
  if (iban !== undefined) return { kind: "iban", numbers: { IBAN: iban, BIC: swiftBicCode } };
  if (accountNumber === undefined) throw kit.refused("an IBAN or an account number is required");
  const AccountNumber = accountNumber;
  switch (country) {
    case "US": {
      const DepositAccountType = SPEC.find(account, "depositAccountType");
      const numbers = { AccountNumber, ABA: SPEC.require(account, "aba"), DepositAccountType };
      return { kind: "us", numbers };
    }
    case "CA": {
      const InstitutionNumber = SPEC.require(account, "institutionNumber");
      const BranchCode = SPEC.require(account, "branchCode");
      const BankName = SPEC.require(account, "bankName");
      return { kind: "ca", numbers: { AccountNumber, InstitutionNumber, BranchCode, BankName } };
    }
    case "GB":
      return {
        kind: "gb",
        numbers: { AccountNumber, SortCode: SPEC.require(account, "sortCode") },
      };
    case undefined:
      throw kit.refused("the country of the bank account is required");
    default: {
      if (swiftBicCode === undefined) throw kit.refused("the BIC of the bank account is required");
      return { kind: "other", numbers: { AccountNumber, BIC: swiftBicCode, Country: country } };
    }
  }
}

function addressOf({ country, metadata }: kit.BankAccountDetails): object {
  const owner = readOwnerMetadata(metadata);
  return {
    AddressLine1: owner.addressLine1,
    AddressLine2: owner.addressLine2,
    City: owner.city,
    Region: owner.region,
    PostalCode: owner.postalCode,
    Country: country,
  };
}
