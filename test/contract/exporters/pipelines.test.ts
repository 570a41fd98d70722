import { abortAllDurableObjects } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test, vi } from "vitest";
import { deletePipelinesOf, PipelineService } from "#modules/exporters/index.ts";
import { PipelineStore } from "#modules/exporters/store/pipeline-store.ts";
import { AuditedChange } from "#platform/audit/audited-change.ts";
import { systemClock } from "#platform/clock.ts";
import { systemContext } from "#platform/context.ts";
import {
  received,
  running,
  settled,
  write,
  act,
  alarmOf,
  EXPORTERS,
  FakeEndpoint,
  freshExporter,
  freshPipeline,
  pipelineObject,
  pipelineOf,
  ring,
  stateOf,
  storageOf,
} from "#test/support/exporters/pipelines.ts";
import { freshLedger, inLedger, okBodyOf, pay, post } from "#test/support/ledger/api.ts";
import { uuidOf } from "#test/support/ledger/buckets.ts";
import { api, freshName } from "#test/support/platform/api.ts";
import { eventually } from "#test/support/platform/eventually.ts";
import { endObject } from "#test/support/platform/evict.ts";

/** Sweeps until no pipeline is pending. The sweep of the clock runs beside the test, and may have claimed a pipeline first. */
const everythingSynced = (): Promise<void> =>
  eventually(async () => {
    expect(await PipelineService.from(systemContext(env, "test")).sweep()).toBeUndefined();
  });

/** The date and the audit entry that every change of the store needs. */
const CHANGE = {
  now: systemClock(),
  change: new AuditedChange(systemContext(env, "test"), { action: "test", object: "test" }),
};

