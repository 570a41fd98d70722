import { z } from "zod";
import type { DummySource } from "./source.ts";
import type { ProviderFetch } from "#modules/payments/connectors/contract.ts";
import { parseList } from "#modules/payments/connectors/kit/http.ts";
import { readEach } from "#modules/payments/connectors/kit/items.ts";
import {
  Amount,
  Date3339,
  OptionalText,
  parseObject,
  Text,
} from "#modules/payments/connectors/kit/objects.ts";
import { stringifyJson } from "#platform/json.ts";

const Account = z.object({
  id: Text,
  name: OptionalText,
  opening_date: Date3339,
  currency: OptionalText,
});
const Balance = z.object({ account_id: Text, amount_in_minors: Amount, currency: Text });

/** Files on a web server. A file that is missing or empty is an empty list. */
export function urlSource(directory: string, fetch: ProviderFetch): DummySource {
  const base = directory.replace(/\/*$/, "/");
  return {
    accounts: async () => {
      const values = await readFile(fetch, `${base}accounts.json`);
      return readEach(values, (value) => {
        const { id, name, opening_date, currency } = parseObject(Account, value, "an account");
        return {
          reference: id,
          createdAt: opening_date,
          ...(name === undefined ? {} : { name }),
          ...(currency === undefined ? {} : { defaultAsset: currency }),
          metadata: {},
          raw: stringifyJson(value),
        };
      });
    },
    externalAccounts: async () => [],
    payments: async () => [],
    balances: async (account) => {
      const values = await readFile(fetch, `${base}balances.json`);
      const balances = values.map((value) => parseObject(Balance, value, "a balance"));
      return new Map(
        balances.flatMap(({ account_id, currency, amount_in_minors }) =>
          account_id === account ? [[currency, amount_in_minors] as const] : [],
        ),
      );
    },
  };
}

async function readFile(fetch: ProviderFetch, url: string): Promise<readonly unknown[]> {
  const response = await fetch({ method: "GET", url });
  if (response.status === 404 || response.text.trim() === "") return [];
  return parseList(response);
}
