import { describe, expect, test } from "vitest";
import { ConnectorError } from "#modules/payments/connectors/connector-error.ts";
import type { PaymentStatus } from "#modules/payments/core/enums.ts";
import type { OwnedId } from "#modules/payments/core/ids.ts";
import { at } from "#test/support/payments/provider-objects.ts";
import {
  InitiationWorld,
  refusalOf,
  timeout,
} from "#test/support/payments/worlds/initiation-world.ts";

async function openWorld(): Promise<InitiationWorld> {
  const world = new InitiationWorld();
  await world.storeAccounts();
  return world;
}

const reversalsOf = (world: InitiationWorld) =>
  world.world.d1.rows("SELECT reference, status FROM payment_reversals ORDER BY key");

/** Lets the provider report a status of the payment of an initiation, under the given reference if there is one. */
const report = (
  world: InitiationWorld,
  { reference }: OwnedId,
  [status, own]: readonly [PaymentStatus, string?],
) =>
  world.report(
    world.provider.paymentOf(own ?? reference, {
      status,
      createdAt: at(5),
      ...(own === undefined ? {} : { parentReference: reference }),
    }),
  );

describe("a later state of a payment", () => {
  test("a later state of a payment changes the initiation that it was made of, once", async () => {
    const world = await openWorld();
    world.provider.status = "PENDING";
    const id = await world.createPaid();
    expect((await world.get(id)).state.status).toBe("PROCESSING");
    await report(world, id, ["SUCCEEDED"]);
    await world.sweep();
    await report(world, id, ["SUCCEEDED"]);
    await world.sweep();
    await report(world, id, ["DISPUTE", "d-1"]);
    await report(world, id, ["DISPUTE_LOST", "d-1"]);
    await world.sweep();
    expect(await world.statusesOf(id)).toEqual([
      "WAITING_FOR_VALIDATION",
      "PROCESSING",
      "PROCESSED",
      "UNKNOWN",
      "FAILED",
    ]);
    expect((await world.get(id)).error).toBe("payment failed");
  });

  test("a later state of a payment that comes late changes nothing", async () => {
    const world = await openWorld();
    const id = await world.createPaid();
    await report(world, id, ["PENDING"]);
    await world.sweep();
    expect((await world.get(id)).state.status).toBe("PROCESSED");
  });

  test("a later state of a payment that comes before the provider's answer is heard of after it", async () => {
    const world = await openWorld();
    const id = await world.createApproved();
    world.provider.status = "PENDING";
    world.provider.answer = timeout;
    await world.sweep();
    await report(world, id, ["SUCCEEDED"]);
    await world.sweep();
    expect((await world.get(id)).state.status).toBe("PROCESSING");
    world.provider.answer = (payment) => ({ payment });
    world.pass(1);
    await world.sweep();
    expect((await world.get(id)).state.status).toBe("PROCESSED");
    expect(world.count("payment_initiation_payments")).toBe(1);
  });

  test("a later state of a payment is applied even if a hundred others come before the provider's answer", async () => {
    const world = await openWorld();
    const id = await world.createApproved();
    world.provider.answer = timeout;
    await world.sweep();
    const disputes = Array.from({ length: 100 }, (_, count) =>
      world.provider.paymentOf(`d-${count}`, {
        status: "DISPUTE",
        createdAt: at(count),
        parentReference: id.reference,
      }),
    );
    const lost = { status: "DISPUTE_LOST", createdAt: at(200) } as const;
    await world.report(
      world.provider.paymentOf(id.reference, { status: "PENDING" }),
      ...disputes,
      world.provider.paymentOf("d-0", { ...lost, parentReference: id.reference }),
    );
    world.provider.answer = (payment) => ({ payment });
    world.pass(1);
    await world.sweep();
    await world.sweep();
    expect((await world.get(id)).state.status).toBe("FAILED");
  });

  test("a later state of a payment of a payment without an initiation concerns none", async () => {
    const world = await openWorld();
    const id = await world.createPaid();
    await world.report(world.provider.paymentOf("other"));
    await world.report(world.provider.paymentOf("other", { status: "FAILED" }));
    await world.sweep();
    expect((await world.get(id)).state.status).toBe("PROCESSED");
  });

  test("a later state of a payment that is a refund counts with what was reversed", async () => {
    const world = await openWorld();
    const id = await world.createPaid();
    await report(world, id, ["REFUNDED", "refund-1"]);
    await world.sweep();
    expect((await world.get(id)).state).toMatchObject({ status: "REVERSED", reversed: 100n });
    const { task } = await world.reverse(id, "r-1", 1n);
    expect((await world.task(task))?.error).toBe("cannot reverse more than the amount");
  });
});

