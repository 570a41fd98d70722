import { queryOptions } from "@tanstack/react-query";
import { florin } from "#console/api/florin.ts";
import { PAGE_SIZE, pages } from "#console/parts/table/pages.ts";
import type { components } from "#openapi";

type Schemas = components["schemas"];
export type Wallet = Schemas["Wallet"];
export type Summary = Schemas["WalletSummary"];
export type WalletBalance = Schemas["WalletBalanceWithAssets"];
export type Hold = Schemas["WalletListedHold"];
export type WalletTransaction = Schemas["WalletTransaction"];

/** The beginning of the keys of all queries of the place. */
export const WALLETS_KEY = ["wallets"] as const;

export interface WalletFilter {
  readonly name: string | undefined;
  /** A value of metadata, as `tier=gold`. */
  readonly metadata: string | undefined;
}

const METADATA = /^([^=]+)=(.*)$/s;

export const isMetadata = (text: string): boolean => METADATA.test(text);

/** The query of the first page of wallets. */
export function walletsInput({ name, metadata }: WalletFilter) {
  const [, key = "", value] = METADATA.exec(metadata ?? "") ?? [];
  return {
    pageSize: PAGE_SIZE,
    expand: "balances",
    name,
    ...(value === undefined ? {} : { [`metadata[${key}]`]: value }),
  };
}

export const walletsQuery = (filter: WalletFilter) =>
  pages<Wallet>([...WALLETS_KEY, "list", filter.name, filter.metadata], (cursor, signal) =>
    florin.get(
      "/api/wallets/wallets",
      { query: cursor === undefined ? walletsInput(filter) : { cursor } },
      { signal },
    ),
  );

export const walletQuery = (id: string) =>
  queryOptions({
    queryKey: [...WALLETS_KEY, id],
    queryFn: async ({ signal }) =>
      (await florin.get("/api/wallets/wallets/{walletID}", { path: { walletID: id } }, { signal }))
        .data,
  });

export const summaryQuery = (id: string) =>
  queryOptions({
    queryKey: [...WALLETS_KEY, id, "summary"],
    queryFn: async ({ signal }) =>
      (
        await florin.get(
          "/api/wallets/wallets/{walletID}/summary",
          { path: { walletID: id } },
          { signal },
        )
      ).data,
  });

export const holdsQuery = (id: string) =>
  pages<Hold>([...WALLETS_KEY, id, "holds"], (cursor, signal) =>
    florin.get(
      "/api/wallets/holds",
      {
        query:
          cursor === undefined
            ? { pageSize: PAGE_SIZE, walletID: id, expand: "amounts" as const }
            : { cursor },
      },
      { signal },
    ),
  );

export const transactionsQuery = (id: string) =>
  pages<WalletTransaction>([...WALLETS_KEY, id, "transactions"], (cursor, signal) =>
    florin.get(
      "/api/wallets/transactions",
      { query: cursor === undefined ? { pageSize: RECENT_MAX, walletID: id } : { cursor } },
      { signal },
    ),
  );

/** The transactions that a wallet's page shows. */
export const RECENT_MAX = 10;
