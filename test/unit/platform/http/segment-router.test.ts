import * as fc from "fast-check";
import { UnsupportedPathError, type Result } from "hono/router";
import { TrieRouter } from "hono/router/trie-router";
import { describe, expect, it } from "vitest";
import { SegmentRouter } from "#platform/http/segment-router.ts";

type RouteOf = readonly [method: string, path: string];

/** The values of a matched route's parameters. */
const valuesOf = (parameters: Result<string>[0][number][1], stash: readonly string[] = []) =>
  Object.fromEntries(
    Object.entries(parameters).map(([name, value]) => [
      name,
      typeof value === "number" ? stash[value] : value,
    ]),
  );

/** A router that returns, for a path, the matching routes in their order, each with its parameters. */
function routerOf(routes: readonly RouteOf[]) {
  const router = new SegmentRouter<string>((handlers) => handlers.join(", "));
  for (const [method, path] of routes) router.add(method, path, `${method} ${path}`);
  return (method: string, path: string) => {
    const [entries, stash] = router.match(method, path);
    return entries.map(([handler, parameters]) => [handler, valuesOf(parameters, stash)]);
  };
}

/**
 * A match of Hono's router in the form of `routerOf`. Hono's router has one list of handlers, without the other routes of a
 * path.
 */
function merged([entries, stash]: Result<string>) {
  const handlers: string[] = [];
  const places: Record<string, number> = {};
  const values = {};
  for (const [handler, parameters] of entries) {
    const named = handler
      .split("/")
      .flatMap((segment, place) =>
        segment.startsWith(":") ? [[segment.slice(1), place] as const] : [],
      );
    if (named.some(([name, place]) => (places[name] ?? place) !== place)) continue;
    for (const [name, place] of named) places[name] = place;
    handlers.push(handler);
    Object.assign(values, valuesOf(parameters, stash));
  }
  return [[handlers.join(", "), values]];
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

  it("the router gives the parameters of the route that matches", () => {
    expect(match("GET", "/v2/main/accounts/a:b")).toEqual([
      ["ALL /*, GET /v2/:ledger/accounts/:address", { ledger: "main", address: "a:b" }],
    ]);
  });

  it("the router gives all routes of a path in the order in which they were added", () => {
    expect(match("GET", "/v2/_info")).toEqual([
      ["ALL /*, GET /v2/_info, GET /v2/:ledger", { ledger: "_info" }],
    ]);
  });

  it("the router leaves out a route that has a parameter of an earlier one at another place", () => {
    const both = routerOf([
      ["GET", "/v2/:ledger/accounts"],
      ["GET", "/:ledger/accounts/:address"],
      ["GET", "/:version/:ledger/:list"],
    ]);
    expect(both("GET", "/v2/accounts/accounts")).toEqual([
      [
        "GET /v2/:ledger/accounts, GET /:version/:ledger/:list",
        { version: "v2", ledger: "accounts", list: "accounts" },
      ],
    ]);
  });

  it("the router gives the handlers of every path where no route matches", () => {
    for (const path of ["/", "", "/v2", "/v2/", "/v2//", "/v2/main//", "/v3/x/y", "/v2/main/x"]) {
      expect(match("GET", path)).toEqual([["ALL /*", {}]]);
    }
    expect(match("BREW", "/v2/main")).toEqual([["ALL /*", {}]]);
  });

  it("the router forgives a slash behind a path, unless a route has it", () => {
    for (const path of ["/v2/main", "/v2/main/accounts/a", "/v3/x", "/v2"])
      expect(match("GET", `${path}/`)).toEqual(match("GET", path));
    const both = routerOf([
      ["GET", "/a"],
      ["GET", "/a/"],
      ["POST", "/a"],
    ]);
    expect(both("GET", "/a/")).toEqual([["GET /a/", {}]]);
    expect(both("POST", "/a/")).toEqual([["POST /a", {}]]);
    for (const path of ["/a//", "//", "//a/"]) expect(both("POST", path)).toEqual([["", {}]]);
  });

  it("the router takes everything below a path that ends with a star", () => {
    const below = routerOf([
      ["GET", "/v2/:ledger"],
      ["ALL", "/v2/*"],
      ["ALL", "/hooks/:id/*"],
    ]);
    for (const path of ["/v2", "/v2/", "/v2/a/b"]) {
      expect(below("POST", path)).toEqual([["ALL /v2/*", {}]]);
    }
    expect(below("GET", "/v2/a")).toEqual([["GET /v2/:ledger, ALL /v2/*", { ledger: "a" }]]);
    expect(below("GET", "/hooks/7/x/y")).toEqual([["ALL /hooks/:id/*", { id: "7" }]]);
    expect(below("GET", "/hooks/")).toEqual([["", {}]]);
    expect(below("GET", "/v2/a/")).toEqual([["GET /v2/:ledger, ALL /v2/*", { ledger: "a" }]]);
  });

  it("the router takes no more than a moment for a path of very many segments", () => {
    const below = routerOf([["ALL", "/hooks/:id/*"]]);
    for (const segment of ["", "a"]) {
      const path = `/hooks/7${`/${segment}`.repeat(200_000)}`;
      expect(match("GET", path)).toEqual([["ALL /*", {}]]);
      expect(below("GET", path)).toEqual([["ALL /hooks/:id/*", { id: "7" }]]);
    }
  });

  it("the router refuses patterns that it does not know", () => {
    for (const path of ["/*/files", "/:id{[0-9]+}", "/:id?", "/a*"]) {
      expect(() => routerOf([["GET", path]])).toThrow(UnsupportedPathError);
    }
  });

  it("the router agrees with Hono's own router, but for a slash at the end", () => {
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
          const forgiven = path.replace(/(?<=[^/])\/$/, "");
          expect(match("GET", path)).toEqual(merged(trie.match("GET", forgiven)));
        }
      }),
    );
  });
});
