import { beforeAll, describe, expect, test } from "vitest";
import { LedgerClient } from "#modules/ledger/index.ts";
import { getInstance } from "#modules/orchestration/instances/store.ts";
import { GRACE_MS } from "#modules/orchestration/instances/transition.ts";
import { carryOn } from "#modules/orchestration/run/carry-on.ts";
import { sweepInstances } from "#modules/orchestration/run/revive.ts";
import { sendEvent } from "#modules/orchestration/run/send-event.ts";
import { fromMillis } from "#platform/time.ts";
import { FakePlatform, Flows } from "#test/support/orchestration/flows.ts";
import { freshLedger } from "#test/support/orchestration/sends.ts";
import { api, bodyOf, freshName } from "#test/support/platform/api.ts";

let ledger = "";
beforeAll(async () => {
  ledger = await freshLedger("executing");
});

const NOOP = { noop: {} };
const WAIT = { wait_event: { event: "go" } };
const pay = (source: string, destination: string) => ({
  send: {
    source: { account: { id: source, ledger } },
    destination: { account: { id: destination, ledger } },
    amount: { amount: "100", asset: "EUR/2" },
  },
});

interface Timeline {
  readonly data: readonly { readonly kind: string }[];
  readonly hasMore: boolean;
}

/** A platform without instances, and a function that starts instances on it. */
function world() {
  const platform = new FakePlatform();
  const flows = new Flows(undefined, undefined, platform);
  const balanceOf = (account: string) =>
    new LedgerClient(flows.context, ledger).balance(account, "EUR/2");
  return { platform, flows, balanceOf };
}

describe("stages that do nothing", () => {
  test("stages that do nothing end in the change that begins them", async () => {
    const { flows } = world();
    const started = await flows.start([NOOP, NOOP, WAIT, NOOP]);
    expect(started).toMatchObject({ stage: 2, updatedAt: started.createdAt });
    const path = `/api/orchestration/v2/instances/${started.id}/history`;
    expect(await bodyOf(await api(path))).toMatchObject({
      data: [
        { name: "RunNoop", terminated: true },
        { name: "RunNoop", terminated: true },
        { name: "RunWaitEvent", terminated: false },
      ],
    });
    expect((await flows.start([NOOP])).terminatedAt).toBe(started.createdAt);
  });

  test("stages that do nothing are many in several changes", async () => {
    const { flows } = world();
    const started = await flows.start(Array.from({ length: 100 }, () => NOOP));
    expect(started.terminatedAt).toBeUndefined();
    expect(await flows.drive(started)).toEqual({ kind: "end" });
    const ended = await getInstance(flows.context, started.id);
    expect(ended).toMatchObject({ stage: 100, terminatedAt: started.createdAt });
  });
});

test("a timeline that is long comes in parts", async () => {
  const { flows } = world();
  const started = await flows.start(Array.from({ length: 500 }, () => NOOP));
  await flows.drive(started);
  const partOf = async (query: string) => {
    const answer = await api(`/api/florin/v1/instances/${started.id}/timeline${query}`);
    const { data, hasMore } = (await bodyOf(answer)) as Timeline; // the schema of the answer has this shape
    return [data.length, hasMore, data.at(-1)?.kind];
  };

  expect(await partOf("")).toEqual([1000, true, "stage-started"]);
  expect(await partOf("?after=1000")).toEqual([2, false, "instance-succeeded"]);
  expect(await partOf("?after=5000")).toEqual([0, false, undefined]);
  const refused = await api(`/api/florin/v1/instances/${started.id}/timeline?after=-1`);
  expect(refused.status).toBe(400);
});

