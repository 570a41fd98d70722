import { createRoute, lazyRouteComponent, Navigate } from "@tanstack/react-router";
import { ledgerWords } from "./words.ts";
import { root } from "#console/parts/routing/root.ts";
import { textsOf } from "#console/parts/routing/search.ts";

const ledgers = createRoute({
  getParentRoute: () => root,
  path: "/ledgers",
  loader: () => ledgerWords.load(),
  component: lazyRouteComponent(() => import("./ledgers-page.tsx"), "LedgersPage"),
});

const ledger = createRoute({
  getParentRoute: () => root,
  path: "/ledgers/$ledger",
  loader: () => ledgerWords.load(),
  component: lazyRouteComponent(() => import("./ledger-frame.tsx"), "LedgerFrame"),
});

const ledgerHome = createRoute({
  getParentRoute: () => ledger,
  path: "/",
  component: () => <Navigate from="/ledgers/$ledger" to="/ledgers/$ledger/transactions" replace />,
});

const transactions = createRoute({
  getParentRoute: () => ledger,
  path: "transactions",
  validateSearch: textsOf(
    "account",
    "source",
    "destination",
    "reference",
    "after",
    "before",
    "reverted",
    "metadata",
    "open",
  ),
  component: lazyRouteComponent(() => import("./transactions-page.tsx"), "TransactionsPage"),
});

const accounts = createRoute({
  getParentRoute: () => ledger,
  path: "accounts",
  validateSearch: textsOf("address", "balance", "metadata"),
  component: lazyRouteComponent(() => import("./accounts-page.tsx"), "AccountsPage"),
});

const transaction = createRoute({
  getParentRoute: () => root,
  path: "/ledgers/$ledger/transactions/$id",
  loader: () => ledgerWords.load(),
  component: lazyRouteComponent(() => import("./transaction-page.tsx"), "TransactionPage"),
});

const account = createRoute({
  getParentRoute: () => root,
  path: "/ledgers/$ledger/accounts/$address",
  loader: () => ledgerWords.load(),
  component: lazyRouteComponent(() => import("./account-page.tsx"), "AccountPage"),
});

/** The URLs of the place. A page's code and words are loaded with its first visit. */
export const ledgerRoutes = [
  ledgers,
  ledger.addChildren([ledgerHome, transactions, accounts]),
  transaction,
  account,
] as const;
