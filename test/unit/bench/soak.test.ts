import { describe, expect, test } from "vitest";
import { heapGrowth } from "#bench/soak/heap-growth.ts";
import { lastThirds, type Sample } from "#bench/soak/thirds.ts";

/** A heap snapshot of nodes, each with a type, a name and a size. */
function snapshot(nodes: readonly [type: string, name: string, size: number][]): string {
  const types = ["hidden", "string", "object"];
  const strings = nodes.map(([, name]) => name);
  return JSON.stringify({
    snapshot: {
      meta: {
        node_fields: ["type", "name", "id", "self_size"],
        node_types: [types, "string", "number", "number"],
      },
    },
    nodes: nodes.flatMap(([type, , size], index) => [types.indexOf(type), index, index, size]),
    strings,
  });
}

describe("the growth between two heap snapshots", () => {
  test("the growth between two heap snapshots is named by class, and by kind for what has none, the largest first", () => {
    const before = snapshot([
      ["object", "Lane", 10],
      ["string", "a", 5],
      ["object", "Gone", 7],
    ]);
    const after = snapshot([
      ["object", "Lane", 10],
      ["object", "Lane", 10],
      ["string", "b", 5],
      ["string", "c", 25],
    ]);
    expect(heapGrowth(before, after)).toEqual([
      { name: "string", count: 1, bytes: 25 },
      { name: "object Lane", count: 1, bytes: 10 },
    ]);
  });
});

describe("the last two thirds of a load", () => {
  const sample = (memoryBytes: number, timesMs: number[]): Sample => ({
    memoryBytes,
    timesMs,
    seconds: 2,
  });

  test("the last thirds of a load are the mean memory and the latencies of their samples; a rest belongs to the first", () => {
    const samples = [
      sample(900, [9]),
      sample(900, [9]),
      sample(100, [1, 2]),
      sample(300, [3]),
      sample(400, [4]),
      sample(600, [5, 6, 7]),
    ];
    expect(lastThirds(samples)).toEqual({
      second: { memoryBytes: 200, p50Ms: 2, p99Ms: 3, requestsPerSecond: 0.75 },
      last: { memoryBytes: 500, p50Ms: 5, p99Ms: 7, requestsPerSecond: 1 },
    });
    expect(lastThirds([sample(1, [1]), ...samples]).second.memoryBytes).toBe(200);
  });
});