describe("a pipeline", () => {
  test("a pipeline delivers the log in order, each entry once, and says how far it is", async () => {
    const { endpoint, ledger, id } = await running();
    expect(await stateOf(ledger, id)).toMatchObject({ state: "ready", lag: 0 });
    const huge = { source: "world", destination: "a", amount: 10n ** 30n + 7n, asset: "USD" };
    await okBodyOf(post(ledger, { postings: [huge] }));
    await write(ledger, 4);
    await received(endpoint, [1, 2, 3, 4, 5]);
    expect(endpoint.requests[0]?.body).toContain(`"amount":${10n ** 30n + 7n}`);
    expect(endpoint.batches.flat().every((entry) => entry.ledger === ledger)).toBe(true);
    await settled(ledger, id, 5);
    expect(await pipelineOf(ledger, id)).not.toHaveProperty("error");
    expect(await stateOf(ledger, id)).toMatchObject({
      state: "started",
      lag: 0,
      delivered: { entries: 5, batches: endpoint.batches.length },
    });
  });

  test("a pipeline is listed with its own ledger only, and keeps apart from others", async () => {
    const [one, two] = [await running(), await running()];
    const other = await freshPipeline(two.ledger, one.exporter);
    await Promise.all([write(one.ledger, 3), write(two.ledger, 3)]);
    await received(two.endpoint, [1, 2, 3]);
    await eventually(() => expect(one.endpoint.ids).toHaveLength(6));
    for (const { ledger } of [one, two]) {
      const own = one.endpoint.batches.flat().filter((entry) => entry.ledger === ledger);
      expect(own.map((entry) => entry.id)).toEqual([1, 2, 3]);
    }
    const path = `/api/florin/v1/ledgers/${two.ledger}/pipelines`;
    const { data } = await okBodyOf<{ data: { id: string }[] }>(api(path));
    expect(data.map(({ id }) => id)).toEqual([two.id, other]);
  });

  test("a pipeline repeats what failed, and shows the error until it succeeds", async () => {
    const endpoint = new FakeEndpoint();
    endpoint.respond = () => new Response("full", { status: 507 });
    const { ledger, id } = await running(endpoint);
    await write(ledger, 2);
    await eventually(() => expect(endpoint.batches.length).toBeGreaterThan(2));
    expect(await pipelineOf(ledger, id)).toMatchObject({ error: "the answer is 507: full" });
    expect(await pipelineOf(ledger, id)).not.toHaveProperty("lastLogID");
    expect(await stateOf(ledger, id)).toMatchObject({
      state: "failing",
      lag: 2,
      delivered: { entries: 0, batches: 0 },
      lastError: { message: "the answer is 507: full" },
    });
    endpoint.respond = () => new Response();
    await settled(ledger, id, 2);
    expect(new Set(endpoint.ids)).toEqual(new Set([1, 2]));
    expect(await pipelineOf(ledger, id)).not.toHaveProperty("error");
    expect(await stateOf(ledger, id)).not.toHaveProperty("lastError");
  });

  test("a pipeline is not hurried by new entries while it fails", async () => {
    const endpoint = new FakeEndpoint();
    endpoint.respond = () => new Response(null, { status: 500 });
    const { ledger, id } = await running(endpoint);
    await write(ledger, 1);
    await eventually(async () => expect(await pipelineOf(ledger, id)).toHaveProperty("error"));
    const calls = endpoint.batches.length;
    for (let wake = 0; wake < 20; wake++) await pipelineObject(id).wake(1);
    expect(endpoint.batches.length).toBeLessThanOrEqual(calls + 1);
  });

  test("a pipeline that is stopped sends nothing, even after an eviction, and goes on where it was once started", async () => {
    const { endpoint, ledger, id } = await running();
    await write(ledger, 2);
    await settled(ledger, id, 2);
    await act(ledger, id, "stop");
    await eventually(async () => expect(await alarmOf(id)).toBeNull());
    await write(ledger, 2);
    await endObject(pipelineObject(id));
    await ring(id);
    await PipelineService.from(systemContext(env, "test")).sweep();
    expect(endpoint.ids).toEqual([1, 2]);
    expect(await stateOf(ledger, id)).toMatchObject({ state: "paused", enabled: false, lag: 2 });
    await act(ledger, id, "start");
    await received(endpoint, [1, 2, 3, 4]);
  });

  test("a pipeline sends everything again after a reset, even after one that comes while it sends", async () => {
    const { endpoint, ledger, id } = await running();
    await write(ledger, 2);
    await settled(ledger, id, 2);
    const { promise: hang, resolve: release } = Promise.withResolvers<void>();
    endpoint.respond = async () => {
      await hang;
      return new Response();
    };
    await write(ledger, 1);
    await received(endpoint, [1, 2, 3]);
    await act(ledger, id, "reset");
    expect(await pipelineOf(ledger, id)).not.toHaveProperty("lastLogID");
    release();
    await received(endpoint, [1, 2, 3, 1, 2, 3]);
    await settled(ledger, id, 3);
    expect(await stateOf(ledger, id)).toMatchObject({ delivered: { entries: 5 } });

    await act(ledger, id, "stop");
    await act(ledger, id, "reset");
    await received(endpoint, [1, 2, 3, 1, 2, 3, 1, 2, 3]);
    expect(await pipelineOf(ledger, id)).toMatchObject({ enabled: true });
  });

  test("a pipeline goes on where it is when its exporter changes", async () => {
    const { endpoint, ledger, exporter, id } = await running();
    await write(ledger, 2);
    await settled(ledger, id, 2);
    const next = new FakeEndpoint();
    const body = { driver: "http", config: { url: next.url, batching: { maxItems: 1 } } };
    expect((await api(`${EXPORTERS}/${exporter}`, { method: "PUT", body })).status).toBe(204);
    await write(ledger, 2);
    await received(next, [3, 4]);
    expect(next.batches.map(({ length }) => length)).toEqual([1, 1]);
    expect(endpoint.ids).toEqual([1, 2]);
  });

  test("a pipeline is deleted, running or stopped, or with its exporter, and leaves no storage behind", async () => {
    const [deleted, stopped, orphan] = [await running(), await running(), await running()];
    for (const { ledger, id } of [deleted, stopped, orphan]) {
      await write(ledger, 1);
      await settled(ledger, id, 1);
    }
    await act(stopped.ledger, stopped.id, "stop");
    for (const { ledger, id } of [deleted, stopped]) {
      const path = `/pipelines/${id}`;
      expect((await inLedger(ledger, path, { method: "DELETE" })).status).toBe(204);
      expect((await inLedger(ledger, path, { method: "DELETE" })).status).toBe(404);
    }
    await api(`${EXPORTERS}/${orphan.exporter}`, { method: "DELETE" });
    for (const { endpoint, ledger, id } of [deleted, stopped, orphan]) {
      expect((await inLedger(ledger, `/pipelines/${id}`)).status).toBe(404);
      await write(ledger, 1);
      expect(await storageOf(id)).toEqual({ tables: [], alarm: null });
      expect(endpoint.ids).toEqual([1]);
    }
    const rows = env.DB.prepare(
      "SELECT count(*) AS count FROM pipelines WHERE deleted_at IS NOT NULL",
    );
    expect(await rows.first("count")).toBe(0);
    // After a deletion, the ledger and the exporter can have a new pipeline.
    await freshPipeline(deleted.ledger, deleted.exporter);
    await received(deleted.endpoint, [1, 1, 2]);
  });

  test("a pipeline forwards imported entries, and counts its lag whatever the first id is", async () => {
    const source = await freshLedger();
    // A dry run uses up an id.
    await okBodyOf(inLedger(source, "/transactions?dryRun=true", { body: pay("world -> a", 1) }));
    await write(source, 3);
    const log = await (await inLedger(source, "/logs/export", { method: "POST" })).text();
    const endpoint = new FakeEndpoint();
    endpoint.respond = () => new Response(null, { status: 500 });
    const { ledger, id } = await running(endpoint);
    expect((await inLedger(ledger, "/logs/import", { body: log })).status).toBe(204);
    expect(await stateOf(ledger, id)).toMatchObject({ lag: 3 });
    endpoint.respond = () => new Response();
    await eventually(() => expect(endpoint.ids.slice(-3)).toEqual([2, 3, 4]));
  });

  test("a pipeline pauses while its bucket is deleted, and goes on when that is restored", async () => {
    const bucket = freshName("bucket");
    const ledger = freshName("ledger");
    await api(`/api/ledger/v2/${ledger}`, { body: { bucket } });
    const endpoint = new FakeEndpoint();
    const id = await freshPipeline(ledger, await freshExporter("http", { url: endpoint.url }));
    await write(ledger, 2);
    await settled(ledger, id, 2);
    await api(`/api/ledger/v2/_/buckets/${bucket}`, { method: "DELETE" });
    await eventually(async () => {
      await ring(id);
      expect(await pipelineObject(id).progress()).toMatchObject({ isPaused: true, lastLogId: 2 });
    });
    expect((await inLedger(ledger, `/pipelines/${id}`)).status).toBe(404);
    await api(`/api/ledger/v2/_/buckets/${bucket}/restore`, { method: "POST" });
    await write(ledger, 1);
    await received(endpoint, [1, 2, 3]);
    await deletePipelinesOf(systemContext(env, "test"), {
      name: ledger,
      uuid: await uuidOf(ledger),
    });
    expect(await storageOf(id)).toEqual({ tables: [], alarm: null });
  });
});

