import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test, vi } from "vitest";
import { PipelineObject } from "#modules/exporters/index.ts";
import { PipelineStore } from "#modules/exporters/store/pipeline-store.ts";
import {
  received,
  running,
  settled,
  write,
  act,
  pipelineObject,
  pipelineOf,
  ring,
  storageOf,
} from "#test/support/exporters/pipelines.ts";
import { inLedger } from "#test/support/ledger/api.ts";
import { eventually } from "#test/support/platform/eventually.ts";
import { endObject } from "#test/support/platform/evict.ts";

describe("the object of a pipeline", () => {
  test("the object of a pipeline stays deleted when a run has read its specification just before", async () => {
    const { endpoint, ledger, id } = await running();
    await write(ledger, 1);
    await settled(ledger, id, 1);
    await endObject(pipelineObject(id));
    const { promise: hang, resolve: release } = Promise.withResolvers<void>();
    const find = vi.spyOn(PipelineStore.prototype, "findSpec");
    find.mockImplementationOnce(async function (this: PipelineStore, name) {
      const found = await this.findSpec(name);
      await hang;
      return found;
    });
    const ringing = ring(id);
    await eventually(() => expect(find).toHaveBeenCalled());
    expect((await inLedger(ledger, `/pipelines/${id}`, { method: "DELETE" })).status).toBe(204);
    release();
    await ringing;
    find.mockRestore();
    await write(ledger, 1);
    expect(await storageOf(id)).toEqual({ tables: [], alarm: null });
    expect(endpoint.ids).toEqual([1]);
  });

  test("the object of a pipeline runs again at once if entries are added while a run after a failure reads none", async () => {
    const { ledger, id } = await running();
    await write(ledger, 1);
    await settled(ledger, id, 1);
    const reads: (() => unknown)[] = [];
    const { promise: hang, resolve: release } = Promise.withResolvers<void>();
    const read = async () => {
      reads.push(read);
      if (reads.length === 1) throw Object.assign(new Error("reset"), { overloaded: true });
      await hang;
      return { ok: true, value: { text: "", after: 1, to: 1 } };
    };
    const LEDGERS = { getByName: () => ({ read }) };
    await runInDurableObject(pipelineObject(id), async (_, ctx) => {
      const object = new PipelineObject(ctx, { ...env, LEDGERS } as unknown as Env); // the object uses only these members
      await object.alarm();
      expect(object.progress()?.failure).toMatchObject({ count: 1 });
      const retryAtMs = (await ctx.storage.getAlarm()) ?? 0;
      await ctx.storage.deleteAlarm();
      await eventually(() => expect(Date.now()).toBeGreaterThanOrEqual(retryAtMs));
      const setAlarm = vi.spyOn(ctx.storage, "setAlarm");
      const run = object.alarm();
      await eventually(() => expect(reads).toHaveLength(2));
      await object.wake(2);
      release();
      await run;
      expect(setAlarm.mock.lastCall?.[0]).toBeLessThan(Date.now() + 50);
    });
  });

  test("the object of a pipeline goes on after D1 was restored to an earlier state", async () => {
    const { endpoint, ledger, id } = await running();
    await write(ledger, 2);
    await settled(ledger, id, 2);
    await act(ledger, id, "reset");
    await received(endpoint, [1, 2, 1, 2]);
    await settled(ledger, id, 2);
    const back = "UPDATE pipelines SET revision = 1, synced_revision = 1, resets = 0 WHERE id = ?";
    await env.DB.prepare(back).bind(id).run();
    await endObject(pipelineObject(id));
    await write(ledger, 1);
    await received(endpoint, [1, 2, 1, 2, 3]);
    await act(ledger, id, "reset");
    await received(endpoint, [1, 2, 1, 2, 3, 1, 2, 3]);
    expect(await pipelineOf(ledger, id)).toMatchObject({ enabled: true });
  });

  test("the object of a pipeline sets its alarm again when it cannot run, as with a wrong setting", async () => {
    const { ledger, id } = await running();
    await write(ledger, 1);
    await settled(ledger, id, 1);
    const logged = vi.spyOn(console, "error").mockImplementation(() => undefined);
    await runInDurableObject(pipelineObject(id), async (_, ctx) => {
      const wrong = { ...env, FLORIN_PIPELINE_PAGE_SIZE: "many" };
      const object = new PipelineObject(ctx, wrong);
      await ctx.storage.deleteAlarm();
      await object.alarm();
      expect(await ctx.storage.getAlarm()).toBeGreaterThan(Date.now());
    });
    expect(logged).toHaveBeenCalledOnce();
    logged.mockRestore();
  });
});

test("a pipeline whose alarm rings while it sends, sends each entry once", async () => {
  const { endpoint, ledger, id } = await running();
  const answer = Promise.withResolvers<Response>();
  endpoint.respond = () => answer.promise;
  await write(ledger, 1);
  await eventually(() => expect(endpoint.requests).toHaveLength(1));
  endpoint.respond = () => new Response();
  await ring(id);
  answer.resolve(new Response());
  await settled(ledger, id, 1);
  expect(endpoint.ids).toEqual([1]);
});
