import { getTableName } from "drizzle-orm";
import { describe, expect, test, vi } from "vitest";
import { resetConnector, uninstallConnector } from "#modules/payments/lifecycle/remove.ts";
import { OWNED_ROWS } from "#modules/payments/owned-rows.ts";
import { sweepConnectors } from "#modules/payments/polling/sweep.ts";
import {
  genericAccount,
  genericTransaction,
  HALF_HOUR_MS,
  usePollingBench,
} from "#test/support/payments/polling-bench.ts";
import { PollingWorld } from "#test/support/payments/worlds/polling-world.ts";

const bench = usePollingBench();

describe("a run", () => {
  test("a polling run stores what is new, and walks all that hangs on it", async () => {
    const id = await bench.world.install("dummypay");
    await bench.world.settle(id);
    expect(bench.world.count("payment_accounts")).toBe(10);
    expect(bench.world.count("payment_balances")).toBe(6);
    expect(bench.world.count("payment_payments")).toBe(72);
    expect(
      bench.world.count("payment_instances", "terminated_at IS NOT NULL AND error IS NULL"),
    ).toBe(3);
    expect(bench.schedule("FETCH_ACCOUNTS")).toMatchObject({ last_items: 12, failures: 0 });
    const events = bench.world.count("outbox");
    await bench.nextPeriod(id);
    expect(bench.world.count("payment_instances")).toBe(6);
    expect(bench.world.count("payment_payments")).toBe(72);
    // Six balances are confirmed again, each with an event.
    expect(bench.world.count("outbox")).toBe(events + 6);
  });

  test("a polling run of a first import asks for each page of old items once, and counts what it stores", async () => {
    const ids = Array.from({ length: 250 }, (_, index) => `tx-${index}`);
    bench.answer = (url) => {
      if (url.pathname !== "/transactions") return Response.json([]);
      const start = (Number(url.searchParams.get("page")) - 1) * 100;
      return Response.json(ids.slice(start, start + 100).map((each) => genericTransaction(each)));
    };
    const id = await bench.world.install("generic");
    await bench.world.settle(id);
    expect(bench.world.count("payment_payments")).toBe(250);
    expect(bench.schedule("FETCH_PAYMENTS")).toMatchObject({ last_items: 250 });
    expect(bench.calls.filter((path) => path === "/transactions")).toHaveLength(4);
    await bench.nextPeriod(id);
    expect(bench.schedule("FETCH_PAYMENTS")).toMatchObject({ last_items: 0 });
  });

  test("a polling run waits for the period, and half of it at most", async () => {
    const id = await bench.world.install("dummypay");
    const next = await bench.world.settle(id);
    const waitMs = "atMs" in next ? next.atMs - bench.world.nowMs : 0;
    expect(waitMs).toBeGreaterThanOrEqual(HALF_HOUR_MS);
    expect(waitMs).toBeLessThanOrEqual(HALF_HOUR_MS + 300_000);
    await bench.world.run(id);
    expect(bench.world.count("payment_instances")).toBe(3);
  });

  test("a polling run goes on at once after the machine's clock stepped back", async () => {
    const id = await bench.world.install("dummypay");
    await bench.world.settle(id);
    bench.world.nowMs -= 40 * 24 * 3_600_000;
    await bench.world.run(id);
    expect(bench.world.count("payment_instances")).toBe(6);
  });

  test("a polling run that is killed at any step goes on, and stores everything once", async () => {
    const undisturbed = new PollingWorld();
    await undisturbed.settle(await undisturbed.install("dummypay"));
    const tables = ["payment_accounts", "payment_balances", "payment_payments", "outbox"];
    const id = await bench.world.install("dummypay");
    let steps = 0;
    bench.world.d1.onStep = () => {
      steps++;
      if (steps % 5 === 0) throw new Error("killed");
    };
    for (let runs = 0; runs < 200; runs++) {
      const next = await bench.world.run(id).catch(() => undefined);
      if (next !== undefined && "atMs" in next && next.atMs > bench.world.nowMs) break;
    }
    bench.world.d1.onStep = () => undefined;
    await bench.world.settle(id);
    for (const table of tables) expect(bench.world.count(table)).toBe(undisturbed.count(table));
  });

  test("a polling run is made by one of two that try at a time", async () => {
    const id = await bench.world.install("dummypay");
    await Promise.all([bench.world.run(id), bench.world.run(id), bench.world.run(id)]);
    await bench.world.settle(id);
    expect(bench.world.count("payment_instances")).toBe(3);
    expect(bench.world.count("payment_payments")).toBe(72);
    expect(bench.world.count("payment_adjustments")).toBe(72);
  });
});

