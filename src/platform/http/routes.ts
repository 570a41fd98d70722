import type { OpenAPIHono } from "@hono/zod-openapi";
import type { AppEnv } from "./context.ts";

/** Gives the methods of a path, from the operations of an app. */
export type MethodFinder = (path: string) => readonly string[];

/** A node of the trie of paths, whose edges are segments. */
interface RouteNode {
  readonly methods: Set<string>;
  readonly fixed: Map<string, RouteNode>;
  parameter?: RouteNode;
}

/**
 * Makes the finder for an app. A fixed segment takes precedence over a parameter: `/v2/x` belongs to the paths that begin with `/v2`, and
 * not to `/{ledger}/x`.
 */
export function methodFinder(app: OpenAPIHono<AppEnv>): MethodFinder {
  const root = newNode();
  for (const definition of app.openAPIRegistry.definitions) {
    if (definition.type !== "route") continue;
    const { method, path } = definition.route;
    path.split("/").reduce(ensureNode, root).methods.add(method.toUpperCase());
  }
  return (path) => {
    const found = methodsAt(root, path);
    return found.length > 0 ? found : methodsAt(root, path.replace(LAST_SLASH, ""));
  };
}

/** A slash at the end of a path, which `SegmentRouter` ignores. */
const LAST_SLASH = /(?<=[^/])\/$/;

const methodsAt = (root: RouteNode, path: string): string[] => [
  ...(findNode(root, path)?.methods ?? []),
];

const newNode = (): RouteNode => ({ methods: new Set(), fixed: new Map() });

function ensureNode(node: RouteNode, segment: string): RouteNode {
  if (segment.startsWith("{")) return (node.parameter ??= newNode());
  const inner = node.fixed.get(segment) ?? newNode();
  node.fixed.set(segment, inner);
  return inner;
}

function findNode(root: RouteNode, path: string): RouteNode | undefined {
  let node: RouteNode | undefined = root;
  for (const segment of path.split("/")) {
    node = node?.fixed.get(segment) ?? (segment === "" ? undefined : node?.parameter);
  }
  return node;
}

/** Gives the path of an operation by its `operationId`, as the API document shows it; empty for an unknown operation. */
export function routeFinder(app: OpenAPIHono<AppEnv>): (operationId: string) => string {
  let paths: ReadonlyMap<string, string> | undefined;
  return (operationId) => {
    paths ??= pathsOf(app);
    return paths.get(operationId) ?? "";
  };
}

const pathsOf = (app: OpenAPIHono<AppEnv>): Map<string, string> =>
  new Map(
    app.openAPIRegistry.definitions.flatMap((definition): [string, string][] => {
      if (definition.type !== "route") return [];
      const { operationId = "", path } = definition.route;
      return [[operationId, path]];
    }),
  );
