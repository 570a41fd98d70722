import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { numscriptWords } from "./words.ts";
import { root } from "#console/parts/routing/root.ts";
import { textsOf } from "#console/parts/routing/search.ts";

const numscript = createRoute({
  getParentRoute: () => root,
  path: "/numscript",
  validateSearch: textsOf("ledger", "example", "script", "vars"),
  loader: () => numscriptWords.load(),
  component: lazyRouteComponent(() => import("./numscript-page.tsx"), "NumscriptPage"),
});

/** The URL of the place. Its code and words are loaded with the first visit. */
export const numscriptRoutes = [numscript] as const;
