import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { matchingWords } from "./matching-words.ts";
import { sourceWords } from "./source-words.ts";
import { reconciliationWords } from "./words.ts";
import { root } from "#console/parts/routing/root.ts";
import { textsOf } from "#console/parts/routing/search.ts";

/** Loads the words of the pages of sources and matchings. */
export async function loadItemWords(): Promise<void> {
  await Promise.all([reconciliationWords.load(), sourceWords.load(), matchingWords.load()]);
}

const source = createRoute({
  getParentRoute: () => root,
  path: "/reconciliation/sources/$id",
  loader: loadItemWords,
  component: lazyRouteComponent(() => import("./sources/source-page.tsx"), "SourcePage"),
});

const statement = createRoute({
  getParentRoute: () => root,
  path: "/reconciliation/sources/$id/statements/$statement",
  loader: loadItemWords,
  component: lazyRouteComponent(() => import("./sources/statement-page.tsx"), "StatementPage"),
});

const matching = createRoute({
  getParentRoute: () => root,
  path: "/reconciliation/matchings/$id",
  loader: loadItemWords,
  component: lazyRouteComponent(() => import("./matchings/matching-frame.tsx"), "MatchingFrame"),
});

const overview = createRoute({
  getParentRoute: () => matching,
  path: "/",
  component: lazyRouteComponent(
    () => import("./matchings/overview/overview-page.tsx"),
    "OverviewPage",
  ),
});

const groups = createRoute({
  getParentRoute: () => matching,
  path: "groups",
  validateSearch: textsOf("state", "pass", "run", "open"),
  component: lazyRouteComponent(() => import("./matchings/groups/groups-page.tsx"), "GroupsPage"),
});

const hand = createRoute({
  getParentRoute: () => matching,
  path: "hand",
  validateSearch: textsOf("left", "right", "leftQ", "rightQ"),
  component: lazyRouteComponent(() => import("./matchings/hand/hand-page.tsx"), "HandPage"),
});

const passes = createRoute({
  getParentRoute: () => matching,
  path: "passes",
  component: lazyRouteComponent(() => import("./matchings/passes/passes-page.tsx"), "PassesPage"),
});

const close = createRoute({
  getParentRoute: () => matching,
  path: "close",
  validateSearch: textsOf("from", "to"),
  component: lazyRouteComponent(() => import("./matchings/close/close-page.tsx"), "ClosePage"),
});

const breaks = createRoute({
  getParentRoute: () => matching,
  path: "breaks",
  validateSearch: textsOf("class", "side", "status", "assignee", "asset", "minDays"),
  component: lazyRouteComponent(() => import("./breaks/breaks-page.tsx"), "BreaksPage"),
});

const breakOf = createRoute({
  getParentRoute: () => root,
  path: "/reconciliation/matchings/$id/breaks/$line",
  loader: loadItemWords,
  component: lazyRouteComponent(() => import("./breaks/break-page.tsx"), "BreakPage"),
});

/** The URLs of sources, matchings and their breaks. A page's code and words are loaded with its first visit. */
export const itemRoutes = [
  source,
  statement,
  matching.addChildren([overview, groups, hand, passes, close, breaks]),
  breakOf,
] as const;
