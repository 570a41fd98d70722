import { expect, test } from "vitest";
import { ConnectorError } from "#modules/payments/connectors/connector-error.ts";
import { TASK_IDS } from "#modules/payments/core/task-references.ts";
import { readReport } from "#modules/payments/health/read.ts";
import { claimMovements } from "#modules/payments/initiations/movement-rows.ts";
import { undoClaim } from "#modules/payments/movements/postpone.ts";
import { progressOfTask, readInitiation } from "#modules/payments/movements/progress.ts";
import { getTask } from "#modules/payments/tasks/store.ts";
import { HELD_MS, HeldError } from "#platform/arming/arming-watch.ts";
import { present } from "#platform/assert.ts";
import { fromMillis, toMillis } from "#platform/time.ts";
import { InitiationWorld } from "#test/support/payments/worlds/initiation-world.ts";

const ERROR = "POST /payouts: the provider answered 503: maintenance";
const refuse = (): never => {
  throw new ConnectorError("unknown", ERROR);
};

async function openWorld(): Promise<InitiationWorld> {
  const world = new InitiationWorld();
  await world.storeAccounts();
  return world;
}

/** A movement as an initiation, its task and the health of its connector show it. */
async function shown(world: InitiationWorld, id: Parameters<InitiationWorld["get"]>[0]) {
  const { context, connector } = world;
  const initiation = await readInitiation(context, id);
  const { type, attempts: attempt } = initiation;
  const task = await getTask(context, TASK_IDS.createMovement(type, { initiation: id, attempt }));
  const { health, since, lastError, movements } = await readReport(context, connector.id);
  return {
    initiation: initiation.progress,
    task: await progressOfTask(context, task),
    health: { health, since, lastError, movements },
  };
}

const eventsOf = ({ world }: InitiationWorld): string[] =>
  world.d1
    .rows("SELECT event AS body FROM outbox ORDER BY sequence")
    .map(({ body }) => /CONNECTOR_(?:FAILING|RECOVERED|PAUSED)/.exec(String(body))?.[0] ?? "")
    .filter((type) => type !== "");

test("a payout that is refused five times shows it on initiation, task and health, until it succeeds", async () => {
  const world = await openWorld();
  const id = await world.createApproved();
  expect(await shown(world, id)).toMatchObject({
    initiation: { attempts: 0 },
    task: { attempts: 0 },
    health: { health: "healthy", lastError: undefined, movements: undefined },
  });
  world.provider.before = refuse;
  const since = fromMillis(world.world.nowMs);
  for (const [attempt, waitS] of [1, 2, 4, 8, 16].entries()) {
    await world.sweep();
    const progress = {
      attempts: attempt + 1,
      lastError: ERROR,
      failingSince: since,
      nextAttemptAt: fromMillis(world.world.nowMs + waitS * 1000),
    };
    expect(await shown(world, id)).toEqual({
      initiation: progress,
      task: progress,
      health: {
        health: attempt === 4 ? "failing" : "degraded",
        since,
        lastError: ERROR,
        movements: { ...progress, count: 1, failures: attempt + 1, initiation: id },
      },
    });
    world.pass(waitS);
  }
  world.provider.before = () => undefined;
  await world.sweep();
  expect((await world.get(id)).state.status).toBe("PROCESSED");
  expect(await shown(world, id)).toEqual({
    initiation: undefined,
    task: undefined,
    health: {
      health: "healthy",
      since: fromMillis(world.world.nowMs),
      lastError: undefined,
      movements: undefined,
    },
  });
  expect(eventsOf(world)).toEqual(["CONNECTOR_FAILING", "CONNECTOR_RECOVERED"]);
});

test("the health of a connector is that of the movement that has failed most often, until the last one has an outcome", async () => {
  const world = await openWorld();
  world.provider.before = refuse;
  const first = await world.createApproved();
  for (const waitS of [1, 2, 4, 8, 16]) {
    await world.sweep();
    world.pass(waitS);
  }
  const second = await world.createApproved();
  await world.sweep();
  const health = async () => (await shown(world, first)).health;
  expect(await health()).toMatchObject({
    health: "failing",
    movements: { count: 2, initiation: first, attempts: 6 },
  });
  world.provider.before = () => undefined;
  world.pass(1);
  await world.sweep();
  expect((await world.get(second)).state.status).toBe("PROCESSED");
  expect(await health()).toMatchObject({ health: "failing", movements: { count: 1 } });
  expect(eventsOf(world)).toEqual(["CONNECTOR_FAILING"]);
  world.pass(32);
  await world.sweep();
  expect(await health()).toMatchObject({ health: "healthy", movements: undefined });
  expect(eventsOf(world)).toEqual(["CONNECTOR_FAILING", "CONNECTOR_RECOVERED"]);
});

