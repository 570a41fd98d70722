import { describe, expect, test } from "vitest";
import { ConnectorError } from "#modules/payments/connectors/connector-error.ts";
import { encodePaymentId } from "#modules/payments/core/ids.ts";
import { ADJUSTMENTS_MAX } from "#modules/payments/initiations/adjustment-keys.ts";
import { approveInitiation } from "#modules/payments/initiations/approve.ts";
import { allInitiationAdjustments } from "#modules/payments/initiations/list-adjustments.ts";
import { rejectInitiation } from "#modules/payments/initiations/reject.ts";
import { retryInitiation } from "#modules/payments/initiations/retry.ts";
import { sweepInitiations } from "#modules/payments/movements/sweep.ts";
import { fromMillis } from "#platform/time.ts";
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

describe("an approved initiation", () => {
  test("an approved initiation is paid once, and its task says by which payment", async () => {
    const world = await openWorld();
    const { id } = await world.create();
    const task = await approveInitiation(world.context, id);
    expect(task.reference).toMatch(/^create-payout-florin-1-generic-/);
    expect((await world.task(task))?.status).toBe("PROCESSING");
    await world.sweep();
    expect(await world.statusesOf(id)).toEqual([
      "WAITING_FOR_VALIDATION",
      "PROCESSING",
      "PROCESSED",
    ]);
    const payment = { connector: id.connector, reference: id.reference, type: "PAYOUT" } as const;
    expect(await world.task(task)).toMatchObject({
      status: "SUCCEEDED",
      createdObjectId: encodePaymentId(payment),
    });
    expect(world.provider.effects).toEqual(new Map([[id.reference, 100n]]));
    expect(world.count("payment_movements")).toBe(0);
    expect(await world.sweep()).toBeUndefined();
  });

  test("an approved initiation waits for its time", async () => {
    const world = await openWorld();
    const scheduledAt = fromMillis(world.world.nowMs + 60_000);
    const id = await world.createApproved({ scheduledAt });
    expect(await world.sweep()).toBe(world.world.nowMs + 60_000);
    expect((await world.get(id)).state.status).toBe("SCHEDULED_FOR_PROCESSING");
    expect(world.provider.requests).toBe(0);
    world.pass(60);
    await world.sweep();
    expect(await world.statusesOf(id)).toEqual([
      "WAITING_FOR_VALIDATION",
      "SCHEDULED_FOR_PROCESSING",
      "PROCESSING",
      "PROCESSED",
    ]);
  });

  test("an approved initiation fails with the provider's words, and is sent again with the same reference", async () => {
    const world = await openWorld();
    world.provider.before = () => {
      throw new ConnectorError("invalid", "the account is closed");
    };
    const id = await world.createApproved();
    await world.sweep();
    expect(await world.get(id)).toMatchObject({
      error: "the account is closed",
      state: { status: "FAILED" },
    });
    world.provider.before = () => undefined;
    const task = await retryInitiation(world.context, id);
    expect(task.reference).toContain("create-payout-florin-2-");
    await world.sweep();
    expect((await world.get(id)).state.status).toBe("PROCESSED");
    expect((await world.task(task))?.status).toBe("SUCCEEDED");
    expect([...world.provider.effects.keys()]).toEqual([id.reference]);
    expect(await refusalOf(retryInitiation(world.context, id))).toBe(
      "VALIDATION cannot retry an already processed payment initiation: validation error",
    );
  });

  test("an approved initiation is not sent again once it has very many adjustments, and takes what comes of it", async () => {
    const world = await openWorld();
    const id = await world.createApproved();
    const setCount = (count: number) =>
      world.world.d1.rows("UPDATE payment_initiations SET adjustments = ?", count);
    setCount(ADJUSTMENTS_MAX + 1);
    world.provider.before = () => {
      throw new ConnectorError("invalid", "the account is closed");
    };
    await world.sweep();
    const shown = await allInitiationAdjustments(world.context, await world.get(id));
    expect(shown.map(({ status }) => status)).toEqual([
      "FAILED",
      "PROCESSING",
      "WAITING_FOR_VALIDATION",
    ]);
    expect(await refusalOf(retryInitiation(world.context, id))).toBe(
      `VALIDATION cannot retry a payment initiation with ${ADJUSTMENTS_MAX} adjustments`,
    );
    setCount(ADJUSTMENTS_MAX - 1);
    await retryInitiation(world.context, id);
  });

  test("an approved initiation is asked for again where the outcome is unknown, and is paid once", async () => {
    const world = await openWorld();
    world.provider.answer = timeout;
    const id = await world.createApproved();
    await world.sweep();
    expect((await world.get(id)).state.status).toBe("PROCESSING");
    world.provider.answer = (payment) => ({ payment });
    expect(await world.sweep()).toBe(world.world.nowMs + 1000);
    world.pass(1);
    await world.sweep();
    expect(await world.statusesOf(id)).toEqual([
      "WAITING_FOR_VALIDATION",
      "PROCESSING",
      "PROCESSED",
    ]);
    expect([world.provider.requests, world.provider.effects.size]).toEqual([2, 1]);
  });

  test("an approved initiation is not failed by an answer that makes no sense", async () => {
    const world = await openWorld();
    world.provider.answer = (payment) => ({ payment: { ...payment, asset: "€" } });
    const id = await world.createApproved();
    await world.sweep();
    expect((await world.get(id)).state.status).toBe("PROCESSING");
    world.provider.answer = (payment) => ({ payment });
    world.pass(100);
    await world.sweep();
    expect((await world.get(id)).state.status).toBe("PROCESSED");
  });

  test("an approved initiation waits as long as a provider says that is busy", async () => {
    const world = await openWorld();
    world.provider.before = () => {
      throw new ConnectorError("rate-limited", "busy", { retryAfterMs: 7000 });
    };
    const id = await world.createApproved();
    expect(await world.sweep()).toBe(world.world.nowMs + 7000);
    // The provider gets no request for an initiation that is approved during the pause, either.
    const later = await world.createApproved();
    const untilMs = world.world.nowMs + 7000;
    for (const seconds of [0, 3, 3]) {
      world.pass(seconds);
      expect(await world.sweep()).toBe(untilMs);
    }
    expect(world.provider.requests).toBe(1);
    world.provider.before = () => undefined;
    world.pass(1);
    await world.sweep();
    expect((await world.get(id)).state.status).toBe("PROCESSED");
    expect((await world.get(later)).state.status).toBe("PROCESSED");
  });

  test("an approved initiation does not wait for a pause that was asked for before the clock stepped back", async () => {
    const world = await openWorld();
    world.world.d1.exec("UPDATE payment_connectors SET held_until = '2126-01-01T00:00:00.000000Z'");
    const id = await world.createApproved();
    await world.sweep();
    expect((await world.get(id)).state.status).toBe("PROCESSED");
  });

  test("an approved initiation is polled until the provider knows the outcome", async () => {
    const world = await openWorld();
    world.provider.answer = () => ({ pollingId: "42" });
    const id = await world.createApproved();
    expect(await world.sweep()).toBe(world.world.nowMs + world.connector.pollingPeriodMs);
    world.pass(1);
    await world.sweep();
    expect(world.provider.requests).toBe(1);
    world.provider.poll = (pollingId) => ({
      payment: world.provider.paymentOf(`payment-${pollingId}`),
    });
    world.pass(1);
    await world.sweep();
    expect((await world.get(id)).state.status).toBe("PROCESSED");
  });

  test("an approved initiation fails, and may be tried again, if polling ends in an error", async () => {
    const world = await openWorld();
    world.provider.answer = () => ({ pollingId: "42" });
    world.provider.poll = () => ({ error: "the beneficiary refused" });
    const { id } = await world.create();
    const task = await approveInitiation(world.context, id);
    await world.sweep();
    world.pass(1);
    await world.sweep();
    expect(await world.get(id)).toMatchObject({
      error: "the beneficiary refused",
      state: { status: "FAILED" },
    });
    expect(await world.task(task)).toMatchObject({
      status: "FAILED",
      error: "the beneficiary refused",
    });
    await retryInitiation(world.context, id);
  });

  test("an approved initiation fails before the provider is asked, if an account is not known", async () => {
    const world = await openWorld();
    const { id: connector } = world.connector;
    const id = await world.createApproved({ destination: { connector, reference: "nobody" } });
    await world.sweep();
    expect((await world.get(id)).error).toBe("the connector has no account 'nobody'");
    expect(world.provider.requests).toBe(0);
  });

  test("an approved initiation fails where the provider moves no money", async () => {
    const world = await openWorld();
    const id = await world.createApproved({ type: "TRANSFER" });
    await world.sweep();
    expect((await world.get(id)).error).toBe("the provider generic offers no transfers");
  });
});

