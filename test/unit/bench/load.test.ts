import { describe, expect, it } from "vitest";
import { percentiles } from "#bench/load/percentiles.ts";
import { requestSource } from "#bench/load/requests.ts";
import { Random } from "#scripts/lib/random.ts";

describe("percentiles", () => {
  it("percentiles are the nearest rank, whatever the order", () => {
    const times = Array.from({ length: 100 }, (_, index) => 100 - index);
    expect(percentiles(times)).toEqual({ p50Ms: 50, p95Ms: 95, p99Ms: 99 });
    expect(percentiles([7])).toEqual({ p50Ms: 7, p95Ms: 7, p99Ms: 7 });
  });
});

describe("requestSource", () => {
  it("requestSource gives the same requests for the same seed, and different ones in a row", () => {
    const load = { kind: "commit", ledger: "main", accounts: 1000 } as const;
    const [first, second] = [
      requestSource(load, new Random(1)),
      requestSource(load, new Random(1)),
    ];
    const requests = Array.from({ length: 20 }, first);
    expect(Array.from({ length: 20 }, second)).toEqual(requests);
    expect(new Set(requests.map(({ body }) => body)).size).toBeGreaterThan(15);
  });

  it("requestSource puts as many transactions into a bulk as it is asked to", () => {
    const load = { kind: "bulk", ledger: "main", accounts: 5, size: 100 } as const;
    const { path, body } = requestSource(load, new Random(1))();
    expect(path).toBe("/api/ledger/v2/main/_bulk");
    expect(JSON.parse(body ?? "")).toHaveLength(100);
  });
});

describe("the requests of a walk", () => {
  it("the requests of a walk are its pages, again and again", () => {
    const next = requestSource({ kind: "walk", paths: ["/a", "/b"] }, new Random(1));
    expect(Array.from({ length: 5 }, () => next().path)).toEqual(["/a", "/b", "/a", "/b", "/a"]);
    expect(next()).toEqual({ method: "GET", path: "/b" });
  });
});

describe("the requests of filters", () => {
  it.each([
    ["account", /^\{"account":"users:0{5}[1-5]"\}$/],
    ["metadata", /^\{"metadata\[order\]":"order-[1-5]"\}$/],
    ["reference", /^\{"reference":"reference-[1-5]"\}$/],
  ] as const)("the requests of filters match one of the values by %s", (by, match) => {
    const next = requestSource({ kind: "filter", ledger: "main", count: 5, by }, new Random(1));
    const { pathname, searchParams } = new URL(next().path, "http://localhost");
    expect(pathname).toBe("/api/ledger/v2/main/transactions");
    expect(/^\{"\$match":(.+)\}$/.exec(searchParams.get("query") ?? "")?.[1]).toMatch(match);
    expect(new Set(Array.from({ length: 50 }, () => next().path)).size).toBe(5);
  });
});

describe("Random", () => {
  it("Random stays within its bounds and reaches both", () => {
    const random = new Random(3);
    const drawn = new Set(Array.from({ length: 500 }, () => random.integer(1, 6)));
    expect([...drawn].toSorted((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6]);
    const draws = Array.from({ length: 500 }, () => random.chance(0.5));
    expect(draws).toContain(true);
    expect(draws).toContain(false);
    expect(["a", "b"]).toContain(random.pick(["a", "b"]));
  });
});
