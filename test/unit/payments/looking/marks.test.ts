import { describe, expect, test } from "vitest";
import { ConnectorError } from "#modules/payments/connectors/connector-error.ts";
import { rejectInitiation } from "#modules/payments/initiations/reject.ts";
import { forgetOldMarks } from "#modules/payments/lookups/forget-marks.ts";
import { completeReportedMovements } from "#modules/payments/movements/complete.ts";
import { fromMillis } from "#platform/time.ts";
import { refusalOf, timeout } from "#test/support/payments/worlds/initiation-world.ts";
import { RestoredWorld } from "#test/support/payments/worlds/restored-world.ts";

const reasonsOf = async (world: RestoredWorld) =>
  (await world.openReviews()).map(({ review }) => review.reason);

describe("a payment that shows a reference", () => {
  test("a payment that shows a reference is known to the look-up also if it was polled before the arming", async () => {
    const world = await RestoredWorld.open();
    const [paid, waits] = [await world.createApproved(), (await world.create()).id];
    await world.poll(world.listed(paid.reference), world.listed(waits.reference));
    world.restore();
    await world.arm();
    await world.lookToEnd();
    await world.sweep();
    expect(world.sent).toEqual([]);
    expect([await world.statusOf(paid), await world.statusOf(waits)]).toEqual([
      "PROCESSED",
      "PROCESSED",
    ]);
  });

  test("a payment that shows a reference ends no order of a deployment that is no copy", async () => {
    const world = await RestoredWorld.open();
    await world.poll(world.listed("x"));
    await world.createApproved({ reference: "x" });
    await world.sweep();
    expect(world.sent).toEqual(["x"]);
  });

  test("a payment that shows a reference and does not fit holds the order also if a page comes before its claim", async () => {
    const world = await RestoredWorld.open();
    world.restore();
    await world.arm();
    await world.poll(world.listed("x", { amount: 101n }));
    await world.lookToEnd();
    await world.createApproved({ reference: "x" });
    await completeReportedMovements(world.context, world.connector);
    await world.sweep();
    expect(world.sent).toEqual([]);
    expect(await world.openReviews()).toHaveLength(1);
    await world.decideOn("x", { decision: "not-paid" });
    await world.sweep();
    expect(world.sent).toEqual(["x"]);
  });

  test("a payment that shows a reference besides a failed one of the same reference leaves it to a person", async () => {
    const world = await RestoredWorld.open();
    const [twice, once] = [await world.createApproved(), await world.createApproved()];
    world.restore();
    await world.arm();
    await world.poll(
      world.listed(twice.reference, { reference: "tx-failed", status: "FAILED" }),
      world.listed(once.reference, { status: "FAILED" }),
    );
    await world.poll(world.listed(twice.reference));
    await world.lookToEnd();
    await world.sweep();
    expect(world.sent).toEqual([]);
    expect(await reasonsOf(world)).toEqual([
      "the payment tx-failed and another one show its reference",
    ]);
    expect(await world.statusOf(once)).toBe("FAILED");
  });

  test.each([
    ["before", ["PAY-IN", "PAYOUT"]],
    ["after", ["PAYOUT", "PAY-IN"]],
  ] as const)(
    "a payment that shows a reference and comes in %s the payout of the same reference at the provider does not hide it",
    async (_when, types) => {
      const world = await RestoredWorld.open();
      const sent = await world.createApproved({ reference: "x" });
      const waits = await world.create({ reference: "y" });
      world.restore();
      await world.arm();
      for (const mark of ["x", "y"]) {
        for (const type of types) await world.poll(world.listed(mark, { type }));
      }
      await world.lookToEnd();
      expect(await world.openReviews()).toEqual([]);
      expect([await world.statusOf(sent), await world.statusOf(waits.id)]).toEqual([
        "PROCESSED",
        "PROCESSED",
      ]);
    },
  );

  test.each(["PAY-IN", "OTHER"] as const)(
    "a payment that shows a reference and is of type %s settles no payout, sent or not",
    async (type) => {
      const world = await RestoredWorld.open();
      const ids = [await world.createApproved(), (await world.create()).id];
      world.restore();
      await world.arm();
      await world.poll(...ids.map(({ reference }) => world.listed(reference, { type })));
      await world.lookToEnd();
      await world.sweep();
      expect([world.sent, ...(await Promise.all(ids.map((id) => world.statusOf(id))))]).toEqual([
        [],
        "PROCESSING",
        "WAITING_FOR_VALIDATION",
      ]);
      expect((await world.openReviews()).map(({ initiation }) => initiation.id)).toEqual(ids);
    },
  );

  test("a payment that shows a reference settles a payout also if the provider takes it for a transfer", async () => {
    const world = await RestoredWorld.open();
    const ids = [await world.createApproved(), (await world.create()).id];
    world.restore();
    await world.arm();
    const type = "TRANSFER";
    await world.poll(...ids.map(({ reference }) => world.listed(reference, { type })));
    await world.lookToEnd();
    for (const id of ids) expect(await world.statusOf(id)).toBe("PROCESSED");
    expect(await world.openReviews()).toEqual([]);
  });

  test("a payment that shows no reference settles no order from before the arming", async () => {
    const world = await RestoredWorld.open("bankingcircle");
    const id = await world.createApproved();
    world.provider.before = () => timeout();
    await world.sweep();
    world.provider.before = () => undefined;
    world.restore();
    await world.arm();
    await world.poll(
      world.provider.paymentOf("tx-1", {
        createdAt: fromMillis(world.world.nowMs),
        sourceReference: "main",
        destinationReference: "landlord",
      }),
    );
    await world.look();
    expect(await world.statusOf(id)).toBe("PROCESSING");
    expect(await world.openReviews()).toMatchObject([{ candidates: [{ reference: "tx-1" }] }]);
  });

  test("a payment that shows the reference of an order under review is named before anybody decides against it", async () => {
    const world = await RestoredWorld.open("bankingcircle");
    const { id } = await world.create();
    world.restore();
    await world.arm();
    await world.look();
    await world.poll(world.listed(id.reference));
    expect(await refusalOf(world.decideOn(id.reference, { decision: "not-paid" }))).toMatch(
      /^CONFLICT meanwhile, the payment tx-/,
    );
    const paymentReference = `tx-${id.reference}`;
    await world.decideOn(id.reference, { decision: "paid", paymentReference });
    expect(await world.statusOf(id)).toBe("PROCESSED");
  });
});

