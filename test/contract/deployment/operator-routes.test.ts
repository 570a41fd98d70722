import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, test, vi } from "vitest";
import { databaseOf } from "#platform/db/database.ts";
import { failedRequests } from "#platform/failed-requests/tables.ts";
import { settingsInForce } from "#platform/modules/operate/settings.ts";
import { clockOf } from "#platform/objects/deployment-clock.ts";
import { platformSettings } from "#platform/platform-settings.ts";
import { recordSweepRun } from "#platform/status/sweep-runs.ts";
import { keepSize } from "#platform/storage/sizes.ts";
import { storageSizes } from "#platform/storage/tables.ts";
import { boundRows } from "#platform/storage/usage.ts";
import { SWEEPS } from "#src/sweeps.ts";
import { clientWith } from "#test/support/auth/clients.ts";
import { freshLedger } from "#test/support/ledger/api.ts";
import { api, token } from "#test/support/platform/api.ts";

const ROOT = "/api/florin/v1";
const DAY = 86_400_000;
const db = databaseOf(env);

async function dataOf<T>(path: string): Promise<T> {
  const response = await api(`${ROOT}${path}`);
  expect(response.status).toBe(200);
  return (await response.json<{ data: T }>()).data;
}

const run = (name: string, bearer?: string) =>
  api(`${ROOT}/sweeps/${name}/run`, {
    method: "POST",
    ...(bearer === undefined ? {} : { token: bearer }),
  });

afterEach(async () => {
  vi.restoreAllMocks();
  await env.DB.exec("DELETE FROM sweep_runs");
  await env.DB.exec("DELETE FROM storage_sizes");
});

test("what operators look at needs their scope and a token that is bound to no ledgers", async () => {
  const { token: bound } = await clientWith({
    scopes: ["florin:operate"],
    metadata: { ledgers: "mine" },
  });
  for (const bearer of [bound, await token("ledger:write"), "nonsense"]) {
    for (const path of ["/sweeps", "/settings", "/storage", "/stuck"]) {
      expect((await api(`${ROOT}${path}`, { token: bearer })).status).toBe(401);
    }
    expect((await run("outbox", bearer)).status).toBe(401);
  }
  expect((await run("outbox", await token("florin:operate"))).status).toBe(202);
});

describe("sweeps", () => {
  interface Shown {
    readonly name: string;
    readonly purges: boolean;
    readonly lastRun?: string;
    readonly failures: number;
  }

  test("the list of sweeps has all of them, with their last and next runs and failures", async () => {
    const endedMs = Date.now();
    const nextMs = endedMs + 1000;
    await recordSweepRun(db, { name: "outbox", endedMs, nextMs, error: undefined });
    await recordSweepRun(db, { name: "audit", endedMs, nextMs, error: "Error: no" });
    const sweeps = await dataOf<Shown[]>("/sweeps");
    expect(sweeps.map(({ name }) => name)).toEqual(SWEEPS.map(({ name }) => name));
    expect(sweeps.find(({ name }) => name === "outbox")).toEqual({
      name: "outbox",
      purges: false,
      lastRun: expect.stringMatching(/^20/) as unknown,
      nextRun: expect.stringMatching(/^20/) as unknown,
      lastSuccess: expect.stringMatching(/^20/) as unknown,
      failures: 0,
    });
    expect(sweeps.find(({ name }) => name === "audit")).toMatchObject({
      purges: true,
      lastFailure: { error: "Error: no" },
      failures: 1,
    });
    const failing = await dataOf<Shown[]>("/sweeps?failing=true");
    expect(failing.map(({ name }) => name)).toEqual(["audit"]);
  });

  test("a sweep runs when it is asked for, and its clock tells when", async () => {
    const clock = clockOf(env, "wallet-holds");
    await runInDurableObject(clock, (_, { storage }) => storage.setAlarm(Date.now() + DAY));
    const response = await run("wallet-holds");
    expect(response.status).toBe(202);
    const { data } = await response.json<{ data: { name: string; runsAt: string } }>();
    expect(data.name).toBe("wallet-holds");
    expect(Date.parse(data.runsAt)).toBeLessThanOrEqual(Date.now() + 5100);
    await vi.waitFor(async () => {
      const sweeps = await dataOf<Shown[]>("/sweeps");
      expect(sweeps.find(({ name }) => name === "wallet-holds")).toHaveProperty("lastRun");
    });
  });

  test("a sweep that is asked for again and again runs every five seconds at most", async () => {
    const clock = clockOf(env, "reconciliation-retention");
    await runDurableObjectAlarm(clock);
    const startedMs = Date.now();
    await run("reconciliation-retention");
    await runDurableObjectAlarm(clock);
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => run("reconciliation-retention")),
    );
    for (const answer of answers) {
      const { data } = await answer.json<{ data: { runsAt: string } }>();
      expect(Date.parse(data.runsAt)).toBeGreaterThanOrEqual(startedMs + 5000);
    }
  });

  test("a sweep that there is not cannot be run", async () => {
    expect((await run("nothing")).status).toBe(404);
  });
});

