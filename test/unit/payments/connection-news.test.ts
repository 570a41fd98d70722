import { beforeEach, describe, expect, test } from "vitest";
import type { ConnectionNews } from "#modules/payments/connectors/webhook-contract.ts";
import { storeReport } from "#modules/payments/deliveries/translate.ts";
import { type InstalledConnector, requireConnector } from "#modules/payments/installs/store.ts";
import { parseJson } from "#platform/json.ts";
import { at } from "#test/support/payments/provider-objects.ts";
import { PollingWorld } from "#test/support/payments/worlds/polling-world.ts";

const USER = "33333333-2222-4333-8444-555555555555";

let world: PollingWorld;
let connector: InstalledConnector;
beforeEach(async () => {
  world = new PollingWorld();
  const id = await world.install("dummypay");
  connector = await requireConnector(world.context, id);
  await world.settle(id);
  world.d1.exec(`
    INSERT INTO payment_users (key, id, name, metadata, metadata_bits, created_at) VALUES (1, '${USER}', 'Ada', '{}', 0, '${at(0)}');
    INSERT INTO payment_forwarded_users (user_key, connector_key, provider_user_id, metadata, created_at)
      VALUES (1, ${connector.key}, 'ada', '{}', '${at(0)}')`);
});

const report = (...connections: readonly ConnectionNews[]): Promise<void> =>
  storeReport(world.context, connector, { connections });

const about = { providerUserId: "ada", connectionId: "item-1" };

const connections = () =>
  world.d1.rows("SELECT connection_id, status, error FROM payment_user_connections");

/** The types of the events about users, with their reasons. */
const events = () =>
  world.d1.rows("SELECT event FROM outbox ORDER BY sequence").flatMap(({ event }) => {
    const { type, payload } = parseJson(String(event)) as {
      type: string;
      payload: { reason?: string };
    };
    return type.startsWith("OPEN_BANKING") ? [[type, payload.reason]] : [];
  });

describe("a webhook about a connection of a user", () => {
  test("a webhook about a connection that does not work any more stores the error, until it works again", async () => {
    const broken = { ...about, kind: "disconnected", at: at(10), reason: "log in again" } as const;
    await report(broken);
    await report(broken);
    expect(connections()).toEqual([
      { connection_id: "item-1", status: "ERROR", error: "log in again" },
    ]);
    await report({ ...about, kind: "reconnected", at: at(20) });
    expect(connections()).toEqual([{ connection_id: "item-1", status: "ACTIVE", error: null }]);
    // A late delivery, which is about an earlier time, changes nothing.
    await report({ ...broken, at: at(15) });
    expect(connections()).toMatchObject([{ status: "ACTIVE" }]);
    await report({ ...about, kind: "reconnected", at: at(30) });
    expect(events().slice(0, 2)).toEqual([
      ["OPEN_BANKING_USER_CONNECTION_DISCONNECTED", "log in again"],
      ["OPEN_BANKING_USER_CONNECTION_RECONNECTED", undefined],
    ]);
  });

  test("a webhook about a connection that will end, or a user who has left, is an event only", async () => {
    await report(
      { ...about, kind: "pending-disconnect", at: at(1), reason: "the consent expires" },
      { providerUserId: "ada", kind: "user-disconnected", at: at(2) },
    );
    expect(connections()).toEqual([]);
    expect(events()).toEqual([
      ["OPEN_BANKING_USER_CONNECTION_PENDING_DISCONNECT", "the consent expires"],
      ["OPEN_BANKING_USER_DISCONNECTED", undefined],
    ]);
  });

  test("a webhook about a connection whose data are ready lets them be fetched at once", async () => {
    await report({ ...about, kind: "reconnected", at: at(1) });
    world.told.length = 0;
    await report({ ...about, kind: "data-ready" });
    expect(world.count("payment_fetches", "parent LIKE '%/item-1'")).toBe(2);
    expect(world.told).toEqual([connector.id.reference]);
  });

  test("a webhook about a connection that names no user is about the one who has the connection", async () => {
    await report({ ...about, kind: "reconnected", at: at(1) });
    const broken = { kind: "disconnected", at: at(2), reason: "log in again" } as const;
    await report({ ...broken, connectionId: "item-1" }, { ...broken, connectionId: "item-2" });
    expect(connections()).toMatchObject([{ connection_id: "item-1", status: "ERROR" }]);
    await report({ kind: "data-ready", connectionId: "item-1" });
    expect(world.count("payment_fetches", "parent LIKE '%/item-1'")).toBe(2);
  });

  test("a webhook about a connection concerns nobody where the user is not known", async () => {
    const stranger = { ...about, providerUserId: "bob" };
    await report(
      { ...stranger, kind: "disconnected", at: at(1) },
      { ...stranger, kind: "data-ready" },
    );
    expect([connections(), events()]).toEqual([[], []]);
  });
});

describe("a webhook with data of a connection", () => {
  const data = (providerUserId: string) =>
    storeReport(world.context, connector, {
      owner: { providerUserId, connectionId: "item-1" },
      accounts: [{ reference: "acc-1", createdAt: at(1), metadata: {}, raw: "{}" }],
      balances: [{ accountReference: "acc-1", createdAt: at(1), amount: 5n, asset: "EUR/2" }],
    });
  const owners = (table: string) =>
    world.d1.rows(`SELECT psu_id, connection_id FROM ${table} WHERE psu_id IS NOT NULL`);

  test("a webhook with data of a connection gives them to the user whom the provider means, and to nobody else", async () => {
    await data("bob");
    expect(world.count("payment_accounts", "reference = 'acc-1'")).toBe(0);
    await data("ada");
    expect(owners("payment_accounts")).toEqual([{ psu_id: USER, connection_id: "item-1" }]);
    expect(owners("payment_balances")).toEqual([{ psu_id: USER, connection_id: "item-1" }]);
  });
});

describe("a webhook about the end of an attempt to link a user", () => {
  const ATTEMPT = "44444444-2222-4333-8444-555555555555";
  const ended = () =>
    storeReport(world.context, connector, {
      endedLinks: [{ attemptId: ATTEMPT, query: { status: ["success"] } }],
    });
  const insertAttempt = (connectorKey: number, status: string) =>
    world.d1.exec(`
      INSERT INTO payment_link_attempts
        (id, user_key, connector_key, status, client_redirect_url, state_hash, link, created_at)
      VALUES ('${ATTEMPT}', 1, ${connectorKey}, '${status}', 'https://app.example', '', '', '${at(0)}')`);
  const jobs = () => world.count("payment_jobs", `name = 'complete-link-${ATTEMPT}'`);

  test("a webhook about the end of an attempt to link a user lets the attempt be completed, once", async () => {
    insertAttempt(connector.key, "pending");
    await ended();
    await ended();
    expect(jobs()).toBe(1);
  });

  test("a webhook about the end of a link attempt does nothing if it has ended, is unknown, or is another connector's", async () => {
    await ended();
    insertAttempt(connector.key, "completed");
    await ended();
    world.d1.exec("DELETE FROM payment_link_attempts");
    insertAttempt(connector.key + 1, "pending");
    await ended();
    expect(jobs()).toBe(0);
  });
});
