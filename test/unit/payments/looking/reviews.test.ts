import { describe, expect, test } from "vitest";
import { encodePaymentId } from "#modules/payments/core/ids.ts";
import { deleteInitiation } from "#modules/payments/initiations/delete.ts";
import { rejectInitiation } from "#modules/payments/initiations/reject.ts";
import { retryInitiation } from "#modules/payments/initiations/retry.ts";
import { readInitiation } from "#modules/payments/movements/progress.ts";
import { allInitiationPayments } from "#modules/payments/payments/list-of-initiation.ts";
import { fromMillis } from "#platform/time.ts";
import { refusalOf } from "#test/support/payments/worlds/initiation-world.ts";
import { RestoredWorld } from "#test/support/payments/worlds/restored-world.ts";

const CANNOT = "the provider cannot be asked about it by its reference";

/** A copy whose provider cannot be asked, with a payout that was on its way and one that waits. */
async function openReviewed() {
  const world = await RestoredWorld.open("bankingcircle");
  const [moving, waits] = [await world.createApproved(), (await world.create()).id];
  world.restore();
  await world.arm();
  expect(await world.look()).toMatchObject({ hasEnded: true });
  return { world, moving, waits };
}

const paymentsOf = async (world: RestoredWorld, id: Parameters<RestoredWorld["get"]>[0]) =>
  (await allInitiationPayments(world.context, await world.get(id))).map(({ reference, status }) => [
    reference,
    status,
  ]);

