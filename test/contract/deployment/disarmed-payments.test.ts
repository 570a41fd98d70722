import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { kindOf } from "#modules/payments/connectors/index.ts";
import { encodeOwnedId, type OwnedId } from "#modules/payments/core/ids.ts";
import { createInitiation } from "#modules/payments/initiations/create.ts";
import { getInitiation } from "#modules/payments/initiations/store.ts";
import { sweepJobs } from "#modules/payments/job-runner/run.ts";
import { wakeMovements } from "#modules/payments/movements/wake.ts";
import { present } from "#platform/assert.ts";
import { systemContext } from "#platform/context.ts";
import { arm, armForTheNextFile, disarm } from "#test/support/deployment/arming.ts";
import { healthOf, polled, referenceOf } from "#test/support/payments/installs.ts";
import { installPaying, type PayingConnector, payoutOf } from "#test/support/payments/payouts.ts";
import { api, bodyOf, freshName } from "#test/support/platform/api.ts";
import { eventually } from "#test/support/platform/eventually.ts";
import { endObject } from "#test/support/platform/evict.ts";

const context = systemContext(env, "test");
const PAST = "2026-01-01T00:00:00.000000Z";

/** The references of the payouts that the provider was asked for, and the number of pages that were fetched. */
const asked: string[] = [];
let fetched = 0;

afterAll(armForTheNextFile);
beforeEach(async () => {
  await arm();
  const kind = present(kindOf("dummypay"), "it is a kind");
  const { create } = kind;
  vi.spyOn(kind, "create").mockImplementation((config, ports) => {
    const plugin = create(config, ports);
    const createPayout = present(plugin.createPayout, "it makes payouts");
    const fetchAccounts = present(plugin.fetchAccounts, "it has accounts");
    return {
      ...plugin,
      fetchAccounts: (...page) => {
        fetched++;
        return fetchAccounts(...page);
      },
      createPayout: (movement) => {
        asked.push(movement.reference);
        return createPayout(movement);
      },
    };
  });
});
afterEach(() => {
  vi.restoreAllMocks();
});

const DISARMED = {
  errorCode: "INTERNAL",
  errorMessage: expect.stringContaining("the deployment has been disarmed since") as string,
  details: "disarmed",
};

const order = async ({ id }: PayingConnector, isSent = false): Promise<OwnedId> =>
  (await createInitiation(context, { ...payoutOf(id, freshName("po")), isSent })).id;

const statusOf = async (id: OwnedId): Promise<string> =>
  (await getInitiation(context, id)).state.status;

const objectOf = ({ id }: PayingConnector) => env.CONNECTORS.getByName(id.reference);

const movementOf = (id: OwnedId) =>
  env.DB.prepare("SELECT claims, failures, last_error FROM payment_movements WHERE mark = ?")
    .bind(id.reference)
    .first();