describe("settings", () => {
  interface Shown {
    readonly settings: readonly { readonly name: string; readonly value?: string }[];
    readonly unknown: readonly string[];
  }

  test("settings are shown with value, default, module, and whether they are set, without secrets", async () => {
    const { settings } = await dataOf<Shown>("/settings");
    const of = (name: string) => settings.find((setting) => setting.name === name);
    expect(of("FLORIN_MAX_PAGE_SIZE")).toMatchObject({
      module: "platform",
      default: expect.any(String) as unknown,
      secret: false,
    });
    expect(of("FLORIN_SECRET_KEY")).toEqual({
      name: "FLORIN_SECRET_KEY",
      module: "platform",
      value: "***",
      set: true,
      secret: true,
      meaning: expect.any(String) as unknown,
    });
    const ofModule = await dataOf<Shown>("/settings?module=wallets");
    expect(ofModule.settings.map(({ name }) => name)).toEqual(["FLORIN_WALLETS_LEDGER"]);
    expect(of("FLORIN_WEBHOOK_DISABLE_AFTER")).toMatchObject({
      module: "webhooks",
      default: "120h",
    });
    const texts = JSON.stringify(settings);
    for (const [name, value] of Object.entries(env)) {
      const isSecret = /SECRET/.test(name) && typeof value === "string" && value !== "";
      if (isSecret) expect(texts).not.toContain(value);
    }
  });

  test("settings show neither passwords in URLs nor the values of names that are no settings", () => {
    const tables = [{ owner: "platform", table: platformSettings }];
    const { settings, unknown } = settingsInForce(tables, {
      FLORIN_PUBLIC_URL: "https://ada:geheim@example.com/?token=geheim",
      FLORIN_PREVIOUS_SECRET_KEYS: "geheim,geheim",
      FLORIN_SECRETKEY: "geheim",
      FLORIN_NETWORK: { fetch: "a service" },
      OTHER: "geheim",
      FLORIN_LOG: "",
    });
    expect(unknown).toEqual(["FLORIN_SECRETKEY"]);
    expect(JSON.stringify(settings)).not.toContain("geheim");
    const of = (name: string) => settings.find((setting) => setting.name === name);
    expect(of("FLORIN_PREVIOUS_SECRET_KEYS")).toMatchObject({ value: "***", set: true });
    expect(of("FLORIN_LOG")).toMatchObject({ value: "failures", set: false });
    expect(of("FLORIN_SECRET_KEY")).not.toHaveProperty("value");
  });
});

describe("storage", () => {
  interface Shown {
    readonly database: {
      readonly bytes: number;
      readonly growthPerDay?: number;
      readonly fullAt?: string;
      readonly tables: readonly { readonly name: string; readonly rowsAtMost: number }[];
    };
    readonly objects: readonly {
      readonly name: string;
      readonly bytes: number;
      readonly growthPerDay?: number;
      readonly fullAt?: string;
    }[];
  }

  test("the use of storage shows the database with its tables, and the largest objects first", async () => {
    const nowMs = Date.now();
    await keepSize(db, "ledger/a", { bytes: 2_000_000, measuredMs: nowMs });
    await keepSize(db, "ledger/b", { bytes: 7_000_000_000, measuredMs: nowMs - DAY });
    await keepSize(db, "ledger/b", { bytes: 7_300_000_000, measuredMs: nowMs });
    await freshLedger();
    const { database, objects } = await dataOf<Shown>("/storage");
    expect(objects).toMatchObject([
      { name: "ledger/b", bytes: 7_300_000_000, growthPerDay: 300_000_000 },
      { name: "ledger/a", bytes: 2_000_000 },
    ]);
    const days = (Date.parse(objects[0]?.fullAt ?? "") - nowMs) / DAY;
    expect(days).toBeGreaterThan(8.9);
    expect(days).toBeLessThan(9.1);
    expect(objects[1]).not.toHaveProperty("fullAt");
    expect(database.bytes).toBeGreaterThan(100_000);
    expect(database.tables).toHaveLength(20);
    const least = await dataOf<Shown>("/storage?top=1");
    expect([least.database.tables.length, least.objects.length]).toEqual([1, 1]);
    for (const top of ["101", "-1", "x"]) {
      expect((await api(`${ROOT}/storage?top=${top}`)).status).toBe(400);
    }
    expect(database.tables[0]?.rowsAtMost).toBeGreaterThan(0);
  });

  test("the tables' rows are bounded by their row ids, and an empty table has none", async () => {
    for (const name of ["one", "two", "three"]) {
      await keepSize(db, name, { bytes: 1, measuredMs: 1 });
    }
    await env.DB.exec("DELETE FROM failed_requests");
    expect(await boundRows(db, [failedRequests, storageSizes])).toEqual([
      { name: "storage_sizes", rows: 3 },
      { name: "failed_requests", rows: 0 },
    ]);
  });
});