describe("a reference that a workflow derives", () => {
  const DERIVED = "1d1e8a54-7c0b-8f11-9a3f-2f6c1d0b7e22-0-1";
  const old = { createdAt: fromMillis(Date.parse("2025-01-01T00:00:00Z")) };

  test("a reference that a workflow derives again in a copy is that of the original's payment, however old it is", async () => {
    const world = await RestoredWorld.open();
    world.restore();
    await world.arm();
    await world.poll(world.listed(DERIVED, old), world.listed("by-a-client", old));
    await world.lookToEnd();
    const derived = await world.createApproved({ reference: DERIVED });
    const other = await world.createApproved({ reference: "by-a-client" });
    await world.sweep();
    expect([await world.statusOf(derived), await world.statusOf(other)]).toEqual([
      "PROCESSED",
      "PROCESSING",
    ]);
    expect(world.sent).toEqual([]);
    expect(await world.openReviews()).toMatchObject([{ initiation: { id: other } }]);
  });

  test("a reference that a workflow derives in a deployment that is no copy is not that of an older payment", async () => {
    const world = await RestoredWorld.open();
    world.provider.before = () => timeout();
    const id = await world.createApproved({ reference: DERIVED });
    await world.sweep();
    world.provider.before = () => undefined;
    await world.poll(world.listed(DERIVED, old));
    expect(await world.statusOf(id)).toBe("PROCESSING");
  });
});

test("a reference that a payment has shown is forgotten after 400 days, unless an order on its way or one that waits has it", async () => {
  const world = await RestoredWorld.open();
  const day = 86_400;
  const moving = await world.createApproved();
  const waits = (await world.create()).id;
  await world.poll(...["foreign", moving.reference, waits.reference].map((at) => world.listed(at)));
  const marks = async () => {
    await forgetOldMarks(world.context);
    return world.rows("SELECT mark FROM payment_shown_marks ORDER BY mark").map(({ mark }) => mark);
  };
  world.pass(day);
  await world.poll(world.listed("later"));
  // A second payment of the reference does not make it younger.
  await world.poll(world.listed("foreign", { reference: "tx-second" }));
  expect(await marks()).toEqual(["foreign", "later", moving.reference, waits.reference].toSorted());
  world.pass(399 * day + 1);
  expect(await marks()).toEqual(["later", moving.reference, waits.reference].toSorted());
  await rejectInitiation(world.context, waits);
  world.pass(day);
  expect(await marks()).toEqual([moving.reference]);
});