describe("payments of a disarmed deployment", () => {
  test("payments of a disarmed deployment are moved by nobody, and once by the connector that is armed", async () => {
    const [one, two] = [await installPaying(), await installPaying()];
    const ids = [await order(one, true), await order(two, true)] as const;
    await disarm();
    for (const connector of [one, two]) {
      await wakeMovements(context, connector.id);
      await runDurableObjectAlarm(objectOf(connector));
      await endObject(objectOf(connector));
      await wakeMovements(context, connector.id);
    }
    expect(asked.filter((reference) => ids.some((id) => id.reference === reference))).toEqual([]);
    for (const id of ids) {
      expect(await statusOf(id)).toBe("PROCESSING");
      expect(await movementOf(id)).toEqual({ claims: 0, failures: 0, last_error: null });
    }
    await arm({ connectorID: one.connectorID });
    await eventually(async () => {
      await wakeMovements(context, one.id);
      expect(await statusOf(ids[0])).toBe("PROCESSED");
    });
    await wakeMovements(context, two.id);
    await runDurableObjectAlarm(objectOf(two));
    expect(await movementOf(ids[1])).toEqual({ claims: 0, failures: 0, last_error: null });
    await arm();
    await eventually(async () => {
      await wakeMovements(context, two.id);
      expect(await statusOf(ids[1])).toBe("PROCESSED");
    });
    for (const { reference } of ids) {
      expect(asked.filter((other) => other === reference)).toHaveLength(1);
    }
  });

  test("payments of a disarmed deployment are not approved, retried, reversed or sent, and nothing is stored", async () => {
    const connector = await installPaying();
    const path = (id: OwnedId, verb: string) =>
      `/api/payments/v3/payment-initiations/${encodeOwnedId(id)}/${verb}`;
    const id = await order(connector);
    await disarm();
    const approved = await api(path(id, "approve"), { method: "POST" });
    expect([approved.status, await bodyOf(approved)]).toEqual([503, DISARMED]);
    expect(await statusOf(id)).toBe("WAITING_FOR_VALIDATION");
    const retried = await api(path(id, "retry"), { method: "POST" });
    expect(retried.status).toBe(503);
    const reversal = {
      reference: "reversal-1",
      description: "",
      amount: 1,
      asset: "EUR/2",
      metadata: {},
    };
    const reversed = await api(path(id, "reverse"), { body: reversal });
    expect([reversed.status, await bodyOf(reversed)]).toEqual([503, DISARMED]);
    await expect(order(connector, true)).rejects.toMatchObject({ kind: "DISARMED" });
    // An initiation that waits for its approval, and a rejection, leave the deployment as little as a transaction does.
    expect(await statusOf(await order(connector))).toBe("WAITING_FOR_VALIDATION");
    expect((await api(path(id, "reject"), { method: "POST" })).status).toBe(204);
    await arm({ connectorID: connector.connectorID });
    const second = await order(connector);
    await eventually(async () => {
      const answer = await api(path(second, "approve"), { method: "POST" });
      expect(answer.status).toBe(202);
    });
  });

  test("payments of a disarmed deployment are not fetched, and the connector's health has no failure", async () => {
    const connector = await installPaying();
    await disarm();
    fetched = 0;
    await env.DB.prepare(
      "UPDATE payment_schedules SET next_at = ? WHERE connector_key = (SELECT key FROM payment_connectors WHERE reference = ?)",
    )
      .bind(PAST, connector.id.reference)
      .run();
    await objectOf(connector).refresh();
    await runDurableObjectAlarm(objectOf(connector));
    await endObject(objectOf(connector));
    await runDurableObjectAlarm(objectOf(connector));
    expect(fetched).toBe(0);
    const alarmMs = await runInDurableObject(objectOf(connector), (_, { storage }) =>
      storage.getAlarm(),
    );
    expect(alarmMs).toBeGreaterThan(Date.now());
    expect(await healthOf(connector.connectorID)).not.toHaveProperty("lastError");
    const before = new Date().toISOString();
    await arm();
    await eventually(async () => {
      await runDurableObjectAlarm(objectOf(connector));
      expect(fetched).toBeGreaterThan(0);
    });
    await polled(connector.connectorID, before);
  });

  test("payments of a disarmed deployment keep a connector that is uninstalled until it is armed", async () => {
    const connector = await installPaying();
    await disarm();
    const path = `/api/payments/v3/connectors/${connector.connectorID}`;
    expect((await api(path, { method: "DELETE" })).status).toBe(202);
    await runDurableObjectAlarm(objectOf(connector));
    const rows = () =>
      env.DB.prepare("SELECT count(*) AS n FROM payment_connectors WHERE reference = ?")
        .bind(referenceOf(connector.connectorID))
        .first<number>("n");
    expect(await rows()).toBe(1);
    await arm({ connectorID: connector.connectorID });
    await eventually(async () => {
      await runDurableObjectAlarm(objectOf(connector));
      expect(await rows()).toBe(0);
    });
  });

  test("payments of a disarmed deployment have jobs that wait without an attempt, and are done when it is armed", async () => {
    const created = await api("/api/payments/v3/payment-service-users", {
      body: { name: freshName("user") },
    });
    const { data: user } = (await bodyOf(created)) as { data: string }; // the schema of this operation has this shape
    await disarm();
    const path = `/api/payments/v3/payment-service-users/${user}`;
    expect((await api(path, { method: "DELETE" })).status).toBe(202);
    const nextMs = await sweepJobs(context);
    expect((nextMs ?? 0) - Date.now()).toBeGreaterThan(10_000);
    const attempts = () =>
      env.DB.prepare("SELECT sync_attempts AS n FROM payment_jobs").first<number>("n");
    expect(await attempts()).toBe(0);
    await arm();
    await sweepJobs(context);
    await eventually(async () => expect(await attempts()).toBeNull());
    expect((await api(path)).status).toBe(404);
  });

  test("payments of a disarmed deployment get no connector whose provider has to be asked first", async () => {
    await disarm();
    const fetch = vi.spyOn(globalThis, "fetch");
    const body = { name: freshName("stripe"), apiKey: "sk_test_key" };
    const refused = await api("/api/payments/v3/connectors/install/stripe", { body });
    expect([refused.status, await bodyOf(refused)]).toEqual([503, DISARMED]);
    expect(fetch).not.toHaveBeenCalled();
  });
});
