import { runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterAll, beforeEach, expect, test } from "vitest";
import type { DeliveryRecord } from "#modules/webhooks/core/lane.ts";
import { webhookListener } from "#modules/webhooks/fan-out/event-listener.ts";
import { present } from "#platform/assert.ts";
import { systemContext } from "#platform/context.ts";
import { arm, armForTheNextFile, disarm } from "#test/support/deployment/arming.ts";
import { write } from "#test/support/exporters/pipelines.ts";
import { freshLedger } from "#test/support/ledger/api.ts";
import { comeBack, type RowRecord, withRows } from "#test/support/platform/backup/come-back.ts";
import { eventually } from "#test/support/platform/eventually.ts";
import { EndpointBench, eventFor } from "#test/support/webhooks/deliveries.ts";

afterAll(armForTheNextFile);

beforeEach(async () => {
  await arm();
});

const objectOf = (id: string) => env.ENDPOINTS.getByName(id);

const TYPE = "ledger.committed_transactions";

/** Gives lanes the entries of a ledger's log, as the consumer of events does. */
async function tellOf(ledger: string, uuid: string, entries: readonly number[]): Promise<void> {
  const message = {
    source: "ledger" as const,
    ledger,
    uuid,
    from: Math.min(...entries),
    to: Math.max(...entries),
  };
  const sink = await webhookListener.open([message], systemContext(env, "test"));
  const events = entries.map((entry) => ({
    ...eventFor({ eventTypes: [TYPE] }),
    id: `${uuid}:${entry}`,
  }));
  await sink?.(events, message);
}

const uuidOf = async (ledger: string): Promise<string> =>
  present(
    await env.DB.prepare("SELECT uuid FROM ledgers WHERE name = ?").bind(ledger).first("uuid"),
    "the ledger is there",
  );

test("what was delivered is not sent again, and what waits is sent once, when the copy is armed", async () => {
  const bench = new EndpointBench();
  bench.respond = ({ body }) => new Response("", { status: body.includes("bad") ? 400 : 200 });
  const config = await bench.subscribe();
  await bench.publish(eventFor(config), eventFor(config, { payload: { bad: true } }));
  await eventually(async () => {
    const found = (await bench.deliveriesOf(config.id)).map(({ status }) => status);
    expect(found.toSorted()).toEqual(["failed", "succeeded"]);
  });
  await disarm();
  await bench.publish(eventFor(config, { payload: { waits: true } }));
  const before = await bench.deliveriesOf(config.id);
  const calls = bench.calls.length;

  await comeBack(() => objectOf(config.id));
  const known = ({ id, status, attemptCount, eventId, createdMs }: DeliveryRecord) => ({
    id,
    status,
    attemptCount,
    eventId,
    createdMs,
  });
  expect((await bench.deliveriesOf(config.id)).map(known)).toEqual(before.map(known));
  await runDurableObjectAlarm(objectOf(config.id));
  expect(bench.calls).toHaveLength(calls);
  await arm();
  await eventually(async () => {
    await runDurableObjectAlarm(objectOf(config.id));
    const found = (await bench.deliveriesOf(config.id)).map(({ status }) => status);
    expect(found.toSorted()).toEqual(["failed", "succeeded", "succeeded"]);
  });
  expect(bench.calls.slice(calls).map(({ body }) => body)).toEqual([
    expect.stringContaining("waits"),
  ]);
  expect(bench.calls.at(-1)?.headers.get("webhook-id")).toBe(before[0]?.id);
});

test("new deliveries of a copy have ids that the original gives to none", async () => {
  const bench = new EndpointBench();
  const config = await bench.subscribe();
  await bench.publish(eventFor(config));
  const [first] = await bench.settled(config.id, "succeeded");
  await comeBack(() => objectOf(config.id));
  await bench.publish(eventFor(config));
  await bench.settled(config.id, "succeeded", 2);
  const [newest] = await bench.deliveriesOf(config.id);
  expect(newest?.seq).toBe((first?.seq ?? 0) + 2 ** 32 + 1);
});

test("entries that the ledger of the backup does not have are forgotten, and those that get their ids are delivered", async () => {
  const bench = new EndpointBench();
  const ledger = await freshLedger();
  const uuid = await uuidOf(ledger);
  const config = await bench.subscribe([TYPE]);
  await write(ledger, 2);
  await eventually(async () =>
    expect(bench.callsTo(config.endpoint).length).toBeGreaterThanOrEqual(2),
  );
  await bench.settled(config.id, "succeeded", 2);
  // The original has made entries 3 to 5 when the lane was saved: one is delivered, and two wait.
  await comeBack(() => objectOf(config.id), {
    change: (saved) => {
      const further = (rows: readonly RowRecord[]): readonly RowRecord[] => {
        const last = present(rows.at(-1), "there is a delivery");
        const [seq, position] = [Number(last["seq"]), Number(last["position"])];
        return [
          ...rows,
          { ...last, seq: seq + 1, position: position + 1 },
          { ...last, seq: seq + 2, position: position + 2, status: 0, due_ms: null, attempts: 0 },
          { ...last, seq: seq + 3, position: position + 3, status: 0, due_ms: 5 },
        ];
      };
      const received = (rows: readonly RowRecord[]) =>
        rows.map((row) => ({ ...row, last: Number(row["last"]) + 3 }));
      return withRows(withRows(saved, "delivery", further), "received", received);
    },
  });
  expect(await bench.deliveriesOf(config.id)).toHaveLength(2);
  await write(ledger, 1);
  await bench.settled(config.id, "succeeded", 3);
  await tellOf(ledger, uuid, [1, 2, 3]);
  await runDurableObjectAlarm(objectOf(config.id));
  await bench.settled(config.id, "succeeded", 3);
  expect(bench.callsTo(config.endpoint)).toHaveLength(3);
});

test("an event of the outbox that the database does not have fails, and holds up nothing", async () => {
  const bench = new EndpointBench();
  const config = await bench.subscribe();
  await disarm();
  const events = [eventFor(config), eventFor(config)] as const;
  await bench.publish(...events);
  await comeBack(() => objectOf(config.id));
  await env.DB.prepare("DELETE FROM webhook_payloads WHERE event_id = ?").bind(events[0].id).run();
  await arm();
  await eventually(async () => {
    await runDurableObjectAlarm(objectOf(config.id));
    const found = (await bench.deliveriesOf(config.id)).map(({ status }) => status);
    expect(found).toEqual(["succeeded", "failed"]);
  });
  expect(bench.callsTo(config.endpoint)).toHaveLength(1);
});

test("the database decides about the config, also where the lane knows a later revision", async () => {
  const bench = new EndpointBench();
  const config = await bench.subscribe();
  await bench.publish(eventFor(config));
  await bench.settled(config.id, "succeeded");
  const later = ({ spec, ...row }: RowRecord): RowRecord => ({
    ...row,
    spec:
      typeof spec === "string"
        ? spec.replace('"active":true', '"active":false').replace('"revision":1', '"revision":9')
        : "",
  });
  await comeBack(() => objectOf(config.id), {
    change: (saved) => withRows(saved, "lane", (rows) => rows.map(later)),
  });
  await bench.publish(eventFor(config));
  await bench.settled(config.id, "succeeded", 2);
  await bench.configs.setActive(config.id, false);
  await bench.publish(eventFor(config));
  expect(await bench.settled(config.id, "succeeded", 2)).toHaveLength(2);
});
