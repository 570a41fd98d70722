import { describe, expect, test } from "vitest";
import { ConnectorError } from "#modules/payments/connectors/connector-error.ts";
import type { MovementResult, Plugin } from "#modules/payments/connectors/contract.ts";
import type { ProviderPayment } from "#modules/payments/connectors/provider-objects.ts";
import { retryInitiation } from "#modules/payments/initiations/retry.ts";
import { fromMillis } from "#platform/time.ts";
import { payment } from "#test/support/payments/provider-objects.ts";
import { refusalOf } from "#test/support/payments/worlds/initiation-world.ts";
import { RestoredWorld } from "#test/support/payments/worlds/restored-world.ts";

const noFunds = (): never => {
  throw new ConnectorError("invalid", "no funds");
};

/** A copy after its look-up, whose first call ends with `end` while the provider lists a payment that may be the original's. */
async function failedDuring(shown: Partial<ProviderPayment>, end: () => MovementResult) {
  const world = await RestoredWorld.open();
  world.restore();
  await world.arm();
  await world.lookToEnd();
  const id = await world.createApproved({ reference: "x" });
  const calls: string[] = [];
  const plugin: Plugin = {
    ...world.plugin,
    createPayout: async ({ reference }) => {
      calls.push(reference);
      if (calls.length > 1) return { payment: payment("own", { type: "PAYOUT" }) };
      await world.poll(world.listed("x", shown));
      return end();
    },
  };
  await world.sweep(plugin);
  expect(await world.statusOf(id)).toBe("FAILED");
  return { world, id, calls, sweep: () => world.sweep(plugin) };
}

describe("a call that fails while its order is under review", () => {
  test.each<readonly [string, Partial<ProviderPayment>, () => MovementResult]>([
    ["of more money, and a refusal", { amount: 101n }, noFunds],
    ["of an earlier time, and a refusal", { createdAt: fromMillis(0) }, noFunds],
    [
      "of more money, and a payment that has failed",
      { amount: 101n },
      () => ({ payment: payment("failed", { type: "PAYOUT", status: "FAILED" }) }),
    ],
  ])("after a payment %s, a person decides before a retry", async (_, shown, end) => {
    const { world, id, calls, sweep } = await failedDuring(shown, end);
    expect(await world.openReviews()).toHaveLength(1);
    expect(await refusalOf(retryInitiation(world.context, id))).toMatch(/^VALIDATION /);
    await sweep();
    expect(calls).toEqual(["x"]);
    await world.decideOn("x", { decision: "not-paid" });
    await retryInitiation(world.context, id);
    await sweep();
    expect([calls, await world.statusOf(id)]).toEqual([["x", "x"], "PROCESSED"]);
  });

  test("the order gets the payment that a person names, and is not sent again", async () => {
    const { world, id, calls, sweep } = await failedDuring({ createdAt: fromMillis(0) }, noFunds);
    await world.decideOn("x", { decision: "paid", paymentReference: "tx-x" });
    await sweep();
    expect([calls, await world.statusOf(id)]).toEqual([["x"], "PROCESSED"]);
  });

  test("the order stays failed if it is given up", async () => {
    const { world, id } = await failedDuring({ amount: 101n }, noFunds);
    await world.decideOn("x", { decision: "given-up" });
    expect([await world.openReviews(), await world.statusOf(id)]).toEqual([[], "FAILED"]);
  });

  test("the review of a reversal ends with the reversal, which is refused", async () => {
    const world = await RestoredWorld.open();
    world.restore();
    await world.arm();
    await world.lookToEnd();
    const id = await world.createApproved({ reference: "x" });
    await world.sweep();
    await world.reverse(id, "back", 40n);
    await world.sweep({
      ...world.plugin,
      reversePayout: async () => {
        await world.poll(world.listed("back", { amount: 101n }));
        expect(await world.openReviews()).toMatchObject([{ reversal: { reference: "back" } }]);
        return noFunds();
      },
    });
    expect(world.rows("SELECT status FROM payment_reviews")).toEqual([{ status: "settled" }]);
  });
});
