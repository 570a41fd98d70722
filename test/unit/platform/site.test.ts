import { readFileSync } from "node:fs";
import { OpenAPIHono } from "@hono/zod-openapi";
import { expect, test } from "vitest";
import type { AppEnv } from "#platform/http/context.ts";
import { registerSites, type Site, workerFirst } from "#platform/modules/site.ts";
import { wranglerConfig } from "#scripts/lib/build/sites.ts";

const FRONT: Site = { path: "/docs", policy: {}, isFront: true };
const FILES: Readonly<Record<string, string>> = {
  "/console/assets/index.html": "<p>console</p>",
  "/console/assets/app.js": "run()",
  "/guide/assets/pages/index.html": "<p>front</p>",
  "/guide/assets/pages/a/b.html": "<p>b</p>",
  "/guide/assets/pages/a/rules.yaml": "rules: []",
  "/guide/assets/pages/404.html": "<p>nothing here</p>",
};

/** The answers of an app with the given sites and an asset server with `FILES`. */
function serve(...sites: readonly Site[]) {
  const app = new OpenAPIHono<AppEnv>();
  registerSites(app, sites);
  const ASSETS = {
    fetch: async (url: URL) => {
      const file = FILES[url.pathname];
      const headers = { "content-type": "text/html; charset=UTF-8" };
      return file === undefined
        ? new Response(null, { status: 404 })
        : new Response(file, { headers });
    },
  };
  return async (path: string) => app.request(`http://localhost${path}`, {}, { ASSETS });
}

const CONSOLE: Site = {
  path: "/console",
  policy: { "script-src": ["'self'"], "connect-src": ["'self'"] },
  fallback: "index.html",
  routes: () =>
    new OpenAPIHono<AppEnv>().get("/made", (c) => c.text("made")) as OpenAPIHono<AppEnv>,
};

test("each path of a site without a route is answered with its fallback and its policy", async () => {
  const get = serve(FRONT, CONSOLE);
  for (const path of ["/console", "/console/ledgers/main"]) {
    const response = await get(path);
    expect([response.status, await response.text()]).toEqual([200, "<p>console</p>"]);
    expect(response.headers.get("content-security-policy")).toBe(
      "default-src 'none'; script-src 'self'; connect-src 'self'; base-uri 'none'; frame-ancestors 'none'",
    );
    expect(response.headers.get("cache-control")).toBe("no-store");
  }
});

const GUIDE: Site = { path: "/guide", policy: { "script-src": ["'self'"] }, pages: "pages" };

test.each([
  ["/guide/", 200, "<p>front</p>"],
  ["/guide/a/b", 200, "<p>b</p>"],
  ["/guide/a/rules.yaml", 200, "rules: []"],
  ["/guide/a/c", 404, "<p>nothing here</p>"],
  ["/guide/a/", 404, "<p>nothing here</p>"],
])("a site of pages answers %s with %i and its policy", async (path, status, text) => {
  const response = await serve(FRONT, GUIDE)(path);
  expect([response.status, await response.text()]).toEqual([status, text]);
  expect(response.headers.get("content-security-policy")).toBe(
    "default-src 'none'; script-src 'self'; base-uri 'none'; frame-ancestors 'none'",
  );
});

test("the path of a site of pages leads to its front", async () => {
  const response = await serve(FRONT, GUIDE)("/guide");
  expect([response.status, response.headers.get("location")]).toEqual([302, "/guide/"]);
});

test("a site whose pages were not built answers 404", async () => {
  const response = await serve(FRONT, { ...GUIDE, pages: "others" })("/guide/");
  expect(response.status).toBe(404);
});

test("a route of a site goes before its fallback", async () => {
  const response = await serve(FRONT, CONSOLE)("/console/made");
  expect(await response.text()).toBe("made");
});

test("a file of a site that is not there is no page", async () => {
  const response = await serve(FRONT, CONSOLE)("/console/assets/gone.js");
  expect(response.status).toBe(404);
});

test("a site whose fallback was not built answers 404", async () => {
  const response = await serve(FRONT, { ...CONSOLE, fallback: "other.html" })("/console");
  expect(response.status).toBe(404);
});

test("the front page leads to the one site that says so", async () => {
  const response = await serve(CONSOLE, FRONT)("/");
  expect([response.status, response.headers.get("location")]).toEqual([302, "/docs"]);
});

test.each([
  ["no front", [CONSOLE]],
  ["two fronts", [FRONT, { ...CONSOLE, isFront: true }]],
])("sites with %s are refused", (_, sites) => {
  expect(() => serve(...sites)).toThrow("one site is the front");
});

test("the Worker comes before files in a site, except for its files", () => {
  expect(workerFirst(["/api/*"], [CONSOLE])).toEqual([
    "/api/*",
    "/console",
    "/console/*",
    "!/console/assets/*",
  ]);
});

test("wrangler.toml has the paths of all sites", async () => {
  expect(await wranglerConfig()).toBe(readFileSync("wrangler.toml", "utf8"));
});
