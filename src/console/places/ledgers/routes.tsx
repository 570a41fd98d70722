import { createRoute, lazyRouteComponent, Navigate } from "@tanstack/react-router";
import { keepsMoments, momentsOf } from "./time/moments.ts";
import { ledgerWords } from "./words.ts";
import { root } from "#console/parts/routing/root.ts";
import { textsOf } from "#console/parts/routing/search.ts";

const ledgers = createRoute({
  getParentRoute: () => root,
  path: "/ledgers",
  validateSearch: textsOf("name", "bucket", "metadata"),
  loader: () => ledgerWords.load(),
  component: lazyRouteComponent(() => import("./ledgers-page.tsx"), "LedgersPage"),
});

const ledger = createRoute({
  getParentRoute: () => root,
  path: "/ledgers/$ledger",
  loader: () => ledgerWords.load(),
  validateSearch: momentsOf,
  search: keepsMoments,
  component: lazyRouteComponent(() => import("./ledger-frame.tsx"), "LedgerFrame"),
});

const ledgerHome = createRoute({
  getParentRoute: () => ledger,
  path: "/",
  component: () => <Navigate from="/ledgers/$ledger" to="/ledgers/$ledger/overview" replace />,
});

const overview = createRoute({
  getParentRoute: () => ledger,
  path: "overview",
  component: lazyRouteComponent(() => import("./overview/overview-page.tsx"), "OverviewPage"),
});

const tree = createRoute({
  getParentRoute: () => ledger,
  path: "tree",
  validateSearch: textsOf("open", "asset"),
  component: lazyRouteComponent(() => import("./tree/tree-page.tsx"), "TreePage"),
});

const schema = createRoute({
  getParentRoute: () => ledger,
  path: "schema",
  validateSearch: textsOf("version"),
  component: lazyRouteComponent(() => import("./schema/schema-page.tsx"), "SchemaPage"),
});

const logs = createRoute({
  getParentRoute: () => ledger,
  path: "logs",
  validateSearch: textsOf("type", "after", "before", "id", "open"),
  component: lazyRouteComponent(() => import("./logs/logs-page.tsx"), "LogsPage"),
});

const exporters = createRoute({
  getParentRoute: () => ledger,
  path: "exporters",
  component: lazyRouteComponent(() => import("./exporters/exporters-page.tsx"), "ExportersPage"),
});

const verification = createRoute({
  getParentRoute: () => ledger,
  path: "verification",
  component: lazyRouteComponent(
    () => import("./verification/verification-page.tsx"),
    "VerificationPage",
  ),
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
  validateSearch: momentsOf,
  search: keepsMoments,
  component: lazyRouteComponent(() => import("./transaction-page.tsx"), "TransactionPage"),
});

const account = createRoute({
  getParentRoute: () => root,
  path: "/ledgers/$ledger/accounts/$address",
  loader: () => ledgerWords.load(),
  validateSearch: momentsOf,
  search: keepsMoments,
  component: lazyRouteComponent(() => import("./account-page.tsx"), "AccountPage"),
});

/** The URLs of the place. A page's code and words are loaded with its first visit. */
export const ledgerRoutes = [
  ledgers,
  ledger.addChildren([
    ledgerHome,
    overview,
    transactions,
    accounts,
    tree,
    schema,
    logs,
    exporters,
    verification,
  ]),
  transaction,
  account,
] as const;
