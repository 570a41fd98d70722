import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { ConnectorId } from "#modules/payments/core/ids.ts";
import { OWNED_TABLES } from "#modules/payments/installs/owned-rows.ts";
import { resetConnector, uninstallConnector } from "#modules/payments/installs/remove.ts";
import { updateConnector } from "#modules/payments/installs/update.ts";
import { sweepConnectors } from "#modules/payments/polling/sweep.ts";
import { fromMillis } from "#platform/time.ts";
import { PollingWorld } from "#test/support/payments/polling-world.ts";

const HALF_HOUR_MS = 1_800_000;

let world: PollingWorld;
/** What the provider answers; everything is empty at first. */
let answer: (url: URL) => Response;
let calls: string[];

beforeEach(() => {
  world = new PollingWorld();
  answer = () => Response.json([]);
  calls = [];
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input) => {
    const url = new URL(input instanceof Request ? input.url : input);
    calls.push(url.pathname);
    return answer(url);
  });
});
afterEach(() => vi.restoreAllMocks());

const account = (id: string) => ({ id, accountName: id, createdAt: "2026-01-01T00:00:00Z" });
const balances = (accountID: string, amount = "5") => ({
  id: `${accountID}-balances`,
  accountID,
  at: "2026-02-01T00:00:00Z",
  balances: [{ currency: "EUR/2", amount }],
});
const transaction = (id: string) => ({
  id,
  createdAt: "2026-01-01T00:00:00Z",
  updatedAt: "2026-01-01T00:00:00Z",
  currency: "EUR/2",
  type: "PAYIN",
  status: "SUCCEEDED",
  amount: "100",
});

/** A provider with these accounts, each with a balance, unless something else answers. */
const withAccounts =
  (ids: readonly string[], other: (url: URL) => Response | undefined = () => undefined) =>
  (url: URL): Response => {
    const changed = other(url);
    if (changed !== undefined) return changed;
    if (url.pathname === "/accounts") {
      return Response.json(url.searchParams.get("page") === "1" ? ids.map(account) : []);
    }
    const of = /^\/accounts\/(.*)\/balances$/.exec(url.pathname)?.[1];
    return Response.json(of === undefined ? [] : balances(of));
  };

const schedule = (task: string) =>
  world.d1.rows("SELECT * FROM payment_schedules WHERE task = ?", task)[0] ?? {};
const lastInstance = (task: string) =>
  world.d1.rows(
    "SELECT i.* FROM payment_instances i JOIN payment_schedules s ON s.key = i.schedule_key WHERE s.task = ? ORDER BY i.key DESC",
    task,
  )[0];
/** Lets the next period come, and runs what is due then. */
async function nextPeriod(id: ConnectorId): Promise<void> {
  world.nowMs += HALF_HOUR_MS + 300_000;
  await world.settle(id);
}

