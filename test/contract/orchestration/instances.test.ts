import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import { LedgerClient } from "#modules/ledger/index.ts";
import { executeActivity } from "#modules/orchestration/activities/execute.ts";
import { retryInstance } from "#modules/orchestration/instances/retry.ts";
import { startInstance } from "#modules/orchestration/instances/start.ts";
import { getInstance } from "#modules/orchestration/instances/store.ts";
import { advance } from "#modules/orchestration/run/advance.ts";
import { beginRun, sweepInstances } from "#modules/orchestration/run/revive.ts";
import { sendEvent } from "#modules/orchestration/run/send-event.ts";
import { parseJson } from "#platform/json.ts";
import { fromMillis } from "#platform/time.ts";
import { activitiesOf, FakePlatform, Flows } from "#test/support/orchestration/flows.ts";
import { freshLedger, funded } from "#test/support/orchestration/sends.ts";
import { containing } from "#test/support/orchestration/triggers.ts";
import { api, bodyOf, freshName } from "#test/support/platform/api.ts";

const flows = new Flows();
let ledger = "";
beforeAll(async () => {
  ledger = await freshLedger("instances");
});

const pay = (id: string, amount = "100", destination = "shop") => ({
  send: {
    source: { account: { id, ledger } },
    destination: { account: { id: destination, ledger } },
    amount: { amount, asset: "EUR/2" },
  },
});
const balanceOf = (account: string) =>
  new LedgerClient(flows.context, ledger).balance(account, "EUR/2");

/** The types of the events of an instance, in their order. */
async function eventsOf(id: string): Promise<string[]> {
  const { results } = await env.DB.prepare(
    "SELECT event FROM outbox WHERE order_key = ? ORDER BY sequence",
  )
    .bind(`orchestration:${id}`)
    .all<{ event: string }>();
  return results.map(({ event }) => (parseJson(event) as { type: string }).type);
}

const timelineOf = async (id: string) => {
  const { data } = (await bodyOf(await api(`/api/florin/v1/instances/${id}/timeline`))) as {
    data: { kind: string; stage?: number; data: Record<string, unknown> }[];
  };
  return data;
};

