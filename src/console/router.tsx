import type { QueryClient } from "@tanstack/react-query";
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Navigate,
} from "@tanstack/react-router";
import { CALLBACK_PATH, CONSOLE_PATH, SIGN_IN_PATH } from "./base-path.ts";
import { Frame, LoadFailure, NotFound } from "./frame.tsx";
import { ledgerWords } from "./places/ledgers/words.ts";
import { LinkPage } from "./places/sign-in/link-page.tsx";
import { CallbackPage } from "./places/sign-in/sign-in-page.tsx";
import { signInWords } from "./places/sign-in/words.ts";

interface Context {
  readonly queries: QueryClient;
}

/**
 * The URLs of the console. A page's code and words are loaded with its first visit. Search parameters are plain texts, so that people can
 * read and write them.
 */
const root = createRootRouteWithContext<Context>()({
  component: Frame,
  notFoundComponent: NotFound,
});

const home = createRoute({
  getParentRoute: () => root,
  path: "/",
  component: () => <Navigate to="/ledgers" replace />,
});

const callback = createRoute({
  getParentRoute: () => root,
  path: CALLBACK_PATH,
  loader: () => signInWords.load(),
  component: CallbackPage,
});

const link = createRoute({
  getParentRoute: () => root,
  path: SIGN_IN_PATH,
  loader: () => signInWords.load(),
  component: LinkPage,
});

const ledgers = createRoute({
  getParentRoute: () => root,
  path: "/ledgers",
  loader: () => ledgerWords.load(),
  component: lazyRouteComponent(() => import("./places/ledgers/ledgers-page.tsx"), "LedgersPage"),
});

const ledger = createRoute({
  getParentRoute: () => root,
  path: "/ledgers/$ledger",
  loader: () => ledgerWords.load(),
  component: lazyRouteComponent(() => import("./places/ledgers/ledger-frame.tsx"), "LedgerFrame"),
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
  component: lazyRouteComponent(
    () => import("./places/ledgers/transactions-page.tsx"),
    "TransactionsPage",
  ),
});

const accounts = createRoute({
  getParentRoute: () => ledger,
  path: "accounts",
  validateSearch: textsOf("address", "balance", "metadata"),
  component: lazyRouteComponent(() => import("./places/ledgers/accounts-page.tsx"), "AccountsPage"),
});

const transaction = createRoute({
  getParentRoute: () => root,
  path: "/ledgers/$ledger/transactions/$id",
  loader: () => ledgerWords.load(),
  component: lazyRouteComponent(
    () => import("./places/ledgers/transaction-page.tsx"),
    "TransactionPage",
  ),
});

const account = createRoute({
  getParentRoute: () => root,
  path: "/ledgers/$ledger/accounts/$address",
  loader: () => ledgerWords.load(),
  component: lazyRouteComponent(() => import("./places/ledgers/account-page.tsx"), "AccountPage"),
});

const routeTree = root.addChildren([
  home,
  callback,
  link,
  ledgers,
  ledger.addChildren([ledgerHome, transactions, accounts]),
  transaction,
  account,
]);

export const makeRouter = (queries: QueryClient) =>
  createRouter({
    routeTree,
    basepath: CONSOLE_PATH,
    context: { queries },
    defaultPreload: "intent",
    defaultErrorComponent: LoadFailure,
    scrollRestoration: true,
    parseSearch: (search) => Object.fromEntries(new URLSearchParams(search)),
    stringifySearch: (search) => {
      const texts = Object.entries(search).filter(
        (entry): entry is [string, string] => typeof entry[1] === "string",
      );
      return texts.length === 0 ? "" : `?${new URLSearchParams(texts).toString()}`;
    },
  });

declare module "@tanstack/react-router" {
  interface Register {
    router: ReturnType<typeof makeRouter>;
  }
}

/** Keeps the search parameters that a page knows, as texts. */
function textsOf<Name extends string>(...names: readonly Name[]) {
  return (search: Readonly<Record<string, unknown>>): { [K in Name]?: string } => {
    const found = names.flatMap((name) => {
      const value = search[name];
      return typeof value === "string" && value !== "" ? [[name, value]] : [];
    });
    return Object.fromEntries(found) as { [K in Name]?: string }; // The entries have only these names.
  };
}