describe("a reversal", () => {
  test("a reversal brings back parts until nothing is left", async () => {
    const world = await openWorld();
    const id = await world.createPaid();
    for (const [reference, amount] of [
      ["r-1", 40n],
      ["r-2", 60n],
    ] as const) {
      const { task } = await world.reverse(id, reference, amount);
      await world.sweep();
      expect((await world.task(task))?.status).toBe("SUCCEEDED");
    }
    const { task } = await world.reverse(id, "r-3", 1n);
    expect(await world.task(task)).toMatchObject({
      status: "FAILED",
      error: "cannot reverse more than the amount",
    });
    expect(await world.statusesOf(id)).toEqual([
      "WAITING_FOR_VALIDATION",
      "PROCESSING",
      "PROCESSED",
      "REVERSE_PROCESSING",
      "REVERSED",
      "REVERSE_PROCESSING",
      "REVERSED",
    ]);
    expect(reversalsOf(world)).toEqual([
      { reference: "r-1", status: "PROCESSED" },
      { reference: "r-2", status: "PROCESSED" },
      { reference: "r-3", status: "FAILED" },
    ]);
    expect(world.count("payment_initiation_payments")).toBe(3);
  });

  test("a reversal fails before anything was paid, and leaves the initiation as it is", async () => {
    const world = await openWorld();
    const { id } = await world.create();
    const { task } = await world.reverse(id, "r-1", 10n);
    expect((await world.task(task))?.error).toBe("payment initiation not processed");
    expect(await world.statusesOf(id)).toEqual(["WAITING_FOR_VALIDATION"]);
  });

  test("a reversal is the same by the same reference, and is made once", async () => {
    const world = await openWorld();
    const id = await world.createPaid();
    const first = await world.reverse(id, "r-1", 40n);
    expect(await world.reverse(id, "r-1", 40n)).toEqual(first);
    await world.sweep();
    expect(await world.reverse(id, "r-1", 40n)).toEqual(first);
    await world.sweep();
    expect(world.provider.requests).toBe(2);
    const other = await world.createPaid();
    expect(await refusalOf(world.reverse(other, "r-1", 40n))).toBe(
      "ALREADY_EXISTS payment initiation reversal: object already exists",
    );
  });

  test("a reversal that the provider refuses may be followed by another one", async () => {
    const world = await openWorld();
    const id = await world.createPaid();
    world.provider.before = () => {
      throw new ConnectorError("invalid", "too late");
    };
    const { task } = await world.reverse(id, "r-1", 100n);
    await world.sweep();
    expect(await world.task(task)).toMatchObject({ status: "FAILED", error: "too late" });
    expect(await world.get(id)).toMatchObject({
      error: "too late",
      state: { status: "REVERSE_FAILED", reserved: 0n },
    });
    world.provider.before = () => undefined;
    await world.reverse(id, "r-2", 100n);
    await world.sweep();
    expect((await world.get(id)).state).toMatchObject({ status: "REVERSED", reversed: 100n });
  });

  test("a reversal that the provider has only begun ends by a later state of its payment", async () => {
    const world = await openWorld();
    const id = await world.createPaid();
    world.provider.refundStatus = "PENDING";
    const { task } = await world.reverse(id, "r-1", 100n);
    await world.sweep();
    expect((await world.task(task))?.status).toBe("SUCCEEDED");
    expect((await world.get(id)).state).toMatchObject({
      status: "REVERSE_PROCESSING",
      reserved: 100n,
    });
    await world.report(world.provider.paymentOf("r-1", { status: "REFUNDED" }));
    await world.sweep();
    await world.report(world.provider.paymentOf("r-1", { status: "REFUNDED", createdAt: at(9) }));
    await world.sweep();
    expect((await world.get(id)).state).toMatchObject({
      status: "REVERSED",
      reversed: 100n,
      reserved: 0n,
    });
    expect(reversalsOf(world)).toEqual([{ reference: "r-1", status: "PROCESSED" }]);
  });

  test("a reversal ends by the first of several later states that has an outcome", async () => {
    const world = await openWorld();
    const id = await world.createPaid();
    world.provider.refundStatus = "PENDING";
    await world.reverse(id, "r-1", 40n);
    await world.sweep();
    const stateOf = (status: PaymentStatus, time: number) =>
      world.provider.paymentOf("r-1", { status, createdAt: at(time) });
    await world.report(stateOf("AUTHORISATION", 5), stateOf("REFUNDED", 6));
    await world.sweep();
    expect((await world.get(id)).state).toMatchObject({ status: "REVERSED", reserved: 0n });
    expect(reversalsOf(world)).toEqual([{ reference: "r-1", status: "PROCESSED" }]);
    // A late state of the first reversal must not end the second one.
    await world.reverse(id, "r-2", 60n);
    await world.sweep();
    await world.report(stateOf("REFUNDED_FAILURE", 7));
    await world.sweep();
    expect((await world.get(id)).state).toMatchObject({ reversed: 40n, reserved: 60n });
  });
});