describe("a run", () => {
  test("stores what is new, and walks all that hangs on it", async () => {
    const id = await world.install("dummypay");
    await world.settle(id);
    expect(world.count("payment_accounts")).toBe(10);
    expect(world.count("payment_balances")).toBe(6);
    expect(world.count("payment_payments")).toBe(72);
    expect(world.count("payment_instances", "terminated_at IS NOT NULL AND error IS NULL")).toBe(3);
    expect(schedule("FETCH_ACCOUNTS")).toMatchObject({ last_items: 12, failures: 0 });
    const events = world.count("outbox");
    await nextPeriod(id);
    expect(world.count("payment_instances")).toBe(6);
    expect(world.count("payment_payments")).toBe(72);
    // Balances are confirmed again, with an event for each.
    expect(world.count("outbox")).toBe(events + 6);
  });

  test("waits for the period, and half of it at most", async () => {
    const id = await world.install("dummypay");
    const next = await world.settle(id);
    const waitMs = "atMs" in next ? next.atMs - world.nowMs : 0;
    expect(waitMs).toBeGreaterThanOrEqual(HALF_HOUR_MS);
    expect(waitMs).toBeLessThanOrEqual(HALF_HOUR_MS + 300_000);
    await world.run(id);
    expect(world.count("payment_instances")).toBe(3);
  });

  test("goes on at once after the machine's clock stepped back", async () => {
    const id = await world.install("dummypay");
    await world.settle(id);
    world.nowMs -= 40 * 24 * 3_600_000;
    await world.run(id);
    expect(world.count("payment_instances")).toBe(6);
  });

  test("that is killed at any step goes on, and stores everything once", async () => {
    const undisturbed = new PollingWorld();
    await undisturbed.settle(await undisturbed.install("dummypay"));
    const tables = ["payment_accounts", "payment_balances", "payment_payments", "outbox"];
    const id = await world.install("dummypay");
    let steps = 0;
    world.d1.onStep = () => {
      steps++;
      if (steps % 5 === 0) throw new Error("killed");
    };
    for (let runs = 0; runs < 200; runs++) {
      const next = await world.run(id).catch(() => undefined);
      if (next !== undefined && "atMs" in next && next.atMs > world.nowMs) break;
    }
    world.d1.onStep = () => undefined;
    await world.settle(id);
    for (const table of tables) expect(world.count(table)).toBe(undisturbed.count(table));
  });

  test("is made by one of two that try at a time", async () => {
    const id = await world.install("dummypay");
    await Promise.all([world.run(id), world.run(id), world.run(id)]);
    await world.settle(id);
    expect(world.count("payment_instances")).toBe(3);
    expect(world.count("payment_payments")).toBe(72);
    expect(world.count("payment_adjustments")).toBe(72);
  });
});