describe("an instance", () => {
  test("an instance waits for a time and for an event of a name, and no longer", async () => {
    const started = await flows.start(
      [{ delay: { duration: "${for}" } }, { wait_event: { event: "go ${n}" } }],
      { for: "1h", n: "1" },
    );
    const waiting = await flows.drive(started);
    expect(waiting).toEqual({ kind: "wait", waitMs: 3_600_000 });
    expect(await flows.drive(started, 1)).toEqual({ kind: "wait-for-event" });
    const before = await getInstance(flows.context, started.id);
    await sendEvent(flows.context, started.id, "go");
    expect(await getInstance(flows.context, started.id)).toEqual(before);
    expect(await flows.drive(started)).toEqual({ kind: "wait-for-event" });
    await sendEvent(flows.context, started.id, "go 1");
    expect(await flows.drive(started)).toEqual({ kind: "end" });
    const kinds = (await timelineOf(started.id)).map(({ kind }) => kind);
    expect(kinds).toEqual([
      "instance-started",
      "stage-started",
      "stage-succeeded",
      "stage-started",
      "event-ignored",
      "event-received",
      "stage-succeeded",
      "instance-succeeded",
    ]);
  });

  test("an instance sleeps for years in parts", async () => {
    const started = await flows.start([{ delay: { until: "2400-01-01T00:00:00Z" } }]);
    expect(await flows.drive(started)).toEqual({ kind: "wait", waitMs: 30 * 24 * 3_600_000 });
  });

  test("an instance tells its events in order, also when it fails", async () => {
    const done = await flows.run({ noop: {} });
    expect(await eventsOf(done.id)).toEqual([
      "STARTED_WORKFLOW",
      "STARTED_WORKFLOW_STAGE",
      "SUCCEEDED_WORKFLOW_STAGE",
      "SUCCEEDED_WORKFLOW",
    ]);
    const failed = await flows.run(pay("world", "-1"));
    expect(await eventsOf(failed.id)).toEqual([
      "STARTED_WORKFLOW",
      "STARTED_WORKFLOW_STAGE",
      "FAILED_WORKFLOW_STAGE",
      "FAILED_WORKFLOW",
    ]);
  });

  test("an instance whose values do not fit fails at the stage, which was not executed", async () => {
    const required = await flows.run({ wait_event: { event: "${missing}" } });
    expect(required.error).toBe(
      "Key: 'WaitEvent.Event' Error:Field validation for 'Event' failed on the 'required' tag",
    );
    expect(await bodyOf(await api(`/api/orchestration/instances/${required.id}/history`))).toEqual({
      data: [],
    });
    const both = await flows.run({ delay: {} });
    expect(both.error).toContain("'duration or until' tag");
    const text = await flows.run(pay("world", "${amount}"), { amount: "ten" });
    expect(text.error).toBe(
      "resolving field 'Amount': resolving field 'Amount': unable to parse 'ten' as big int",
    );
  });

  test("an instance of a key is one instance, whoever starts it twice", async () => {
    const { id: workflowId } = await flows.workflow([{ wait_event: { event: "go" } }]);
    const start = { workflowId, variables: {}, idempotencyKey: freshName("key") };
    const [one, two] = await Promise.all([
      startInstance(flows.context, start),
      startInstance(flows.context, start),
    ]);
    expect(two.instance.id).toBe(one.instance.id);
    expect([one, two].filter(({ isNew }) => isNew)).toHaveLength(1);
    const other = new Flows();
    other.principal = { ...other.principal, subject: "bob" };
    const third = await startInstance(other.context, start);
    expect(third.instance.id).not.toBe(one.instance.id);
  });

  test("an instance updates the metadata of an account", async () => {
    const update = { update: { account: { id: "users:${n}", ledger, metadata: { k: "v${n}" } } } };
    const done = await flows.run(update, { n: "3" });
    expect(done.error).toBeUndefined();
    const { metadata } = await new LedgerClient(flows.context, ledger).account("users:3");
    expect(metadata).toEqual({ k: "v3" });
  });

  test("an instance of which a ledger is missing waits for it", async () => {
    const name = freshName("later");
    const stage = { update: { account: { id: "a", ledger: name, metadata: {} } } };
    const started = await flows.start([stage]);
    expect(await flows.drive(started)).toEqual({ kind: "wait", waitMs: 1000 });
    expect(await flows.drive(started, 3)).toEqual({ kind: "wait", waitMs: 8000 });
    await new LedgerClient(flows.context, name).create();
    expect(await flows.drive(started, 1)).toEqual({ kind: "end" });
    const failures = (await timelineOf(started.id)).filter(
      ({ kind }) => kind === "activity-attempt-failed",
    );
    expect(failures.map(({ data }) => data["attempt"])).toEqual([1, 2, 3, 4]);
  });
});

describe("what is done happens once", () => {
  test("an activity whose outcome was lost happens once", async () => {
    const from = await funded(ledger);
    const started = await flows.start([pay(from)]);
    const postings = [{ source: from, destination: "shop", amount: 100n, asset: "EUR/2" }];
    // The process is killed right after the ledger has committed.
    await executeActivity(flows.context, started, {
      request: { name: "CreateTransaction", input: { ledger, data: { metadata: {}, postings } } },
      key: `${started.id}-0-0`,
    });
    expect(await balanceOf(from)).toBe(900n);
    expect(await flows.drive(started)).toEqual({ kind: "end" });
    expect(await balanceOf(from)).toBe(900n);
  });

  test("an activity happens once where several work on one instance", async () => {
    const from = await funded(ledger);
    const started = await flows.start([pay(from), pay(from), pay(from)]);
    await Promise.all([1, 2, 3].map(() => flows.drive(started)));
    const { terminatedAt } = await getInstance(flows.context, started.id);
    expect(terminatedAt).toBe(fromMillis(flows.nowMs));
    expect(await balanceOf(from)).toBe(700n);
    expect(await eventsOf(started.id)).toHaveLength(8);
  });

  test("an activity happens once soon after its failure, also where the clock steps back by a day", async () => {
    const stepping = new Flows();
    const from = `users:${freshName("poor")}`;
    const started = await stepping.start([pay(from)]);
    expect(await stepping.drive(started)).toMatchObject({ kind: "wait" });
    stepping.nowMs -= 86_400_000;
    const postings = [{ source: "world", destination: from, amount: 100n, asset: "EUR/2" }];
    await new LedgerClient(flows.context, ledger).commit(
      { postings },
      { idempotencyKey: undefined },
    );
    expect(await stepping.drive(started)).toEqual({ kind: "end" });
    expect(await balanceOf(from)).toBe(0n);
  });

  test("an activity happens once where a failed instance is retried, after its cause was mended", async () => {
    const from = await funded(ledger);
    const failing = {
      send: {
        source: { account: { id: from, ledger } },
        destination: { payment: { psp: "dummypay", connectorId: "none" } },
        amount: { amount: "100", asset: "EUR/2" },
      },
    };
    const started = await flows.start([pay(from), failing]);
    await flows.drive(started);
    const failed = await getInstance(flows.context, started.id);
    expect(failed.error).toContain("metadata containing formance account ID");
    expect(await balanceOf(from)).toBe(900n);
    const target = { targetType: "ACCOUNT", targetId: from } as const;
    const metadata = { formanceAccountID: "nobody" };
    const client = new LedgerClient(flows.context, ledger);
    await client.saveMetadata(target, metadata, { idempotencyKey: undefined });
    const retry = `/api/florin/v1/instances/${started.id}/retry`;
    await retryInstance(flows.context, started.id);
    await flows.drive(started);
    const again = await getInstance(flows.context, started.id);
    expect(again.error).toContain("connectorID: 'none' is no connector's id");
    // The first stage is not repeated, and the second one has moved no money.
    expect(await balanceOf(from)).toBe(900n);
    await retryInstance(flows.context, started.id);
    await flows.drive(started);
    expect(await balanceOf(from)).toBe(900n);
    expect((await activitiesOf(started.id, 1)).map(({ name }) => name)).toEqual(["GetAccount"]);
    const done = await flows.run({ noop: {} });
    const refused = await api(retry.replace(started.id, done.id), { method: "POST" });
    expect(refused.status).toBe(400);
  });
});

