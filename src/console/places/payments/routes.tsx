import { createRoute, lazyRouteComponent, Navigate } from "@tanstack/react-router";
import { paymentWords } from "./words.ts";
import { root } from "#console/parts/routing/root.ts";
import { textsOf } from "#console/parts/routing/search.ts";

const frame = createRoute({
  getParentRoute: () => root,
  path: "/payments",
  loader: () => paymentWords.load(),
  component: lazyRouteComponent(() => import("./payments-frame.tsx"), "PaymentsFrame"),
});

const home = createRoute({
  getParentRoute: () => frame,
  path: "/",
  component: () => <Navigate to="/payments/payments" replace />,
});

/** The filters that lists of payments and of orders to make them have. */
const MONEY_FILTERS = [
  "status",
  "type",
  "connector",
  "account",
  "reference",
  "asset",
  "amount",
  "metadata",
  "open",
] as const;

const payments = createRoute({
  getParentRoute: () => frame,
  path: "payments",
  validateSearch: textsOf(...MONEY_FILTERS),
  component: lazyRouteComponent(() => import("./payments/payments-page.tsx"), "PaymentsPage"),
});

const payment = createRoute({
  getParentRoute: () => root,
  path: "/payments/payments/$id",
  loader: () => paymentWords.load(),
  component: lazyRouteComponent(() => import("./payments/payment-page.tsx"), "PaymentPage"),
});

const initiations = createRoute({
  getParentRoute: () => frame,
  path: "initiations",
  validateSearch: textsOf(...MONEY_FILTERS),
  component: lazyRouteComponent(
    () => import("./initiations/initiations-page.tsx"),
    "InitiationsPage",
  ),
});

const initiation = createRoute({
  getParentRoute: () => root,
  path: "/payments/initiations/$id",
  loader: () => paymentWords.load(),
  component: lazyRouteComponent(
    () => import("./initiations/initiation-page.tsx"),
    "InitiationPage",
  ),
});

const connectors = createRoute({
  getParentRoute: () => frame,
  path: "connectors",
  validateSearch: textsOf("name", "provider"),
  component: lazyRouteComponent(() => import("./connectors/connectors-page.tsx"), "ConnectorsPage"),
});

const connector = createRoute({
  getParentRoute: () => root,
  path: "/payments/connectors/$id",
  loader: () => paymentWords.load(),
  component: lazyRouteComponent(() => import("./connectors/connector-page.tsx"), "ConnectorPage"),
});

const accounts = createRoute({
  getParentRoute: () => frame,
  path: "accounts",
  validateSearch: textsOf("type", "connector", "reference", "name", "asset", "metadata"),
  component: lazyRouteComponent(() => import("./accounts/accounts-page.tsx"), "AccountsPage"),
});

const account = createRoute({
  getParentRoute: () => root,
  path: "/payments/accounts/$id",
  loader: () => paymentWords.load(),
  component: lazyRouteComponent(() => import("./accounts/account-page.tsx"), "AccountPage"),
});

const pools = createRoute({
  getParentRoute: () => frame,
  path: "pools",
  validateSearch: textsOf("name"),
  component: lazyRouteComponent(() => import("./pools/pools-page.tsx"), "PoolsPage"),
});

const pool = createRoute({
  getParentRoute: () => root,
  path: "/payments/pools/$id",
  loader: () => paymentWords.load(),
  component: lazyRouteComponent(() => import("./pools/pool-page.tsx"), "PoolPage"),
});

const bankAccounts = createRoute({
  getParentRoute: () => frame,
  path: "bank-accounts",
  validateSearch: textsOf("name", "country", "metadata"),
  component: lazyRouteComponent(
    () => import("./bank-accounts/bank-accounts-page.tsx"),
    "BankAccountsPage",
  ),
});

const bankAccount = createRoute({
  getParentRoute: () => root,
  path: "/payments/bank-accounts/$id",
  loader: () => paymentWords.load(),
  component: lazyRouteComponent(
    () => import("./bank-accounts/bank-account-page.tsx"),
    "BankAccountPage",
  ),
});

const bookings = createRoute({
  getParentRoute: () => frame,
  path: "bookings",
  validateSearch: textsOf("ledger", "state"),
  component: lazyRouteComponent(() => import("./bookings/bookings-page.tsx"), "BookingsPage"),
});

const booking = createRoute({
  getParentRoute: () => root,
  path: "/payments/bookings/$id",
  loader: () => paymentWords.load(),
  component: lazyRouteComponent(() => import("./bookings/booking-page.tsx"), "BookingPage"),
});

/** The URLs of the place. A page's code and words are loaded with its first visit. */
export const paymentRoutes = [
  frame.addChildren([
    home,
    payments,
    initiations,
    connectors,
    accounts,
    pools,
    bankAccounts,
    bookings,
  ]),
  payment,
  initiation,
  connector,
  account,
  pool,
  bankAccount,
  booking,
] as const;
