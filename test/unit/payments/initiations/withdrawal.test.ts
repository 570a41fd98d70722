import { beforeEach, describe, expect, test } from "vitest";
import { ConnectorError } from "#modules/payments/connectors/connector-error.ts";
import type { OwnedId } from "#modules/payments/core/ids.ts";
import { TASK_IDS } from "#modules/payments/core/task-references.ts";
import { claimMovements } from "#modules/payments/initiations/movement-rows.ts";
import { rejectInitiation } from "#modules/payments/initiations/reject.ts";
import { retryInitiation } from "#modules/payments/initiations/retry.ts";
import { InitiationWorld, refusalOf } from "#test/support/payments/worlds/initiation-world.ts";

const REFUSED = "VALIDATION cannot reject an already approved payment initiation: validation error";

let world: InitiationWorld;
beforeEach(async () => {
  world = new InitiationWorld();
  await world.storeAccounts();
});

const exec = (text: string): void => world.world.d1.exec(text);
const disarm = () =>
  exec(
    "INSERT INTO disarmament VALUES (1, '2026-01-01T00:00:00.000000Z', 'operator', '', '', '', '', 'r')",
  );
const arm = () => exec("DELETE FROM disarmament");
const reject = (id: OwnedId) => refusalOf(rejectInitiation(world.context, id));
const statusOf = async (id: OwnedId) => (await world.get(id)).state.status;

describe("the rejection of an approved payout", () => {
  test("the rejection of an approved payout ends its movement while the connector is disarmed, and nothing is ever sent", async () => {
    const id = await world.createApproved();
    const later = await world.createApproved();
    disarm();
    await rejectInitiation(world.context, id);
    expect(await statusOf(id)).toBe("REJECTED");
    expect(
      await world.task(TASK_IDS.createMovement("PAYOUT", { initiation: id, attempt: 1 })),
    ).toMatchObject({
      status: "FAILED",
      error: "rejected before it was sent",
    });
    expect(await reject(id)).toBe(REFUSED);
    arm();
    await world.sweep();
    expect([...world.provider.effects.keys()]).toEqual([later.reference]);
    expect(await statusOf(id)).toBe("REJECTED");
  });

  test("the rejection of an approved payout is refused while its connector is armed", async () => {
    const id = await world.createApproved();
    expect(await reject(id)).toBe(REFUSED);
    disarm();
    exec(
      `INSERT INTO armed_connectors VALUES ('${world.connector.id.reference}', 'id', '2026-01-01T00:00:00.000000Z', '', '', '')`,
    );
    expect(await reject(id)).toBe(REFUSED);
    expect(await statusOf(id)).toBe("PROCESSING");
  });

  test("the rejection of an approved payout is refused once its provider may know it", async () => {
    const id = await world.createApproved();
    const { reference } = world.connector.id;
    await claimMovements(world.context, { reference, limit: 1 });
    disarm();
    expect(await reject(id)).toBe(REFUSED);
    arm();
    world.provider.before = () => {
      throw new ConnectorError("invalid", "no money");
    };
    world.pass(61);
    await world.sweep();
    expect(await statusOf(id)).toBe("FAILED");
    await retryInitiation(world.context, id);
    disarm();
    expect(await reject(id)).toBe(REFUSED);
  });

  test("the rejection of an approved payout loses to a claim that comes between any two of its steps", async () => {
    const { reference } = world.connector.id;
    for (let step = 1; ; step++) {
      const id = await world.createApproved();
      disarm();
      let steps = 0;
      world.world.d1.onStep = (moment) => {
        if (moment !== "before" || ++steps !== step) return;
        world.world.d1.exec("DELETE FROM disarmament; UPDATE payment_movements SET claims = 1");
      };
      const refusal = await reject(id);
      world.world.d1.onStep = () => undefined;
      const wasReached = steps >= step;
      arm();
      const left = world.count("payment_movements");
      // Either the claim came first, and the initiation goes on, or the rejection is stored whole.
      expect([refusal, await statusOf(id), left]).toEqual(
        left === 1 ? [REFUSED, "PROCESSING", 1] : ["", "REJECTED", 0],
      );
      world.world.d1.exec("DELETE FROM payment_movements");
      if (!wasReached) {
        expect([step > 3, await claimMovements(world.context, { reference, limit: 1 })]).toEqual([
          true,
          [],
        ]);
        return;
      }
    }
  });
});
