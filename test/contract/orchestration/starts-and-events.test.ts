import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import { LedgerClient } from "#modules/ledger/index.ts";
import { startInstance } from "#modules/orchestration/instances/start.ts";
import { getInstance } from "#modules/orchestration/instances/store.ts";
import { sendEvent } from "#modules/orchestration/run/send-event.ts";
import { fromMillis } from "#platform/time.ts";
import { Flows } from "#test/support/orchestration/flows.ts";
import { freshLedger } from "#test/support/orchestration/sends.ts";
import { containing, newWorkflow } from "#test/support/orchestration/triggers.ts";
import { api, bodyOf, freshName, token } from "#test/support/platform/api.ts";

const V2 = "/api/orchestration/v2";
const NOOP = { noop: {} };
const waitFor = (event: string) => ({ wait_event: { event } });

const flows = new Flows();
let ledger = "";
beforeAll(async () => {
  ledger = await freshLedger("states");
});

const pay = (from: string) => ({
  send: {
    source: { account: { id: from, ledger } },
    destination: { account: { id: "shop", ledger } },
    amount: { amount: "100", asset: "EUR/2" },
  },
});

interface Shown {
  readonly id: string;
  readonly state: string;
  readonly hold?: Readonly<Record<string, unknown>>;
}

const listed = async (query: string): Promise<Shown[]> => {
  const { cursor } = (await bodyOf(await api(`${V2}/instances?pageSize=100&${query}`))) as {
    cursor: { data: Shown[] };
  };
  return cursor.data;
};

describe("how an instance is", () => {
  test("the state of an instance is shown in lists and where it is read, with why it does not go on", async () => {
    const { id: workflowId } = await flows.workflow([waitFor("${event}"), pay("${from}"), NOOP]);
    const start = async (event: string, from = "nobody") => {
      const variables = { event, from };
      const { instance } = await startInstance(flows.context, { workflowId, variables });
      return instance;
    };
    const waiting = await start("go");
    await flows.drive(waiting);
    const from = `users:${freshName("poor")}`;
    const stuck = await start("go", from);
    await flows.drive(stuck);
    await sendEvent(flows.context, stuck.id, "go");
    await flows.drive(stuck, 2);
    const failed = await start("");
    const running = await start("later");
    const done = await start("go", "world");
    await sendEvent(flows.context, done.id, "go");
    await flows.drive(done);

    for (const [state, { id }] of Object.entries({
      waiting,
      stuck,
      failed,
      running,
      succeeded: done,
    })) {
      const found = await listed(`workflowID=${workflowId}&status=${state}`);
      expect(found.map((one) => [one.id, one.state])).toEqual([[id, state]]);
      const { data } = (await bodyOf(await api(`${V2}/instances/${id}`))) as { data: Shown };
      expect(data).toMatchObject(found[0] ?? expect.fail("it is listed"));
    }
    const oldestFirst = await listed(`workflowID=${workflowId}`);
    expect(oldestFirst).toHaveLength(5);
    const newestFirst = await listed(`workflowID=${workflowId}&sort=createdAt:desc`);
    expect(newestFirst).toEqual(oldestFirst.toReversed());
    const counts = `/api/florin/v1/instances/counts?workflowID=${workflowId}`;
    expect(await bodyOf(await api(counts))).toEqual({
      data: { running: 1, waiting: 1, stuck: 1, failed: 1 },
    });
    const [held] = await listed(`workflowID=${workflowId}&status=waiting`);
    expect(held?.hold).toEqual({
      reason: "it waits for the event 'go'",
      since: containing("Z"),
      event: "go",
    });
    const [retried] = await listed(`workflowID=${workflowId}&status=stuck`);
    expect(retried?.hold).toEqual({
      reason: containing("the activity CreateTransaction has failed and is tried again: "),
      since: containing("Z"),
      activity: "CreateTransaction",
      attempts: 3,
      lastFailure: containing("insufficient"),
      nextAttemptAt: containing("Z"),
    });
    const postings = [{ source: "world", destination: from, amount: 100n, asset: "EUR/2" }];
    const client = new LedgerClient(flows.context, ledger);
    await client.commit({ postings }, { idempotencyKey: undefined });
    await flows.drive(stuck, 1);
    const ended = await getInstance(flows.context, stuck.id);
    expect([ended.state, ended.hold]).toEqual(["succeeded", undefined]);
  });

  test("the state of an instance says until when it sleeps", async () => {
    const started = await flows.start([{ delay: { duration: "1h" } }]);
    await flows.drive(started);
    expect(await getInstance(flows.context, started.id)).toMatchObject({
      state: "waiting",
      hold: { kind: "time", until: fromMillis(flows.nowMs + 3_600_000) },
    });
  });

  test("the state of instances is read from an index, and those that have succeeded are not in it", async () => {
    const { results } = await env.DB.prepare(
      "EXPLAIN QUERY PLAN SELECT * FROM orchestration_instances WHERE state = ? ORDER BY key LIMIT 15",
    )
      .bind("failed")
      .all<{ detail: string }>();
    expect(results.map(({ detail }) => detail)).toEqual([
      containing("USING INDEX orchestration_instances_state (state=?)"),
    ]);
  });

  test("a list of instances is not asked for a state that there is not, nor by a misspelt name under own paths", async () => {
    expect((await api(`${V2}/instances?status=broken`)).status).toBe(400);
    expect((await api(`${V2}/instances?colour=red`)).status).toBe(200);
    const { id } = await flows.start([NOOP]);
    const own = await api(`/api/florin/v1/instances/${id}/timeline?befor=3`);
    expect([own.status, await own.text()]).toEqual([
      400,
      containing("there is no query parameter 'befor' here; the parameters are: after"),
    ]);
  });
});

