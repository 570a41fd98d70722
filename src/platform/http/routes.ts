import type { OpenAPIHono } from "@hono/zod-openapi";
import type { AppEnv } from "./context.ts";

/** Answers which methods a path has, from the operations that the app has registered. */
export type MethodFinder = (path: string) => readonly string[];

/** The paths of operations, a segment at a time. */
interface Place {
  readonly methods: Set<string>;
  readonly fixed: Map<string, Place>;
  parameter?: Place;
}

/**
 * A segment that is fixed is never a parameter as well: `/v2/x` belongs to the paths that begin with `/v2`, and not to
 * `/{ledger}/x`.
 */
export function methodFinder(app: OpenAPIHono<AppEnv>): MethodFinder {
  const root = newPlace();
  for (const definition of app.openAPIRegistry.definitions) {
    if (definition.type !== "route") continue;
    const { method, path } = definition.route;
    path.split("/").reduce(madePlace, root).methods.add(method.toUpperCase());
  }
  return (path) => [...(findPlace(root, path)?.methods ?? [])];
}

const newPlace = (): Place => ({ methods: new Set(), fixed: new Map() });

function madePlace(place: Place, segment: string): Place {
  if (segment.startsWith("{")) return (place.parameter ??= newPlace());
  const inner = place.fixed.get(segment) ?? newPlace();
  place.fixed.set(segment, inner);
  return inner;
}

function findPlace(root: Place, path: string): Place | undefined {
  let place: Place | undefined = root;
  for (const segment of path.split("/")) {
    place = place?.fixed.get(segment) ?? (segment === "" ? undefined : place?.parameter);
  }
  return place;
}
