import { EXTERNAL_ACCOUNTS, INTERNAL_ACCOUNTS } from "#modules/payments/accounts/ingestion.ts";
import { FETCHED_BALANCES } from "#modules/payments/balances/ingestion.ts";
import type { ItemTask } from "#modules/payments/connectors/contract.ts";
import { FETCHED_CONVERSIONS } from "#modules/payments/conversions/ingestion.ts";
import { fetchedKind, type FetchedKind } from "#modules/payments/ingestion/fetched-kind.ts";
import { FETCHED_ORDERS } from "#modules/payments/orders/ingestion.ts";
import { FETCHED_PAYMENTS } from "#modules/payments/payments/ingestion/payments.ts";

/** Items that are not stored, such as profiles and users, and below which other fetches are made. */
const OTHERS = fetchedKind({
  operation: "fetchOthers",
  parentsOf: ({ items }) => items,
  prepare: async () => ({ statements: [], events: [] }),
});

/** The kind of items that each task fetches. */
export const FETCHED_KINDS: Readonly<Record<ItemTask, FetchedKind>> = {
  FETCH_ACCOUNTS: INTERNAL_ACCOUNTS,
  FETCH_EXTERNAL_ACCOUNTS: EXTERNAL_ACCOUNTS,
  FETCH_BALANCES: FETCHED_BALANCES,
  FETCH_PAYMENTS: FETCHED_PAYMENTS,
  FETCH_ORDERS: FETCHED_ORDERS,
  FETCH_CONVERSIONS: FETCHED_CONVERSIONS,
  FETCH_OTHERS: OTHERS,
};