describe("a payment that nobody could look up", () => {
  test.each([true, false])(
    "a payment that nobody could look up is no question any more if it was settled meanwhile (on its way: %s)",
    async (isMoving) => {
      const world = await RestoredWorld.open("bankingcircle");
      const { id } = await world.create({ reference: "x" });
      if (isMoving) await world.approve(id);
      world.restore();
      await world.arm();
      world.find = {
        findMovement: async () => {
          if (isMoving) await world.poll(world.listed("x"));
          else await rejectInitiation(world.context, id);
          return "unknown";
        },
      };
      await world.look();
      expect(await world.statusOf(id)).toBe(isMoving ? "PROCESSED" : "REJECTED");
      expect(world.count("payment_reviews")).toBe(0);
    },
  );

  test("a payment that nobody could look up is not sent, approved, rejected or deleted before a person decides", async () => {
    const { world, moving, waits } = await openReviewed();
    world.pass(86_400);
    expect(await world.sweep()).toBeUndefined();
    expect(world.sent).toEqual([]);
    expect((await world.openReviews()).map(({ review }) => review.reason)).toEqual([
      CANNOT,
      CANNOT,
    ]);
    for (const call of [
      world.approve(waits),
      rejectInitiation(world.context, waits),
      deleteInitiation(world.context, waits),
      world.reverse(moving, "reversal-1", 1n),
    ]) {
      expect(await refusalOf(call)).toMatch(/^VALIDATION the original .* reviews show/);
    }
    expect(await readInitiation(world.context, moving)).toMatchObject({
      state: { status: "PROCESSING" },
      progress: { attempts: 0, needsReview: true },
    });
  });

  test("a payment that nobody could look up is sent once when a person has found that it was not made", async () => {
    const { world, moving, waits } = await openReviewed();
    await world.decideOn(moving.reference, { decision: "not-paid" });
    await world.decideOn(waits.reference, { decision: "not-paid" });
    await world.sweep();
    expect(world.sent).toEqual([moving.reference]);
    await world.approve(waits);
    await world.sweep();
    expect(world.sent).toEqual([moving.reference, waits.reference]);
    // The record of a decision outlives its initiation.
    const { id: other } = await world.create();
    world.exec(`UPDATE payment_reviews SET initiation_key = 3 WHERE initiation_key = 2`);
    await deleteInitiation(world.context, other);
    expect(world.rows("SELECT decision, subject FROM payment_reviews")).toEqual([
      { decision: "not-paid", subject: "bob" },
      { decision: "not-paid", subject: "bob" },
    ]);
    expect(world.provider.requests).toBe(2);
    expect(await world.openReviews()).toEqual([]);
  });

  test("a payment that nobody could look up gets the payment that a person names, whether the provider has listed it or not", async () => {
    const { world, moving, waits } = await openReviewed();
    await world.poll(
      world.provider.paymentOf("listed", { createdAt: fromMillis(world.world.nowMs) }),
    );
    const [review] = await world.openReviews();
    expect(review).toMatchObject({
      candidates: [
        {
          id: encodePaymentId({ connector: moving.connector, reference: "listed", type: "PAYOUT" }),
          reference: "listed",
        },
      ],
    });
    await world.decideOn(moving.reference, { decision: "paid", paymentReference: "listed" });
    const typed = (paymentReference: string) =>
      refusalOf(world.decideOn(waits.reference, { decision: "paid", paymentReference }));
    expect(await typed("unlisted")).toMatch(/^VALIDATION .* has brought no payment unlisted/);
    const id = encodePaymentId({ connector: moving.connector, reference: "x", type: "PAYOUT" });
    expect(await typed(id)).toMatch(/^VALIDATION .* it is the id of a payment/);
    await world.decideOn(waits.reference, {
      decision: "paid",
      paymentReference: "unlisted",
      isUnknown: true,
    });
    for (const [id, reference] of [
      [moving, "listed"],
      [waits, "unlisted"],
    ] as const) {
      expect(await world.statusOf(id)).toBe("PROCESSED");
      expect(await paymentsOf(world, id)).toEqual([[reference, "SUCCEEDED"]]);
    }
    await world.sweep();
    expect([world.sent, world.count("payment_movements")]).toEqual([[], 0]);
    expect(world.rows("SELECT status, decision, subject FROM payment_reviews")).toEqual([
      { status: "decided", decision: "paid", subject: "bob" },
      { status: "decided", decision: "paid", subject: "bob" },
    ]);
    expect(
      world.rows("SELECT action FROM audit WHERE action LIKE 'payments.review%'"),
    ).toHaveLength(2);
    // The provider lists it later: it stays one payment.
    await world.poll(world.provider.paymentOf("unlisted"));
    expect(world.count("payment_payments")).toBe(2);
  });

  test("a payment that nobody could look up gets no payment of other money, of another initiation, or without a name", async () => {
    const { world, moving, waits } = await openReviewed();
    await world.poll(
      world.provider.paymentOf("more", { amount: 101n }),
      world.provider.paymentOf("other", { asset: "USD/2" }),
    );
    await world.decideOn(waits.reference, {
      decision: "paid",
      paymentReference: "mine",
      isUnknown: true,
    });
    for (const paymentReference of ["more", "other", "mine", undefined]) {
      const decided = {
        decision: "paid",
        ...(paymentReference === undefined ? {} : { paymentReference }),
      } as const;
      expect(await refusalOf(world.decideOn(moving.reference, decided))).toMatch(
        /^VALIDATION paymentReference: /,
      );
    }
    expect(await world.statusOf(moving)).toBe("PROCESSING");
    expect(await world.openReviews()).toHaveLength(1);
  });

  test("a payment that nobody could look up fails or is rejected when a person gives it up", async () => {
    const { world, moving, waits } = await openReviewed();
    await world.decideOn(moving.reference, { decision: "given-up" });
    await world.decideOn(waits.reference, { decision: "given-up" });
    expect(await world.get(moving)).toMatchObject({
      state: { status: "FAILED" },
      error: "given up by bob after a look-up that could not tell",
    });
    expect(await world.statusOf(waits)).toBe("REJECTED");
    await world.sweep();
    expect(world.sent).toEqual([]);
    // Nobody knows yet whether it was paid.
    expect(await refusalOf(retryInitiation(world.context, moving))).toMatch(
      /^VALIDATION the original/,
    );
    await world.decideOn(moving.reference, { decision: "not-paid" });
    await retryInitiation(world.context, moving);
    await world.sweep();
    expect(world.sent).toEqual([moving.reference]);
  });

  test("a payment that nobody could look up is not reviewed again in this copy, but in a later one", async () => {
    const { world, waits } = await openReviewed();
    await world.decideOn(waits.reference, { decision: "not-paid" });
    const isOpen = async () =>
      (await world.openReviews()).some(
        ({ initiation }) => initiation.id.reference === waits.reference,
      );
    // A look-up that begins anew in the same copy.
    world.exec("UPDATE payment_lookups SET ended_at = NULL, position = 0");
    await world.look();
    expect(await isOpen()).toBe(false);
    world.restore();
    await world.arm();
    await world.look();
    expect((await world.openReviews()).map(({ initiation }) => initiation.id)).toContainEqual(
      waits,
    );
  });

  test("a payment that nobody could look up is decided once, also by two people and by a repeated request", async () => {
    const { world, moving } = await openReviewed();
    const [review] = await world.openReviews();
    const id = review?.review.id;
    await Promise.allSettled([
      world.decide({ decision: "given-up" }, "bob", id),
      world.decide({ decision: "not-paid" }, "carol", id),
    ]);
    const [row] = world.rows("SELECT decision FROM payment_reviews ORDER BY key LIMIT 1");
    const decision = row?.["decision"] === "given-up" ? "given-up" : "not-paid";
    const other = decision === "given-up" ? "not-paid" : "given-up";
    await world.decide({ decision }, "dave", id);
    expect(await refusalOf(world.decide({ decision: other }, "dave", id))).toMatch(
      /^CONFLICT the review was settled meanwhile by /,
    );
    await world.sweep();
    expect([await world.statusOf(moving), world.sent]).toEqual(
      decision === "given-up" ? ["FAILED", []] : ["PROCESSED", [moving.reference]],
    );
    expect(world.rows("SELECT id FROM audit WHERE action = 'payments.review.decide'")).toHaveLength(
      1,
    );
  });

  test("a payment that nobody could look up is decided by a second person if two are needed", async () => {
    const { world, moving } = await openReviewed();
    const [review] = await world.openReviews();
    world.fourEyes = true;
    expect(
      await refusalOf(world.decide({ decision: "not-paid" }, world.subject, review?.review.id)),
    ).toMatch(/^VALIDATION .* reviewed by somebody else/);
    await world.decideOn(moving.reference, { decision: "not-paid" });
    await world.sweep();
    expect(world.sent).toEqual([moving.reference]);
  });

  test("a payment that nobody could look up is settled by itself when its reference is shown later", async () => {
    const { world, moving } = await openReviewed();
    const [review] = await world.openReviews();
    await world.poll(world.listed(moving.reference));
    expect(await world.statusOf(moving)).toBe("PROCESSED");
    expect(await world.openReviews()).toHaveLength(1);
    expect(await refusalOf(world.decide({ decision: "not-paid" }, "bob", review?.review.id))).toBe(
      "CONFLICT the review was settled meanwhile by its payment",
    );
    await world.sweep();
    expect(world.sent).toEqual([]);
  });

  test.each([
    ["waits", { decision: "paid", paymentReference: "named", isUnknown: true }, "PROCESSED"],
    ["moving", { decision: "not-paid" }, "PROCESSED"],
    ["moving", { decision: "given-up" }, "FAILED"],
  ] as const)(
    "a payment that nobody could look up (%s) is decided by %j, and a kill at any step changes nothing",
    async (which, decided, status) => {
      for (let step = 1; ; step++) {
        const { world, ...ids } = await openReviewed();
        const id = ids[which];
        const reviews = await world.openReviews();
        const review = reviews.find(
          ({ initiation }) => initiation.key === (which === "moving" ? 1 : 2),
        );
        const decide = () => world.decide(decided, "bob", review?.review.id);
        const wasKilled = await world.killAt(step, step % 2 === 0 ? "before" : "after", decide);
        await decide();
        await world.sweep();
        expect([step, world.sent]).toEqual([
          step,
          decided.decision === "not-paid" ? [id.reference] : [],
        ]);
        expect(await world.statusOf(id)).toBe(status);
        expect(
          world.rows("SELECT id FROM audit WHERE action = 'payments.review.decide'"),
        ).toHaveLength(1);
        if (!wasKilled) {
          expect(step).toBeGreaterThan(3);
          return;
        }
      }
    },
  );
});

