import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { waitForEnd } from "#modules/orchestration/run/wait.ts";
import { freshClient } from "#test/support/auth/clients.ts";
import { Flows } from "#test/support/orchestration/flows.ts";
import { containing, newWorkflow } from "#test/support/orchestration/triggers.ts";
import { api, bodyOf, token } from "#test/support/platform/api.ts";
import { eventually } from "#test/support/platform/eventually.ts";
import { evict } from "#test/support/platform/evict.ts";
import { isolate } from "#test/support/runner/isolate.ts";

const V2 = "/api/orchestration/v2";
const runOf = (workflow: string) => `${V2}/workflows/${workflow}/instances`;

interface Instance {
  readonly id: string;
  readonly terminated: boolean;
}

const instancesOf = async (workflow: string): Promise<Instance[]> => {
  const answer = await api(`${V2}/instances?workflowID=${workflow}&pageSize=100`);
  return ((await bodyOf(answer)) as { cursor: { data: Instance[] } }).cursor.data;
};

test("a request that waits for the end of an instance looks before and after it, and not between", async () => {
  const flows = new Flows();
  const started = await flows.start([{ wait_event: { event: "go" } }]);
  const queries: string[] = [];
  const database = new Proxy(env.DB, {
    get(target, name) {
      if (name !== "prepare") return Reflect.get(target, name, target) as unknown;
      return (query: string) => {
        queries.push(query);
        return target.prepare(query);
      };
    },
  });
  const waits: (() => void)[] = [];
  const runner = {
    getByName: () => ({
      untilEnd: () => new Promise<void>((resolve) => void waits.push(resolve)),
    }),
  };
  const context = {
    ...flows.context,
    env: { ...env, DB: database, INSTANCE_RUNNER: runner } as unknown as Env,
  };
  const requests = Array.from({ length: 30 }, () => waitForEnd(context, started.id));
  await expect.poll(() => waits.length).toBe(30);
  expect(queries).toHaveLength(30);
  for (const end of waits) end();
  const shown = await Promise.all(requests);
  expect(queries).toHaveLength(60);
  // Nobody has sent the event, so each request is answered with the running instance.
  expect(new Set(shown.map(({ state }) => state))).toEqual(new Set(["running"]));
});

test("requests that wait are answered when their instances end, which go on at their time and with their events", async () => {
  const sleeping = await newWorkflow([{ delay: { duration: "300ms" } }, { noop: {} }]);
  const waiting = await newWorkflow([{ wait_event: { event: "go" } }, { noop: {} }]);
  const requests = [sleeping, sleeping, waiting, waiting].map(async (workflow) => {
    const answer = await api(`${runOf(workflow)}?wait=true`, { method: "POST" });
    return { status: answer.status, body: await bodyOf(answer) };
  });
  const started = await eventually(async () => {
    const found = await instancesOf(waiting);
    expect(found).toHaveLength(2);
    return found;
  });
  for (const { id } of started) {
    const sent = await api(`${V2}/instances/${id}/events`, { body: { name: "go" } });
    expect(sent.status).toBe(204);
  }
  for (const { status, body } of await Promise.all(requests)) {
    expect([status, body]).toMatchObject([201, { data: { terminated: true, status: [{}, {}] } }]);
  }
});

test("a client of which too many requests wait is refused before anything starts, and may start instances without waiting", async () => {
  const workflow = await newWorkflow([{ wait_event: { event: "go" } }]);
  const other = await newWorkflow([{ noop: {} }]);
  const server = isolate({ FLORIN_LIMIT_WAITING: "3" });
  const headers = { authorization: `Bearer ${await token()}` };
  const start = (path: string) => server(path, { method: "POST", headers });
  const requests = [1, 2].map(() => start(`${runOf(workflow)}?wait=TRUE`));
  await eventually(async () => expect(await instancesOf(workflow)).toHaveLength(2));
  const refused = await start(`${runOf(other)}?wait=true`);
  expect([refused.status, refused.headers.get("retry-after"), await refused.text()]).toEqual([
    429,
    "1",
    containing("too many waiting requests of this caller"),
  ]);
  expect(await instancesOf(other)).toEqual([]);
  expect((await start(runOf(other))).status).toBe(201);
  expect((await start(`${runOf(other)}?wait=false`)).status).toBe(201);

  for (const { id } of await instancesOf(workflow)) {
    await api(`${V2}/instances/${id}/events`, { body: { name: "go" } });
  }
  const ended = await Promise.all(requests);
  expect(ended.map(({ status }) => status)).toEqual([201, 201]);
  // The places of the ended requests are free again.
  const again = await start(`${runOf(other)}?wait=true`);
  expect(await bodyOf(again)).toMatchObject({ data: { terminated: true } });
});

test("a client that starts many instances at once has few stored at a time, beside which another client starts one", async () => {
  const workflow = await newWorkflow();
  const opened = Promise.withResolvers<void>();
  let storing = 0;
  let most = 0;
  const DB = new Proxy(env.DB, {
    get: (target, name: keyof D1Database) =>
      name === "batch"
        ? async (statements: D1PreparedStatement[]) => {
            most = Math.max(most, ++storing);
            await opened.promise;
            return target.batch(statements).finally(() => storing--);
          }
        : target[name].bind(target),
  });
  const server = isolate({ FLORIN_LIMIT_STARTS: "2", DB });
  const start = (bearer: string) => {
    const headers = { authorization: `Bearer ${bearer}` };
    return server(runOf(workflow), { method: "POST", headers });
  };
  const mine = await token();
  const { token: theirs } = await freshClient("orchestration:write");
  const many = [1, 2, 3, 4].map(() => start(mine));
  await eventually(() => expect(storing).toBe(1));
  const other = start(theirs);
  await eventually(() => expect(storing).toBe(2));
  expect(most).toBe(2);
  opened.resolve();

  expect((await other).status).toBe(201);
  const statuses = (await Promise.all(many)).map(({ status }) => status);
  // On a very slow machine, some requests wait for too long and get 429.
  expect(statuses).toEqual(statuses.map((status) => (status === 429 ? 429 : 201)));
  expect(statuses).toContain(201);
  const started = statuses.filter((status) => status === 201).length + 1;
  expect(await instancesOf(workflow)).toHaveLength(started);
});

test("an instance that sleeps goes on at its time, also where the runner was taken out of memory", async () => {
  const workflow = await newWorkflow([{ delay: { duration: "2s" } }, { noop: {} }]);
  const answer = await api(runOf(workflow), { method: "POST" });
  const { data } = (await bodyOf(answer)) as { data: Instance };
  const runner = env.INSTANCE_RUNNER.getByName("runner");
  const wakes = () =>
    runInDurableObject(runner, (_, { storage }) =>
      storage.sql.exec("SELECT id FROM wakes").toArray(),
    );
  await expect.poll(wakes).toEqual([{ id: data.id }]);
  await evict(runner);
  await eventually(async () =>
    expect(await instancesOf(workflow)).toMatchObject([{ id: data.id, terminated: true }]),
  );
  await expect.poll(wakes).toEqual([]);
});