describe("the sweep", () => {
  /** An overdue instance, for which the platform reports `status`. */
  async function overdue(status: string | undefined) {
    const platform = new FakePlatform(status);
    const world = new Flows(undefined, undefined, platform);
    const started = await world.start([pay("world")]);
    platform.calls.length = 0;
    world.nowMs += 60_000;
    return { world, platform, started };
  }

  test.each([
    ["of which the platform knows nothing is given to it", undefined, ["create 1"]],
    ["that was killed is paused and resumed", "running", ["pause", "resume"]],
    ["that was paused is resumed", "paused", ["resume"]],
    ["that the platform has given up gets another run", "errored", ["create 2"]],
  ])("an instance %s", async (_what, status, calls) => {
    const { world, platform, started } = await overdue(status);
    await sweepInstances(world.context);
    const own = platform.calls.filter(([id]) => id?.startsWith(started.id));
    expect(own.map(([, call]) => call)).toEqual(calls);
    platform.calls.length = 0;
    // After a call, the sweep leaves the instance alone for some time.
    await sweepInstances(world.context);
    expect(platform.calls.filter(([id]) => id?.startsWith(started.id))).toEqual([]);
  });

  test("the sweep of instances leaves alone what waits for an event or has ended", async () => {
    const { world, platform } = await overdue(undefined);
    const waiting = await world.start([{ wait_event: { event: "go" } }]);
    await world.drive(waiting);
    const ended = await world.run({ noop: {} });
    world.nowMs += 3_600_000;
    platform.calls.length = 0;
    await sweepInstances(world.context);
    const ids = platform.calls.map(([id]) => id ?? "");
    expect(ids.some((id) => id.startsWith(waiting.id) || id.startsWith(ended.id))).toBe(false);
  });

  test("a run that another one has taken over from does nothing", async () => {
    const started = await flows.start([pay("world")]);
    await beginRun(flows.context, { id: started.id, run: 1 });
    expect(await advance(flows.context, { id: started.id, run: 1 })).toEqual({ kind: "end" });
    expect((await getInstance(flows.context, started.id)).terminatedAt).toBeUndefined();
    expect(await advance(flows.context, { id: started.id, run: 2 })).toEqual({ kind: "end" });
    const { terminatedAt } = await getInstance(flows.context, started.id);
    expect(terminatedAt).toBe(fromMillis(flows.nowMs));
  });
});

