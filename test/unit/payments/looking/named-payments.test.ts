import { describe, expect, test } from "vitest";
import type { PaymentStatus } from "#modules/payments/core/enums.ts";
import { fromMillis } from "#platform/time.ts";
import { refusalOf } from "#test/support/payments/worlds/initiation-world.ts";
import { RestoredWorld } from "#test/support/payments/worlds/restored-world.ts";

describe("the refund that a person names", () => {
  /** A copy with two reversals of a payment: the first one is done, the second one is under review. */
  async function openReversals(...refunds: readonly (readonly [string, bigint, PaymentStatus])[]) {
    const world = await RestoredWorld.open("bankingcircle");
    const id = await world.createPaid();
    for (const reference of ["done", "open"]) {
      await world.reverse(id, reference, 40n);
      if (reference === "done") await world.sweep();
    }
    world.restore();
    await world.arm();
    await world.look();
    world.pass(1);
    await world.poll(
      ...refunds.map(([reference, amount, status]) =>
        world.provider.paymentOf(reference, {
          parentReference: id.reference,
          amount,
          status,
          createdAt: fromMillis(world.world.nowMs),
        }),
      ),
    );
    return { world, id };
  }

  test("the refund that a person names is one of the same amount, which no other reversal has", async () => {
    const { world, id } = await openReversals(
      ["less", 39n, "REFUNDED"],
      ["dispute", 40n, "DISPUTE"],
    );
    const named = (paymentReference: string) =>
      refusalOf(world.decide({ decision: "paid", paymentReference }));
    expect(await named("less")).toMatch(/^VALIDATION .* the refund less is of 39$/);
    expect(await named("dispute")).toMatch(/^VALIDATION .* dispute is DISPUTE, and no refund$/);
    expect(await named("done")).toMatch(/^VALIDATION .* it is the refund of the reversal done$/);
    expect(await named(id.reference)).toMatch(/^VALIDATION .* it is the payment itself/);
    expect(await named("unknown")).toMatch(/^VALIDATION .* has brought no refund unknown/);
    expect(await world.openReviews()).toHaveLength(1);
  });

  test("the refund that a person names counts once, as the connector has brought it", async () => {
    const { world, id } = await openReversals(["mine", 40n, "REFUNDED"]);
    const states = world.count("payment_adjustments");
    await world.decide({ decision: "paid", paymentReference: "mine" });
    expect(world.count("payment_adjustments")).toBe(states);
    expect((await world.get(id)).state).toMatchObject({ reversed: 80n, reserved: 0n });
    expect(world.rows("SELECT payment_reference FROM payment_reversals ORDER BY key")).toEqual([
      { payment_reference: "done" },
      { payment_reference: "mine" },
    ]);
    expect(await world.openReviews()).toEqual([]);
  });
});

test("only the decision that an order was paid names a payment", async () => {
  const world = await RestoredWorld.open("bankingcircle");
  const id = await world.createApproved();
  world.restore();
  await world.arm();
  await world.look();
  for (const decision of ["not-paid", "given-up"] as const) {
    for (const named of [{ paymentReference: "x" }, { isUnknown: true }]) {
      expect(await refusalOf(world.decide({ decision, ...named }))).toMatch(
        /^VALIDATION paymentReference: only the decision paid/,
      );
    }
  }
  expect([await world.statusOf(id), (await world.openReviews()).length]).toEqual(["PROCESSING", 1]);
});