describe("a look-up that is refused", () => {
  test("a look-up that is refused nothing sees also orders that were made between an earlier disarming and the copy", async () => {
    const world = await RestoredWorld.open("bankingcircle");
    world.restore(); // the deployment was a copy, or disarmed, once before
    const { id } = await world.create();
    world.pass(60);
    world.restore();
    await world.arm();
    await world.look();
    expect((await world.openReviews()).map(({ initiation }) => initiation.id)).toEqual([id]);
  });

  test("a look-up that is refused for one order leaves it to a person, and goes on with the others", async () => {
    const world = await RestoredWorld.open("bankingcircle");
    const [refused, free] = [await world.createApproved(), await world.createApproved()];
    world.find = {
      findMovement: async ({ reference }) => {
        if (reference === refused.reference) throw new ConnectorError("invalid", "too long");
        return "none";
      },
    };
    world.restore();
    await world.arm();
    expect(await world.look()).toMatchObject({ hasEnded: true });
    await world.sweep(world.plugin);
    expect(world.sent).toEqual([free.reference]);
    expect(await reasonsOf(world)).toEqual(["the question about it has failed: too long"]);
  });

  test("a look-up that is refused by an error of this software asks again, and tells nobody of it", async () => {
    const world = await RestoredWorld.open("bankingcircle");
    const [first, second] = [await world.createApproved(), await world.createApproved()];
    const errors: Error[] = [new Error("D1_ERROR: the database is overloaded"), new TypeError("x")];
    world.find = {
      findMovement: async ({ reference }) => {
        const error = reference === first.reference ? errors.shift() : undefined;
        if (error !== undefined) throw error;
        return "none";
      },
    };
    world.restore();
    await world.arm();
    expect(await world.look()).toMatchObject({ hasEnded: false });
    expect(await reasonsOf(world)).toEqual([]);
    world.pass(60);
    // A fault of the plugin is one of the order.
    expect(await world.look()).toMatchObject({ hasEnded: true });
    expect(await reasonsOf(world)).toEqual([
      "the question about it has failed: the connector cannot read the answer",
    ]);
    await world.sweep(world.plugin);
    expect(world.sent).toEqual([second.reference]);
  });

  test("a look-up that is refused for every order goes on looking", async () => {
    const world = await RestoredWorld.open("bankingcircle");
    await world.createApproved();
    world.find = {
      findMovement: async () => {
        throw new ConnectorError("invalid", "the key is not known");
      },
    };
    world.restore();
    await world.arm();
    expect(await world.look()).toMatchObject({ hasEnded: false });
    expect(await world.openReviews()).toEqual([]);
  });

  test("a look-up that finds what the original has made of a failed order settles it", async () => {
    const world = await RestoredWorld.open("bankingcircle");
    const [retried, failed] = [await world.createApproved(), await world.createApproved()];
    world.provider.before = () => {
      throw new ConnectorError("invalid", "no money");
    };
    await world.sweep();
    world.provider.before = () => undefined;
    world.find = {
      findMovement: async ({ reference }) =>
        reference === retried.reference
          ? { payment: world.provider.paymentOf(reference) }
          : { error: "no money" },
    };
    world.restore();
    await world.arm();
    await world.look();
    expect([await world.statusOf(retried), await world.statusOf(failed)]).toEqual([
      "PROCESSED",
      "FAILED",
    ]);
    expect(await world.openReviews()).toEqual([]);
  });

  test("a look-up that finds nothing in the list of a generic provider, of which nobody says that it is whole, leaves it to a person", async () => {
    const world = await RestoredWorld.open();
    world.listsAll = false;
    const [paid, unpaid] = [await world.createApproved(), await world.createApproved()];
    world.restore();
    await world.arm();
    await world.poll(world.listed(paid.reference));
    await world.lookToEnd();
    await world.sweep();
    expect([world.sent, await world.statusOf(paid)]).toEqual([[], "PROCESSED"]);
    expect((await world.openReviews()).map(({ initiation }) => initiation.id)).toEqual([unpaid]);
  });
});