describe("a start with an idempotency key", () => {
  const key = () => ({ "idempotency-key": freshName("key") });
  const run = async (workflow: string, init: Parameters<typeof api>[1]) => {
    const answer = await api(`${V2}/workflows/${workflow}/instances`, { method: "POST", ...init });
    const body = (await bodyOf(answer)) as {
      data?: { id: string; terminated: boolean };
      errorMessage?: string;
    };
    return { status: answer.status, hit: answer.headers.get("idempotency-hit"), ...body };
  };

  test("a start with an idempotency key starts one instance, however often and at once it is sent", async () => {
    const [workflow, headers] = [await newWorkflow([waitFor("go")]), key()];
    const body = { a: "1", b: "2" };
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => run(workflow, { headers, body })),
    );
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201]);
    expect(new Set(answers.map(({ data }) => data?.id)).size).toBe(1);
    expect(answers.filter(({ hit }) => hit === null)).toHaveLength(1);
    const again = await run(workflow, { headers, body: { b: "2", a: "1" } });
    expect([again.data?.id, again.hit]).toEqual([answers[0]?.data?.id, "true"]);
    expect(await listed(`workflowID=${workflow}`)).toHaveLength(1);
  });

  test("a start with an idempotency key gives the instance as it is by then, and with `wait` at its end", async () => {
    const [workflow, headers] = [await newWorkflow([NOOP]), key()];
    const first = await run(workflow, { headers });
    const answer = await api(`${V2}/workflows/${workflow}/instances?wait=true`, {
      method: "POST",
      headers,
    });
    expect(await bodyOf(answer)).toMatchObject({
      data: { id: first.data?.id, terminated: true, status: [{ stage: 0 }] },
    });
  });

  test("a start with an idempotency key is refused for another workflow or other variables, and starts nothing", async () => {
    const [one, two, headers] = [await newWorkflow([NOOP]), await newWorkflow([NOOP]), key()];
    await run(one, { headers, body: { a: "1" } });
    const refused = [400, "the idempotency key was used before with another request"];
    const messageOf = ({ status, errorMessage = "" }: Awaited<ReturnType<typeof run>>) => [
      status,
      errorMessage.replace("[VALIDATION] ", ""),
    ];
    expect(messageOf(await run(two, { headers, body: { a: "1" } }))).toEqual(refused);
    expect(messageOf(await run(one, { headers, body: { a: "2" } }))).toEqual(refused);
    expect(messageOf(await run(one, { headers }))).toEqual(refused);
    expect(await listed(`workflowID=${one}`)).toHaveLength(1);
    expect(await listed(`workflowID=${two}`)).toEqual([]);
    const long = { "idempotency-key": "k".repeat(256) };
    expect((await run(one, { headers: long })).status).toBe(400);
  });

  test("a start without an idempotency key, or with an empty one, makes another instance each time", async () => {
    const workflow = await newWorkflow([NOOP]);
    await run(workflow, {});
    await run(workflow, { headers: { "idempotency-key": "" }, token: await token() });
    expect(await listed(`workflowID=${workflow}`)).toHaveLength(2);
  });
});

describe("twenty events at once", () => {
  const kindsOf = async (id: string): Promise<string[]> => {
    const path = `/api/florin/v1/instances/${id}/timeline`;
    const { data } = (await bodyOf(await api(path))) as { data: { kind: string }[] };
    return data.map(({ kind }) => kind);
  };
  const count = (kinds: readonly string[], kind: string) =>
    kinds.filter((one) => one === kind).length;

  test("twenty events at once end twenty stages that wait for them, one each", async () => {
    const stages = Array.from({ length: 21 }, () => waitFor("go"));
    const started = await flows.start(stages);
    await flows.drive(started);
    await Promise.all(Array.from({ length: 20 }, () => sendEvent(flows.context, started.id, "go")));
    expect((await getInstance(flows.context, started.id)).stage).toBe(20);
    const kinds = await kindsOf(started.id);
    expect([count(kinds, "event-received"), count(kinds, "event-ignored")]).toEqual([20, 0]);
  });

  test("twenty events at once are received as often as they have an effect, and noted as ignored otherwise", async () => {
    const started = await flows.start([waitFor("go"), waitFor("stop")]);
    await flows.drive(started);
    const answers = await Promise.all(
      Array.from({ length: 20 }, () =>
        api(`${V2}/instances/${started.id}/events`, { body: { name: "go" } }),
      ),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([204]));
    expect((await getInstance(flows.context, started.id)).stage).toBe(1);
    const kinds = await kindsOf(started.id);
    expect([count(kinds, "event-received"), count(kinds, "event-ignored")]).toEqual([1, 19]);
  });
});
