import { describe, expect, test } from "vitest";
import type { Plugin } from "#modules/payments/connectors/contract.ts";
import { retryInitiation } from "#modules/payments/initiations/retry.ts";
import { fromMillis } from "#platform/time.ts";
import { payment } from "#test/support/payments/provider-objects.ts";
import { timeout } from "#test/support/payments/worlds/initiation-world.ts";
import { RestoredWorld } from "#test/support/payments/worlds/restored-world.ts";

/** A copy after its look-up, whose call for a payout is on its way while the provider lists a payment of more money with its reference. */
async function openDuring(end: Plugin["createPayout"], others: Plugin = {}) {
  const world = await RestoredWorld.open();
  world.restore();
  await world.arm();
  await world.lookToEnd();
  const id = await world.createApproved({ reference: "x" });
  const calls: string[] = [];
  const plugin: Plugin = {
    ...world.plugin,
    createPayout: async (movement) => {
      calls.push("create");
      if (calls.length === 1) await world.poll(world.listed("x", { amount: 101n }));
      return end?.(movement) ?? timeout();
    },
    ...others,
  };
  await world.sweep(plugin);
  const sweepLater = async () => {
    world.pass(7200);
    await world.sweep(plugin);
  };
  return { world, id, calls, sweepLater };
}

describe("a movement that is held while its step is under way", () => {
  test("a movement that is held while its step is under way is not sent again before the decision", async () => {
    const { world, id, calls, sweepLater } = await openDuring(async () => timeout());
    expect(await world.openReviews()).toHaveLength(1);
    await sweepLater();
    expect(calls).toEqual(["create"]);
    expect(await world.get(id)).toMatchObject({ state: { status: "PROCESSING" } });
    await world.decideOn("x", { decision: "not-paid" });
    await sweepLater();
    expect(calls).toEqual(["create", "create"]);
  });

  test("a movement that is held while its step is under way, and that the provider accepts, is only asked for after the decision", async () => {
    const polled: string[] = [];
    const { world, id, calls, sweepLater } = await openDuring(async () => ({ pollingId: "p1" }), {
      pollPayout: async (pollingId) => {
        polled.push(pollingId);
        return { error: "no money" };
      },
    });
    await sweepLater();
    expect([await world.openReviews(), polled]).toEqual([[expect.anything()], []]);
    await world.decideOn("x", { decision: "not-paid" });
    await sweepLater();
    expect([calls, polled, await world.statusOf(id)]).toEqual([["create"], ["p1"], "FAILED"]);
  });

  test("a movement that is held while its step is under way, and that the provider makes, is settled with its review", async () => {
    const { world, id, calls, sweepLater } = await openDuring(async ({ reference }) => ({
      payment: payment(`own-${reference}`, { type: "PAYOUT", status: "SUCCEEDED" }),
    }));
    await sweepLater();
    expect([calls, await world.statusOf(id)]).toEqual([["create"], "PROCESSED"]);
    expect(world.rows("SELECT status FROM payment_reviews")).toEqual([{ status: "settled" }]);
  });

  test("a movement that is held is claimed by nobody, whatever time its row has", async () => {
    const { world, calls, sweepLater } = await openDuring(async () => timeout());
    world.exec("UPDATE payment_movements SET due_at = '2020-01-01T00:00:00.000000Z'");
    await sweepLater();
    expect(calls).toEqual(["create"]);
  });

  test.each(["FAILED", "SUCCEEDED"] as const)(
    "a movement that was settled during the question, by a payment that is %s, does not hold the next one of its initiation",
    async (status) => {
      const world = await RestoredWorld.open();
      world.restore();
      await world.arm();
      await world.lookToEnd();
      const id = await world.createApproved({ reference: "x" });
      const createdAt = fromMillis(world.world.nowMs - 400 * 86_400_000);
      world.find = {
        findMovement: async ({ reference }) => {
          if (reference !== "x") return "none";
          world.find = {};
          await world.poll(world.listed("x", { status }));
          if (status === "FAILED") await retryInitiation(world.context, id);
          else await world.reverse(id, "back", 100n);
          return { payment: world.provider.paymentOf("old", { createdAt }) };
        },
      };
      await world.sweep(world.plugin);
      expect(await world.openReviews()).toEqual([]);
      world.pass(61);
      await world.sweep(world.plugin);
      expect(world.rows("SELECT * FROM payment_movements")).toEqual([]);
      expect(await world.statusOf(id)).toBe(status === "FAILED" ? "PROCESSED" : "REVERSED");
    },
  );

  test("a movement that is held while its step is under way is not called twice at once after a quick decision", async () => {
    const world = await RestoredWorld.open();
    world.restore();
    await world.arm();
    await world.lookToEnd();
    await world.createApproved({ reference: "x" });
    const steps: string[] = [];
    const plugin: Plugin = {
      ...world.plugin,
      createPayout: async () => {
        steps.push("begin");
        if (steps.length === 1) {
          await world.poll(world.listed("x", { amount: 101n }));
          await world.decideOn("x", { decision: "not-paid" });
          await world.sweep(plugin);
        }
        steps.push("end");
        return timeout();
      },
    };
    await world.sweep(plugin);
    world.pass(60);
    await world.sweep(plugin);
    expect(steps).toEqual(["begin", "end", "begin", "end"]);
  });
});
