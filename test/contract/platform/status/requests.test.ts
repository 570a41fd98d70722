import { env } from "cloudflare:workers";
import { expect, test, vi } from "vitest";
import { app } from "#src/app.ts";
import { BASE_URL, bodyOf, freshName, token } from "#test/support/platform/api.ts";

/** An environment of its own, whose requests no other test counts: other files of the suite use the same isolate. */
const own = { ...env };

/** Calls the Worker in this environment. */
const send = (path: string, init?: RequestInit) =>
  app.fetch(new Request(new URL(path, BASE_URL), init), own);

/** Calls the Worker with a token of the test client. */
async function api(path: string, init?: RequestInit): Promise<Response> {
  return send(path, { ...init, headers: { authorization: `Bearer ${await token()}` } });
}

/** The lines of the metrics that have all these texts. */
async function metrics(...texts: readonly string[]): Promise<string[]> {
  const text = await (await api("/metrics?module=platform")).text();
  return text.split("\n").filter((line) => texts.every((part) => line.includes(part)));
}

/** The value of the only sample with these texts; 0 if there is none. */
async function valueOf(...texts: readonly string[]): Promise<number> {
  const lines = await metrics(...texts);
  expect(lines.length).toBeLessThanOrEqual(1);
  return Number(lines.at(0)?.split(" ").at(-1) ?? 0);
}

test("requests are counted by module, status, time and ledger", async () => {
  const ledger = freshName("counted");
  const before = await valueOf("florin_requests_total", 'module="ledger"', '"2xx"');
  await api(`/api/ledger/v2/${ledger}`, { method: "POST" });
  await api(`/api/ledger/v2/${ledger}/transactions`);
  await api(`/api/ledger/v2/${ledger}/transactions/99`);
  expect(await valueOf("florin_requests_total", 'module="ledger"', '"2xx"')).toBe(before + 2);
  expect(await metrics("florin_ledger_requests_total", `"${ledger}"`)).toEqual([
    `florin_ledger_requests_total{ledger="${ledger}",status="2xx"} 2`,
    `florin_ledger_requests_total{ledger="${ledger}",status="4xx"} 1`,
  ]);
  const buckets = await metrics("florin_request_duration_seconds_bucket", 'module="ledger"');
  expect(buckets.map((line) => /,le="([^"]+)"/.exec(line)?.[1])).toEqual([
    "0.005",
    "0.025",
    "0.1",
    "0.5",
    "2.5",
    "+Inf",
  ]);
  const counts = buckets.map((line) => Number(line.split(" ").at(-1)));
  expect(counts).toEqual(counts.toSorted((a, b) => a - b));
  const count = await valueOf("florin_request_duration_seconds_count", 'module="ledger"');
  expect(counts.at(-1)).toBe(count);
  expect(count).toBeGreaterThanOrEqual(3);
});

test("modules are told apart by their operations, whatever their paths begin with", async () => {
  await api("/api/payments/v3/payments");
  await api("/api/florin/v1/dead-letters");
  await send("/api/nowhere");
  expect(await valueOf("florin_requests_total", 'module="payments"', '"2xx"')).toBeGreaterThan(0);
  expect(await valueOf("florin_requests_total", 'module="deployment"', '"2xx"')).toBeGreaterThan(0);
  expect(await valueOf("florin_requests_total", 'module="none"', '"4xx"')).toBeGreaterThan(0);
});

test("requests without a valid token are refused requests of nobody, and name no ledger", async () => {
  const ledger = freshName("guessed");
  const refused = await send(`/api/ledger/v2/${ledger}/transactions`);
  expect(refused.status).toBe(401);
  expect(await metrics(`"${ledger}"`)).toEqual([]);
  expect(await valueOf("florin_client_rejections_total", '"anonymous"', '"token"')).toBeGreaterThan(
    0,
  );
  expect(await valueOf("florin_rejections_total", '"ledger"', '"token"')).toBeGreaterThan(0);
});

test("the status names a client that is refused all the time", async () => {
  for (let at = 0; at < 100; at++) await send("/api/ledger/v2");
  const { data } = (await bodyOf(await api("/api/florin/v1/status?module=platform"))) as {
    data: {
      ok: boolean;
      sections: { name: string; state: string; problems: { what: string; why: string }[] }[];
    };
  };
  const requests = data.sections.find(({ name }) => name === "requests");
  expect(data.ok).toBe(true);
  expect(requests?.state).toBe("warning");
  expect(requests?.problems).toMatchObject([{ what: "the client anonymous", severity: "warning" }]);
  expect(requests?.problems[0]?.why).toMatch(/^\d{3} of its requests were refused .*\d+ by token$/);
});

test("a request writes a data point where a dataset is bound, and one from inside writes none", async () => {
  const writeDataPoint = vi.fn<AnalyticsEngineDataset["writeDataPoint"]>();
  const bound = { ...env, FLORIN_ANALYTICS: { writeDataPoint } };
  const ledger = freshName("measured");
  const headers = { authorization: `Bearer ${await token()}` };
  const call = (path: string) =>
    app.fetch(new Request(new URL(path, BASE_URL), { headers }), bound);
  await call(`/api/ledger/v2/${ledger}/transactions`);
  await call("/versions");
  const points = writeDataPoint.mock.calls.map(([point]) => point);
  expect(points.map((point) => point?.blobs?.slice(0, 3))).toEqual([
    ["ledger", "v2ListTransactions", ledger],
    ["platform", "getVersions", ""],
  ]);
  expect(points[0]?.doubles).toEqual([404, expect.any(Number), 1]);
  expect(points[0]?.blobs?.[3]).not.toBe("");
});
