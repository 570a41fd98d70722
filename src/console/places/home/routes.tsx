import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { homeWords } from "./words.ts";
import { root } from "#console/parts/routing/root.ts";

const home = createRoute({
  getParentRoute: () => root,
  path: "/",
  loader: () => homeWords.load(),
  component: lazyRouteComponent(() => import("./home-page.tsx"), "HomePage"),
});

export const homeRoutes = [home] as const;
