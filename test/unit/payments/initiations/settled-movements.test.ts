import { describe, expect, test } from "vitest";
import { ConnectorError } from "#modules/payments/connectors/connector-error.ts";
import type { ProviderPayment } from "#modules/payments/connectors/provider-objects.ts";
import { encodePaymentId, type OwnedId } from "#modules/payments/core/ids.ts";
import { storeReport } from "#modules/payments/deliveries/translate.ts";
import { retryInitiation } from "#modules/payments/initiations/retry.ts";
import { completeReportedMovements } from "#modules/payments/movements/complete.ts";
import { allInitiationPayments } from "#modules/payments/payments/list-of-initiation.ts";
import { fromMillis } from "#platform/time.ts";
import { payment } from "#test/support/payments/provider-objects.ts";
import { InitiationWorld, timeout } from "#test/support/payments/worlds/initiation-world.ts";

async function openWorld(): Promise<InitiationWorld> {
  const world = new InitiationWorld();
  await world.storeAccounts();
  return world;
}

/** An initiation that was sent, and whose answer was lost. */
async function createLost(world: InitiationWorld): Promise<OwnedId> {
  const id = await world.createApproved();
  world.provider.answer = timeout;
  await world.sweep();
  expect((await world.get(id)).state.status).toBe("PROCESSING");
  return id;
}

/** The payment that a provider lists for a movement, under an id of its own. */
const listed = (
  world: InitiationWorld,
  reference: string,
  more: Partial<ProviderPayment> = {},
): ProviderPayment =>
  payment(reference, {
    type: "PAYOUT",
    createdAt: fromMillis(world.world.nowMs),
    sourceReference: "main",
    destinationReference: "landlord",
    ...more,
  });

/** Stores payments as a poll does. */
async function poll(world: InitiationWorld, ...payments: readonly ProviderPayment[]) {
  await world.report(...payments);
  await completeReportedMovements(world.context, world.connector);
}

const movementsIn = (world: InitiationWorld): number => world.count("payment_movements");

const relatedTo = async (world: InitiationWorld, id: OwnedId): Promise<string[]> => {
  const found = await allInitiationPayments(world.context, await world.get(id));
  return found.map(({ reference }) => reference);
};

const PAID = ["WAITING_FOR_VALIDATION", "PROCESSING", "PROCESSED"];

/** Asserts that a payment settles an initiation, and that the provider is never asked for it again. */
async function expectSettled(world: InitiationWorld, id: OwnedId, reference: string) {
  expect(await world.statusesOf(id)).toEqual(PAID);
  expect(await relatedTo(world, id)).toEqual([reference]);
  expect(movementsIn(world)).toBe(0);
  const [task] = world.world.d1.rows("SELECT status, created_object_id FROM payment_tasks");
  const payment = encodePaymentId({ connector: id.connector, reference, type: "PAYOUT" });
  expect(task).toMatchObject({ status: "SUCCEEDED", created_object_id: payment });
  const { requests } = world.provider;
  world.provider.answer = (made) => ({ payment: made });
  world.pass(200);
  expect(await world.sweep()).toBeUndefined();
  expect(world.provider.requests).toBe(requests);
  expect(await world.statusesOf(id)).toEqual(PAID);
}