describe("a sweep", () => {
  test("the sweep of initiations wakes a connector's object that has taken nothing for a while, and asks no provider", async () => {
    const world = await openWorld();
    await world.createApproved();
    world.pass(4);
    expect(await sweepInitiations(world.context)).toBe(world.world.nowMs + 15_000);
    expect(world.woken).toEqual([]);
    world.pass(1);
    await sweepInitiations(world.context);
    expect(world.woken).toEqual([world.connector.id.reference]);
    expect(world.provider.requests).toBe(0);
    await world.sweep();
    world.pass(60);
    await sweepInitiations(world.context);
    expect(world.woken).toHaveLength(1);
  });

  test("the sweep of initiations leaves alone a connector whose provider has asked for a pause", async () => {
    const world = await openWorld();
    await world.createApproved();
    const until = fromMillis(world.world.nowMs + 30_000);
    world.world.d1.exec(`UPDATE payment_connectors SET held_until = '${until}'`);
    world.pass(20);
    await sweepInitiations(world.context);
    expect(world.woken).toEqual([]);
    world.pass(10);
    await sweepInitiations(world.context);
    expect(world.woken).toHaveLength(1);
  });
});

test("due movements are found by an index, however many are scheduled", async () => {
  const world = await openWorld();
  const plan = world.world.d1
    .rows(
      "EXPLAIN QUERY PLAN SELECT key FROM payment_movements WHERE connector_key = 1 AND due_at <= '2026' ORDER BY due_at LIMIT 4",
    )
    .map(({ detail }) => detail);
  expect(plan).toEqual([expect.stringMatching(/INDEX payment_movements_connector .*due_at<\?/)]);
});

