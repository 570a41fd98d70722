import { z } from "zod";
import type { QontoClient } from "./client.ts";
import * as kit from "#modules/payments/connectors/kit/index.ts";
import { stringifyJson } from "#platform/json.ts";

export const CURRENCIES = new kit.Currencies();

const BankAccount = z.object({
  id: kit.Text,
  name: kit.OptionalText,
  currency: kit.Text,
  balance_cents: kit.Amount,
  updated_at: kit.Date3339,
  iban: kit.OptionalText,
  bic: kit.OptionalText,
  account_number: kit.OptionalText,
  status: kit.OptionalText,
  is_external_account: z.boolean().nullish(),
  main: z.boolean().nullish(),
});

/** The bank accounts of the organization: one answer has all of them. */
export async function fetchAccounts(client: QontoClient): Promise<kit.AccountsPage> {
  const values = await client.listBankAccounts();
  return kit.onlyPageOf(values, toAccount);
}

function toAccount(value: unknown): kit.ProviderAccount {
  const account = kit.parseObject(BankAccount, value, "a bank account");
  const asset = CURRENCIES.assetOf(account.currency);
  return {
    reference: account.id,
    ...kit.given({ name: account.name }),
    createdAt: account.updated_at,
    ...kit.given({ defaultAsset: asset }),
    metadata: texts({
      bank_account_iban: account.iban,
      bank_account_bic: account.bic,
      bank_account_number: account.account_number,
      status: account.status,
      is_external_account: account.is_external_account,
      main: account.main,
    }),
    raw: stringifyJson(value),
  };
}

/** Metadata of the values that are not absent, as texts. */
export const texts = (
  values: Readonly<Record<string, string | boolean | null | undefined>>,
): Record<string, string> =>
  Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) =>
      value === undefined || value === null ? [] : [[name, String(value)]],
    ),
  );

/** The present balance of an account. */
export async function fetchBalances(
  { client, clock }: kit.ClientWith<QontoClient, "clock">,
  { parent }: kit.FetchRequest,
): Promise<kit.BalancesPage> {
  const { reference } = kit.requireAccount(parent, "balances");
  const values = await client.listBankAccounts();
  const items = values.flatMap((value): kit.ProviderBalance[] => {
    const { id, balance_cents, currency } = kit.parseObject(BankAccount, value, "a bank account");
    const amount = CURRENCIES.fromUnits(balance_cents, currency);
    return id !== reference || amount === undefined
      ? []
      : [{ accountReference: id, createdAt: clock(), ...amount }];
  });
  return kit.onlyPage(items);
}

const Beneficiary = z.object({
  id: kit.Text,
  name: kit.OptionalText,
  status: kit.OptionalText,
  trusted: z.boolean().nullish(),
  created_at: kit.Date3339,
  updated_at: kit.Date3339,
  bank_account: z.object({
    currency: kit.OptionalText,
    iban: kit.OptionalText,
    bic: kit.OptionalText,
    account_number: kit.OptionalText,
    swift_sort_code: kit.OptionalText,
    routing_number: kit.OptionalText,
  }),
});

/** The beneficiaries. Their references are the numbers of their bank accounts, by which transactions name them. */
export const fetchBeneficiaries = (
  client: QontoClient,
  request: kit.FetchRequest,
): Promise<kit.AccountsPage> =>
  kit.fetchTimeList(request, {
    readPage: (place) => client.listBeneficiaries(place),
    read: toBeneficiary,
  });

function toBeneficiary(value: unknown): kit.Listed<kit.ProviderAccount> {
  const { bank_account, ...beneficiary } = kit.parseObject(Beneficiary, value, "a beneficiary");
  const { currency, iban, bic, account_number, swift_sort_code, routing_number } = bank_account;
  const asset = CURRENCIES.assetOf(currency);
  const item: kit.ProviderAccount = {
    reference: counterpartyOf({
      number: iban ?? account_number,
      bank: iban === undefined ? (swift_sort_code ?? routing_number) : bic,
      fallback: beneficiary.id,
    }),
    ...kit.given({ name: beneficiary.name }),
    createdAt: beneficiary.created_at,
    ...kit.given({ defaultAsset: asset }),
    metadata: texts({
      beneficiary_id: beneficiary.id,
      status: beneficiary.status,
      trusted: beneficiary.trusted,
    }),
    raw: stringifyJson(value),
  };
  return { item, time: beneficiary.updated_at, identity: beneficiary.id };
}

interface Counterparty {
  readonly number: string | undefined;
  readonly bank: string | undefined;
  readonly fallback: string;
}

/** The reference of a counterparty's bank account: the number of the account and that of its bank. */
export const counterpartyOf = ({ number, bank, fallback }: Counterparty): string =>
  number === undefined ? fallback : [number, bank].filter((part) => part !== undefined).join("-");