describe("an initiation whose answer was lost", () => {
  test("an initiation whose answer was lost is settled by a poll that brings the payment with its reference", async () => {
    const world = await openWorld();
    const id = await createLost(world);
    await poll(world, listed(world, "tx-1", { initiationReference: id.reference }));
    expect(await relatedTo(world, id)).toEqual(["tx-1"]);
    await expectSettled(world, id, "tx-1");
  });

  test("an initiation whose answer was lost is settled by a webhook that brings the payment", async () => {
    const world = await openWorld();
    const id = await createLost(world);
    await storeReport(world.context, world.connector, { payments: [listed(world, "tx-1")] });
    expect(await relatedTo(world, id)).toEqual(["tx-1"]);
    await expectSettled(world, id, "tx-1");
  });

  test("a lost answer is not settled by a payment that moves other money, in another way, or between other accounts", async () => {
    const world = await openWorld();
    const id = await createLost(world);
    const page = [
      listed(world, "other-amount", { amount: 101n }),
      listed(world, "other-asset", { asset: "USD/2" }),
      listed(world, "other-way", { type: "TRANSFER" }),
      listed(world, "other-source", { sourceReference: "second" }),
      listed(world, "other-destination", { destinationReference: "hosting" }),
      listed(world, "before", { createdAt: fromMillis(world.world.nowMs - 1000) }),
    ];
    await poll(world, ...page);
    expect(await relatedTo(world, id)).toEqual([]);
    expect(movementsIn(world)).toBe(1);
    world.pass(1);
    const { sourceReference: _source, ...half } = listed(world, "half-named");
    await poll(world, half);
    expect(movementsIn(world)).toBe(1);
  });

  test("an initiation whose answer was lost hears once of a page that comes twice, and of one with later states", async () => {
    const world = await openWorld();
    const id = await createLost(world);
    const page = [listed(world, "tx-1"), listed(world, "tx-2", { amount: 7n })];
    await poll(world, ...page);
    await poll(world, ...page);
    await expectSettled(world, id, "tx-1");
    await poll(
      world,
      listed(world, "tx-1", { status: "FAILED", createdAt: fromMillis(world.world.nowMs) }),
    );
    await world.sweep();
    expect((await world.get(id)).state.status).toBe("FAILED");
  });

  test("an initiation whose answer was lost fails with a payment that has failed, and is sent again by a retry", async () => {
    const world = await openWorld();
    const id = await createLost(world);
    await poll(world, listed(world, "tx-1", { status: "FAILED" }));
    expect((await world.get(id)).state.status).toBe("FAILED");
    expect(await relatedTo(world, id)).toEqual(["tx-1"]);
    expect(movementsIn(world)).toBe(0);
    world.provider.answer = (made) => ({ payment: made });
    await retryInitiation(world.context, id);
    await world.sweep();
    expect((await world.get(id)).state.status).toBe("PROCESSED");
    expect(await relatedTo(world, id)).toHaveLength(2);
  });

  test("an initiation whose answer was lost is tied to a payment that is pending, and ends with it, without another call", async () => {
    const world = await openWorld();
    const id = await createLost(world);
    const { requests } = world.provider;
    await poll(world, listed(world, "tx-1", { status: "PENDING" }));
    expect((await world.get(id)).state.status).toBe("PROCESSING");
    expect(await relatedTo(world, id)).toEqual(["tx-1"]);
    world.pass(100);
    await world.sweep();
    expect(world.provider.requests).toBe(requests);
    await poll(world, listed(world, "tx-1", { createdAt: fromMillis(world.world.nowMs) }));
    await world.sweep();
    await expectSettled(world, id, "tx-1");
  });

  test("a lost answer is not settled by a payment of its reference that is older than itself, or of another amount", async () => {
    const world = await openWorld();
    world.pass(7200);
    const id = await createLost(world);
    const initiationReference = id.reference;
    const old = fromMillis(world.world.nowMs - 7_000_000);
    await poll(world, listed(world, "old", { initiationReference, createdAt: old }));
    await poll(world, listed(world, "more", { initiationReference, amount: 101n }));
    expect(movementsIn(world)).toBe(1);
    expect(await relatedTo(world, id)).toEqual([]);
  });
});

describe("a payment that may belong to either of two initiations", () => {
  test("two initiations of one amount are left to the provider", async () => {
    const world = await openWorld();
    const ids = [await createLost(world), await createLost(world)];
    await poll(world, listed(world, "tx-1"));
    expect(movementsIn(world)).toBe(2);
    world.provider.answer = (made) => ({ payment: made });
    world.pass(2);
    await world.sweep();
    for (const id of ids) expect(await relatedTo(world, id)).toEqual([id.reference]);
    expect(world.provider.effects.size).toBe(2);
  });

  test("two initiations of one amount are told apart by their references", async () => {
    const world = await openWorld();
    const [first, second] = [await createLost(world), await createLost(world)];
    await poll(
      world,
      listed(world, "tx-2", { initiationReference: second.reference }),
      listed(world, "tx-1", { initiationReference: first.reference }),
    );
    expect(await relatedTo(world, first)).toEqual(["tx-1"]);
    expect(await relatedTo(world, second)).toEqual(["tx-2"]);
    expect(movementsIn(world)).toBe(0);
  });

  test("two payments of one amount settle nothing", async () => {
    const world = await openWorld();
    const id = await createLost(world);
    await poll(world, listed(world, "tx-1"), listed(world, "tx-2"));
    expect(await relatedTo(world, id)).toEqual([]);
    expect(movementsIn(world)).toBe(1);
  });

  test("a payment that may be that of an initiation which was answered settles no other one", async () => {
    const world = await openWorld();
    const answered = await world.createApproved();
    const lost = await world.createApproved();
    world.provider.answer = (made) =>
      made.reference === lost.reference ? timeout() : { payment: made };
    await world.sweep();
    expect((await world.get(answered)).state.status).toBe("PROCESSED");
    // The provider lists the movement under another id than the id of its answer.
    await poll(world, listed(world, "tx-1"));
    expect(movementsIn(world)).toBe(1);
    expect(await relatedTo(world, lost)).toEqual([]);
  });

  test("a payment that another initiation has settles no other one", async () => {
    const world = await openWorld();
    const first = await createLost(world);
    await poll(world, listed(world, "tx-1", { initiationReference: first.reference }));
    const second = await createLost(world);
    const later = fromMillis(world.world.nowMs + 1);
    const initiationReference = second.reference;
    await poll(world, listed(world, "tx-1", { initiationReference, createdAt: later }));
    expect(await relatedTo(world, second)).toEqual([]);
    expect(movementsIn(world)).toBe(1);
  });
});

