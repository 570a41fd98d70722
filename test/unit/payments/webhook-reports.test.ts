import { describe, expect, test } from "vitest";
import type { PaymentStatus } from "#modules/payments/core/enums.ts";
import { storeReport } from "#modules/payments/deliveries/translate.ts";
import { account, at, balance } from "#test/support/payments/provider-objects.ts";
import { InitiationWorld } from "#test/support/payments/worlds/initiation-world.ts";

async function openWorld(): Promise<InitiationWorld> {
  const world = new InitiationWorld();
  await world.storeAccounts();
  return world;
}

type Report = Parameters<typeof storeReport>[2];

const report = (world: InitiationWorld, reported: Report): Promise<void> =>
  storeReport(world.context, world.connector, reported);

const stateOf = (world: InitiationWorld, reference: string, status: PaymentStatus) =>
  world.provider.paymentOf(reference, { status, createdAt: at(5) });

describe("a webhook", () => {
  test("a provider's webhook advances the payment initiation of the payment that it reports, as a poll does", async () => {
    const world = await openWorld();
    world.provider.status = "PENDING";
    const id = await world.createPaid();
    expect((await world.get(id)).state.status).toBe("PROCESSING");
    const reported = { payments: [stateOf(world, id.reference, "SUCCEEDED")] };
    await report(world, reported);
    expect((await world.get(id)).state.status).toBe("PROCESSED");
    await report(world, reported);
    const statuses = await world.statusesOf(id);
    expect(statuses).toEqual(["WAITING_FOR_VALIDATION", "PROCESSING", "PROCESSED"]);
  });

  test("a provider's webhook ends a movement that is asked for under an id, and nobody asks any more", async () => {
    const world = await openWorld();
    world.provider.answer = () => ({ pollingId: "poll-1" });
    const id = await world.createPaid();
    const payment = stateOf(world, id.reference, "SUCCEEDED");
    await report(world, { outcomes: [{ pollingId: "poll-2", result: { payment } }] });
    expect((await world.get(id)).state.status).toBe("PROCESSING");
    const outcomes = [{ pollingId: "poll-1", result: { payment } }];
    await report(world, { outcomes });
    await report(world, { outcomes });
    expect((await world.get(id)).state.status).toBe("PROCESSED");
    expect([world.count("payment_movements"), world.count("payment_payments")]).toEqual([0, 1]);
    world.provider.poll = () => expect.unreachable("the movement has ended");
    world.pass(10_000);
    await world.sweep();
  });

  test("a provider's webhook ends a movement that the provider could not make, with the reason", async () => {
    const world = await openWorld();
    world.provider.answer = () => ({ pollingId: "poll-1" });
    const id = await world.createPaid();
    await report(world, {
      outcomes: [{ pollingId: "poll-1", result: { error: "the account is closed" } }],
    });
    expect((await world.get(id)).state.status).toBe("FAILED");
    expect(world.count("payment_movements")).toBe(0);
  });

  test("a provider's webhook stores all that it reports, or nothing where an object is not valid", async () => {
    const world = await openWorld();
    const reported: Report = {
      accounts: [account("acc")],
      externalAccounts: [account("beneficiary")],
      payments: [stateOf(world, "p1", "PENDING"), stateOf(world, "p2", "SUCCEEDED")],
      balances: [balance(5n, 0)],
    };
    const bad = { ...reported, balances: [balance(5n, 0, "no asset")] };
    await expect(report(world, bad)).rejects.toThrow("which is not valid");
    expect(world.count("payment_payments")).toBe(0);
    await report(world, reported);
    world.pass(10);
    await report(world, { deletedPayments: ["p2"], cancelledPayments: ["p1"] });
    expect(world.world.d1.rows("SELECT reference, status FROM payment_payments")).toEqual([
      { reference: "p1", status: "CANCELLED" },
    ]);
    expect([world.count("payment_accounts"), world.count("payment_balances")]).toEqual([4, 1]);
  });
});

/** The process is killed at each database step of a delivery, one after the other. */
describe.each(["before", "after"] as const)("a process that is killed %s a step", (when) => {
  test("a process that is killed before or after a step works a delivery off once", async () => {
    let isLast = false;
    for (let step = 1; !isLast; step++) {
      const world = await openWorld();
      world.provider.answer = () => ({ pollingId: "poll-1" });
      const id = await world.createPaid();
      const payment = stateOf(world, id.reference, "SUCCEEDED");
      const reported: Report = {
        payments: [stateOf(world, "p1", "SUCCEEDED")],
        balances: [balance(5n, 0)],
        outcomes: [{ pollingId: "poll-1", result: { payment } }],
      };
      isLast = !(await world.killAt(step, when, () => report(world, reported)));
      // The provider delivers again, because the job of a delivery stays until it is done.
      await report(world, reported);
      expect((await world.get(id)).state.status).toBe("PROCESSED");
      expect(world.count("payment_payments")).toBe(2);
      expect(world.count("payment_adjustments")).toBe(2);
      expect(world.count("payment_balances")).toBe(1);
      expect(world.count("payment_movements")).toBe(0);
    }
  });
});