describe("a reversal of a restored copy", () => {
  /** A copy with a reversal that was on its way. */
  async function openReversed(kind: "generic" | "bankingcircle" = "bankingcircle") {
    const world = await RestoredWorld.open(kind);
    const id = await world.createPaid();
    await world.reverse(id, "reversal-1", 40n);
    world.provider.effects.clear();
    world.restore();
    await world.arm();
    return { world, id };
  }

  test("a reversal of a restored copy that the provider shows is not made again", async () => {
    const { world, id } = await openReversed("generic");
    const refund = { parentReference: id.reference, status: "REFUNDED", amount: 40n } as const;
    await world.poll(world.listed("reversal-1", refund));
    await world.lookToEnd();
    await world.sweep();
    expect(world.sent).toEqual([]);
    expect(await world.statusOf(id)).toBe("REVERSED");
    expect((await world.get(id)).state).toMatchObject({ reversed: 40n, reserved: 0n });
  });

  test("a reversal of a restored copy is looked up by its reference where the provider can be asked", async () => {
    for (const isMade of [true, false]) {
      const { world, id } = await openReversed();
      world.find = {
        findReversal: async ({ reference, amount }) =>
          isMade
            ? {
                payment: world.provider.paymentOf(reference, {
                  parentReference: id.reference,
                  status: "REFUNDED",
                  amount,
                }),
              }
            : "none",
      };
      expect(await world.look()).toMatchObject({ hasEnded: true });
      await world.sweep();
      expect(world.sent).toEqual(isMade ? [] : ["reversal-1"]);
      expect(await world.statusOf(id)).toBe("REVERSED");
      expect(await world.openReviews()).toEqual([]);
    }
  });

  test("a reversal of a restored copy that comes after the look-up is asked about before it is made", async () => {
    for (const isMade of [true, false]) {
      const world = await RestoredWorld.open("bankingcircle");
      const id = await world.createPaid();
      world.provider.effects.clear();
      world.restore();
      await world.arm();
      await world.look();
      world.find = {
        findReversal: async ({ reference, amount }) =>
          isMade
            ? {
                payment: world.provider.paymentOf(reference, {
                  parentReference: id.reference,
                  status: "REFUNDED",
                  amount,
                }),
              }
            : "none",
      };
      await world.reverse(id, "reversal-2", 40n);
      await world.sweep(world.plugin);
      // The kind says that nobody can be asked, so that a person decides first.
      expect(world.sent).toEqual([]);
      expect(await world.openReviews()).toMatchObject([{ reversal: { reference: "reversal-2" } }]);
      await world.decide({ decision: "not-paid" });
      await world.sweep(world.plugin);
      expect(world.sent).toEqual(isMade ? [] : ["reversal-2"]);
      expect(await world.statusOf(id)).toBe("REVERSED");
    }
  });

  test("a reversal of a restored copy that cannot be looked up waits for a person", async () => {
    for (const [decision, status, sent] of [
      ["paid", "REVERSED", []],
      ["not-paid", "REVERSED", ["reversal-1"]],
      ["given-up", "REVERSE_FAILED", []],
    ] as const) {
      const { world, id } = await openReversed();
      await world.look();
      await world.sweep();
      expect(world.sent).toEqual([]);
      const [review] = await world.openReviews();
      expect(review).toMatchObject({ reversal: { reference: "reversal-1", amount: "40" } });
      await world.decide({
        decision,
        ...(decision === "paid" ? { paymentReference: "refund-1", isUnknown: true } : {}),
      });
      await world.sweep();
      expect([world.sent, await world.statusOf(id)]).toEqual([sent, status]);
    }
  });
});