test("the restoration of a bucket waits for its own pipelines only", async () => {
  const [bucket, ledger] = [freshName("bucket"), freshName("ledger")];
  await api(`/api/ledger/v2/${ledger}`, { body: { bucket } });
  const exporter = await freshExporter("noop");
  const id = await freshPipeline(ledger, exporter);
  const other = await freshPipeline(await freshLedger(), exporter);
  await PipelineStore.from(env).touch([other], systemClock());
  const refreshed: string[] = [];
  const recording = { getByName: (name: string) => ({ refresh: () => refreshed.push(name) }) };
  const recordingEnv = { ...env, PIPELINES: recording } as unknown as Env; // the service uses only these members
  const service = PipelineService.from(systemContext(recordingEnv, "test"));
  await service.resumeBucket(bucket);
  expect(refreshed).toEqual([id]);
  await service.resumeBucket(freshName("bucket"));
  expect(refreshed).toEqual([id]);
});

describe("a pipeline that is cut off", () => {
  test("a pipeline that is cut off goes on after an eviction and after a reset, in order, with repetitions only", async () => {
    const { endpoint, ledger, id } = await running();
    for (const stop of [() => endObject(pipelineObject(id)), abortAllDurableObjects]) {
      await write(ledger, 3);
      await eventually(() => expect(endpoint.ids.length).toBeGreaterThan(0));
      await stop();
    }
    await eventually(async () => {
      await ring(id);
      expect(endpoint.ids.at(-1)).toBe(6);
    });
    // Entries may be repeated, but the first copies arrive in the order of the log.
    const firsts = [...new Set(endpoint.ids)];
    expect(firsts).toEqual([1, 2, 3, 4, 5, 6]);
  });

  test("a pipeline that is cut off before its object knows of a change is synced by the sweep", async () => {
    const endpoint = new FakeEndpoint();
    const ledger = await freshLedger();
    await write(ledger, 2);
    const exporterId = await freshExporter("http", { url: endpoint.url });
    const store = PipelineStore.from(env);
    const id = crypto.randomUUID();
    await store.insert(id, { ledger, exporterId }, CHANGE);
    await PipelineService.from(systemContext(env, "test")).sweep();
    await received(endpoint, [1, 2]);
    await settled(ledger, id, 2);

    await store.setEnabled({ ledger, id }, false, CHANGE);
    await PipelineService.from(systemContext(env, "test")).sweep();
    await eventually(async () => expect(await alarmOf(id)).toBeNull());
    await store.reset({ ledger, id }, CHANGE);
    // The object has not heard of the reset yet, so the progress from before it is hidden.
    expect(await pipelineOf(ledger, id)).not.toHaveProperty("lastLogID");
    await PipelineService.from(systemContext(env, "test")).sweep();
    await received(endpoint, [1, 2, 1, 2]);

    await store.remove({ ledger, id }, CHANGE);
    await everythingSynced();
    expect(await storageOf(id)).toEqual({ tables: [], alarm: null });
  });

  test("a pipeline that is cut off before its object is woken is woken by the sweep", async () => {
    const { endpoint, ledger, id } = await running();
    await write(ledger, 1);
    await settled(ledger, id, 1);
    await act(ledger, id, "stop");
    await write(ledger, 1);
    const store = PipelineStore.from(env);
    await store.setEnabled({ ledger, id }, true, CHANGE);
    const revision = (await store.findSpec(id))?.revision ?? 0;
    await store.pending.confirm([{ id, revision, attempts: 1, isFinal: 0 }]);
    await everythingSynced();
    const logged = vi.spyOn(console, "error").mockImplementation(() => undefined);
    const broken = { getByName: () => ({ wake: () => Promise.reject(new Error("reset")) }) };
    const brokenEnv = { ...env, PIPELINES: broken } as unknown as Env; // the service uses only these members
    const service = PipelineService.from(systemContext(brokenEnv, "test"));
    await service.wake(new Map([[ledger, 2]]));
    expect(logged).toHaveBeenCalledOnce();
    logged.mockRestore();
    expect(endpoint.ids).toEqual([1]);
    await PipelineService.from(systemContext(env, "test")).sweep();
    await received(endpoint, [1, 2]);
  });

  test("a pipeline that is cut off needs no sweep once it is in sync and idle, and rarely looks for entries then", async () => {
    const { ledger, id } = await running();
    await write(ledger, 1);
    await settled(ledger, id, 1);
    await everythingSynced();
    await eventually(async () => {
      expect(await alarmOf(id)).toBeGreaterThan(Date.now() + 3000);
    });
  });
});
