import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { LANE_BACKLOG } from "#modules/webhooks/core/lane.ts";
import { databaseOf } from "#platform/db/database.ts";
import { BacklogNote, NOTE_MS } from "#platform/status/object-backlogs.ts";
import { objectBacklogs } from "#platform/status/tables.ts";
import { act, FakeEndpoint, ring, running, write } from "#test/support/exporters/pipelines.ts";
import { freshLedger, okBodyOf, pay, post } from "#test/support/ledger/api.ts";
import { freshName } from "#test/support/platform/api.ts";
import { eventually } from "#test/support/platform/eventually.ts";
import { endObject } from "#test/support/platform/evict.ts";
import { EndpointBench, eventFor } from "#test/support/webhooks/deliveries.ts";

const MINUTE_MS = 60_000;

type Row = typeof objectBacklogs.$inferSelect;

/** The row of an object, if it is behind. */
async function rowOf(name: string): Promise<Row | undefined> {
  const rows = await databaseOf(env).select().from(objectBacklogs);
  return rows.find((row) => row.name === name);
}

describe("a note of a backlog", () => {
  /** An object's memory that survives it. */
  const fakeKv = () => {
    const values = new Map<string, unknown>();
    return {
      get: (key: string) => values.get(key) as never, // the caller says what it has stored
      put: (key: string, value: unknown) => void values.set(key, value),
      delete: (key: string) => values.delete(key),
    };
  };
  const backlog = { waiting: 2, sinceMs: 5, reason: "no answer" };

  test("a note of a backlog is written once in a while, and goes when nothing waits", async () => {
    const kv = fakeKv();
    let now = MINUTE_MS;
    const options = { kind: "test", kv, db: () => databaseOf(env), nowMs: () => now };
    const name = freshName();
    const note = new BacklogNote(options);
    await note.tell(name, undefined);
    await note.tell(name, backlog);
    await note.tell(name, { ...backlog, waiting: 3 });
    expect(await rowOf(name)).toMatchObject({ ...backlog, writtenMs: now });
    now += NOTE_MS;
    await note.tell(name, { ...backlog, waiting: 3 });
    expect(await rowOf(name)).toMatchObject({ waiting: 3, writtenMs: now });
    // Another instance of the object, after an eviction.
    const next = new BacklogNote(options);
    expect(next.notedSinceMs).toBe(backlog.sinceMs);
    await next.tell(name, undefined);
    expect(await rowOf(name)).toBeUndefined();
    expect(next.notedSinceMs).toBeUndefined();
  });

  test("a note of a backlog that D1 does not take is made up for by the next one", async () => {
    const kv = fakeKv();
    const name = freshName();
    const lines = vi.spyOn(console, "error").mockReturnValue(undefined);
    onTestFinished(() => lines.mockRestore());
    let isAway = true;
    const db = () => {
      if (isAway) throw new Error("D1 is away");
      return databaseOf(env);
    };
    let now = MINUTE_MS;
    const note = new BacklogNote({ kind: "test", kv, db, nowMs: () => now });
    await note.tell(name, backlog);
    isAway = false;
    now += NOTE_MS;
    await note.tell(name, backlog);
    expect(await rowOf(name)).toMatchObject(backlog);
    isAway = true;
    await note.tell(name, undefined);
    expect(await rowOf(name)).toMatchObject(backlog);
    isAway = false;
    await note.tell(name, undefined);
    expect(await rowOf(name)).toBeUndefined();
    expect(lines).toHaveBeenCalledTimes(2);
  });
});

test("an endpoint that is dead has a row with the reason, until it has got everything", async () => {
  const bench = new EndpointBench();
  bench.respond = () => new Response("down", { status: 503 });
  const config = await bench.subscribe();
  const object = env.ENDPOINTS.getByName(config.id);
  await bench.publish(eventFor(config), eventFor(config));
  // As if the events had come a minute ago.
  await eventually(async () => {
    const changed = await runInDurableObject(object, (_, { storage }) => {
      const { rowsWritten } = storage.sql.exec(
        "UPDATE delivery SET created_ms = created_ms - 60000 WHERE due_ms IS NOT NULL",
      );
      return rowsWritten;
    });
    expect(changed).toBeGreaterThan(0);
  });
  await eventually(async () => {
    await runDurableObjectAlarm(object);
    expect(await rowOf(config.id)).toMatchObject({ kind: LANE_BACKLOG, waiting: 2 });
  });
  expect((await rowOf(config.id))?.sinceMs).toBeLessThanOrEqual(Date.now() - MINUTE_MS);
  bench.respond = () => new Response("ok");
  const seqs = (await bench.deliveriesOf(config.id)).map(({ seq }) => seq);
  await object.replayMany(seqs, freshName("again"));
  await eventually(async () => {
    await runDurableObjectAlarm(object);
    expect(await rowOf(config.id)).toBeUndefined();
  });
});

test("a pipeline whose destination fails has a row with the reason, until it goes on or is stopped", async () => {
  const endpoint = new FakeEndpoint();
  endpoint.respond = () => new Response("broken", { status: 500 });
  const { ledger, id } = await running(endpoint);
  await write(ledger, 1);
  await eventually(async () => {
    await endObject(env.PIPELINES.getByName(id));
    await ring(id);
    expect((await rowOf(id))?.reason).toContain("500");
  });
  endpoint.respond = () => new Response();
  await eventually(async () => {
    await endObject(env.PIPELINES.getByName(id));
    await ring(id);
    expect(await rowOf(id)).toBeUndefined();
  });
  await act(ledger, id, "stop");
});

test("a ledger whose events are not confirmed has a row, until they are", async () => {
  const ledger = await freshLedger();
  const object = env.LEDGERS.getByName(ledger);
  const stub = vi.spyOn(env.EVENTS, "send").mockImplementation(async () => {
    throw new Error("the queue is away");
  });
  const lines = vi.spyOn(console, "error").mockReturnValue(undefined);
  onTestFinished(() => {
    stub.mockRestore();
    lines.mockRestore();
  });
  await okBodyOf(post(ledger, pay("world -> a", 1)));
  await eventually(async () => {
    await runDurableObjectAlarm(object);
    expect(await rowOf(ledger)).toMatchObject({ kind: "ledger-events", waiting: 1 });
  });
  stub.mockRestore();
  await eventually(async () => {
    await runDurableObjectAlarm(object);
    expect(await rowOf(ledger)).toBeUndefined();
  });
});
