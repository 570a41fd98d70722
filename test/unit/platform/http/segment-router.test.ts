import * as fc from "fast-check";
import { UnsupportedPathError, type Result } from "hono/router";
import { TrieRouter } from "hono/router/trie-router";
import { describe, expect, it } from "vitest";
import { SegmentRouter } from "#platform/http/segment-router.ts";

type RouteOf = readonly [method: string, path: string];

/** What runs for a path, in order, each with its parameters. */
function matched([handlers, stash]: Result<string>) {
  return handlers.map(([handler, parameters]) => [
    handler,
    Object.fromEntries(
      Object.entries(parameters).map(([name, value]) => [
        name,
        typeof value === "number" ? stash?.[value] : value,
      ]),
    ),
  ]);
}

function routerOf(routes: readonly RouteOf[]) {
  const router = new SegmentRouter<string>();
  for (const [method, path] of routes) router.add(method, path, `${method} ${path}`);
  return (method: string, path: string) => matched(router.match(method, path));
}

describe("the router", () => {
  const match = routerOf([
    ["ALL", "/*"],
    ["GET", "/v2/_info"],
    ["GET", "/v2/:ledger"],
    ["GET", "/v2/:ledger/accounts/:address"],
    ["GET", "/:ledger/accounts/:address"],
    ["POST", "/v2/:ledger"],
  ]);

  it("gives the parameters of the route that matches", () => {
    expect(match("GET", "/v2/main/accounts/a:b")).toEqual([
      ["ALL /*", {}],
      ["GET /v2/:ledger/accounts/:address", { ledger: "main", address: "a:b" }],
    ]);
  });

  it("gives all routes of a path in the order in which they were added", () => {
    expect(match("GET", "/v2/_info")).toEqual([
      ["ALL /*", {}],
      ["GET /v2/_info", {}],
      ["GET /v2/:ledger", { ledger: "_info" }],
    ]);
  });

  it("gives the handlers of every path where no route matches", () => {
    for (const path of ["/", "", "/v2", "/v2/", "/v2/main/accounts/", "/v3/x/y", "/v2/main/x"]) {
      expect(match("GET", path)).toEqual([["ALL /*", {}]]);
    }
    expect(match("BREW", "/v2/main")).toEqual([["ALL /*", {}]]);
  });

  it("takes everything below a path that ends with a star", () => {
    const below = routerOf([
      ["GET", "/v2/:ledger"],
      ["ALL", "/v2/*"],
      ["ALL", "/hooks/:id/*"],
    ]);
    for (const path of ["/v2", "/v2/", "/v2/a/b"]) {
      expect(below("POST", path)).toEqual([["ALL /v2/*", {}]]);
    }
    expect(below("GET", "/v2/a").map(([handler]) => handler)).toEqual([
      "GET /v2/:ledger",
      "ALL /v2/*",
    ]);
    expect(below("GET", "/hooks/7/x/y")).toEqual([["ALL /hooks/:id/*", { id: "7" }]]);
    expect(below("GET", "/hooks/")).toEqual([]);
  });

  it("takes no more than a moment for a path of very many segments", () => {
    const below = routerOf([["ALL", "/hooks/:id/*"]]);
    for (const segment of ["", "a"]) {
      const path = `/hooks/7${`/${segment}`.repeat(200_000)}`;
      expect(match("GET", path)).toEqual([["ALL /*", {}]]);
      expect(below("GET", path)).toEqual([["ALL /hooks/:id/*", { id: "7" }]]);
    }
  });

  it("refuses patterns that it does not know", () => {
    for (const path of ["/*/files", "/:id{[0-9]+}", "/:id?", "/a*"]) {
      expect(() => routerOf([["GET", path]])).toThrow(UnsupportedPathError);
    }
  });

  it("agrees with Hono's own router", () => {
    const segment = fc.constantFrom("a", "b", ":x", ":y", ":z");
    const path = fc
      .tuple(fc.uniqueArray(segment, { minLength: 1, maxLength: 4 }), fc.constantFrom("", "/*"))
      .map(([segments, end]) => `/${segments.join("/")}${end}`);
    const route = fc.tuple(fc.constantFrom("GET", "POST", "ALL"), path);
    const asked = fc
      .array(fc.constantFrom("a", "b", "c", ""), { minLength: 1, maxLength: 4 })
      .map((segments) => `/${segments.join("/")}`);
    fc.assert(
      fc.property(fc.array(route, { maxLength: 12 }), fc.array(asked), (routes, paths) => {
        const all: RouteOf[] = [["ALL", "/*"], ...routes];
        const match = routerOf(all);
        const trie = new TrieRouter<string>();
        for (const [method, path] of all) trie.add(method, path, `${method} ${path}`);
        for (const path of paths) {
          expect(match("GET", path)).toEqual(matched(trie.match("GET", path)));
        }
      }),
    );
  });
});
