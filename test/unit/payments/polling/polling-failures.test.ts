import { describe, expect, test } from "vitest";
import { updateConnector } from "#modules/payments/lifecycle/update.ts";
import { fromMillis, type Timestamp, toMillis } from "#platform/time.ts";
import { usePollingBench, withAccounts } from "#test/support/payments/polling-bench.ts";

const bench = usePollingBench();

describe("a failure", () => {
  test("a failure of the kind that passes is repeated with longer waits, and the run goes on", async () => {
    let refusals = 3;
    bench.answer = withAccounts(["a"], (url) =>
      url.pathname === "/accounts" && refusals-- > 0
        ? new Response(null, { status: 502 })
        : undefined,
    );
    const id = await bench.world.install("generic");
    const startMs = bench.world.nowMs;
    await bench.world.settle(id);
    expect(bench.world.nowMs - startMs).toBeGreaterThanOrEqual(7000);
    expect(bench.lastInstance("FETCH_ACCOUNTS")).toMatchObject({ error: null });
    expect(bench.world.count("payment_instances")).toBe(3);
    expect(bench.world.count("payment_balances")).toBe(1);
  });

  test("a failure of polling holds all schedules of the connector where the provider names a time", async () => {
    let refusals = 1;
    bench.answer = withAccounts(["a"], () =>
      refusals-- > 0
        ? new Response(null, { status: 429, headers: { "retry-after": "120" } })
        : undefined,
    );
    const id = await bench.world.install("generic");
    const next = await bench.world.run(id);
    expect(next).toEqual({ atMs: bench.world.nowMs + 120_000 });
    expect(bench.calls).toHaveLength(1);
    const heldUntil = fromMillis(bench.world.nowMs + 120_000);
    // The connector moves no money before this time, either.
    expect(bench.world.d1.rows("SELECT held_until FROM payment_connectors")).toMatchObject([
      { held_until: heldUntil },
    ]);
    await bench.world.run(id);
    expect(bench.calls).toHaveLength(1);
    await bench.world.settle(id);
    expect(bench.world.count("payment_instances", "error IS NULL")).toBe(3);
    expect(bench.world.count("payment_accounts")).toBe(1);
  });

  test("a failure of polling that stays ends the run after some attempts; the next one tries again", async () => {
    bench.answer = () => new Response("<html>", { status: 200 });
    const id = await bench.world.install("generic");
    await bench.world.settle(id);
    expect(bench.calls.filter((path) => path === "/accounts")).toHaveLength(5);
    expect(bench.lastInstance("FETCH_ACCOUNTS")).toMatchObject({
      error: "GET /accounts: the answer with status 200 is not JSON",
    });
    bench.answer = withAccounts(["a"]);
    await bench.nextPeriod(id);
    expect(bench.lastInstance("FETCH_ACCOUNTS")).toMatchObject({ error: null });
    expect(bench.schedule("FETCH_ACCOUNTS")).toMatchObject({ failures: 0 });
  });

  test("a failure of one item holds up no other one, and after ten runs the item is left out for a while", async () => {
    bench.answer = withAccounts(["bad", "good"], (url) =>
      url.pathname === "/accounts/bad/balances" ? Response.json({ odd: true }) : undefined,
    );
    const id = await bench.world.install("generic");
    await bench.world.settle(id);
    expect(bench.world.count("payment_balances", "account_reference = 'good'")).toBe(1);
    expect(bench.lastInstance("FETCH_ACCOUNTS")?.["error"]).toMatch(/^bad: the balances/);
    for (let run = 2; run <= 10; run++) await bench.nextPeriod(id);
    expect(bench.schedule("FETCH_ACCOUNTS")).toMatchObject({ failures: 0, paused_at: null });
    bench.calls = [];
    // A run before the item's next try leaves the item out, and a later run tries it again.
    bench.world.d1.exec("UPDATE payment_schedules SET next_at = '2026-01-01T00:00:00.000000Z'");
    await bench.world.settle(id);
    expect(bench.calls).not.toContain("/accounts/bad/balances");
    expect(bench.lastInstance("FETCH_ACCOUNTS")).toMatchObject({ error: null });
    expect(bench.world.d1.rows("SELECT health FROM payment_connectors")).toEqual([
      { health: "degraded" },
    ]);
    bench.answer = withAccounts(["bad", "good"]);
    await bench.nextPeriod(id);
    expect(bench.world.count("payment_balances", "account_reference = 'bad'")).toBe(1);
    expect(bench.world.d1.rows("SELECT health FROM payment_connectors")).toEqual([
      { health: "healthy" },
    ]);
    expect(bench.news()).toEqual([]);
  });

  test("a failure in ten runs in a row pauses the schedule, which is probed until it succeeds", async () => {
    bench.answer = (url) =>
      url.pathname === "/transactions" ? new Response("no", { status: 403 }) : Response.json([]);
    const id = await bench.world.install("generic");
    await bench.failRuns(id, 10);
    expect(bench.schedule("FETCH_PAYMENTS")).toMatchObject({
      failures: 10,
      paused_reason: "GET /transactions: the provider answered 403: no",
    });
    for (let probes = 1; probes <= 5; probes++) {
      const dueMs = toMillis(bench.schedule("FETCH_PAYMENTS")["next_at"] as Timestamp);
      expect(dueMs - bench.world.nowMs).toBeLessThanOrEqual(3_600_000);
      bench.world.nowMs = dueMs;
      bench.calls = [];
      await bench.world.settle(id, 0);
      expect(bench.calls.filter((path) => path === "/transactions")).toHaveLength(1);
    }
    bench.answer = () => Response.json([]);
    bench.world.nowMs += 3_600_000;
    await bench.world.settle(id, 0);
    expect(bench.schedule("FETCH_PAYMENTS")).toMatchObject({
      failures: 0,
      paused_at: null,
      paused_reason: null,
    });
  });

  test("a failure of a schedule that is paused is over when the configuration is changed", async () => {
    bench.answer = () => new Response("no", { status: 403 });
    const id = await bench.world.install("generic");
    await bench.failRuns(id, 10);
    expect(bench.world.d1.rows("SELECT health FROM payment_connectors")).toEqual([
      { health: "paused" },
    ]);
    bench.answer = () => Response.json([]);
    const body = { name: "changed", apiKey: "new", endpoint: "http://psp.example" };
    await updateConnector(bench.world.context, { id, body });
    expect(bench.world.d1.rows("SELECT health FROM payment_connectors")).toEqual([
      { health: "failing" },
    ]);
    await bench.world.settle(id);
    expect(bench.schedule("FETCH_PAYMENTS")).toMatchObject({ failures: 0, paused_at: null });
    expect(bench.news()).toEqual(["CONNECTOR_FAILING", "CONNECTOR_PAUSED", "CONNECTOR_RECOVERED"]);
  });

  test("a failure of a provider that never answers ends the run after three items", async () => {
    const ids = ["a", "b", "c", "d", "e"];
    bench.answer = withAccounts(ids, (url) => {
      if (url.pathname.endsWith("/balances")) throw new Error("connection lost");
      return undefined;
    });
    const id = await bench.world.install("generic");
    await bench.world.settle(id);
    const asked = bench.calls.filter((path) => path.endsWith("/balances"));
    expect(new Set(asked).size).toBe(3);
    expect(bench.schedule("FETCH_ACCOUNTS")).toMatchObject({ failures: 1 });
  });
});
