import type { OpenAPIHono } from "@hono/zod-openapi";
import type { AppEnv } from "./context.ts";

/** Answers which methods a path has, from the operations that the app has registered. */
export type MethodFinder = (path: string) => readonly string[];

export function methodFinder(app: OpenAPIHono<AppEnv>): MethodFinder {
  const routes = app.openAPIRegistry.definitions
    .filter((definition) => definition.type === "route")
    .map(({ route }) => ({ method: route.method.toUpperCase(), pattern: toPattern(route.path) }));
  return (path) => [
    ...new Set(routes.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method)),
  ];
}

function toPattern(path: string): RegExp {
  const source = path
    .split("/")
    .map((segment) => (segment.startsWith("{") ? "[^/]+" : escape(segment)))
    .join("/");
  return new RegExp(`^${source}$`);
}

const escape = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
