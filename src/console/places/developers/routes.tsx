import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { developerWords } from "./words.ts";
import { root } from "#console/parts/routing/root.ts";
import { textsOf } from "#console/parts/routing/search.ts";

const developers = createRoute({
  getParentRoute: () => root,
  path: "/developers",
  loader: () => developerWords.load(),
  component: lazyRouteComponent(() => import("./developers-frame.tsx"), "DevelopersFrame"),
});

const home = createRoute({
  getParentRoute: () => developers,
  path: "/",
  component: lazyRouteComponent(() => import("./developers-frame.tsx"), "FirstPage"),
});

const requests = createRoute({
  getParentRoute: () => developers,
  path: "requests",
  validateSearch: textsOf(
    "status",
    "code",
    "method",
    "operation",
    "clientId",
    "subject",
    "after",
    "before",
    "requestId",
    "open",
  ),
  component: lazyRouteComponent(() => import("./requests/requests-page.tsx"), "RequestsPage"),
});

const webhooks = createRoute({
  getParentRoute: () => developers,
  path: "webhooks",
  component: lazyRouteComponent(() => import("./webhooks/webhooks-page.tsx"), "WebhooksPage"),
});

const events = createRoute({
  getParentRoute: () => developers,
  path: "events",
  validateSearch: textsOf("types", "ledger"),
  component: lazyRouteComponent(() => import("./events/events-page.tsx"), "EventsPage"),
});

const eventTypes = createRoute({
  getParentRoute: () => developers,
  path: "event-types",
  validateSearch: textsOf("app", "open"),
  component: lazyRouteComponent(() => import("./events/event-types-page.tsx"), "EventTypesPage"),
});

const request = createRoute({
  getParentRoute: () => root,
  path: "/developers/requests/$id",
  loader: () => developerWords.load(),
  component: lazyRouteComponent(() => import("./requests/request-page.tsx"), "RequestPage"),
});

const webhook = createRoute({
  getParentRoute: () => root,
  path: "/developers/webhooks/$id",
  loader: () => developerWords.load(),
  component: lazyRouteComponent(() => import("./webhooks/endpoint-frame.tsx"), "EndpointFrame"),
});

const deliveries = createRoute({
  getParentRoute: () => webhook,
  path: "/",
  validateSearch: textsOf("status", "after", "before", "open"),
  component: lazyRouteComponent(() => import("./webhooks/deliveries-page.tsx"), "DeliveriesPage"),
});

const settings = createRoute({
  getParentRoute: () => webhook,
  path: "settings",
  component: lazyRouteComponent(() => import("./webhooks/settings-page.tsx"), "SettingsPage"),
});

/** The URLs of the place. A page's code and words are loaded with its first visit. */
export const developerRoutes = [
  developers.addChildren([home, requests, webhooks, events, eventTypes]),
  request,
  webhook.addChildren([deliveries, settings]),
] as const;
