import { fetchAccounts, fetchBalances } from "./accounts.ts";
import { PrimeAssets } from "./assets.ts";
import { CoinbasePrimeClient } from "./client.ts";
import { COINBASE_PRIME_FIELDS } from "./config.ts";
import { fetchProgressingList } from "./lists.ts";
import { toOrder } from "./orders.ts";
import { CONVERSION, toConversion, toPayment } from "./transactions.ts";
import * as kit from "#modules/payments/connectors/kit/index.ts";

const BASE_URL = "https://api.prime.coinbase.com";

/** Coinbase Prime: the wallets of a portfolio, their balances, transactions, conversions and orders. See the README of this folder. */
export const coinbaseprimeKind: kit.ConnectorKind = {
  key: "coinbaseprime",
  capabilities: [
    "FETCH_ACCOUNTS",
    "FETCH_BALANCES",
    "FETCH_PAYMENTS",
    "FETCH_ORDERS",
    "FETCH_CONVERSIONS",
  ],
  pageSize: 100,
  fields: COINBASE_PRIME_FIELDS,
  tree: [
    kit.periodic("FETCH_ACCOUNTS", kit.periodic("FETCH_BALANCES")),
    kit.periodic("FETCH_PAYMENTS"),
    kit.periodic("FETCH_ORDERS"),
    kit.periodic("FETCH_CONVERSIONS"),
  ],
  create: (values, { fetch, clock, store, baseUrl = BASE_URL }) => {
    const client = new CoinbasePrimeClient(kit.readConfig(COINBASE_PRIME_FIELDS, values), {
      fetch,
      clock,
      baseUrl,
    });
    let known: Promise<PrimeAssets> | undefined;
    const assets = () => (known ??= PrimeAssets.read({ client, store, clock }));
    return {
      fetchAccounts: async (request) => fetchAccounts({ client, assets: await assets() }, request),
      fetchBalances: async (request) =>
        fetchBalances({ client, assets: await assets(), clock }, request),
      fetchPayments: async (request) => {
        const of = await assets();
        return fetchProgressingList(request, {
          sources: [(place) => client.listTransactions(place)],
          read: (value) => toPayment(value, of),
        });
      },
      fetchOrders: async (request) => {
        const of = await assets();
        return fetchProgressingList(request, {
          // An order that ends between both is in the second list.
          sources: [(place) => client.listOpenOrders(place), (place) => client.listOrders(place)],
          read: (value) => toOrder(value, of),
        });
      },
      fetchConversions: async (request) => {
        const of = await assets();
        return fetchProgressingList(request, {
          sources: [(place) => client.listTransactions(place, [CONVERSION])],
          read: (value) => toConversion(value, of),
        });
      },
      checkAccess: async () => void (await client.entityId()),
    };
  },
};
