import { describe, expect, test } from "vitest";
import { ConnectorError } from "#modules/payments/connectors/connector-error.ts";
import type { ProviderPayment } from "#modules/payments/connectors/provider-objects.ts";
import { nextMovementMs } from "#modules/payments/initiations/movement-rows.ts";
import { retryInitiation } from "#modules/payments/initiations/retry.ts";
import { readLookups } from "#modules/payments/lookups/lookup-rows.ts";
import { allInitiationPayments } from "#modules/payments/payments/list-of-initiation.ts";
import { fromMillis } from "#platform/time.ts";
import { refusalOf, timeout } from "#test/support/payments/worlds/initiation-world.ts";
import { RestoredWorld } from "#test/support/payments/worlds/restored-world.ts";

const LOOKS_UP = /^DISARMED since .*, the connector looks up at its provider/;

const relatedTo = async (world: RestoredWorld, id: Parameters<RestoredWorld["get"]>[0]) =>
  (await allInitiationPayments(world.context, await world.get(id))).map(
    ({ reference }) => reference,
  );

describe("the look-up of a restored copy", () => {
  test("the look-up of a restored copy finds what the original has paid, and pays the rest once", async () => {
    const world = await RestoredWorld.open();
    const [paid, unpaid] = [await world.createApproved(), await world.createApproved()];
    world.restore();
    await world.arm();
    await world.poll(world.listed(paid.reference));
    expect(await world.sweep()).toBeUndefined();
    expect(await world.statusOf(paid)).toBe("PROCESSED");
    expect(world.sent).toEqual([]);
    expect(await world.lookToEnd()).toMatchObject({ hasEnded: true });
    await world.sweep();
    expect(world.sent).toEqual([unpaid.reference]);
    expect(await world.statusOf(unpaid)).toBe("PROCESSED");
    expect(await relatedTo(world, paid)).toEqual([`tx-${paid.reference}`]);
    expect(await world.openReviews()).toEqual([]);
    expect(world.count("payment_movements")).toBe(0);
  });

  test("the look-up of a restored copy lets nobody approve, retry, reverse or send", async () => {
    const world = await RestoredWorld.open();
    const paid = await world.createPaid();
    const [waits, fails] = [(await world.create()).id, await world.createApproved()];
    world.exec("UPDATE payment_initiations SET status = 'FAILED' WHERE reference = 'po-3'");
    world.exec("DELETE FROM payment_movements");
    world.restore();
    await world.arm();
    for (const call of [
      world.approve(waits),
      retryInitiation(world.context, fails),
      world.reverse(paid, "reversal-1", 1n),
      world.create({ isSent: true }),
    ]) {
      expect(await refusalOf(call)).toMatch(LOOKS_UP);
    }
    await world.lookToEnd();
    await world.approve(waits);
    // The original may have reversed it, and the provider lists no reversals.
    await world.reverse(paid, "reversal-1", 1n);
    await world.sweep();
    expect(world.sent).not.toContain("reversal-1");
    await world.decide({ decision: "not-paid" });
    await world.sweep();
    expect(await world.statusOf(waits)).toBe("PROCESSED");
    expect(await world.statusOf(paid)).toBe("REVERSED");
  });

  test("the look-up of a restored copy counts on no run that began before the original's last call has arrived, or that was partial", async () => {
    const world = await RestoredWorld.open();
    const id = await world.createApproved();
    world.restore();
    world.endRun();
    await world.arm();
    world.pass(59);
    world.endRun();
    expect(await world.look()).toMatchObject({ hasEnded: false });
    world.pass(2);
    world.endRun("one item is set aside");
    const step = await world.look();
    expect(step).toEqual({ hasEnded: false, atMs: world.world.nowMs + 60_000 });
    expect(await readLookups(world.context)).toMatchObject([
      {
        endedAt: null,
        failingSince: fromMillis(world.world.nowMs),
        lastError: "FETCH_PAYMENTS: one item is set aside",
      },
    ]);
    expect(world.rows("SELECT next_at FROM payment_schedules")).toEqual([
      { next_at: fromMillis(step.atMs) },
    ]);
    expect(await world.sweep()).toBeUndefined();
    expect(world.sent).toEqual([]);
    world.exec("UPDATE payment_schedules SET degraded_since = created_at");
    world.endRun();
    expect(await world.look()).toMatchObject({ hasEnded: false });
    world.exec("UPDATE payment_schedules SET degraded_since = NULL");
    expect(await world.look()).toMatchObject({ hasEnded: true });
    await world.sweep();
    expect(world.sent).toEqual([id.reference]);
  });

  test("the look-up of a restored copy takes no schedule for a complete run", async () => {
    const world = await RestoredWorld.open();
    world.restore();
    await world.arm();
    world.pass(100);
    expect(await world.look()).toEqual({ hasEnded: false, atMs: world.world.nowMs + 60_000 });
    expect(await readLookups(world.context)).toMatchObject([
      { lastError: "no schedule fetches payments yet" },
    ]);
  });

  test("the look-up of a restored copy sees that the original has approved or retried what waits or has failed here", async () => {
    const world = await RestoredWorld.open();
    const [approved, waits] = [(await world.create()).id, (await world.create()).id];
    const [retried, failed] = [await world.createApproved(), await world.createApproved()];
    world.provider.before = () => {
      throw new ConnectorError("invalid", "no money");
    };
    await world.sweep();
    world.provider.before = () => undefined;
    world.restore();
    await world.arm();
    await world.poll(world.listed(approved.reference), world.listed(retried.reference));
    await world.lookToEnd();
    expect(await world.statusesOf(approved)).toEqual([
      "WAITING_FOR_VALIDATION",
      "PROCESSING",
      "PROCESSED",
    ]);
    expect((await world.statusesOf(retried)).slice(-3)).toEqual([
      "FAILED",
      "PROCESSING",
      "PROCESSED",
    ]);
    expect(await relatedTo(world, retried)).toEqual([`tx-${retried.reference}`]);
    await world.sweep();
    expect(world.sent).toEqual([]);
    await world.approve(waits);
    await retryInitiation(world.context, failed);
    await world.sweep();
    expect(world.sent).toEqual([waits.reference, failed.reference]);
    expect([await world.openReviews(), world.count("payment_movements")]).toEqual([[], 0]);
  });

  test("the look-up of a restored copy settles what was scheduled and paid, and lets wait what is scheduled for later", async () => {
    const world = await RestoredWorld.open("bankingcircle");
    const at = (seconds: number) => fromMillis(world.world.nowMs + seconds * 1000);
    const due = await world.createApproved({ scheduledAt: at(60) });
    const later = await world.createApproved({ scheduledAt: at(7200) });
    world.restore();
    await world.arm();
    await world.poll(world.listed(due.reference));
    expect(await world.look()).toMatchObject({ hasEnded: true });
    expect(await world.statusesOf(due)).toEqual([
      "WAITING_FOR_VALIDATION",
      "SCHEDULED_FOR_PROCESSING",
      "PROCESSING",
      "PROCESSED",
    ]);
    expect(await world.openReviews()).toEqual([]);
    world.pass(7200);
    await world.sweep();
    expect(world.sent).toEqual([later.reference]);
  });

  test.each([
    ["more money", { amount: 101n }],
    ["another asset", { asset: "USD/2" }],
    ["an older payment", { createdAt: "2025-01-01T00:00:00.000000Z" }],
  ])(
    "the look-up of a restored copy leaves it to a person if the reference is shown by %s",
    async (_what, more) => {
      const world = await RestoredWorld.open();
      const [moving, waits] = [await world.createApproved(), (await world.create()).id];
      world.restore();
      await world.arm();
      const fields = more as Partial<ProviderPayment>; // the times of the table are valid
      await world.poll(
        world.listed(moving.reference, fields),
        world.listed(waits.reference, fields),
      );
      await world.lookToEnd();
      await world.sweep();
      expect(world.sent).toEqual([]);
      const reviews = await world.openReviews();
      expect(
        reviews.map(({ initiation, review }) => [initiation.id.reference, review.reason]),
      ).toEqual(
        [moving, waits].map(({ reference }) => [
          reference,
          `the payment tx-${reference} shows its reference, but not certainly its money`,
        ]),
      );
      expect(await refusalOf(world.approve(waits))).toMatch(/^VALIDATION .*reviews show/);
      expect(await nextMovementMs(world.context, world.connector.id.reference)).toBeUndefined();
    },
  );
});