describe("an attempt and a page at once", () => {
  test("a page that comes during an attempt settles it, and the answer changes nothing", async () => {
    const world = await openWorld();
    const id = await createLost(world);
    world.pass(1);
    let during = Promise.resolve();
    const { plugin } = world.provider;
    const create = plugin.createPayout;
    Object.assign(plugin, {
      createPayout: async (movement: Parameters<NonNullable<typeof create>>[0]) => {
        during = poll(world, listed(world, "tx-1", { initiationReference: id.reference }));
        await during;
        return { payment: world.provider.paymentOf(movement.reference) };
      },
    });
    await world.sweep();
    await expectSettled(world, id, "tx-1");
    expect(world.count("payment_payments")).toBe(1);
  });

  test("a page that comes during a lost attempt settles it, and shows no trouble afterwards", async () => {
    const world = await openWorld();
    const id = await createLost(world);
    world.pass(1);
    Object.assign(world.provider.plugin, {
      createPayout: async () => {
        await poll(world, listed(world, "tx-1", { initiationReference: id.reference }));
        throw new ConnectorError("unknown", "POST /payouts: the provider gave no answer");
      },
    });
    await world.sweep();
    await expectSettled(world, id, "tx-1");
    const [connector] = world.world.d1.rows("SELECT health FROM payment_connectors");
    expect(connector?.["health"]).toBe("healthy");
  });

  test("an answer that comes before a page leaves nothing to settle", async () => {
    const world = await openWorld();
    const id = await createLost(world);
    world.provider.answer = (made) => ({ payment: made });
    world.pass(1);
    await world.sweep();
    await poll(world, listed(world, "tx-1", { initiationReference: id.reference }));
    expect(await relatedTo(world, id)).toEqual([id.reference]);
  });

  test("a process that is killed at any step between page and outcome asks the provider for nothing", async () => {
    for (let step = 1; ; step++) {
      const world = await openWorld();
      const id = await createLost(world);
      await world.report(listed(world, "tx-1"));
      const wasKilled = await world.killAt(step, "after", () =>
        completeReportedMovements(world.context, world.connector),
      );
      const { requests } = world.provider;
      world.provider.answer = (made) => ({ payment: made });
      world.pass(1);
      await world.sweep();
      expect(world.provider.requests).toBe(requests);
      await expectSettled(world, id, "tx-1");
      if (!wasKilled) return;
    }
  });
});

test("a page of payments looks up the movements that it may settle, however many there are", async () => {
  const world = await openWorld();
  const { d1 } = world.world;
  const noted: string[] = [];
  d1.onStatement = (text, params) => {
    if (!text.startsWith('update "payment_movements"')) return;
    const plan = d1.rows(`EXPLAIN QUERY PLAN ${text}`, ...params);
    noted.push(plan.map(({ detail }) => String(detail)).join("\n"));
  };
  await world.report(listed(world, "tx-1"), listed(world, "tx-2", { initiationReference: "po" }));
  expect(noted).toHaveLength(1);
  expect(noted[0]).toContain("USING INDEX payment_movements_mark");
  expect(noted[0]).toContain("USING INDEX payment_movements_signature");
  expect(noted[0]).not.toMatch(/SCAN (?:m|payment_movements)\b/);
});

test("a reversal whose answer was lost is settled by the refund that has its reference", async () => {
  const world = await openWorld();
  const id = await world.createPaid();
  await world.reverse(id, "r-1", 40n);
  world.provider.before = () => {
    throw new ConnectorError("unknown", "POST /refunds: the provider gave no answer");
  };
  await world.sweep();
  expect((await world.get(id)).state.status).toBe("REVERSE_PROCESSING");
  const refund = listed(world, "re-1", {
    parentReference: id.reference,
    status: "REFUNDED",
    amount: 40n,
    initiationReference: "r-1",
  });
  await poll(world, refund);
  expect((await world.get(id)).state).toMatchObject({ status: "REVERSED", reversed: 40n });
  const { requests } = world.provider;
  world.pass(200);
  await world.sweep();
  expect(world.provider.requests).toBe(requests);
  expect((await world.get(id)).state.reversed).toBe(40n);
});
