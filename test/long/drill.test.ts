import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { isAbove, stuckInstance, wrongKey } from "#test/support/drill/incidents.ts";
import { DrillWorld } from "#test/support/drill/world.ts";
import { TROUBLE } from "#test/support/platform/trouble.ts";

/**
 * An operator's drill: ten things break on a started server. Each shows in the status and in the metrics within a minute, and what
 * docs/operations/runbook.md says makes it well again.
 */

const HOUR_MS = 3_600_000;
const SWEEP = "buckets";
const SCRAPES = 20;
const SETTINGS = {
  FLORIN_WEBHOOK_RETRY_MIN_BACKOFF: "2s",
  FLORIN_WEBHOOK_RETRY_MAX_BACKOFF: "4s",
};

let world: DrillWorld;

beforeAll(async () => {
  world = await DrillWorld.start(SETTINGS);
  await world.florin("sweeps", "run", SWEEP);
  await world.call("/api/ledger/v2/main", { method: "POST" });
});

afterAll(() => world?.stop());

const pay = (ledger: string, destination: string, amount = 1) =>
  world.call(`/api/ledger/v2/${ledger}/transactions`, {
    body: { postings: [{ source: "world", destination, amount, asset: "USD" }] },
  });

/** A client with a token of its own. */
async function newClient(name: string): Promise<{ id: string; token: string }> {
  const made = JSON.parse(
    await world.florin("clients", "create", name, "--scopes", "ledger:read", "--json"),
  ) as { id: string; secret?: { clear: string } | string; clientSecret?: string };
  const secret = typeof made.secret === "string" ? made.secret : made.secret?.clear;
  return { id: made.id, token: await world.tokenOf(made.id, secret ?? made.clientSecret ?? "") };
}

/** Sends so many requests with a token, ten at once; returns how many had each status. */
async function flood(token: string, count: number): Promise<ReadonlyMap<number, number>> {
  const statuses = new Map<number, number>();
  const one = async (): Promise<void> => {
    const { status } = await world.call("/api/ledger/v2/main", { token });
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
  };
  for (let sent = 0; sent < count; sent += 10) {
    await Promise.all(Array.from({ length: 10 }, one));
  }
  return statuses;
}

test("a dead endpoint is shown, and gets its deliveries when it is repaired", async () => {
  let isDead = true;
  let received = 0;
  const endpoint: Server = createServer((_request, response) => {
    if (!isDead) received++;
    response.writeHead(isDead ? 500 : 200).end();
  });
  await new Promise<void>((resolve) => endpoint.listen(0, "127.0.0.1", resolve));
  const { port } = endpoint.address() as AddressInfo; // The server listens on TCP.
  await world.send("/api/webhooks/configs", {
    body: {
      endpoint: `http://127.0.0.1:${port}/`,
      eventTypes: ["ledger.committed_transactions"],
    },
  });
  expect((await pay("main", "users:1")).status).toBe(200);
  const place = { section: "webhooks/deliveries" } as const;
  expect(
    await world.shows(place, 'florin_objects_behind{module="webhooks"', isAbove(0)),
  ).toMatchObject({ severity: "warning" });
  isDead = false;
  expect(await world.isWell(place)).toBe(true);
  expect(received).toBe(1);
  endpoint.close();
});

test("a provider that refuses the key is shown, and the right key makes its connector healthy", async () => {
  const incident = await wrongKey(world);
  expect(await incident.shown()).toMatchObject({ severity: "warning" });
  expect(await incident.remedy()).toBe(true);
});

test("a full disk is shown, and writes succeed without a restart when there is room", async () => {
  await world.breaks("fill", "true");
  const create = () => world.call("/api/ledger/v2/after", { method: "POST" });
  expect((await create()).status).toBe(507);
  expect((await world.call("/api/ledger/v2/main")).status).toBe(200);
  const place = { section: "platform/requests", what: "storage" } as const;
  expect(
    await world.shows(
      place,
      'florin_rejections_total{module="ledger",reason="storage"}',
      isAbove(0),
    ),
  ).toMatchObject({ severity: "critical" });
  await world.breaks("fill", "false");
  expect((await create()).status).toBe(204);
  expect(await world.isWell(place)).toBe(true);
});

test("a stuck instance is shown, and goes on when what it lacked is there", async () => {
  const incident = await stuckInstance(world, "main");
  expect(await incident.shown()).toMatchObject({ severity: "warning" });
  expect(await world.florin("stuck", "list")).toContain("stuck-instances");
  expect(await incident.remedy()).toBe(true);
  const place = { section: "orchestration/instances", what: "stuck-instances" } as const;
  expect(await world.isWell(place)).toBe(true);
});

test("a poisoned message is shown, and goes when it is dropped", async () => {
  await world.breaks("message", JSON.stringify({ source: "nowhere" }));
  const place = { section: "deployment/dead-letters" } as const;
  const sample = 'florin_work_waiting{module="deployment",work="dead-letters"}';
  expect(await world.shows(place, sample, isAbove(0))).toMatchObject({ severity: "warning" });
  const letters = await world.florin("dead-letters", "list");
  expect(letters).toContain("malformed");
  const [id = ""] = /\b\d+\b/.exec(letters) ?? [];
  await world.florin("dead-letters", "drop", id, "--yes");
  expect(await world.isWell(place)).toBe(true);
});

