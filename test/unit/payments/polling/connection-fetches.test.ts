import { beforeEach, describe, expect, test } from "vitest";
import { ConnectorError } from "#modules/payments/connectors/connector-error.ts";
import type { FetchRequest, FetchTask, Plugin } from "#modules/payments/connectors/contract.ts";
import type { ConnectorId } from "#modules/payments/core/ids.ts";
import { type InstalledConnector, requireConnector } from "#modules/payments/installs/store.ts";
import { fetchPage } from "#modules/payments/polling/fetch-page.ts";
import { connectionFetches } from "#modules/payments/users/connection-fetches.ts";
import { fromMillis } from "#platform/time.ts";
import { conversion, order } from "#test/support/payments/provider-orders.ts";
import { PollingWorld } from "#test/support/payments/worlds/polling-world.ts";

const USER = "33333333-2222-4333-8444-555555555555";

let world: PollingWorld;
let id: ConnectorId;
let connector: InstalledConnector;
beforeEach(async () => {
  world = new PollingWorld();
  id = await world.install("dummypay");
  connector = await requireConnector(world.context, id);
});

describe("a connection of a user", () => {
  /** Stores a connection as the completion of a link does. */
  function link(connectionId: string): void {
    const now = fromMillis(world.nowMs);
    world.d1.exec(`
      INSERT OR IGNORE INTO payment_users (key, id, name, metadata, metadata_bits, created_at) VALUES (1, '${USER}', 'Ada', '{}', 0, '${now}');
      INSERT OR IGNORE INTO payment_forwarded_users (user_key, connector_key, metadata, created_at)
        VALUES (1, ${connector.key}, '{}', '${now}');
      INSERT INTO payment_user_connections (user_key, connector_key, connection_id, status, metadata, metadata_bits, created_at, updated_at)
        VALUES (1, ${connector.key}, '${connectionId}', 'ACTIVE', '{}', 0, '${now}', '${now}')`);
  }
  const plan = (connectionId: string) =>
    world.d1.db.batch([
      ...connectionFetches(world.d1.db, {
        userId: USER,
        userKey: 1,
        connector,
        connectionId,
        now: fromMillis(world.nowMs),
      }),
    ]);
  const accounts = () =>
    world.d1.rows(
      "SELECT reference, psu_id, connection_id FROM payment_accounts WHERE psu_id > ''",
    );
  const waiting = () => world.count("payment_fetches", "parent LIKE '%/%'");
  const account = (name: string) => ({
    reference: `bank-${name}`,
    psu_id: USER,
    connection_id: name,
  });

  test("a connection of a user is fetched at once, once, and again when it is renewed", async () => {
    await world.settle(id);
    link("one");
    await plan("one");
    expect(waiting()).toBe(2);
    const startMs = world.nowMs;
    await world.settle(id);
    expect(world.nowMs).toBe(startMs);
    expect([accounts(), waiting()]).toEqual([[account("one")], 0]);
    expect(world.count("payment_user_connections", "data_updated_at IS NOT NULL")).toBe(1);
    // Both roots of the fetches end at the same time here, with one event.
    const synced = () => world.count("outbox", "event LIKE '%CONNECTION_DATA_SYNCED%'");
    expect(synced()).toBe(1);
    world.nowMs += 3_600_000;
    await world.settle(id);
    expect(synced()).toBe(1);
    await plan("one");
    await world.settle(id);
    expect([accounts(), synced()]).toEqual([[account("one")], 2]);
  });

  test("a connection that does not exist is not fetched, and leaves the connector as it is", async () => {
    await world.settle(id);
    const state = () => world.d1.rows("SELECT revision, synced_revision FROM payment_connectors");
    const before = state();
    await plan("nobody's");
    expect([state(), waiting()]).toEqual([before, 0]);
  });

  test("a connection of a user is fetched right after a run that it came too late for", async () => {
    for (const { key } of world.d1.rows("SELECT key FROM payment_schedules")) {
      world.d1.exec(`
        UPDATE payment_schedules SET instance_key = 1, node = task || '/FETCH_BALANCES',
          fetch_key = 1000000 WHERE key = ${Number(key)}`);
    }
    link("late");
    await plan("late");
    const startMs = world.nowMs;
    await world.settle(id);
    expect([accounts(), waiting(), world.nowMs]).toEqual([[account("late")], 0, startMs]);
  });

  test("a connection of a user that is gone is not fetched, and nothing is left of it", async () => {
    link("gone");
    await plan("gone");
    world.d1.exec("DELETE FROM payment_user_connections");
    await plan("never");
    await world.settle(id);
    expect([accounts(), waiting()]).toEqual([[], 0]);
  });

  test("a connection of a user waits where the provider has asked for a pause", async () => {
    await world.settle(id);
    const untilMs = world.nowMs + 60_000;
    world.d1.exec(`UPDATE payment_connectors SET held_until = '${fromMillis(untilMs)}'`);
    link("later");
    await plan("later");
    expect(await world.run(id)).toEqual({ atMs: untilMs });
    expect(accounts()).toEqual([]);
  });
});

describe("orders and conversions", () => {
  const next = (task: FetchTask) => ({
    node: { path: task, task, isPeriodic: true, children: [] },
    fetch: {
      key: 1,
      scheduleKey: 1,
      node: task,
      parent: "",
      payload: null,
      state: null,
      isDue: 1,
      failures: 0,
      retryAt: null,
    },
  });
  const fetched = (task: FetchTask, plugin: Plugin) =>
    fetchPage(world.context, { connector, plugin, next: next(task), pageSize: 50 });
  const store = async (task: FetchTask, plugin: Plugin) => {
    const page = await fetched(task, plugin);
    const [first, ...others] = (await page.prepare()).statements;
    if (first !== undefined) await world.d1.db.batch([first, ...others]);
    return page;
  };

  test("orders and conversions are fetched from a provider that has them", async () => {
    const asked: FetchRequest[] = [];
    const answer = async <T>(request: FetchRequest, item: T) => {
      asked.push(request);
      return { items: [item], state: { at: 1 }, hasMore: true };
    };
    const plugin: Plugin = {
      fetchOrders: (request) => answer(request, order()),
      fetchConversions: (request) => answer(request, conversion()),
    };
    for (const task of ["FETCH_ORDERS", "FETCH_CONVERSIONS"] as const) {
      expect(await store(task, plugin)).toMatchObject({
        hasMore: true,
        state: '{"at":1}',
        parents: [],
      });
    }
    expect(asked).toMatchObject([
      { state: undefined, pageSize: 50 },
      { state: undefined, pageSize: 50 },
    ]);
    expect([world.count("payment_orders"), world.count("payment_conversions")]).toEqual([1, 1]);
  });

  test("orders and conversions are refused by a connector without them", async () => {
    const failure: unknown = await fetched("FETCH_ORDERS", {}).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ConnectorError);
    expect(failure).toMatchObject({ kind: "invalid" });
  });
});
