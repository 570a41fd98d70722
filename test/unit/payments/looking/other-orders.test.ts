import { describe, expect, test } from "vitest";
import type { FoundMovement, Plugin } from "#modules/payments/connectors/contract.ts";
import type { OwnedId } from "#modules/payments/core/ids.ts";
import type { Timestamp } from "#platform/time.ts";
import { RestoredWorld } from "#test/support/payments/worlds/restored-world.ts";

const OLD = "2025-01-01T00:00:00.000000Z" as Timestamp;

/** A copy with a payout on its way, about which its provider answers. */
async function openAnswered(answer: (world: RestoredWorld, id: OwnedId) => FoundMovement) {
  const world = await RestoredWorld.open("bankingcircle");
  const id = await world.createApproved();
  world.find = { findMovement: async () => answer(world, id) };
  world.restore();
  await world.arm();
  await world.look();
  await world.sweep(world.plugin);
  return { world, id };
}

const reasonsOf = async (world: RestoredWorld) =>
  (await world.openReviews()).map(({ review }) => review.reason);

describe("a reference that the provider has from another order", () => {
  test.each<[string, string, Parameters<typeof openAnswered>[0]]>([
    ["names other money", ": a transfer of 7 SEK", () => ({ otherOrder: "a transfer of 7 SEK" })],
    [
      "has accepted something older",
      ": poll-1, of 2025-01-01T00:00:00Z",
      () => ({ pollingId: "poll-1", createdAt: OLD }),
    ],
    [
      "has an older payment",
      ", of 2025-01-01T00:00:00Z",
      ({ provider }, { reference }) => ({
        payment: provider.paymentOf(reference, { createdAt: OLD }),
      }),
    ],
  ])(
    "a reference that the provider has from another order is left to a person if it %s",
    async (_what, end, answer) => {
      const { world, id } = await openAnswered(answer);
      const [reason, ...others] = await reasonsOf(world);
      expect(reason).toMatch(/^the provider has the reference from another order/);
      expect([reason?.endsWith(end), others]).toEqual([true, []]);
      expect([world.sent, await world.statusOf(id)]).toEqual([[], "PROCESSING"]);
    },
  );

  test("a reference that the provider has from another order, as its outcome shows, is left to a person", async () => {
    const { world, id } = await openAnswered(() => ({ pollingId: "poll-1" }));
    expect(await world.openReviews()).toEqual([]);
    world.provider.poll = () => ({ payment: world.provider.paymentOf("tx-7", { amount: 101n }) });
    world.pass(86_400);
    await world.sweep(world.plugin);
    expect(await reasonsOf(world)).toEqual([
      "the provider answers with another payment: tx-7, of 101 EUR/2",
    ]);
    expect([world.sent, await world.statusOf(id)]).toEqual([[], "PROCESSING"]);
    // The order is sent when a person has found that it was not paid, and nothing is asked about the other one.
    world.find = { findMovement: async () => "none" };
    await world.decide({ decision: "not-paid" });
    world.pass(60);
    await world.sweep(world.plugin);
    expect([world.sent, await world.statusOf(id)]).toEqual([[id.reference], "PROCESSED"]);
  });

  test("a reference that the provider has from another order is nobody's question in a deployment that is no copy", async () => {
    const world = await RestoredWorld.open("bankingcircle");
    world.provider.answer = () => ({ pollingId: "poll-1" });
    world.provider.poll = () => ({ payment: world.provider.paymentOf("tx-7", { amount: 101n }) });
    const id = await world.createApproved();
    await world.sweep(world.plugin);
    world.pass(86_400);
    await world.sweep(world.plugin);
    expect([await world.openReviews(), await world.statusOf(id)]).toEqual([[], "PROCESSED"]);
  });

  test("a reference that the provider has from another order fails an order that comes later, and nothing is sent", async () => {
    const world = await RestoredWorld.open("bankingcircle");
    world.find = { findMovement: async () => ({ otherOrder: "a transfer of 7 SEK" }) };
    world.restore();
    await world.arm();
    await world.look();
    const id = await world.createApproved();
    await world.sweep(world.plugin);
    expect(await world.get(id)).toMatchObject({
      state: { status: "FAILED" },
      error: "the provider knows the reference from another order, a transfer of 7 SEK",
    });
    expect(world.sent).toEqual([]);
  });

  test.each<[string, (world: RestoredWorld, reference: string) => FoundMovement]>([
    [
      "a payment of less money",
      ({ provider }, reference) => ({
        payment: provider.paymentOf(`old-${reference}`, { amount: 1n, createdAt: OLD }),
      }),
    ],
    ["what it has accepted", (_world, reference) => ({ pollingId: reference, createdAt: OLD })],
  ])(
    "a reference that the provider has from another order of long ago, %s, leaves a later order to a person",
    async (_what, answer) => {
      const world = await RestoredWorld.open("bankingcircle");
      world.restore();
      await world.arm();
      await world.look();
      world.find = { findMovement: async ({ reference }) => answer(world, reference) };
      const id = await world.createApproved({ reference: "INV-1" });
      await world.sweep(world.plugin);
      world.pass(86_400);
      await world.sweep(world.plugin);
      expect([world.sent, await world.statusOf(id)]).toEqual([[], "PROCESSING"]);
      const [reason, ...others] = await reasonsOf(world);
      expect(others).toEqual([]);
      expect(reason).toMatch(/from another order: .*INV-1, of 2025-01-01T00:00:00Z$/);
      // A person has found that it is another order, so that the same answer holds it no more.
      await world.decide({ decision: "not-paid" });
      world.pass(60);
      await world.sweep(world.plugin);
      expect([world.sent, await world.statusOf(id)]).toEqual([["INV-1"], "PROCESSED"]);
    },
  );

  test("a reference that the provider has from another order of long ago, as its outcome shows, is left to a person", async () => {
    const { world, id } = await openAnswered(() => ({ pollingId: "poll-1" }));
    const old = { amount: 1n, createdAt: OLD };
    world.provider.poll = () => ({ payment: world.provider.paymentOf("tx-7", old) });
    world.pass(86_400);
    await world.sweep(world.plugin);
    expect(await reasonsOf(world)).toEqual([
      "the provider has the reference from another order: tx-7, of 2025-01-01T00:00:00Z",
    ]);
    expect([world.sent, await world.statusOf(id)]).toEqual([[], "PROCESSING"]);
  });

  test("a reference that the provider has from another order is no reference that a workflow derives, however old its payment is", async () => {
    const world = await RestoredWorld.open("bankingcircle");
    world.restore();
    await world.arm();
    await world.look();
    const payment = (reference: string) => world.provider.paymentOf(reference, { createdAt: OLD });
    world.find = { findMovement: async ({ reference }) => ({ payment: payment(reference) }) };
    const id = await world.createApproved({ reference: `${crypto.randomUUID()}-0-0` });
    await world.sweep(world.plugin);
    expect([world.sent, await world.statusOf(id)]).toEqual([[], "PROCESSED"]);
    expect(await world.openReviews()).toEqual([]);
  });

  test.each([
    ["older", { amount: 1n, createdAt: OLD }],
    ["of more money", { amount: 101n }],
    ["of another asset", { asset: "SEK/2" }],
  ])(
    "a reference that the provider has from another order does not settle the order by the first answer, which is %s, even after a decision",
    async (_what, other) => {
      const world = await RestoredWorld.open("bankingcircle");
      world.restore();
      await world.arm();
      await world.look();
      const id = await world.createApproved({ reference: "INV-1" });
      const calls: string[] = [];
      const plugin: Plugin = {
        ...world.plugin,
        createPayout: async ({ reference }) => {
          calls.push(reference);
          return { payment: world.provider.paymentOf(`old-${reference}`, other) };
        },
      };
      for (const expected of [["INV-1"], ["INV-1", "INV-1"]]) {
        await world.sweep(plugin);
        world.pass(86_400);
        await world.sweep(plugin);
        expect([calls, await world.statusOf(id)]).toEqual([expected, "PROCESSING"]);
        expect(await reasonsOf(world)).toEqual([
          expect.stringMatching(/old-INV-1, of .*; .* make one with another reference$/),
        ]);
        if (expected.length === 1) await world.decide({ decision: "not-paid" });
        world.pass(60);
      }
      await world.decide({ decision: "given-up" });
      expect([await world.openReviews(), await world.statusOf(id)]).toEqual([[], "FAILED"]);
    },
  );

  test("a reference that the provider has from another order settles a payout by the first answer in a deployment that is no copy", async () => {
    const world = await RestoredWorld.open("bankingcircle");
    world.provider.answer = ({ reference }) => ({
      payment: world.provider.paymentOf(reference, { amount: 1n, createdAt: OLD }),
    });
    const id = await world.createApproved();
    await world.sweep();
    expect([await world.openReviews(), await world.statusOf(id)]).toEqual([[], "PROCESSED"]);
  });
});
