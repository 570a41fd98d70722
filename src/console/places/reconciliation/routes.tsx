import { createRoute, lazyRouteComponent, Navigate } from "@tanstack/react-router";
import { itemRoutes, loadItemWords } from "./item-routes.tsx";
import { reconciliationWords } from "./words.ts";
import { root } from "#console/parts/routing/root.ts";
import { textsOf } from "#console/parts/routing/search.ts";

const frame = createRoute({
  getParentRoute: () => root,
  path: "/reconciliation",
  loader: () => reconciliationWords.load(),
  component: lazyRouteComponent(() => import("./frame.tsx"), "ReconciliationFrame"),
});

const home = createRoute({
  getParentRoute: () => frame,
  path: "/",
  component: () => <Navigate to="/reconciliation/rules" replace />,
});

const rules = createRoute({
  getParentRoute: () => frame,
  path: "rules",
  validateSearch: textsOf("name", "kind", "enabled"),
  component: lazyRouteComponent(() => import("./rules/rules-page.tsx"), "RulesPage"),
});

const rule = createRoute({
  getParentRoute: () => root,
  path: "/reconciliation/rules/$id",
  loader: () => reconciliationWords.load(),
  component: lazyRouteComponent(() => import("./rules/rule-page.tsx"), "RulePage"),
});

const evaluation = createRoute({
  getParentRoute: () => root,
  path: "/reconciliation/evaluations/$id",
  loader: () => reconciliationWords.load(),
  component: lazyRouteComponent(
    () => import("./evaluations/evaluation-page.tsx"),
    "EvaluationPage",
  ),
});

const alerts = createRoute({
  getParentRoute: () => frame,
  path: "alerts",
  validateSearch: textsOf("status", "rule", "severity", "period", "open"),
  component: lazyRouteComponent(() => import("./alerts/alerts-page.tsx"), "AlertsPage"),
});

const alert = createRoute({
  getParentRoute: () => root,
  path: "/reconciliation/alerts/$id",
  loader: () => reconciliationWords.load(),
  component: lazyRouteComponent(() => import("./alerts/alert-page.tsx"), "AlertPage"),
});

const policies = createRoute({
  getParentRoute: () => frame,
  path: "policies",
  validateSearch: textsOf("name", "ledger"),
  component: lazyRouteComponent(() => import("./policies/policies-page.tsx"), "PoliciesPage"),
});

const policy = createRoute({
  getParentRoute: () => root,
  path: "/reconciliation/policies/$id",
  loader: () => reconciliationWords.load(),
  component: lazyRouteComponent(() => import("./policies/policy-page.tsx"), "PolicyPage"),
});

const reconciliation = createRoute({
  getParentRoute: () => root,
  path: "/reconciliation/reconciliations/$id",
  loader: () => reconciliationWords.load(),
  component: lazyRouteComponent(
    () => import("./policies/reconciliation-page.tsx"),
    "ReconciliationPage",
  ),
});

const matchings = createRoute({
  getParentRoute: () => frame,
  path: "matchings",
  validateSearch: textsOf("name"),
  loader: loadItemWords,
  component: lazyRouteComponent(() => import("./matchings/matchings-page.tsx"), "MatchingsPage"),
});

const corrections = createRoute({
  getParentRoute: () => frame,
  path: "corrections",
  validateSearch: textsOf("state", "kind"),
  loader: loadItemWords,
  component: lazyRouteComponent(() => import("./breaks/corrections-page.tsx"), "CorrectionsPage"),
});

const sources = createRoute({
  getParentRoute: () => frame,
  path: "sources",
  validateSearch: textsOf("name", "kind"),
  loader: loadItemWords,
  component: lazyRouteComponent(() => import("./sources/sources-page.tsx"), "SourcesPage"),
});

const clearing = createRoute({
  getParentRoute: () => frame,
  path: "clearing",
  validateSearch: textsOf("ledger", "account", "at", "by"),
  loader: loadItemWords,
  component: lazyRouteComponent(() => import("./clearing/clearing-page.tsx"), "ClearingPage"),
});

/** The URLs of the place. A page's code and words are loaded with its first visit. */
export const reconciliationRoutes = [
  frame.addChildren([home, rules, alerts, policies, matchings, corrections, sources, clearing]),
  rule,
  evaluation,
  alert,
  policy,
  reconciliation,
  ...itemRoutes,
] as const;