describe("a configuration is refused", () => {
  const create = async (body: unknown, type = "application/json") => {
    const headers = { "content-type": type };
    const response = await api("/api/orchestration/workflows", { body, headers });
    return { status: response.status, body: await bodyOf(response) };
  };

  /** The code, the message and the place of a refusal. */
  async function refusalOf(answer: ReturnType<typeof create>): Promise<readonly unknown[]> {
    const { status, body } = await answer;
    const { errorCode, errorMessage, details } = body as Readonly<Record<string, string>>; // the server answers this shape
    return [status, errorCode, errorMessage?.replace("[VALIDATION] ", ""), details];
  }
  const refused = (message: string, details?: string) => [400, "VALIDATION", message, details];

  test.each([
    [
      "an unknown stage",
      { stages: [{ foo: {} }] },
      ["unable to resolve schema foo", "stages.0.foo"],
    ],
    ["a stage of nothing", { stages: [{}] }, ["empty specification", "stages.0"]],
    [
      "a stage of two",
      { stages: [{ noop: {}, delay: {} }] },
      ["a specification should have only one name", "stages.0"],
    ],
    [
      "a stage that is no object",
      { stages: [1] },
      ["a stage is an object with one key", "stages.0"],
    ],
    ["stages that are no list", { stages: {} }, ["stages: expected a list", "stages"]],
    ["a name that is no text", { name: 1 }, ["name: expected a text", "name"]],
    [
      "a bad amount",
      { stages: [pay("a", "ten")] },
      [
        "resolving field 'Amount': resolving field 'Amount': unable to parse 'ten' as big int",
        "stages.0.send.amount.amount",
      ],
    ],
    [
      "an amount with a fraction",
      '{"stages":[{"send":{"source":{"account":{"id":"a"}},"destination":{"account":{"id":"b"}},"amount":{"amount":1.5}}}]}',
      [
        "resolving field 'Amount': resolving field 'Amount': unable to parse '1.5' as big int",
        "stages.0.send.amount.amount",
      ],
    ],
    [
      "a send from nowhere",
      { stages: [{ send: {} }] },
      ["resolving field 'Source': expected map but was <nil>", "stages.0.send.source"],
    ],
  ] as const)("a workflow is refused for %s", async (_what, body, [message, details]) => {
    const text = `creating workflow: ${message}`;
    expect(await refusalOf(create(body))).toEqual(refused(text, details));
  });

  test("the configuration of a workflow in YAML is refused with the line and the column", async () => {
    const yaml = (text: string) => create(text, "text/vnd.yaml");
    const [status, , message, place] = await refusalOf(yaml("name: a\nstages:\n  - ["));
    expect([status, place]).toEqual([400, "line 3, column 6"]);
    expect(message).toContain("unmarshalling yaml: ");
    expect(await refusalOf(yaml("name: a\nstages:\n  - noop: {}\n  - foo: {}"))).toEqual(
      refused("creating workflow: unable to resolve schema foo", "line 4, column 10"),
    );
    const bomb = `a: &a [x,x,x,x,x,x,x,x,x]\n${"bcdefghi"
      .split("")
      .map((c, i) => `${c}: &${c} [${`*${"abcdefgh"[i]},`.repeat(9)}]`)
      .join("\n")}\nstages: *i`;
    expect(await refusalOf(yaml(bomb))).toContain("creating workflow: aliases are not supported");
    expect(await refusalOf(yaml(`stages: ${"[".repeat(10_000)}`))).toContain(
      "unmarshalling yaml: it is nested deeper than 50",
    );
    expect(await yaml(`name: ${"x".repeat(600_000)}`)).toMatchObject({ status: 413 });
    expect(
      await yaml(
        "name: fine\nstages:\n- send:\n    source: {account: {id: world}}\n    destination: {account: {id: a}}\n    amount: {amount: 123456789012345678901234567890, asset: EUR/2}",
      ),
    ).toMatchObject({
      status: 201,
      body: {
        data: {
          config: { stages: [{ send: { amount: { amount: 123456789012345678901234567890n } } }] },
        },
      },
    });
  });

  test("variables of an instance are refused if they are no texts, or too many", async () => {
    const { id } = await flows.workflow([]);
    const path = `/api/orchestration/workflows/${id}/instances`;
    expect((await api(path, { body: { amount: 100 } })).status).toBe(400);
    expect((await api(path, { body: { a: "x".repeat(70_000) } })).status).toBe(400);
    const many = { update: { account: { id: "a", metadata: { a: "${v}".repeat(50_000) } } } };
    const refused = await api(
      `/api/orchestration/workflows/${(await flows.workflow([many])).id}/instances`,
      { body: { v: "x".repeat(60_000) } },
    );
    expect([refused.status, await refused.text()]).toEqual([400, containing("300000 characters")]);
    const ended = (await bodyOf(await api(`${path}?wait=1`, { body: "null" }))) as { data: object };
    expect(ended.data).toMatchObject({ terminated: true });
  });
});
