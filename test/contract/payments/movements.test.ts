import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { kindOf } from "#modules/payments/connectors/index.ts";
import { type ConnectorId, decodeConnectorId, type OwnedId } from "#modules/payments/core/ids.ts";
import { createInitiation } from "#modules/payments/initiations/create.ts";
import { getInitiation } from "#modules/payments/initiations/store.ts";
import { MOVING_MAX } from "#modules/payments/movements/loop.ts";
import { sweepInitiations } from "#modules/payments/movements/sweep.ts";
import { wakeMovements } from "#modules/payments/movements/wake.ts";
import { present } from "#platform/assert.ts";
import { systemContext } from "#platform/context.ts";
import { fromMillis, type Timestamp } from "#platform/time.ts";
import { api, bodyOf, freshName } from "#test/support/platform/api.ts";
import { eventually } from "#test/support/platform/eventually.ts";
import { evict } from "#test/support/platform/evict.ts";

const context = systemContext(env, "test");
const HOUR = 3_600_000;

/** Providers that do not answer, by the directory of their connectors. */
const hanging = new Set<string>();
/** The number of payouts under way, the largest such number, and the references of all payouts asked for. */
let under = 0;
let mostUnder = 0;
const asked: string[] = [];

beforeEach(() => {
  const kind = present(kindOf("dummypay"), "it is a kind");
  const create = kind.create;
  vi.spyOn(kind, "create").mockImplementation((config, ports) => {
    const plugin = create(config, ports);
    const createPayout = present(plugin.createPayout, "it makes payouts");
    return {
      ...plugin,
      createPayout: async (movement) => {
        asked.push(movement.reference);
        if (hanging.has(`${config["directory"]}`)) return new Promise(() => undefined);
        mostUnder = Math.max(mostUnder, ++under);
        try {
          return await createPayout(movement);
        } finally {
          under--;
        }
      },
    };
  });
  [under, mostUnder] = [0, 0];
});
afterEach(() => vi.restoreAllMocks());

interface TestConnector {
  readonly id: ConnectorId;
  readonly name: string;
}

async function install(): Promise<TestConnector> {
  const name = freshName("dummy");
  const body = { name, directory: name };
  const answer = await api("/api/payments/v3/connectors/install/dummypay", {
    method: "POST",
    body,
  });
  const { data: connectorID } = (await bodyOf(answer)) as { data: string }; // the schema of this operation has this shape
  for (const [reference, type] of [
    ["main", "INTERNAL"],
    ["landlord", "EXTERNAL"],
  ]) {
    const account = { reference, accountName: reference, connectorID, type, metadata: {} };
    const createdAt = "2026-03-01T09:30:00Z";
    await api("/api/payments/v3/accounts", { method: "POST", body: { ...account, createdAt } });
  }
  return { id: present(decodeConnectorId(connectorID), "it was just given"), name };
}

/** Stores an initiation that is to be sent without waking a clock, as a process that is killed after storing it. */
async function order({ id: connector }: TestConnector, scheduledAt?: Timestamp): Promise<OwnedId> {
  const { id } = await createInitiation(context, {
    connector,
    reference: freshName("po"),
    description: "rent",
    type: "PAYOUT",
    amount: 100n,
    asset: "EUR/2",
    source: { connector, reference: "main" },
    destination: { connector, reference: "landlord" },
    metadata: {},
    isSent: true,
    ...(scheduledAt === undefined ? {} : { scheduledAt }),
  });
  return id;
}

const statusOf = async (id: OwnedId): Promise<string> =>
  (await getInitiation(context, id)).state.status;

const orders = (connector: TestConnector, count: number): Promise<OwnedId[]> =>
  Promise.all(Array.from({ length: count }, () => order(connector)));

const areProcessed = (ids: readonly OwnedId[]): Promise<void> =>
  eventually(async () => {
    const statuses = await Promise.all(ids.map(statusOf));
    expect(new Set(statuses)).toEqual(new Set(["PROCESSED"]));
  });

describe("the object of a connector", () => {
  test("the object of a connector moves all that is due when it is woken once, a few at a time and each once", async () => {
    const connector = await install();
    const ids = await orders(connector, 40);
    await wakeMovements(context, connector.id);
    await Promise.all([1, 2, 3].map(() => wakeMovements(context, connector.id)));
    await areProcessed(ids);
    expect(mostUnder).toBeGreaterThan(1);
    expect(mostUnder).toBeLessThanOrEqual(MOVING_MAX);
    const requests = asked.filter((reference) => ids.some((id) => id.reference === reference));
    expect(requests.toSorted()).toEqual(ids.map(({ reference }) => reference).toSorted());
  });

  test("the object of a connector moves money while the provider of another one hangs", async () => {
    const [sick, well] = [await install(), await install()];
    hanging.add(sick.name);
    const held = await orders(sick, MOVING_MAX + 1);
    await wakeMovements(context, sick.id);
    await eventually(() =>
      expect(
        asked.filter((reference) => held.some((id) => id.reference === reference)),
      ).toHaveLength(MOVING_MAX),
    );
    const ids = await orders(well, 6);
    await wakeMovements(context, well.id);
    await areProcessed(ids);
    expect(new Set(await Promise.all(held.map(statusOf)))).toEqual(new Set(["PROCESSING"]));
  });

  test("the object of a connector moves money at its time, also after an eviction", async () => {
    const connector = await install();
    const id = await order(connector, fromMillis(Date.now() + 1500));
    await wakeMovements(context, connector.id);
    const object = env.CONNECTORS.getByName(connector.id.reference);
    const alarmOf = () => runInDurableObject(object, (_, { storage }) => storage.getAlarm());
    await eventually(async () => expect(await alarmOf()).not.toBeNull());
    expect(await statusOf(id)).toBe("SCHEDULED_FOR_PROCESSING");
    await evict(object);
    await areProcessed([id]);
  });
});

describe("the sweep of initiations", () => {
  test("the sweep of initiations wakes a connector that was not told, and no other one", async () => {
    const [lost, scheduled] = [await install(), await install()];
    const ids = await orders(lost, 3);
    const later = await order(scheduled, fromMillis(Date.now() + HOUR));
    const soon = { ...context, clock: () => fromMillis(Date.now() + 6000) };
    const next = await sweepInitiations(soon);
    expect(next).toBeLessThanOrEqual(Date.now() + HOUR + 6000);
    await areProcessed(ids);
    expect(await statusOf(later)).toBe("SCHEDULED_FOR_PROCESSING");
  });
});