describe("an instance is executed where it was started", () => {
  test("an instance that does not wait is executed where it was started, and the platform hears nothing of it", async () => {
    const { platform, flows, balanceOf } = world();
    const to = `users:${freshName("paid")}`;
    const started = await flows.start([pay("world", to), NOOP, pay("world", to)]);
    await carryOn(flows.context.env, started);

    const { terminatedAt, error } = await getInstance(flows.context, started.id);
    expect([typeof terminatedAt, error]).toEqual(["string", undefined]);
    expect(await balanceOf(to)).toBe(200n);
    expect(platform.calls).toEqual([]);
  });

  test.each([
    ["an event, which the platform hears nothing of", WAIT, []],
    ["a time, at which the runner goes on", { delay: { duration: "1h" } }, ["wake in 3600 s"]],
  ])("an instance runs where it was started until it waits for %s", async (_what, wait, calls) => {
    const { platform, flows, balanceOf } = world();
    const to = `users:${freshName("waiting")}`;
    const started = await flows.start([pay("world", to), wait, pay("world", to)]);
    await carryOn(flows.context.env, started);

    expect(await getInstance(flows.context, started.id)).toMatchObject({ stage: 1 });
    expect(await balanceOf(to)).toBe(100n);
    expect(platform.calls).toEqual(calls.map((call) => [`${started.id}-1`, call]));
  });

  test("an instance is executed where it was started until an activity has failed, which the runner tries again", async () => {
    const { platform, flows } = world();
    const started = await flows.start([pay(`users:${freshName("poor")}`, "shop")]);
    await carryOn(flows.context.env, started);

    expect((await getInstance(flows.context, started.id)).terminatedAt).toBeUndefined();
    expect(platform.calls).toEqual([[`${started.id}-1`, "wake in 1 s"]]);
  });

  test("an instance is executed where it was started until its time is over", async () => {
    const { platform, flows, balanceOf } = world();
    const to = `users:${freshName("late")}`;
    const started = await flows.start([pay("world", to)]);
    await carryOn(flows.context.env, started, Date.now());

    expect(platform.calls).toEqual([[`${started.id}-1`, "create 1"]]);
    expect(await flows.drive(started)).toEqual({ kind: "end" });
    expect(await balanceOf(to)).toBe(100n);
  });

  test("an instance is executed where it was started beside fifteen others at most, seven of them of its owner", async () => {
    const { platform, flows, balanceOf } = world();
    const to = `users:${freshName("many")}`;
    const started = await Promise.all(
      Array.from({ length: 20 }, () => flows.start([pay("world", to)])),
    );
    const { env } = flows.context;
    const [mine, theirs] = [started.slice(0, 12), started.slice(12)];
    await Promise.all([
      ...mine.map((instance) => carryOn(env, instance)),
      ...theirs.map((instance) =>
        carryOn(env, { ...instance, principal: { ...instance.principal, subject: "other" } }),
      ),
    ]);

    expect(await balanceOf(to)).toBe(1600n);
    expect(platform.calls.map(([, call]) => call)).toEqual(
      Array.from({ length: 4 }, () => "wake in 0 s"),
    );
  });

  test("an instance that is executed by two at once where it was started pays once", async () => {
    const { flows, balanceOf } = world();
    const to = `users:${freshName("twice")}`;
    const started = await flows.start([pay("world", to), pay("world", to)]);
    const { env } = flows.context;
    await Promise.all([carryOn(env, started), flows.drive(started), carryOn(env, started)]);

    expect(await flows.drive(started)).toEqual({ kind: "end" });
    expect(await balanceOf(to)).toBe(200n);
  });

  test("an instance is executed by the runner with its event, if it was cut off where it was started", async () => {
    const { platform, flows } = world();
    const started = await flows.start([WAIT]);
    expect(await flows.drive(started)).toEqual({ kind: "wait-for-event" });
    await sendEvent(flows.context, started.id, "go");

    expect(platform.calls).toEqual([[`${started.id}-1`, "wake in 0 s"]]);
    expect(await flows.drive(started)).toEqual({ kind: "end" });
  });
});

test("instances move as soon as they would have, after the clock has stepped back", async () => {
  const { platform, flows } = world();
  const now = flows.nowMs;
  flows.nowMs = now + 86_400_000;
  const moving = await flows.start([pay("world", "shop")]);
  const asleep = await flows.start([{ delay: { duration: "1h" } }]);
  await flows.drive(asleep);
  flows.nowMs = now;
  await sweepInstances(flows.context);
  const dueOf = async (id: string) => (await getInstance(flows.context, id)).dueAt;
  expect(await dueOf(moving.id)).toBe(fromMillis(now + GRACE_MS));
  expect(await dueOf(asleep.id)).toBe(fromMillis(now + 3_600_000 + GRACE_MS));
  flows.nowMs = now + GRACE_MS;
  await sweepInstances(flows.context);

  const ids = platform.calls.map(([id]) => id);
  expect(ids).toContain(`${moving.id}-1`);
  expect(ids).not.toContain(`${asleep.id}-1`);
});
