import { createRoute, lazyRouteComponent, Navigate } from "@tanstack/react-router";
import { accessWords } from "./words.ts";
import { root } from "#console/parts/routing/root.ts";
import { textsOf } from "#console/parts/routing/search.ts";

const access = createRoute({
  getParentRoute: () => root,
  path: "/access",
  loader: () => accessWords.load(),
  component: lazyRouteComponent(() => import("./access-frame.tsx"), "AccessFrame"),
});

const home = createRoute({
  getParentRoute: () => access,
  path: "/",
  component: () => <Navigate to="/access/people" replace />,
});

const people = createRoute({
  getParentRoute: () => access,
  path: "people",
  component: lazyRouteComponent(() => import("./people/people-page.tsx"), "PeoplePage"),
});

const clients = createRoute({
  getParentRoute: () => access,
  path: "clients",
  component: lazyRouteComponent(() => import("./clients/clients-page.tsx"), "ClientsPage"),
});

const audit = createRoute({
  getParentRoute: () => access,
  path: "audit",
  validateSearch: textsOf(
    "subject",
    "clientId",
    "action",
    "object",
    "after",
    "before",
    "requestId",
    "open",
  ),
  component: lazyRouteComponent(() => import("./audit/audit-page.tsx"), "AuditPage"),
});

const person = createRoute({
  getParentRoute: () => root,
  path: "/access/people/$id",
  loader: () => accessWords.load(),
  component: lazyRouteComponent(() => import("./people/person-page.tsx"), "PersonPage"),
});

const client = createRoute({
  getParentRoute: () => root,
  path: "/access/clients/$id",
  loader: () => accessWords.load(),
  component: lazyRouteComponent(() => import("./clients/client-page.tsx"), "ClientPage"),
});

/** The URLs of the place. A page's code and words are loaded with its first visit. */
export const accessRoutes = [
  access.addChildren([home, people, clients, audit]),
  person,
  client,
] as const;
