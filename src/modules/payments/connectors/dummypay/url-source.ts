import { z } from "zod";
import type { DummySource } from "./source.ts";
import * as kit from "#modules/payments/connectors/kit/index.ts";
import { stringifyJson } from "#platform/json.ts";

const Account = z.object({
  id: kit.Text,
  name: kit.OptionalText,
  opening_date: kit.Date3339,
  currency: kit.OptionalText,
});
const Balance = z.object({
  account_id: kit.Text,
  amount_in_minors: kit.Amount,
  currency: kit.Text,
});

/** A source of files on a web server. A file that is missing or empty is an empty list. */
export function urlSource(directory: string, fetch: kit.ProviderFetch): DummySource {
  const base = directory.replace(/\/*$/, "/");
  return {
    accounts: async () => {
      const values = await readFile(fetch, `${base}accounts.json`);
      return kit.readEach(values, (value) => {
        const { id, name, opening_date, currency } = kit.parseObject(Account, value, "an account");
        return {
          reference: id,
          createdAt: opening_date,
          ...kit.given({ name, defaultAsset: currency }),
          metadata: {},
          raw: stringifyJson(value),
        };
      });
    },
    externalAccounts: async () => [],
    payments: async () => [],
    balances: async (account) => {
      const values = await readFile(fetch, `${base}balances.json`);
      const balances = values.map((value) => kit.parseObject(Balance, value, "a balance"));
      return new Map(
        balances.flatMap(({ account_id, currency, amount_in_minors }) =>
          account_id === account ? [[currency, amount_in_minors] as const] : [],
        ),
      );
    },
  };
}

async function readFile(fetch: kit.ProviderFetch, url: string): Promise<readonly unknown[]> {
  const response = await fetch({ method: "GET", url });
  if (response.status === 404 || response.text.trim() === "") return [];
  return kit.parseList(response);
}
