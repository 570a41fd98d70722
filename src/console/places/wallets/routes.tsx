import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { walletWords } from "./words.ts";
import { root } from "#console/parts/routing/root.ts";
import { textsOf } from "#console/parts/routing/search.ts";

const wallets = createRoute({
  getParentRoute: () => root,
  path: "/wallets",
  validateSearch: textsOf("name", "metadata"),
  loader: () => walletWords.load(),
  component: lazyRouteComponent(() => import("./wallets-page.tsx"), "WalletsPage"),
});

const wallet = createRoute({
  getParentRoute: () => root,
  path: "/wallets/$id",
  loader: () => walletWords.load(),
  component: lazyRouteComponent(() => import("./wallet-page.tsx"), "WalletPage"),
});

/** The URLs of the place. */
export const walletRoutes = [wallets, wallet] as const;
