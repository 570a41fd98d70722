import { sql } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { beginLookups, readLookups, skipLookups } from "#modules/payments/lookups/lookup-rows.ts";
import { databaseOf } from "#platform/db/database.ts";
import { fromMillis } from "#platform/time.ts";
import { timeout } from "#test/support/payments/worlds/initiation-world.ts";
import { RestoredWorld } from "#test/support/payments/worlds/restored-world.ts";

describe("the look-up of an armed connector", () => {
  test("the look-up of an armed connector that is killed at any step goes on, and pays each order once", async () => {
    for (let step = 1; ; step++) {
      const world = await RestoredWorld.open();
      const [paid, unpaid] = [await world.createApproved(), await world.createApproved()];
      const [approved, unfit] = [(await world.create()).id, await world.createApproved()];
      world.restore();
      await world.arm();
      await world.report(
        world.listed(paid.reference),
        world.listed(approved.reference),
        world.listed(unfit.reference, { amount: 101n }),
      );
      world.pass(61);
      world.endRun();
      const wasKilled = await world.killAt(step, step % 2 === 0 ? "before" : "after", () =>
        world.look(),
      );
      await world.sweep();
      await world.look();
      await world.sweep();
      expect([step, world.sent, world.provider.requests]).toEqual([step, [unpaid.reference], 1]);
      for (const id of [paid, unpaid, approved]) expect(await world.statusOf(id)).toBe("PROCESSED");
      const reviews = await world.openReviews();
      expect(reviews.map(({ initiation }) => initiation.id)).toEqual([unfit]);
      expect(await readLookups(world.context)).toMatchObject([
        { endedAt: expect.any(String) as string },
      ]);
      if (!wasKilled) {
        expect(step).toBeGreaterThan(12);
        return;
      }
    }
  });

  test("the look-up of an armed connector that is disarmed meanwhile begins anew with the next arming", async () => {
    const world = await RestoredWorld.open();
    const id = await world.createApproved();
    world.restore();
    await world.arm();
    world.pass(61);
    world.endRun();
    world.disarm();
    world.pass(600);
    await world.arm();
    expect(await world.look()).toMatchObject({ hasEnded: false });
    expect(await readLookups(world.context)).toMatchObject([
      { beganAt: fromMillis(world.world.nowMs) },
    ]);
    await world.lookToEnd();
    await world.sweep();
    expect(world.sent).toEqual([id.reference]);
  });

  test("the look-up of an armed connector that has ended is not repeated, until the deployment is restored again", async () => {
    const world = await RestoredWorld.open();
    world.restore();
    await world.arm();
    await world.lookToEnd();
    const [ended] = await readLookups(world.context);
    world.disarm();
    await world.arm();
    expect(await readLookups(world.context)).toEqual([ended]);
    world.restore();
    await world.arm();
    expect(await readLookups(world.context)).toMatchObject([{ endedAt: null }]);
  });

  test("the look-up of an armed connector is left out on demand, also when it has begun", async () => {
    const world = await RestoredWorld.open("bankingcircle");
    const id = await world.createApproved();
    world.find = { findMovement: async () => timeout() };
    world.restore();
    await world.arm();
    await world.look();
    world.disarm();
    await world.arm({ isSkipped: true });
    expect(await world.look()).toEqual({ atMs: Infinity, hasEnded: false });
    await world.sweep(world.plugin);
    expect(world.sent).toEqual([id.reference]);
    expect(await readLookups(world.context)).toMatchObject([{ isSkipped: true }]);
  });

  test("the look-up of an armed connector that is under way is left out also when nothing is disarmed any more", async () => {
    const world = await RestoredWorld.open("bankingcircle");
    const id = await world.createApproved();
    world.find = { findMovement: async () => timeout() };
    world.restore();
    await world.arm();
    world.exec("DELETE FROM disarmament; DELETE FROM armed_connectors");
    await world.look();
    const { db, reference } = {
      db: databaseOf(world.context.env),
      reference: world.connector.id.reference,
    };
    await db.batch([skipLookups(world.context, world.world.other.id.reference)]);
    await world.sweep(world.plugin);
    expect(world.sent).toEqual([]);
    await db.batch([skipLookups(world.context, reference)]);
    expect(await readLookups(world.context)).toMatchObject([{ isSkipped: true, lastError: null }]);
    await world.sweep(world.plugin);
    expect(world.sent).toEqual([id.reference]);
  });

  test("the look-up of an armed connector begins with all others when everything is armed, also if nothing is open", async () => {
    const world = await RestoredWorld.open();
    world.restore();
    await world.arm();
    await world.lookToEnd();
    const [ended] = await readLookups(world.context);
    const { reference } = world.world.other.id;
    const armAll = async (isSkipped: boolean): Promise<void> => {
      const order = { isSkipped, condition: sql`TRUE` };
      const [first, ...others] = beginLookups(world.context, order);
      if (first !== undefined) await databaseOf(world.context.env).batch([first, ...others]);
    };
    await armAll(false);
    const looking = await readLookups(world.context);
    expect(looking).toHaveLength(2);
    expect(looking).toContainEqual(ended);
    expect(looking.find((each) => each.reference === reference)).toMatchObject({
      endedAt: null,
      isSkipped: false,
    });
    await armAll(true);
    const skipped = await readLookups(world.context);
    expect(skipped).toContainEqual(ended);
    expect(skipped.find((each) => each.reference === reference)).toMatchObject({
      endedAt: fromMillis(world.world.nowMs),
      isSkipped: true,
    });
  });

  test("the look-up of an armed connector holds no money of another one", async () => {
    const world = await RestoredWorld.open("bankingcircle");
    const id = await world.createApproved();
    const { key, id: other } = world.world.other;
    world.exec(`INSERT INTO payment_lookups
      SELECT key, '2026-01-01T00:00:00.000000Z', '2026-01-01T00:00:00.000000Z', NULL, 0, 0, '2026-01-01T00:00:00.000000Z', 0, NULL, NULL
      FROM payment_connectors WHERE key = ${key}`);
    await world.sweep();
    expect(world.sent).toEqual([id.reference]);
    expect(await readLookups(world.context)).toMatchObject([{ reference: other.reference }]);
  });
});
