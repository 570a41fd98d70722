import { type WalletFilter, walletsInput } from "./queries.ts";
import { toWire, type WireRequest } from "#console/api/client.ts";

/** What the list of wallets reads. */
export const listRequests = (filter: WalletFilter): WireRequest[] => [
  toWire("get", "/api/wallets/wallets", { query: walletsInput(filter) }),
];

/** What the page of a wallet reads. */
export const pageRequests = (walletID: string): WireRequest[] => [
  toWire("get", "/api/wallets/wallets/{walletID}", { path: { walletID } }),
  toWire("get", "/api/wallets/wallets/{walletID}/summary", { path: { walletID } }),
  toWire("get", "/api/wallets/holds", { query: { walletID, expand: "amounts" } }),
  toWire("get", "/api/wallets/transactions", { query: { walletID } }),
];
