import { amountsIn } from "./amounts.ts";
import { pathOf } from "./hits.ts";
import { HITS_MAX, type Source } from "./source.ts";
import { florin } from "#console/api/florin.ts";
import { locale } from "#console/parts/language/words.ts";
import { formatAmount } from "#console/parts/money/asset.ts";
import { stringifyJson } from "#platform/json.ts";

/** A filter for what has a text as its id, at the beginning of its reference, or as its amount. */
const byIdReferenceAmount = (text: string): string =>
  stringifyJson({
    $or: [
      { $match: { id: text } },
      { $like: { reference: `${text}%` } },
      ...amountsIn(text).map((amount) => ({ $match: { amount } })),
    ],
  });

const byName = (text: string): string => stringifyJson({ $like: { name: `%${text}%` } });

const payments: Source = {
  kind: "payments",
  scope: "payments:read",
  find: async ({ text, signal }) => {
    const { cursor } = await florin.get(
      "/api/payments/v3/payments",
      { query: { pageSize: HITS_MAX, query: byIdReferenceAmount(text) } },
      { signal },
    );
    return cursor.data.map(({ id, reference, amount, asset }) => ({
      path: pathOf`/payments/payments/${id}`,
      title: reference,
      note: formatAmount(amount, asset, locale),
    }));
  },
};

const initiations: Source = {
  kind: "initiations",
  scope: "payments:read",
  find: async ({ text, signal }) => {
    const { cursor } = await florin.get(
      "/api/payments/v3/payment-initiations",
      { query: { pageSize: HITS_MAX, query: byIdReferenceAmount(text) } },
      { signal },
    );
    return cursor.data.map(({ id, reference, amount, asset }) => ({
      path: pathOf`/payments/initiations/${id}`,
      title: reference,
      note: formatAmount(amount, asset, locale),
    }));
  },
};

const paymentAccounts: Source = {
  kind: "paymentAccounts",
  scope: "payments:read",
  find: async ({ text, signal }) => {
    const query = stringifyJson({
      $or: [{ $match: { id: text } }, { $match: { reference: text } }, { $match: { name: text } }],
    });
    const { cursor } = await florin.get(
      "/api/payments/v3/accounts",
      { query: { pageSize: HITS_MAX, query } },
      { signal },
    );
    return cursor.data.map(({ id, name, reference }) => ({
      path: pathOf`/payments/accounts/${id}`,
      title: name ?? reference,
      note: reference,
    }));
  },
};

const connectors: Source = {
  kind: "connectors",
  scope: "payments:read",
  find: async ({ text, signal }) => {
    const { cursor } = await florin.get(
      "/api/payments/v3/connectors",
      { query: { pageSize: HITS_MAX, query: byName(text) } },
      { signal },
    );
    return cursor.data.map(({ id, name, provider }) => ({
      path: pathOf`/payments/connectors/${id}`,
      title: name,
      note: provider,
    }));
  },
};

const pools: Source = {
  kind: "pools",
  scope: "payments:read",
  find: async ({ text, signal }) => {
    const { cursor } = await florin.get(
      "/api/payments/v3/pools",
      { query: { pageSize: HITS_MAX, query: byName(text) } },
      { signal },
    );
    return cursor.data.map(({ id, name }) => ({
      path: pathOf`/payments/pools/${id}`,
      title: name,
    }));
  },
};

const bankAccounts: Source = {
  kind: "bankAccounts",
  scope: "payments:read",
  find: async ({ text, signal }) => {
    const { cursor } = await florin.get(
      "/api/payments/v3/bank-accounts",
      { query: { pageSize: HITS_MAX, query: byName(text) } },
      { signal },
    );
    return cursor.data.map(({ id, name }) => ({
      path: pathOf`/payments/bank-accounts/${id}`,
      title: name,
    }));
  },
};

export const paymentSources: readonly Source[] = [
  payments,
  initiations,
  connectors,
  paymentAccounts,
  pools,
  bankAccounts,
];