test("a client that floods is shown with its reason, and its tokens end with it", async () => {
  const { id, token } = await newClient("noisy");
  await world.florin("clients", "set-quota", id, "--requests", "5/10");
  await vi.waitFor(async () => expect((await flood(token, 50)).get(429) ?? 0).toBeGreaterThan(0), {
    timeout: 60_000,
    interval: 1000,
  });
  await flood(token, 200);
  const place = { section: "platform/requests", what: id, why: "quota" } as const;
  const sample = `florin_client_rejections_total{client="${id}",reason="quota"}`;
  expect(await world.shows(place, sample, isAbove(100))).toMatchObject({ severity: "warning" });
  expect((await world.call("/api/ledger/v2/main")).status).toBe(200);
  await world.florin("clients", "delete", id, "--yes");
  await vi.waitFor(
    async () => expect((await world.call("/api/ledger/v2/main", { token })).status).toBe(401),
    { timeout: 60_000, interval: 1000 },
  );
});

test("a program with a revoked key is shown, and works with a new one", async () => {
  const { id, token } = await newClient("revoked");
  await world.florin("clients", "delete", id, "--yes");
  await vi.waitFor(async () => expect([...(await flood(token, 10)).keys()]).toEqual([401]), {
    timeout: 60_000,
    interval: 1000,
  });
  await flood(token, 150);
  const place = { section: "platform/requests", what: "anonymous", why: "token" } as const;
  expect(
    await world.shows(
      place,
      'florin_client_rejections_total{client="anonymous",reason="token"}',
      isAbove(100),
    ),
  ).toMatchObject({ severity: "warning" });
  const renewed = await newClient("renewed");
  expect([...(await flood(renewed.token, 10)).keys()]).toEqual([200]);
});

test("a sweep that is overdue is shown, and the command runs it", async () => {
  const late = Date.now() - HOUR_MS;
  await world.breaks("sql", `UPDATE sweep_runs SET next_ms = ${late} WHERE name = '${SWEEP}'`);
  const place = { section: "platform/sweeps", what: SWEEP, why: "has not rung" } as const;
  expect(
    await world.shows(place, `florin_sweep_overdue_seconds{sweep="${SWEEP}"}`, isAbove(3000)),
  ).toMatchObject({ severity: "critical" });
  await world.florin("sweeps", "run", SWEEP);
  expect(await world.isWell(place)).toBe(true);
});

test("a ledger at its limit is shown, and a new one takes what follows", async () => {
  await world.breaks(
    "sql",
    `INSERT INTO storage_sizes (name, bytes, measured_ms, day_bytes, day_ms) VALUES ('ledger/main', 9700000000, ${Date.now()}, 1, ${Date.now()})`,
  );
  const place = { section: "platform/storage", what: "ledger/main" } as const;
  expect(
    await world.shows(place, 'florin_storage_size_bytes{name="ledger/main"}', isAbove(9e9)),
  ).toMatchObject({ severity: "critical" });
  expect((await world.call("/api/ledger/v2/next", { method: "POST" })).status).toBe(204);
  expect((await pay("next", "users:1")).status).toBe(200);
});

test("a clock that is off by an hour is shown, and is well when it is set", async () => {
  const step = async (ms: number): Promise<void> => {
    await world.breaks("step-clock", String(ms));
    await world.logIn(); // Tokens of another time are not valid.
  };
  await step(HOUR_MS);
  const place = { section: "platform/clock", why: "apart" } as const;
  expect(await world.shows(place, "florin_clock_difference_seconds", isAbove(3500))).toMatchObject({
    severity: "critical",
  });
  await step(-HOUR_MS);
  expect(await world.isWell(place)).toBe(true);
});

test("a scrape of a large deployment in trouble reads every section in its time", async () => {
  for (const statement of TROUBLE) {
    await world.breaks(
      "sql",
      statement.replace("INSERT", "INSERT OR IGNORE").replaceAll("\n", " "),
    );
  }
  const times: number[] = [];
  let text = "";
  for (let scrape = 0; scrape < SCRAPES; scrape++) {
    const startedMs = performance.now();
    const answer = await world.call("/metrics");
    text = await answer.text();
    times.push(performance.now() - startedMs);
  }
  times.sort((a, b) => a - b);
  const [fastest = Infinity] = times;
  const median = times[SCRAPES / 2] ?? Infinity;
  process.stdout.write(
    `a scrape takes ${fastest.toFixed(0)} to ${times.at(-1)?.toFixed(0)} ms, median ${median.toFixed(0)} ms\n`,
  );
  expect(text.endsWith("# EOF\n")).toBe(true);
  expect(text).not.toMatch(/^florin_section_up\{.*\} 0$/m);
});