test("a provider that asks for a pause is shown with the end of the pause as the next attempt of all", async () => {
  const world = await openWorld();
  world.provider.before = () => {
    throw new ConnectorError("rate-limited", "POST /payouts: the provider answered 429", {
      retryAfterMs: 60_000,
    });
  };
  const held = await world.createApproved();
  await world.sweep();
  const waiting = await world.createApproved();
  const { initiation } = await shown(world, held);
  const until = fromMillis(world.world.nowMs + 60_000);
  expect(initiation).toMatchObject({ attempts: 1, nextAttemptAt: until });
  expect(initiation?.lastError).toContain("429");
  expect((await shown(world, waiting)).initiation).toEqual({ attempts: 0, nextAttemptAt: until });
});

test("a fault of this software is shown without its words, which the log has", async () => {
  const world = await openWorld();
  world.provider.before = () => {
    throw new Error("SELECT secrets FROM tables");
  };
  const id = await world.createApproved();
  await world.sweep();
  const progress = present((await shown(world, id)).initiation, "it goes on");
  expect(progress.lastError).toBe("a fault inside Florin, which its log describes");
  expect(toMillis(progress.nextAttemptAt)).toBe(world.world.nowMs + 1000);
});

test("the trouble ends in the same batch as the movement, wherever the process is killed", async () => {
  for (let step = 1; ; step++) {
    const world = await openWorld();
    const id = await world.createApproved();
    world.provider.before = refuse;
    await world.sweep();
    world.provider.before = () => undefined;
    world.pass(1);
    const wasKilled = await world.killAt(step, "before", () => world.sweep());
    const isPaid = (await world.get(id)).state.status === "PROCESSED";
    expect((await shown(world, id)).health.health).toBe(isPaid ? "healthy" : "degraded");
    if (!wasKilled) return;
    world.pass(61);
    await world.sweep();
    expect((await shown(world, id)).health.health).toBe("healthy");
    expect(world.provider.effects.size).toBe(1);
  }
});

test("a payout that was not sent, because its connector was disarmed after it was claimed, has not failed, and is sent once later", async () => {
  const world = await openWorld();
  const id = await world.createApproved();
  world.provider.before = () => {
    throw new HeldError("DISARMED", "the deployment is disarmed");
  };
  await world.sweep();
  expect(await shown(world, id)).toMatchObject({
    initiation: { attempts: 0 },
    health: { health: "healthy", lastError: undefined },
  });
  expect((await shown(world, id)).initiation).not.toHaveProperty("lastError");
  expect(world.world.d1.rows("SELECT claims, sent_at FROM payment_movements")).toEqual([
    { claims: 0, sent_at: null },
  ]);
  expect(world.provider.effects.size).toBe(0);
  world.provider.before = () => undefined;
  world.world.nowMs += HELD_MS;
  await world.sweep();
  expect(world.provider.effects.size).toBe(1);
  expect((await world.get(id)).state.status).toBe("PROCESSED");
});

test("a payout that was held after an earlier call keeps the time of this call", async () => {
  const world = await openWorld();
  await world.createApproved();
  world.provider.before = refuse;
  await world.sweep();
  const stored = () =>
    world.world.d1.rows("SELECT claims, sent_at, failures FROM payment_movements");
  const before = stored();
  world.provider.before = () => {
    throw new HeldError("DISARMED", "the deployment is disarmed");
  };
  world.pass(1);
  await world.sweep();
  expect(stored()).toEqual(before);
  expect(before).toMatchObject([{ claims: 1, failures: 1 }]);
});

test("a claim that is undone late changes no later claim of the same number", async () => {
  const world = await openWorld();
  await world.createApproved();
  const claim = async () =>
    claimMovements(world.context, { reference: world.connector.id.reference, limit: 1 });
  const [first] = await claim();
  await undoClaim(world.context, present(first, "the payout is due"));
  world.world.nowMs += HELD_MS;
  const [second] = await claim();
  expect(second?.claims).toBe(first?.claims);
  await undoClaim(world.context, present(first, "the payout is due"));
  expect(world.world.d1.rows("SELECT claims, sent_at FROM payment_movements")).toEqual([
    { claims: 1, sent_at: second?.sentAt },
  ]);
});

test("a payout of a disarmed deployment is not claimed, whatever an isolate believes, unless its connector is armed", async () => {
  const world = await openWorld();
  const id = await world.createApproved();
  const { reference } = world.connector.id;
  const claim = () => claimMovements(world.context, { reference, limit: 10 });
  world.world.d1.exec(
    "INSERT INTO disarmament VALUES (1, '2026-01-01T00:00:00.000000Z', 'operator', '', '', '', '', 'r')",
  );
  expect(await claim()).toEqual([]);
  world.world.d1.exec(
    `INSERT INTO armed_connectors VALUES ('${reference}', 'id', '2026-01-01T00:00:00.000000Z', '', '', '')`,
  );
  expect(await claim()).toMatchObject([{ mark: id.reference, claims: 1 }]);
});