describe("a provider that is asked by a reference", () => {
  test("a provider that is asked by a reference settles what it has made, frees what it has not, and sends nothing twice", async () => {
    const world = await RestoredWorld.open("bankingcircle");
    const [paid, unpaid] = [await world.createApproved(), await world.createApproved()];
    const [approved, waits] = [(await world.create()).id, (await world.create()).id];
    const made = new Set([paid.reference, approved.reference]);
    world.find = {
      findMovement: async ({ reference }) =>
        made.has(reference) ? { payment: world.provider.paymentOf(reference) } : "none",
    };
    world.restore();
    await world.arm();
    expect(await world.look()).toMatchObject({ hasEnded: true });
    expect(await world.statusOf(paid)).toBe("PROCESSED");
    expect(await world.statusOf(approved)).toBe("PROCESSED");
    expect(await world.statusOf(waits)).toBe("WAITING_FOR_VALIDATION");
    await world.sweep();
    expect(world.sent).toEqual([unpaid.reference]);
    expect([await world.openReviews(), world.count("payment_movements")]).toEqual([[], 0]);
  });

  test("a provider that is asked by a reference may still have it open, may have refused it, or may not say", async () => {
    const world = await RestoredWorld.open("bankingcircle");
    const [open, refused, unsaid] = [
      await world.createApproved(),
      await world.createApproved(),
      await world.createApproved(),
    ];
    world.find = {
      findMovement: async ({ reference }) => {
        if (reference === open.reference) return { pollingId: "poll-1" };
        return reference === refused.reference ? { error: "no money" } : "unknown";
      },
    };
    world.provider.poll = () => ({ payment: world.provider.paymentOf(open.reference) });
    world.restore();
    await world.arm();
    expect(await world.look()).toMatchObject({ hasEnded: true });
    expect(await world.get(refused)).toMatchObject({ error: "no money" });
    await world.sweep();
    expect(await world.statusOf(open)).toBe("PROCESSED");
    expect(world.sent).toEqual([]);
    const reviews = await world.openReviews();
    expect(reviews.map(({ initiation }) => initiation.id)).toEqual([unsaid]);
  });

  test("a provider that is asked by a reference and refuses to tell the outcome of a failed order lets the look-up end", async () => {
    const world = await RestoredWorld.open("bankingcircle");
    const id = await world.createApproved();
    world.provider.before = () => {
      throw new ConnectorError("invalid", "no money");
    };
    await world.sweep();
    world.find = { findMovement: async () => ({ pollingId: "poll-1" }) };
    const refuse = () => {
      throw new ConnectorError("invalid", "the outcome is not kept any more");
    };
    world.provider.poll = refuse;
    world.restore();
    await world.arm();
    expect(await world.look()).toMatchObject({ hasEnded: true });
    await world.sweep(world.plugin);
    expect(await world.get(id)).toMatchObject({
      state: { status: "FAILED" },
      error: "the outcome is not kept any more",
    });
    expect([world.sent, await world.openReviews()]).toEqual([[], []]);
  });

  test("a provider that is asked by a reference and knows it from another order leaves it to a person", async () => {
    const world = await RestoredWorld.open("bankingcircle");
    const id = await world.createApproved();
    world.find = {
      findMovement: async ({ reference }) => ({
        payment: world.provider.paymentOf(reference, { amount: 101n }),
      }),
    };
    world.restore();
    await world.arm();
    await world.look();
    await world.sweep();
    expect(world.sent).toEqual([]);
    expect(await world.openReviews()).toMatchObject([
      {
        initiation: { id },
        review: { reason: expect.stringContaining("another order") as string },
      },
    ]);
  });

  test("a provider that is away keeps its connector looking, says since when and why, and is asked again", async () => {
    const world = await RestoredWorld.open("bankingcircle");
    const id = await world.createApproved();
    let isAway = true;
    world.find = { findMovement: async () => (isAway ? timeout() : "none") };
    world.restore();
    await world.arm();
    world.pass(60);
    const since = fromMillis(world.world.nowMs);
    for (const waitMs of [1000, 2000, 4000]) {
      const { atMs, hasEnded } = await world.look();
      expect([atMs - world.world.nowMs, hasEnded]).toEqual([waitMs, false]);
      expect(await world.look()).toEqual({ atMs, hasEnded: false });
      world.world.nowMs = atMs;
    }
    expect(await readLookups(world.context)).toMatchObject([
      { failingSince: since, lastError: "the provider has not answered in time" },
    ]);
    await world.sweep();
    expect(world.sent).toEqual([]);
    isAway = false;
    expect(await world.look()).toMatchObject({ hasEnded: true });
    expect(await readLookups(world.context)).toMatchObject([
      { failingSince: null, lastError: null },
    ]);
    await world.sweep();
    expect(world.sent).toEqual([id.reference]);
  });
});
