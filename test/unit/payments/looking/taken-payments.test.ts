import { describe, expect, test } from "vitest";
import { fromMillis } from "#platform/time.ts";
import { RestoredWorld } from "#test/support/payments/worlds/restored-world.ts";

/** A copy with three payouts of its original: two on their way, and one that waits. Each answer of the provider is its latest payment. */
async function openWithOrders({ findsAll }: { readonly findsAll: boolean }) {
  const world = await RestoredWorld.open("bankingcircle");
  const ids = [
    await world.createApproved({ reference: "a" }),
    await world.createApproved({ reference: "b" }),
    (await world.create({ reference: "c" })).id,
  ];
  world.restore();
  await world.arm();
  world.findsAll = findsAll;
  world.find = {
    findMovement: async () => ({
      payment: world.provider.paymentOf("latest", { createdAt: fromMillis(world.world.nowMs) }),
    }),
  };
  const outcome = async () => [
    await Promise.all(ids.map((id) => world.statusOf(id))),
    (await world.openReviews()).map(({ initiation, review }) => [
      initiation.id.reference,
      review.reason,
    ]),
    world.count("payment_initiation_payments"),
  ];
  return { world, outcome };
}

const TAKEN =
  "the provider has the reference from another order: the payment latest is that of another payment initiation";

describe("a payment with which a provider answers", () => {
  test("a payment with which a provider answers about several orders settles one, and the others are left to a person", async () => {
    const { world, outcome } = await openWithOrders({ findsAll: false });
    await world.look();
    expect(await outcome()).toEqual([
      ["PROCESSED", "PROCESSING", "WAITING_FOR_VALIDATION"],
      [
        ["b", TAKEN],
        ["c", TAKEN],
      ],
      1,
    ]);
    const later = await world.createApproved({ reference: "d" });
    await world.sweep(world.plugin);
    expect([world.sent, await world.statusOf(later)]).toEqual([[], "PROCESSING"]);
    expect((await world.openReviews()).at(-1)?.review.reason).toBe(TAKEN);
  });

  test("a payment with which a provider answers every question, also about a reference that nobody has given, settles nothing", async () => {
    const { world, outcome } = await openWithOrders({ findsAll: true });
    await world.look();
    const unknown = "the provider cannot be asked about it by its reference";
    expect((await outcome()).slice(1)).toEqual([
      ["a", "b", "c"].map((reference) => [reference, unknown]),
      0,
    ]);
    // An order that the original does not know is sent.
    await world.createApproved({ reference: "d" });
    await world.sweep(world.plugin);
    expect(world.sent).toEqual(["d"]);
  });

  test("a payment with which a provider answers about two orders at once is that of one of them", async () => {
    const world = await RestoredWorld.open("bankingcircle");
    world.restore();
    await world.arm();
    await world.look();
    const now = fromMillis(world.world.nowMs);
    const payment = world.provider.paymentOf("latest", { createdAt: now });
    world.find = { findMovement: async () => ({ payment }) };
    await world.createApproved({ reference: "a" });
    await world.createApproved({ reference: "b" });
    await world.sweep(world.plugin);
    expect([world.sent, world.count("payment_initiation_payments")]).toEqual([[], 1]);
    expect((await world.openReviews()).map(({ review }) => review.reason)).toEqual([TAKEN]);
  });
});
