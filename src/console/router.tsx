import type { QueryClient } from "@tanstack/react-query";
import { createRouter } from "@tanstack/react-router";
import { CONSOLE_PATH } from "./base-path.ts";
import { Frame, LoadFailure, NotFound } from "./frame.tsx";
import { root } from "./parts/routing/root.ts";
import { parseSearch, stringifySearch } from "./parts/routing/search.ts";
import { accessRoutes } from "./places/access/routes.tsx";
import { developerRoutes } from "./places/developers/routes.tsx";
import { homeRoutes } from "./places/home/routes.tsx";
import { ledgerRoutes } from "./places/ledgers/routes.tsx";
import { numscriptRoutes } from "./places/numscript/routes.tsx";
import { paymentRoutes } from "./places/payments/routes.tsx";
import { reconciliationRoutes } from "./places/reconciliation/routes.tsx";
import { signInRoutes } from "./places/sign-in/routes.ts";
import { walletRoutes } from "./places/wallets/routes.tsx";
import { workflowRoutes } from "./places/workflows/routes.tsx";

const routeTree = root
  .update({ component: Frame, notFoundComponent: NotFound })
  .addChildren([
    ...homeRoutes,
    ...signInRoutes,
    ...ledgerRoutes,
    ...numscriptRoutes,
    ...workflowRoutes,
    ...paymentRoutes,
    ...developerRoutes,
    ...accessRoutes,
    ...walletRoutes,
    ...reconciliationRoutes,
  ]);

export const makeRouter = (queries: QueryClient) =>
  createRouter({
    routeTree,
    basepath: CONSOLE_PATH,
    context: { queries },
    defaultPreload: "intent",
    defaultErrorComponent: LoadFailure,
    scrollRestoration: true,
    parseSearch,
    stringifySearch,
  });

declare module "@tanstack/react-router" {
  interface Register {
    router: ReturnType<typeof makeRouter>;
  }
}