describe("a removal", () => {
  test("the removal of a connector knows every table whose rows belong to connectors", () => {
    const tables = bench.world.d1.rows(
      "SELECT m.name FROM sqlite_master m JOIN pragma_table_info(m.name) c WHERE m.type = 'table' AND c.name = 'connector_key'",
    );
    expect(OWNED_ROWS.map(({ table }) => getTableName(table)).toSorted()).toEqual(
      tables.map(({ name }) => String(name)).toSorted(),
    );
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

  test("the removal of a connector leaves nothing of the connector and everything of another one, wherever it is killed", async () => {
    const id = await bench.world.install("dummypay");
    await bench.world.settle(id);
    const before = owned.map((table) => bench.world.count(table));
    const other = await bench.world.install("dummypay");
    await bench.world.settle(other);
    await uninstallConnector(bench.world.context, id);
    let steps = 0;
    bench.world.d1.onStep = () => {
      steps++;
      if (steps % 7 === 0) throw new Error("killed");
    };
    for (let runs = 0; runs < 200; runs++) {
      const next = await bench.world.run(id).catch(() => undefined);
      if (next !== undefined && "isRemoved" in next) break;
    }
    bench.world.d1.onStep = () => undefined;
    expect(await bench.world.settle(id)).toEqual({ isRemoved: true });
    expect(owned.map((table) => bench.world.count(table))).toEqual(before);
    expect(bench.world.count("payment_connectors")).toBe(1);
    expect(bench.world.d1.rows("SELECT status FROM payment_tasks")).toMatchObject([
      { status: "SUCCEEDED" },
    ]);
    expect(bench.world.count("outbox", "event ->> '$.type' = 'UPDATED_TASK'")).toBe(2);
  });

  test("the removal of a connector in the middle of a run is not disturbed by a page that comes late", async () => {
    const id = await bench.world.install("generic");
    bench.answer = () => {
      throw new Error("connection lost");
    };
    const arrived = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    vi.spyOn(globalThis, "fetch").mockImplementation(async () => {
      arrived.resolve();
      await released.promise;
      return Response.json([genericAccount("late")]);
    });
    const running = bench.world.run(id);
    await arrived.promise;
    await uninstallConnector(bench.world.context, id);
    expect(await bench.world.settle(id)).toEqual({ isRemoved: true });
    released.resolve();
    expect(await running).toEqual({ atMs: bench.world.nowMs });
    expect(await bench.world.run(id)).toEqual({ isRemoved: true });
    for (const table of owned) expect(bench.world.count(table)).toBe(0);
  });

  test("the removal of a connector that is asked for twice, and by a reset, ends all of their tasks", async () => {
    const id = await bench.world.install("dummypay");
    const tasks = await Promise.all([
      resetConnector(bench.world.context, id),
      resetConnector(bench.world.context, id),
    ]);
    expect(tasks[0]?.id).toEqual(tasks[1]?.id);
    let isAsked = false;
    bench.world.d1.onStep = () => {
      // The removal comes when the last batch was prepared and the tasks are read.
      if (isAsked || bench.world.count("payment_schedules") > 0) return;
      isAsked = true;
      void uninstallConnector(bench.world.context, id);
    };
    for (let runs = 0; runs < 20; runs++) {
      const next = await bench.world.run(id).catch(() => undefined);
      if (next !== undefined && "isRemoved" in next) break;
    }
    bench.world.d1.onStep = () => undefined;
    expect(bench.world.d1.rows("SELECT DISTINCT status FROM payment_tasks")).toMatchObject([
      { status: "SUCCEEDED" },
    ]);
    expect(bench.world.count("payment_tasks")).toBe(2);
    expect(bench.world.count("payment_connectors")).toBe(1);
  });

  test("the removal of a connector by a reset installs the same again under a new id, once, wherever it is killed", async () => {
    const id = await bench.world.install("dummypay", { directory: "mine" });
    await bench.world.settle(id);
    await resetConnector(bench.world.context, id);
    let steps = 0;
    bench.world.d1.onStep = () => {
      steps++;
      if (steps % 9 === 0) throw new Error("killed");
    };
    for (let runs = 0; runs < 200; runs++) {
      const next = await bench.world.run(id).catch(() => undefined);
      if (next !== undefined && "isRemoved" in next) break;
    }
    bench.world.d1.onStep = () => undefined;
    await bench.world.settle(id);
    const [row, ...others] = bench.world.d1.rows("SELECT * FROM payment_connectors");
    expect(others).toEqual([]);
    expect(row?.["reference"]).not.toBe(id.reference);
    expect(bench.world.count("outbox", "event ->> '$.type' = 'CONNECTOR_RESET'")).toBe(1);
    await bench.world.settle({ provider: "dummypay", reference: String(row?.["reference"]) });
    expect(bench.world.count("payment_payments")).toBe(72);
  });
});

describe("the sweep", () => {
  test("the sweep of connectors wakes a connector whose object has lost its alarm, and no other one", async () => {
    const id = await bench.world.install("dummypay");
    expect(bench.world.told).toEqual([id.reference]);
    await bench.world.settle(id);
    const next = await sweepConnectors(bench.world.context);
    expect(next).toBeGreaterThan(bench.world.nowMs + HALF_HOUR_MS);
    expect(bench.world.told).toHaveLength(1);
    bench.world.nowMs += HALF_HOUR_MS + 400_000;
    await sweepConnectors(bench.world.context);
    expect(bench.world.told).toEqual([id.reference, id.reference]);
  });

  test("the sweep of connectors wakes an armed connector behind a hundred that are disarmed", async () => {
    const id = await bench.world.install("dummypay");
    await bench.world.settle(id);
    const { d1 } = bench.world;
    const at = "2026-01-01T00:00:00.000000Z";
    d1.exec("CREATE TEMP TABLE copies AS SELECT * FROM payment_connectors");
    for (let copy = 1; copy <= 100; copy++) {
      d1.exec(`
        UPDATE copies SET key = -${copy}, reference = 'copy-${copy}', name = 'copy-${copy}', deleted_at = '${at}';
        INSERT INTO payment_connectors SELECT * FROM copies;`);
    }
    d1.exec(`
      INSERT INTO disarmament VALUES (1, '${at}', 'operator', '', '', '', '', 'r');
      INSERT INTO armed_connectors VALUES ('${id.reference}', 'id', '${at}', '', '', '')`);
    bench.world.nowMs += HALF_HOUR_MS + 400_000;
    await sweepConnectors(bench.world.context);
    expect(bench.world.told).toEqual([id.reference, id.reference]);
  });

  test("the sweep of connectors has nothing to do without connectors", async () => {
    expect(await sweepConnectors(bench.world.context)).toBeUndefined();
  });
});
