import { describe, expect, test } from "vitest";
import { ConnectorError } from "#modules/payments/connectors/connector-error.ts";
import { encodeConnectorId, encodeOwnedId } from "#modules/payments/core/ids.ts";
import { retryInitiation } from "#modules/payments/initiations/retry.ts";
import { requestTransfer } from "#modules/payments/transfers/request.ts";
import { fromMillis } from "#platform/time.ts";
import { refusalOf } from "#test/support/payments/worlds/initiation-world.ts";
import { RestoredWorld } from "#test/support/payments/worlds/restored-world.ts";

describe("an order that the copy gets later", () => {
  test("an order that the copy gets later with a reference that the original has paid is not sent", async () => {
    const world = await RestoredWorld.open();
    world.restore();
    await world.arm();
    await world.poll(world.listed("again"), world.listed("other", { amount: 101n }));
    await world.lookToEnd();
    const id = await world.createApproved({ reference: "again" });
    const { id: other } = await world.create({ reference: "other", isSent: true });
    await world.sweep();
    expect(world.sent).toEqual([]);
    expect([await world.statusOf(id), await world.statusOf(other)]).toEqual([
      "PROCESSED",
      "PROCESSING",
    ]);
    expect((await world.openReviews()).map(({ initiation }) => initiation.id)).toEqual([other]);
    const next = await world.createApproved();
    await world.sweep();
    expect(world.sent).toEqual([next.reference]);
  });

  test("an order that the copy gets later with such a reference is not sent either if a step is killed", async () => {
    for (let step = 1; ; step++) {
      const world = await RestoredWorld.open();
      world.restore();
      await world.arm();
      await world.poll(world.listed("other", { amount: 101n }));
      await world.lookToEnd();
      const id = await world.createApproved({ reference: "other" });
      const wasKilled = await world.killAt(step, step % 2 === 0 ? "before" : "after", () =>
        world.sweep(),
      );
      world.pass(61);
      await world.sweep();
      world.pass(61);
      await world.sweep();
      expect([step, world.sent]).toEqual([step, []]);
      expect((await world.openReviews()).map(({ initiation }) => initiation.id)).toEqual([id]);
      if (!wasKilled) return;
    }
  });

  test("an order that the copy gets later from a workflow of the original waits for a person, if the provider cannot be asked", async () => {
    const world = await RestoredWorld.open("bankingcircle");
    const began = fromMillis(world.world.nowMs);
    world.restore();
    await world.arm();
    await world.look();
    world.pass(1);
    const { id: connector } = world.connector;
    const transfer = (reference: string, begunAt = began) => ({
      reference,
      connectorId: encodeConnectorId(connector),
      description: "",
      type: "PAYOUT" as const,
      amount: 100n,
      asset: "EUR/2",
      sourceAccountId: encodeOwnedId({ connector, reference: "main" }),
      destinationAccountId: encodeOwnedId({ connector, reference: "landlord" }),
      metadata: {},
      waitsForApproval: false,
      begunAt,
    });
    // The original has paid it two hours before the copy orders it.
    await world.poll(
      world.provider.paymentOf("tx-1", { createdAt: fromMillis(world.world.nowMs - 7_200_000) }),
    );
    await requestTransfer(world.context, transfer("stage-1"));
    await requestTransfer(world.context, transfer("stage-1"));
    await requestTransfer(world.context, transfer("stage-2", fromMillis(world.world.nowMs)));
    await world.sweep();
    expect(world.sent).toEqual(["stage-2"]);
    expect(await world.openReviews()).toMatchObject([{ candidates: [{ reference: "tx-1" }] }]);
    await world.decideOn("stage-1", { decision: "not-paid" });
    await world.sweep();
    expect(world.sent).toEqual(["stage-2", "stage-1"]);
  });

  test("an order that the copy gets later for a cause from before waits for a person, unless the provider shows its payment", async () => {
    const world = await RestoredWorld.open();
    const before = fromMillis(world.world.nowMs);
    world.restore();
    await world.arm();
    await world.poll(world.listed("paid"));
    await world.lookToEnd();
    const { id: connector } = world.connector;
    const now = fromMillis(world.world.nowMs);
    for (const [reference, at] of [
      ["paid", before],
      ["old-event", before],
      ["new-event", now],
    ] as const) {
      await requestTransfer(world.context, {
        reference,
        connectorId: encodeConnectorId(connector),
        description: "",
        type: "PAYOUT",
        amount: 100n,
        asset: "EUR/2",
        sourceAccountId: encodeOwnedId({ connector, reference: "main" }),
        destinationAccountId: encodeOwnedId({ connector, reference: "landlord" }),
        metadata: {},
        waitsForApproval: false,
        begunAt: now,
        causedAt: async () => at,
      });
    }
    expect(await world.statusOf({ connector, reference: "paid" })).toBe("PROCESSED");
    await world.sweep();
    expect(world.sent).toEqual(["new-event"]);
    expect(await world.openReviews()).toMatchObject([
      {
        initiation: { id: { reference: "old-event" } },
        review: { reason: expect.stringContaining("for something from before") as string },
      },
    ]);
  });

  test("an order that the copy gets later is asked about before it is sent, where the provider can be asked", async () => {
    const world = await RestoredWorld.open("bankingcircle");
    world.find = {
      findMovement: async ({ reference }) =>
        reference === "paid" ? { payment: world.provider.paymentOf(reference) } : "none",
    };
    world.restore();
    await world.arm();
    await world.look();
    const [paid, unpaid] = [
      await world.createApproved({ reference: "paid" }),
      await world.createApproved({ reference: "unpaid" }),
    ];
    await world.sweep(world.plugin);
    expect(world.sent).toEqual([unpaid.reference]);
    expect(await world.statusOf(paid)).toBe("PROCESSED");
  });

  test("an order that the copy gets later is not sent while the question is refused, nor paid by another order's payment", async () => {
    const world = await RestoredWorld.open("bankingcircle");
    world.restore();
    await world.arm();
    await world.look();
    let refusal: Error | undefined = new ConnectorError("invalid", "the key is not known");
    world.find = {
      findMovement: async ({ reference }) => {
        if (refusal !== undefined) throw refusal;
        return reference === "other"
          ? { payment: world.provider.paymentOf(reference, { amount: 101n }) }
          : "none";
      },
    };
    const [other, mine] = [
      await world.createApproved({ reference: "other" }),
      await world.createApproved({ reference: "mine" }),
    ];
    await world.sweep(world.plugin);
    expect([world.sent, await world.statusOf(mine)]).toEqual([[], "PROCESSING"]);
    refusal = undefined;
    world.pass(60);
    await world.sweep(world.plugin);
    expect(world.sent).toEqual([mine.reference]);
    expect(await world.get(other)).toMatchObject({
      state: { status: "FAILED" },
      error: expect.stringContaining("knows the reference from another order") as string,
    });
  });

  test("an order that had failed before is retried after a person has decided, if the provider cannot be asked", async () => {
    const world = await RestoredWorld.open("bankingcircle");
    const id = await world.createApproved();
    world.provider.before = () => {
      throw new ConnectorError("invalid", "no money");
    };
    await world.sweep();
    world.provider.before = () => undefined;
    world.restore();
    await world.arm();
    await world.look();
    expect(await world.openReviews()).toEqual([]);
    for (let attempt = 1; attempt <= 2; attempt++) {
      expect(await refusalOf(retryInitiation(world.context, id))).toMatch(
        /^VALIDATION the original/,
      );
    }
    expect(await world.openReviews()).toHaveLength(1);
    await world.decide({ decision: "not-paid" });
    await retryInitiation(world.context, id);
    await world.sweep();
    expect([world.sent, await world.statusOf(id)]).toEqual([[id.reference], "PROCESSED"]);
  });
});
