import { toExternalAccount } from "./accounts.ts";
import { type MangopayClient, PREFIX } from "./client.ts";
import { ConnectorError } from "#modules/payments/connectors/connector-error.ts";
import type { BankAccountDetails } from "#modules/payments/connectors/contract.ts";
import type { ProviderAccount } from "#modules/payments/connectors/provider-objects.ts";
import { readOwnerMetadata } from "#modules/payments/core/owners/owner-metadata.ts";

/** Registers a bank account of Florin for a user. Its id is the idempotency key. */
export async function createBankAccount(
  client: MangopayClient,
  account: BankAccountDetails,
): Promise<ProviderAccount> {
  const user = required(account, "userID");
  const { kind, numbers } = numbersOf(account);
  const json = {
    OwnerName: account.name,
    OwnerAddress: addressOf(account),
    Tag: optional(account, "tag"),
    ...numbers,
  };
  const path = `/users/${encodeURIComponent(user)}/bankaccounts/${kind}`;
  return toExternalAccount(await client.create(path, json, account.id), user);
}

interface Numbers {
  readonly kind: "iban" | "us" | "ca" | "gb" | "other";
  readonly numbers: Readonly<Record<string, string | undefined>>;
}

/** An IBAN says all. What else there has to be depends on the country. */
function numbersOf(account: BankAccountDetails): Numbers {
  const { iban, accountNumber, swiftBicCode, country } = account;
  if (iban !== undefined) return { kind: "iban", numbers: { IBAN: iban, BIC: swiftBicCode } };
  if (accountNumber === undefined) throw refused("an IBAN or an account number is required");
  const AccountNumber = accountNumber;
  switch (country) {
    case "US": {
      const DepositAccountType = optional(account, "depositAccountType");
      const numbers = { AccountNumber, ABA: required(account, "aba"), DepositAccountType };
      return { kind: "us", numbers };
    }
    case "CA": {
      const InstitutionNumber = required(account, "institutionNumber");
      const BranchCode = required(account, "branchCode");
      const BankName = required(account, "bankName");
      return { kind: "ca", numbers: { AccountNumber, InstitutionNumber, BranchCode, BankName } };
    }
    case "GB":
      return { kind: "gb", numbers: { AccountNumber, SortCode: required(account, "sortCode") } };
    case undefined:
      throw refused("the country of the bank account is required");
    default: {
      if (swiftBicCode === undefined) throw refused("the BIC of the bank account is required");
      return { kind: "other", numbers: { AccountNumber, BIC: swiftBicCode, Country: country } };
    }
  }
}

function addressOf({ country, metadata }: BankAccountDetails): object {
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

function optional({ metadata }: BankAccountDetails, name: string): string | undefined {
  const value = metadata[`${PREFIX}${name}`];
  return value === "" ? undefined : value;
}

function required(account: BankAccountDetails, name: string): string {
  const value = optional(account, name);
  if (value !== undefined) return value;
  throw refused(`${PREFIX}${name} is required in the metadata of the bank account`);
}

const refused = (why: string): ConnectorError => new ConnectorError("invalid", why);