describe("a failure", () => {
  test("of the kind that passes is repeated with longer waits, and the run goes on", async () => {
    let refusals = 3;
    answer = withAccounts(["a"], (url) =>
      url.pathname === "/accounts" && refusals-- > 0
        ? new Response(null, { status: 502 })
        : undefined,
    );
    const id = await world.install("generic");
    const startMs = world.nowMs;
    await world.settle(id);
    expect(world.nowMs - startMs).toBeGreaterThanOrEqual(7000);
    expect(lastInstance("FETCH_ACCOUNTS")).toMatchObject({ error: null });
    expect(world.count("payment_instances")).toBe(3);
    expect(world.count("payment_balances")).toBe(1);
  });

  test("holds all schedules of the connector where the provider names a time", async () => {
    let refusals = 1;
    answer = withAccounts(["a"], () =>
      refusals-- > 0
        ? new Response(null, { status: 429, headers: { "retry-after": "120" } })
        : undefined,
    );
    const id = await world.install("generic");
    const next = await world.run(id);
    expect(next).toEqual({ atMs: world.nowMs + 120_000 });
    expect(calls).toHaveLength(1);
    const heldUntil = fromMillis(world.nowMs + 120_000);
    // Nor is money moved before.
    expect(world.d1.rows("SELECT held_until FROM payment_connectors")).toMatchObject([
      { held_until: heldUntil },
    ]);
    await world.run(id);
    expect(calls).toHaveLength(1);
    await world.settle(id);
    expect(world.count("payment_instances", "error IS NULL")).toBe(3);
    expect(world.count("payment_accounts")).toBe(1);
  });

  test("that stays ends the run after some attempts; the next one tries again", async () => {
    answer = () => new Response("<html>", { status: 200 });
    const id = await world.install("generic");
    await world.settle(id);
    expect(calls.filter((path) => path === "/accounts")).toHaveLength(5);
    expect(lastInstance("FETCH_ACCOUNTS")).toMatchObject({
      error: "the answer of the provider is not JSON",
    });
    answer = withAccounts(["a"]);
    await nextPeriod(id);
    expect(lastInstance("FETCH_ACCOUNTS")).toMatchObject({ error: null });
    expect(schedule("FETCH_ACCOUNTS")).toMatchObject({ failures: 0 });
  });

  test("of one item holds up no other one, and the item is left out after ten runs", async () => {
    answer = withAccounts(["bad", "good"], (url) =>
      url.pathname === "/accounts/bad/balances" ? Response.json({ odd: true }) : undefined,
    );
    const id = await world.install("generic");
    await world.settle(id);
    expect(world.count("payment_balances", "account_reference = 'good'")).toBe(1);
    expect(lastInstance("FETCH_ACCOUNTS")?.["error"]).toMatch(/^bad: the balances/);
    for (let run = 2; run <= 10; run++) await nextPeriod(id);
    expect(schedule("FETCH_ACCOUNTS")).toMatchObject({ failures: 0, paused_at: null });
    calls = [];
    await nextPeriod(id);
    expect(calls).not.toContain("/accounts/bad/balances");
    expect(lastInstance("FETCH_ACCOUNTS")).toMatchObject({ error: null });
  });

  test("in ten runs in a row pauses the schedule, until the configuration is changed", async () => {
    answer = (url) =>
      url.pathname === "/transactions" ? new Response("no", { status: 403 }) : Response.json([]);
    const id = await world.install("generic");
    for (let run = 1; run <= 10; run++) {
      expect(schedule("FETCH_PAYMENTS")).toMatchObject({ failures: run - 1, paused_at: null });
      await nextPeriod(id);
    }
    expect(schedule("FETCH_PAYMENTS")).toMatchObject({
      paused_reason: "the provider answered 403: no",
    });
    calls = [];
    await nextPeriod(id);
    expect(calls).not.toContain("/transactions");
    answer = () => Response.json([]);
    const body = { name: "changed", apiKey: "new", endpoint: "http://psp.example" };
    await updateConnector(world.context, { id, body });
    await world.settle(id);
    expect(calls).toContain("/transactions");
    expect(schedule("FETCH_PAYMENTS")).toMatchObject({ failures: 0, paused_at: null });
  });

  test("of a provider that never answers ends the run after three items", async () => {
    const ids = ["a", "b", "c", "d", "e"];
    answer = withAccounts(ids, (url) => {
      if (url.pathname.endsWith("/balances")) throw new Error("connection lost");
      return undefined;
    });
    const id = await world.install("generic");
    await world.settle(id);
    const asked = calls.filter((path) => path.endsWith("/balances"));
    expect(new Set(asked).size).toBe(3);
    expect(schedule("FETCH_ACCOUNTS")).toMatchObject({ failures: 1 });
  });

  test("of a page with a bad item stores nothing of the page", async () => {
    answer = (url) =>
      url.pathname === "/transactions" && url.searchParams.get("page") === "1"
        ? Response.json([transaction("good"), { ...transaction("bad"), currency: "odd" }])
        : Response.json([]);
    const id = await world.install("generic");
    await world.settle(id);
    expect(world.count("payment_payments")).toBe(0);
    expect(lastInstance("FETCH_PAYMENTS")?.["error"]).toContain("the asset odd");
  });
});