describe("two clients at once", () => {
  test.each([0, 1, 2, 3])("two clients at once approve an initiation once, case %#", async () => {
    const world = await openWorld();
    const { id } = await world.create();
    const calls = [1, 2].map(() => refusalOf(approveInitiation(world.context, id)));
    const refusals = (await Promise.all(calls)).filter((refusal) => refusal !== "");
    expect(refusals).toEqual([
      "VALIDATION cannot approve an already approved payment initiation: validation error",
    ]);
    await Promise.all([world.sweep(), world.sweep()]);
    expect(world.provider.requests).toBe(1);
    expect(await world.statusesOf(id)).toHaveLength(3);
  });

  test("two clients at once approve and reject an initiation: one of them is refused", async () => {
    const world = await openWorld();
    const { id } = await world.create();
    const calls = [
      refusalOf(approveInitiation(world.context, id)),
      refusalOf(rejectInitiation(world.context, id)),
    ];
    const refusals = (await Promise.all(calls)).filter((refusal) => refusal !== "");
    expect(refusals).toHaveLength(1);
    await world.sweep();
    const isRejected = (await world.get(id)).state.status === "REJECTED";
    expect(world.provider.requests).toBe(isRejected ? 0 : 1);
  });

  test("two clients at once reverse an initiation: the second one fails, and a part is left", async () => {
    const world = await openWorld();
    const id = await world.createPaid();
    const begun = await Promise.all([world.reverse(id, "r-1", 60n), world.reverse(id, "r-2", 60n)]);
    await world.sweep();
    const tasks = await Promise.all(begun.map(({ task }) => world.task(task)));
    expect(new Set(tasks.map((task) => task?.status))).toEqual(new Set(["FAILED", "SUCCEEDED"]));
    expect((await world.get(id)).state).toMatchObject({ reversed: 60n, reserved: 0n });
    expect(world.provider.requests).toBe(2);
  });
});

describe("an approval by four eyes", () => {
  test("an approval by four eyes is refused to whoever has created the initiation", async () => {
    const world = await openWorld();
    world.fourEyes = true;
    const { id } = await world.create();
    expect(await refusalOf(approveInitiation(world.context, id))).toMatch(
      /^VALIDATION a payment initiation is approved by somebody else/,
    );
    world.subject = "bob";
    await approveInitiation(world.context, id);
    const [last] = await allInitiationAdjustments(world.context, await world.get(id));
    expect(last?.metadata).toEqual({ approvedBy: "bob" });
    const audited = world.world.d1.rows("SELECT action, subject FROM audit ORDER BY id");
    expect(audited).toMatchObject([
      { action: "payments.payment-initiation.create", subject: "alice" },
      { action: "payments.payment-initiation.approve", subject: "bob" },
    ]);
  });

  test("an approval by four eyes is needed for a reversal as well, which the creator cannot begin", async () => {
    const world = await openWorld();
    const id = await world.createPaid();
    world.fourEyes = true;
    expect(await refusalOf(world.reverse(id, "r-1", 60n))).toMatch(
      /^VALIDATION a payment initiation is reversed by somebody else/,
    );
    expect(world.count("payment_reversals")).toBe(0);
    world.subject = "bob";
    await world.reverse(id, "r-1", 60n);
    await world.sweep();
    expect((await world.get(id)).state).toMatchObject({ reversed: 60n });
  });

  test("an approval by four eyes is not gone around by an initiation that is sent at once", async () => {
    const world = await openWorld();
    world.fourEyes = true;
    expect(await refusalOf(world.create({ isSent: true }))).toMatch(
      /^VALIDATION a payment initiation is approved by somebody else/,
    );
    expect(world.count("payment_initiations")).toBe(0);
  });
});

describe("an initiation that is sent at once", () => {
  test("an initiation that is sent at once is stored and approved in one step", async () => {
    const world = await openWorld();
    const { id, task } = await world.create({ isSent: true });
    expect(task?.reference).toContain("create-payout-florin-1-");
    expect(world.count("payment_movements")).toBe(1);
    await world.sweep();
    expect(await world.statusesOf(id)).toEqual([
      "WAITING_FOR_VALIDATION",
      "PROCESSING",
      "PROCESSED",
    ]);
  });

  test("an initiation that is sent at once is not stored for a connector that is being uninstalled", async () => {
    const world = await openWorld();
    world.world.d1.exec("UPDATE payment_connectors SET deleted_at = created_at");
    expect(await refusalOf(world.create({ isSent: true }))).toBe(
      "VALIDATION connector_id: value not found",
    );
  });
});
