import { describe, expect, test, vi } from "vitest";
import { Analytics } from "#platform/traffic/analytics.ts";
import type { AnsweredRequest } from "#platform/traffic/answered-request.ts";
import { RefusedRequests, rejectionOf, TimedCounts } from "#platform/traffic/counts.ts";
import { Traffic } from "#platform/traffic/traffic.ts";

const request = (changes: Partial<AnsweredRequest> = {}): AnsweredRequest => ({
  module: "ledger",
  operation: "v2GetLedger",
  ledger: "main",
  client: "billing",
  status: 200,
  rejection: undefined,
  durationMs: 3,
  ...changes,
});

describe("counts of requests", () => {
  test("times go into the first bucket whose bound they do not exceed", () => {
    const counts = new TimedCounts();
    for (const ms of [0, 5, 6, 2500, 2501, 60_000]) counts.add(200, ms, undefined);
    expect(counts.buckets).toEqual([2, 1, 0, 0, 1, 2]);
    expect(counts.durationMs).toBe(65_012);
    expect([...counts.statuses()]).toEqual([["2xx", 6]]);
  });

  test.each([
    [200, undefined, undefined],
    [400, undefined, undefined],
    [404, undefined, undefined],
    [500, undefined, undefined],
    [401, undefined, "token"],
    [413, undefined, "size"],
    [429, "admission", "admission"],
    [429, "quota", "quota"],
    [429, undefined, "limit"],
    [503, undefined, "overloaded"],
    [507, undefined, "storage"],
  ] as const)("the reason of status %i by %s is %s", (status, refusedBy, reason) => {
    expect(rejectionOf(status, refusedBy)).toBe(reason);
  });

  test("requests are counted by module, ledger and refused client", () => {
    const traffic = new Traffic();
    traffic.count(request());
    traffic.count(request({ status: 404, ledger: "guessed" }));
    traffic.count(request({ status: 429, rejection: "quota" }));
    traffic.count(request({ module: "payments", ledger: undefined, status: 201 }));
    expect([...traffic.modules.keys()]).toEqual(["ledger", "payments"]);
    expect([...(traffic.modules.get("ledger")?.statuses() ?? [])]).toEqual([
      ["2xx", 1],
      ["4xx", 2],
    ]);
    expect([...traffic.ledgers.entries()].map(([name]) => name)).toEqual(["main"]);
    expect([...traffic.ledgers.others.statuses()]).toEqual([["4xx", 1]]);
    const [[client, refusals] = [], ...more] = [...traffic.clients.entries()];
    expect(client).toBe("billing");
    expect([...(refusals?.counts.entries() ?? [])]).toEqual([["quota", 1]]);
    expect(more).toEqual([]);
  });

  test("recent refusals are those of this minute and of the one before", () => {
    const refusals = new RefusedRequests();
    for (let at = 0; at < 3; at++) refusals.add("admission", 60_000);
    refusals.add("admission", 120_000);
    expect(refusals.recent(179_999)).toBe(4);
    expect(refusals.recent(180_000)).toBe(1);
    expect(refusals.recent(240_000)).toBe(0);
    expect([...refusals.counts.entries()]).toEqual([["admission", 4]]);
  });
});

describe("data points of requests", () => {
  const datasetOf = () => ({ writeDataPoint: vi.fn<AnalyticsEngineDataset["writeDataPoint"]>() });

  test("a data point has the names and numbers of the request, and for how many it stands", () => {
    const dataset = datasetOf();
    new Analytics(dataset, 1).write(request({ status: 429, rejection: "quota" }));
    expect(dataset.writeDataPoint.mock.calls).toEqual([
      [
        {
          indexes: ["ledger"],
          blobs: ["ledger", "v2GetLedger", "main", "billing", "quota"],
          doubles: [429, 3, 1],
        },
      ],
    ]);
  });

  test("one in so many requests is written, as the setting says", () => {
    const dataset = datasetOf();
    const random = vi.spyOn(Math, "random");
    const analytics = new Analytics(dataset, 4);
    for (const value of [0, 0.2499, 0.25, 0.9]) {
      random.mockReturnValueOnce(value);
      analytics.write(request());
    }
    expect(dataset.writeDataPoint).toHaveBeenCalledTimes(2);
    expect(dataset.writeDataPoint.mock.calls[0]?.[0]?.doubles).toEqual([200, 3, 4]);
  });

  test("a dataset that fails is logged once, and no request notices", () => {
    const dataset = datasetOf();
    dataset.writeDataPoint.mockImplementation(() => {
      throw new Error("too many data points");
    });
    const logged = vi.spyOn(console, "error").mockReturnValue(undefined);
    const analytics = new Analytics(dataset, 1);
    analytics.write(request());
    analytics.write(request());
    expect(logged).toHaveBeenCalledTimes(1);
  });

  test("without a dataset, nothing is written", () => {
    expect(Analytics.from({})).toBeUndefined();
    expect(Analytics.from({ FLORIN_ANALYTICS: "a variable" })).toBeUndefined();
    expect(Analytics.from({ FLORIN_ANALYTICS: datasetOf() })).toBeInstanceOf(Analytics);
  });
});