describe("a removal", () => {
  test("knows every table whose rows belong to connectors", () => {
    const tables = world.d1.rows(
      "SELECT m.name FROM sqlite_master m JOIN pragma_table_info(m.name) c WHERE m.type = 'table' AND c.name = 'connector_key'",
    );
    expect([...OWNED_TABLES].toSorted()).toEqual(tables.map(({ name }) => String(name)).toSorted());
  });

  const owned = [
    "payment_accounts",
    "payment_balances",
    "payment_payments",
    "payment_adjustments",
    "payment_schedules",
    "payment_fetches",
    "payment_instances",
    "payment_plugin_texts",
  ];

  test("leaves nothing of the connector and everything of another one, wherever it is killed", async () => {
    const id = await world.install("dummypay");
    await world.settle(id);
    const before = owned.map((table) => world.count(table));
    const other = await world.install("dummypay");
    await world.settle(other);
    await uninstallConnector(world.context, id);
    let steps = 0;
    world.d1.onStep = () => {
      steps++;
      if (steps % 7 === 0) throw new Error("killed");
    };
    for (let runs = 0; runs < 200; runs++) {
      const next = await world.run(id).catch(() => undefined);
      if (next !== undefined && "isRemoved" in next) break;
    }
    world.d1.onStep = () => undefined;
    expect(await world.settle(id)).toEqual({ isRemoved: true });
    expect(owned.map((table) => world.count(table))).toEqual(before);
    expect(world.count("payment_connectors")).toBe(1);
    expect(world.d1.rows("SELECT status FROM payment_tasks")).toMatchObject([
      { status: "SUCCEEDED" },
    ]);
    expect(world.count("outbox", "event ->> '$.type' = 'UPDATED_TASK'")).toBe(2);
  });

  test("in the middle of a run is not disturbed by a page that comes late", async () => {
    const id = await world.install("generic");
    answer = () => {
      throw new Error("connection lost");
    };
    const arrived = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    vi.spyOn(globalThis, "fetch").mockImplementation(async () => {
      arrived.resolve();
      await released.promise;
      return Response.json([account("late")]);
    });
    const running = world.run(id);
    await arrived.promise;
    await uninstallConnector(world.context, id);
    expect(await world.settle(id)).toEqual({ isRemoved: true });
    released.resolve();
    expect(await running).toEqual({ atMs: world.nowMs });
    expect(await world.run(id)).toEqual({ isRemoved: true });
    for (const table of owned) expect(world.count(table)).toBe(0);
  });

  test("that is asked for twice, and by a reset, ends all of their tasks", async () => {
    const id = await world.install("dummypay");
    const tasks = await Promise.all([
      resetConnector(world.context, id),
      resetConnector(world.context, id),
    ]);
    expect(tasks[0]?.id).toEqual(tasks[1]?.id);
    let isAsked = false;
    world.d1.onStep = () => {
      // The last batch is prepared when the tasks are read.
      if (isAsked || world.count("payment_schedules") > 0) return;
      isAsked = true;
      void uninstallConnector(world.context, id);
    };
    for (let runs = 0; runs < 20; runs++) {
      const next = await world.run(id).catch(() => undefined);
      if (next !== undefined && "isRemoved" in next) break;
    }
    world.d1.onStep = () => undefined;
    expect(world.d1.rows("SELECT DISTINCT status FROM payment_tasks")).toMatchObject([
      { status: "SUCCEEDED" },
    ]);
    expect(world.count("payment_tasks")).toBe(2);
    expect(world.count("payment_connectors")).toBe(1);
  });

  test("by a reset installs the same again under a new id, once, wherever it is killed", async () => {
    const id = await world.install("dummypay", { directory: "mine" });
    await world.settle(id);
    await resetConnector(world.context, id);
    let steps = 0;
    world.d1.onStep = () => {
      steps++;
      if (steps % 9 === 0) throw new Error("killed");
    };
    for (let runs = 0; runs < 200; runs++) {
      const next = await world.run(id).catch(() => undefined);
      if (next !== undefined && "isRemoved" in next) break;
    }
    world.d1.onStep = () => undefined;
    await world.settle(id);
    const [row, ...others] = world.d1.rows("SELECT * FROM payment_connectors");
    expect(others).toEqual([]);
    expect(row?.["reference"]).not.toBe(id.reference);
    expect(world.count("outbox", "event ->> '$.type' = 'CONNECTOR_RESET'")).toBe(1);
    await world.settle({ provider: "dummypay", reference: String(row?.["reference"]) });
    expect(world.count("payment_payments")).toBe(72);
  });
});

describe("the sweep", () => {
  test("wakes a connector whose object has lost its alarm, and no other one", async () => {
    const id = await world.install("dummypay");
    expect(world.told).toEqual([id.reference]);
    await world.settle(id);
    const next = await sweepConnectors(world.context);
    expect(next).toBeGreaterThan(world.nowMs + HALF_HOUR_MS);
    expect(world.told).toHaveLength(1);
    world.nowMs += HALF_HOUR_MS + 400_000;
    await sweepConnectors(world.context);
    expect(world.told).toEqual([id.reference, id.reference]);
  });

  test("has nothing to do without connectors", async () => {
    expect(await sweepConnectors(world.context)).toBeUndefined();
  });
});
