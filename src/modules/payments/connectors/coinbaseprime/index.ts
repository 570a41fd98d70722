import { fetchAccounts, fetchBalances } from "./accounts.ts";
import { PrimeAssets } from "./assets.ts";
import { CoinbasePrimeClient } from "./client.ts";
import { COINBASE_PRIME_FIELDS, readCoinbasePrimeConfig } from "./config.ts";
import { fetchProgressingList } from "./lists.ts";
import { toOrder } from "./orders.ts";
import { CONVERSION, toConversion, toPayment } from "./transactions.ts";
import type { ConnectorKind } from "#modules/payments/connectors/contract.ts";

const BASE_URL = "https://api.prime.coinbase.com";

/** Coinbase Prime: the wallets of a portfolio, their balances, transactions, conversions and orders. See the README of this folder. */
export const coinbaseprimeKind: ConnectorKind = {
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
    {
      task: "FETCH_ACCOUNTS",
      isPeriodic: true,
      children: [{ task: "FETCH_BALANCES", isPeriodic: true, children: [] }],
    },
    { task: "FETCH_PAYMENTS", isPeriodic: true, children: [] },
    { task: "FETCH_ORDERS", isPeriodic: true, children: [] },
    { task: "FETCH_CONVERSIONS", isPeriodic: true, children: [] },
  ],
  create: (values, { fetch, clock, store, baseUrl = BASE_URL }) => {
    const client = new CoinbasePrimeClient(readCoinbasePrimeConfig(values), {
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
