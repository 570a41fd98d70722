import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { workflowWords } from "./words.ts";
import { root } from "#console/parts/routing/root.ts";
import { textsOf } from "#console/parts/routing/search.ts";

const place = createRoute({
  getParentRoute: () => root,
  path: "/workflows",
  loader: () => workflowWords.load(),
  component: lazyRouteComponent(() => import("./frame.tsx"), "WorkflowsFrame"),
});

const workflows = createRoute({
  getParentRoute: () => place,
  path: "/",
  component: lazyRouteComponent(() => import("./workflows-page.tsx"), "WorkflowsPage"),
});

const instances = createRoute({
  getParentRoute: () => place,
  path: "instances",
  validateSearch: textsOf("workflow", "status"),
  component: lazyRouteComponent(() => import("./instances/instances-page.tsx"), "InstancesPage"),
});

const triggers = createRoute({
  getParentRoute: () => place,
  path: "triggers",
  validateSearch: textsOf("name"),
  component: lazyRouteComponent(() => import("./triggers/triggers-page.tsx"), "TriggersPage"),
});

const workflow = createRoute({
  getParentRoute: () => root,
  path: "/workflows/$id",
  loader: () => workflowWords.load(),
  component: lazyRouteComponent(() => import("./workflow-page.tsx"), "WorkflowPage"),
});

const instance = createRoute({
  getParentRoute: () => root,
  path: "/workflows/instances/$id",
  validateSearch: textsOf("stage"),
  loader: () => workflowWords.load(),
  component: lazyRouteComponent(() => import("./instances/instance-page.tsx"), "InstancePage"),
});

const trigger = createRoute({
  getParentRoute: () => root,
  path: "/workflows/triggers/$id",
  loader: () => workflowWords.load(),
  component: lazyRouteComponent(() => import("./triggers/trigger-page.tsx"), "TriggerPage"),
});

/** The URLs of the place. */
export const workflowRoutes = [
  place.addChildren([workflows, instances, triggers]),
  workflow,
  instance,
  trigger,
] as const;
