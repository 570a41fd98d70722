import { describe, expect, test } from "vitest";
import { readLookups } from "#modules/payments/lookups/lookup-rows.ts";
import { fromMillis } from "#platform/time.ts";
import { RestoredWorld } from "#test/support/payments/worlds/restored-world.ts";

/** A copy that looks, and whose schedule has a run under way. */
async function openRunning() {
  const world = await RestoredWorld.open();
  world.restore();
  world.endRun("the error of the original");
  world.pass(100);
  await world.arm();
  world.pass(61);
  const since = fromMillis(world.world.nowMs);
  world.exec(`
    INSERT INTO payment_instances (key, schedule_key, created_at, updated_at) VALUES (7, 1, '${since}', '${since}');
    UPDATE payment_schedules SET instance_key = 7`);
  return { world, since };
}

const troubleOf = async (world: RestoredWorld) => {
  const [lookup] = await readLookups(world.context);
  return [lookup?.failingSince ?? null, lookup?.lastError ?? null];
};

describe("a run that a look-up waits for", () => {
  test("a run that a look-up waits for is no trouble for ten minutes, and neither is what the original had", async () => {
    const { world } = await openRunning();
    world.pass(600);
    expect(await world.look()).toEqual({ hasEnded: false, atMs: world.world.nowMs + 60_000 });
    expect(await troubleOf(world)).toEqual([null, null]);
  });

  test("a run that a look-up waits for is told as the reason if it does not end, and the look-up goes on after it", async () => {
    const { world, since } = await openRunning();
    world.pass(601);
    await world.look();
    expect(await troubleOf(world)).toEqual([
      fromMillis(world.world.nowMs),
      `FETCH_PAYMENTS: the run since ${since} has not ended`,
    ]);
    world.exec(`
      UPDATE payment_instances SET terminated_at = updated_at WHERE key = 7;
      UPDATE payment_schedules SET instance_key = NULL`);
    expect(await world.look()).toMatchObject({ hasEnded: true });
    expect(await troubleOf(world)).toEqual([null, null]);
  });

  test("a run that a look-up waits for is not complete while items of long ago are set aside, and the reason says what to do", async () => {
    const world = await RestoredWorld.open();
    world.restore();
    await world.arm();
    world.pass(61);
    world.endRun();
    world.exec(`
      UPDATE payment_schedules SET degraded_since = '2020-01-01T00:00:00.000000Z';
      INSERT INTO payment_rejected_items (connector_key, schedule_key, fetch_key, task, item_id, raw, reason, bytes, created_at, tried_at, instance_key)
        SELECT connector_key, key, 1, task, 'item-1', '', 'broken', 0, created_at, created_at, 1 FROM payment_schedules`);
    expect(await world.look()).toMatchObject({ hasEnded: false });
    expect((await troubleOf(world))[1]).toBe(
      "FETCH_PAYMENTS: 1 of its items are set aside, however long ago: try them again or dismiss them (/api/florin/v1/payments/connectors/{connectorID}/rejected)",
    );
    world.exec("UPDATE payment_schedules SET degraded_since = NULL");
    expect(await world.look()).toMatchObject({ hasEnded: true });
  });
});