/** The process is killed at each database step of a payout and its reversal, one after the other. */
describe.each(["before", "after"] as const)("a process that is killed %s a step", (when) => {
  test("a process that is killed before or after a step loses no money and moves none twice", async () => {
    let isLast = false;
    for (let step = 1; !isLast; step++) {
      const world = await openWorld();
      const { id } = await world.create({ reference: "po" });
      const wasKilled = await world.killAt(step, when, () => payAndReverse(world, "po"));
      isLast = !wasKilled;
      // The next process does the due work, and the client repeats the request that got no answer.
      for (let count = 0; count < 2; count++) {
        world.pass(100);
        await payAndReverse(world, "po");
      }
      expect(world.provider.effects).toEqual(
        new Map([
          ["po", 100n],
          ["r-1", 30n],
        ]),
      );
      expect(await world.statusesOf(id)).toEqual([
        "WAITING_FOR_VALIDATION",
        "PROCESSING",
        "PROCESSED",
        "REVERSE_PROCESSING",
        "REVERSED",
      ]);
      expect(world.count("payment_movements")).toBe(0);
      expect(world.count("payment_payments")).toBe(2);
      expect(world.count("payment_initiation_payments")).toBe(2);
      expect(reversalsOf(world)).toEqual([{ reference: "r-1", status: "PROCESSED" }]);
      expect(world.world.d1.rows("SELECT DISTINCT status FROM payment_tasks")).toEqual([
        { status: "SUCCEEDED" },
      ]);
    }
  });
});

/** The requests of a client, and the sweeps. A client that got no answer repeats its request. */
async function payAndReverse(world: InitiationWorld, reference: string): Promise<void> {
  const id = { connector: world.connector.id, reference };
  const { status, wasProcessed } = (await world.get(id)).state;
  if (status === "WAITING_FOR_VALIDATION") await world.approve(id);
  await world.sweep();
  if (wasProcessed || (await world.get(id)).state.wasProcessed) await world.reverse(id, "r-1", 30n);
  await world.sweep();
}
