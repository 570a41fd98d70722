import { z } from "zod";
import { toExternalAccount } from "./accounts.ts";
import { type AtlarClient, PREFIX } from "./client.ts";
import { ConnectorError } from "#modules/payments/connectors/connector-error.ts";
import type { BankAccountDetails } from "#modules/payments/connectors/contract.ts";
import { Metadata, parseObject } from "#modules/payments/connectors/kit/objects.ts";
import type { ProviderAccount } from "#modules/payments/connectors/provider-objects.ts";

/** What a counterparty names the bank account of Florin by that it was made of. */
const BANK_ACCOUNT = "florin_bank_account";

const OWNER_TYPES = ["INDIVIDUAL", "COMPANY"] as const;

/** Makes a counterparty with one account. One that was made of the bank account before is found, and counts. */
export async function createBankAccount(
  client: AtlarClient,
  account: BankAccountDetails,
): Promise<ProviderAccount> {
  const json = counterpartyOf(account);
  const made =
    (await findCounterparty(client, account.id)) ??
    (await client.create("/v1/counterparties", json));
  const [first] = parseObject(Counterparty, made, "a counterparty").externalAccounts;
  if (first === undefined) {
    throw new ConnectorError("invalid", "the provider has made a counterparty without an account");
  }
  return toExternalAccount(first, made);
}

const Counterparty = z.object({ externalAccounts: z.array(z.unknown()) });

function counterpartyOf(account: BankAccountDetails): object {
  const name = required(account, "owner/name");
  const partyType = required(account, "owner/type");
  if (!OWNER_TYPES.some((type) => type === partyType)) {
    throw refused(
      `${PREFIX}owner/type is '${partyType}', and not one of ${OWNER_TYPES.join(", ")}`,
    );
  }
  return {
    name,
    partyType,
    contactDetails: {
      email: optional(account, "owner/contact/email"),
      phone: optional(account, "owner/contact/phone"),
      address: addressOf(account),
    },
    externalAccounts: [
      { bank: { bic: account.swiftBicCode }, identifiers: identifiersOf(account, name) },
    ],
    externalMetadata: { [BANK_ACCOUNT]: account.id },
  };
}

const ADDRESS = ["streetName", "streetNumber", "postalCode", "city", "country"] as const;

function addressOf(account: BankAccountDetails): object | undefined {
  const members = ADDRESS.map((member) => [
    member,
    optional(account, `owner/contact/address/${member}`),
  ]);
  return members.every(([, value]) => value === undefined)
    ? undefined
    : (Object.fromEntries(members) as object); // of texts that are there
}

function identifiersOf(
  { iban, accountNumber, country }: BankAccountDetails,
  holderName: string,
): object[] {
  const market = country ?? iban?.slice(0, 2);
  if (market === undefined) throw refused("the country of the bank account is required");
  const numbers = { IBAN: iban, ACCOUNT_NUMBER: accountNumber };
  const identifiers = Object.entries(numbers).flatMap(([type, number]) =>
    number === undefined ? [] : [{ holderName, market, type, number }],
  );
  if (identifiers.length === 0) throw refused("an IBAN or an account number is required");
  return identifiers;
}

const Marked = z.object({ externalMetadata: Metadata });
const PER_PAGE = 100;
/** Most pages that are looked through. Beyond them, a repetition may make a counterparty twice, which moves no money. */
const PAGES_MAX = 50;

async function findCounterparty(client: AtlarClient, id: string): Promise<unknown> {
  let token: string | undefined;
  for (let pages = 0; pages < PAGES_MAX; pages++) {
    const page = await client.list("/v1/counterparties", { token, pageSize: PER_PAGE });
    const found = page.values.find(
      (value) => parseObject(Marked, value, "a counterparty").externalMetadata[BANK_ACCOUNT] === id,
    );
    if (found !== undefined || page.next === undefined) return found;
    token = page.next;
  }
  return undefined;
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
