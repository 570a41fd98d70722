import { describe, expect, test } from "vitest";
import type { ErrorBody } from "#platform/errors.ts";
import { createApp } from "#src/app.ts";
import { api, token } from "#test/support/platform/api.ts";
import { listOperations, type Operation, pathOf } from "#test/support/platform/operations.ts";

const operations = await listOperations();
const guarded = operations.filter(({ scope }) => scope !== undefined);

/**
 * Paths that need no token: the health of modules, the ways to get a token (which check the client or the person by
 * themselves), and the pages to which a payment provider sends a browser back.
 */
const PUBLIC = [
  /^\/versions$/,
  /^\/api\/\w+(?:\/v[23])?\/(?:_info|_healthcheck|_\/info|_\/healthcheck)$/,
  /^\/api\/auth\/(?!clients|users)/,
  /^\/api\/florin\/v1\/(?:event-types|status|webhook-target)$/,
  // A restoration has a token of its own: it replaces the keys and clients by which access tokens are checked.
  /^\/api\/florin\/v1\/restorations(?:\/.|$)/,
  // The membership service. Its operations about people and organisations check tokens of their own kind.
  /^\/(?:\.well-known\/|_info$|userinfo$|organizations(?:\/|$))/,
  /^\/api\/payments\/v3\/connectors\/(?:webhooks|open-banking)\//,
  /^\/api\/payments\/connectors\/webhooks\//,
];
/** Routes that the document does not show: pages for browsers, and other spellings of paths. */
const PAGES =
  /^(?:GET|POST) (?:|\/\.well-known\/oauth-authorization-server|\/api\/ledger\/v2\/x\/schema\/x|\/docs|\/console|\/guide|\/favicon\.ico|\/openapi\.json|\/api\/auth\/(?!clients|users)[\w./-]+)$/;
/** Operations of the official clients that this server does not have. */
const UNSERVED = /^[A-Z]+ \/api\/payments\/connectors\/x(?:\/|$)/;

/** Operations by POST that only read, and so need the read scope of their module. */
const READS_BY_POST = new Set([
  "v2RunQuery",
  "v2ExportLogs",
  "florinCheckScript",
  "florinCheckExpression",
  "florinPreviewMatching",
  "search",
]);

/** Paths of what concerns the deployment itself, and no module. */
const OF_THE_DEPLOYMENT =
  /^\/api\/florin\/v1\/(?:arm(?:ing)?$|backup(?:\/|$)|dead-letters|disarm$|payments\/reviews|requests\/|restorations$|search$|settings$|storage$|stuck$|sweeps)|^\/metrics$/;

function scopeFor({ method, path, operationId, scope = "" }: Operation): string {
  const [module = ""] = scope.split(":");
  if (OF_THE_DEPLOYMENT.test(path)) return "florin:operate";
  const isRead = method === "GET" || method === "HEAD" || READS_BY_POST.has(operationId);
  const owner = path.startsWith("/api/florin/") ? module : (path.split("/")[2] ?? "");
  return `${owner}:${isRead ? "read" : "write"}`;
}

async function refusalOf(operation: Operation, bearer: string | null) {
  const response = await api(pathOf(operation), { method: operation.method, token: bearer });
  const isHead = operation.method === "HEAD";
  const { errorCode } = isHead ? { errorCode: "VALIDATION" } : await response.json<ErrorBody>();
  const challenge = response.headers.get("www-authenticate");
  return `${operation.method} ${operation.path}: ${response.status} ${errorCode} ${challenge}`;
}

describe("every operation", () => {
  test("every operation is described in the API's document, is a page of its own, or is served to nobody", async () => {
    const described = new Set(
      operations.map(({ method, path }) => `${method} ${pathOf({ path })}`),
    );
    const found = createApp()
      .routes.filter(({ method, path }) => method !== "ALL" && !path.endsWith("/*"))
      .map(({ method, path }) => `${method} ${path.replaceAll(/:[\w]+(\{[^}]*\})?/g, "x")}`)
      .map((route) => route.replace(/\/$/, ""));
    expect(found.length).toBeGreaterThan(200);
    const others = found.filter((route) => {
      const head = route.replace("GET ", "HEAD ");
      return ![route, head, `${route}/`].some((name) => described.has(name));
    });
    const hidden = others.filter((route) => !PAGES.test(route));
    expect(hidden.filter((route) => !UNSERVED.test(route))).toEqual([]);
    for (const route of hidden) {
      const [method = "", path = ""] = route.split(" ");
      const response = await api(path, { method, token: null });
      expect([route, response.status]).toEqual([route, 404]);
    }
  });

  test("every operation needs a token, unless it is one of those that are public", () => {
    const open = operations.filter(({ scope }) => scope === undefined);
    expect(open.map(({ path }) => path)).toContain("/versions");
    const unexpected = open.filter(({ path }) => !PUBLIC.some((known) => known.test(path)));
    expect(unexpected).toEqual([]);
  });

  test("every operation needs the scope of its module and its method", () => {
    const wrong = guarded.filter((operation) => operation.scope !== scopeFor(operation));
    expect(wrong).toEqual([]);
  });

  test("every operation answers 401 without a token", async () => {
    for (const operation of guarded) {
      const { method, path } = operation;
      expect(await refusalOf(operation, null)).toBe(
        `${method} ${path}: 401 VALIDATION Bearer realm="florin"`,
      );
    }
  });

  test("every operation answers 401 with insufficient_scope to a token with all scopes but its own", async () => {
    const scopes = [...new Set(guarded.map(({ scope = "" }) => scope))];
    const allBut = (scope: string): string[] => {
      const [module, access] = scope.split(":");
      const enough = access === "read" ? [scope, `${module}:write`] : [scope];
      return scopes.filter((other) => !enough.includes(other));
    };
    for (const operation of guarded) {
      const { method, path, scope = "" } = operation;
      expect(await refusalOf(operation, await token(...allBut(scope)))).toBe(
        `${method} ${path}: 401 VALIDATION Bearer realm="florin", error="insufficient_scope", scope="${scope}"`,
      );
    }
  });
});
