import { z } from "zod";
import { toExternalAccount } from "./accounts.ts";
import { type AtlarClient, SPEC } from "./client.ts";
import * as kit from "#modules/payments/connectors/kit/index.ts";

/** The metadata of a counterparty that contains the id of Florin's bank account. */
const BANK_ACCOUNT = "florin_bank_account";

const OWNER_TYPES = ["INDIVIDUAL", "COMPANY"] as const;

/** Creates a counterparty with one account. If a counterparty of the bank account exists already, its account is the result. */
export async function createBankAccount(
  client: AtlarClient,
  account: kit.BankAccountDetails,
): Promise<kit.ProviderAccount> {
  const json = counterpartyOf(account);
  const made =
    (await findCounterparty(client, account.id)) ??
    (await client.create("/v1/counterparties", json));
  const [first] = kit.parseObject(Counterparty, made, "a counterparty").externalAccounts;
  if (first === undefined) {
    throw kit.refused("the provider has made a counterparty without an account");
  }
  return toExternalAccount(first, made);
}

const Counterparty = z.object({ externalAccounts: z.array(z.unknown()) });

function counterpartyOf(account: kit.BankAccountDetails): object {
  const name = SPEC.require(account, "owner/name");
  const partyType = SPEC.require(account, "owner/type");
  if (!OWNER_TYPES.some((type) => type === partyType)) {
    throw kit.notOneOf(SPEC.nameOf("owner/type"), partyType, OWNER_TYPES);
  }
  return {
    name,
    partyType,
    contactDetails: {
      email: SPEC.find(account, "owner/contact/email"),
      phone: SPEC.find(account, "owner/contact/phone"),
      address: addressOf(account),
    },
    externalAccounts: [
      { bank: { bic: account.swiftBicCode }, identifiers: identifiersOf(account, name) },
    ],
    externalMetadata: { [BANK_ACCOUNT]: account.id },
  };
}

const ADDRESS = ["streetName", "streetNumber", "postalCode", "city", "country"] as const;

function addressOf(account: kit.BankAccountDetails): object | undefined {
  const members = ADDRESS.map((member) => [
    member,
    SPEC.find(account, `owner/contact/address/${member}`),
  ]);
  return members.every(([, value]) => value === undefined)
    ? undefined
    : (Object.fromEntries(members) as object); // at least one of the texts is not undefined
}

function identifiersOf(
  { iban, accountNumber, country }: kit.BankAccountDetails,
  holderName: string,
): object[] {
  const market = country ?? iban?.slice(0, 2);
  if (market === undefined) throw kit.refused("the country of the bank account is required");
  const numbers = { IBAN: iban, ACCOUNT_NUMBER: accountNumber };
  const identifiers = Object.entries(numbers).flatMap(([type, number]) =>
    number === undefined ? [] : [{ holderName, market, type, number }],
  );
  if (identifiers.length === 0) throw kit.refused("an IBAN or an account number is required");
  return identifiers;
}

const Marked = z.object({ externalMetadata: kit.Metadata });
const PER_PAGE = 100;
/** Most pages of counterparties that are read. Beyond, a repetition may create a second counterparty, which moves no money. */
const PAGES_MAX = 50;

async function findCounterparty(client: AtlarClient, id: string): Promise<unknown> {
  let token: string | undefined;
  for (let pages = 0; pages < PAGES_MAX; pages++) {
    const page = await client.list("/v1/counterparties", { token, pageSize: PER_PAGE });
    const found = page.values.find(
      (value) =>
        kit.parseObject(Marked, value, "a counterparty").externalMetadata[BANK_ACCOUNT] === id,
    );
    if (found !== undefined || page.next === undefined) return found;
    token = page.next;
  }
  return undefined;
}
