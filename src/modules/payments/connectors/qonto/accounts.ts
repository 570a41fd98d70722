import { z } from "zod";
import type { QontoClient } from "./client.ts";
import type { FetchPage, FetchRequest } from "#modules/payments/connectors/contract.ts";
import { Currencies } from "#modules/payments/connectors/kit/currencies.ts";
import {
  Amount,
  Date3339,
  OptionalText,
  parseObject,
  Text,
} from "#modules/payments/connectors/kit/objects.ts";
import { onlyPage, onlyPageOf, requireAccount } from "#modules/payments/connectors/kit/pages.ts";
import { fetchTimeList, type Listed } from "#modules/payments/connectors/kit/time-list.ts";
import type {
  ProviderAccount,
  ProviderBalance,
} from "#modules/payments/connectors/provider-objects.ts";
import { stringifyJson } from "#platform/json.ts";
import type { Clock } from "#platform/time.ts";

export const CURRENCIES = new Currencies();

const BankAccount = z.object({
  id: Text,
  name: OptionalText,
  currency: Text,
  balance_cents: Amount,
  updated_at: Date3339,
  iban: OptionalText,
  bic: OptionalText,
  account_number: OptionalText,
  status: OptionalText,
  is_external_account: z.boolean().nullish(),
  main: z.boolean().nullish(),
});

/** The bank accounts of the organization: one answer has all of them. */
export async function fetchAccounts(client: QontoClient): Promise<FetchPage<ProviderAccount>> {
  const values = await client.listBankAccounts();
  return onlyPageOf(values, toAccount);
}

function toAccount(value: unknown): ProviderAccount {
  const account = parseObject(BankAccount, value, "a bank account");
  const asset = CURRENCIES.assetOf(account.currency);
  return {
    reference: account.id,
    ...(account.name === undefined ? {} : { name: account.name }),
    createdAt: account.updated_at,
    ...(asset === undefined ? {} : { defaultAsset: asset }),
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

/** Those that are there, as texts. */
export const texts = (
  values: Readonly<Record<string, string | boolean | null | undefined>>,
): Record<string, string> =>
  Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) =>
      value === undefined || value === null ? [] : [[name, String(value)]],
    ),
  );

/** The balance of an account as it is now. */
export async function fetchBalances(
  { client, clock }: { readonly client: QontoClient; readonly clock: Clock },
  { parent }: FetchRequest,
): Promise<FetchPage<ProviderBalance>> {
  const { reference } = requireAccount(parent, "balances");
  const values = await client.listBankAccounts();
  const items = values.flatMap((value): ProviderBalance[] => {
    const { id, balance_cents, currency } = parseObject(BankAccount, value, "a bank account");
    const amount = CURRENCIES.fromUnits(balance_cents, currency);
    return id !== reference || amount === undefined
      ? []
      : [{ accountReference: id, createdAt: clock(), ...amount }];
  });
  return onlyPage(items);
}

const Beneficiary = z.object({
  id: Text,
  name: OptionalText,
  status: OptionalText,
  trusted: z.boolean().nullish(),
  created_at: Date3339,
  updated_at: Date3339,
  bank_account: z.object({
    currency: OptionalText,
    iban: OptionalText,
    bic: OptionalText,
    account_number: OptionalText,
    swift_sort_code: OptionalText,
    routing_number: OptionalText,
  }),
});

/** The beneficiaries, which transactions name by the numbers of their bank accounts. */
export const fetchBeneficiaries = (
  client: QontoClient,
  request: FetchRequest,
): Promise<FetchPage<ProviderAccount>> =>
  fetchTimeList(request, {
    readPage: (place) => client.listBeneficiaries(place),
    read: toBeneficiary,
  });

function toBeneficiary(value: unknown): Listed<ProviderAccount> {
  const { bank_account, ...beneficiary } = parseObject(Beneficiary, value, "a beneficiary");
  const { currency, iban, bic, account_number, swift_sort_code, routing_number } = bank_account;
  const asset = currency === undefined ? undefined : CURRENCIES.assetOf(currency);
  const item: ProviderAccount = {
    reference: counterpartyOf({
      number: iban ?? account_number,
      bank: iban === undefined ? (swift_sort_code ?? routing_number) : bic,
      fallback: beneficiary.id,
    }),
    ...(beneficiary.name === undefined ? {} : { name: beneficiary.name }),
    createdAt: beneficiary.created_at,
    ...(asset === undefined ? {} : { defaultAsset: asset }),
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

/** The reference of somebody else's bank account: its number and that of its bank. */
export const counterpartyOf = ({ number, bank, fallback }: Counterparty): string =>
  number === undefined ? fallback : [number, bank].filter((part) => part !== undefined).join("-");
