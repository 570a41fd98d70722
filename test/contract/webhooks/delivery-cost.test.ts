import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { LaneSpecs } from "#modules/webhooks/configs/lane-specs.ts";
import { present } from "#platform/assert.ts";
import { freshName } from "#test/support/platform/api.ts";
import { eventually } from "#test/support/platform/eventually.ts";
import { EndpointBench } from "#test/support/webhooks/deliveries.ts";

/** Deliveries that are measured: too few for a backlog, so that bodies stay in memory. */
const DELIVERIES = 400;
/** Deliveries before the measurement, because the first ones also store the names of events and endpoints. */
const WARM_UP = 20;
/** The most rows and bytes of a delivery with one attempt, without its body and the excerpt of the answer. */
const ROWS_MAX = 4;
const BYTES_MAX = 200;

/** Resolves when no delivery is pending. */
const settled = (stub: ReturnType<Env["ENDPOINTS"]["getByName"]>): Promise<void> =>
  eventually(async () => {
    const left = await stub.list({ statuses: ["pending", "delivering"], order: "asc", limit: 1 });
    expect(left).toEqual([]);
  });

test("a delivery that one attempt finished costs few billed rows and bytes", async () => {
  const bench = new EndpointBench();
  bench.respond = () => new Response(null);
  const config = await bench.subscribe();
  const stub = env.ENDPOINTS.getByName(config.id);
  const spec = present(await LaneSpecs.from(env).find(config.id), "the config is there");
  const count = { rows: 0 };
  const sizeBefore = await runInDurableObject(stub, (_object, { storage: { sql } }) => {
    const exec: typeof sql.exec = sql.exec.bind(sql);
    sql.exec = <Row extends Record<string, SqlStorageValue>>(
      statement: string,
      ...bindings: unknown[]
    ) => {
      const cursor = exec<Row>(statement, ...bindings);
      count.rows += cursor.rowsWritten; // a statement that writes has ended when `exec` returns
      return cursor;
    };
    return sql.databaseSize;
  });
  const origin = {
    source: "ledger",
    ledger: freshName("ledger"),
    uuid: crypto.randomUUID(),
  } as const;
  const [eventType = ""] = config.eventTypes;
  // Deliveries arrive one by one, because a batch shares some writes and would look cheaper.
  for (let position = 1; position <= WARM_UP + DELIVERIES; position++) {
    if (position === WARM_UP + 1) {
      await settled(stub);
      count.rows = 0;
    }
    const event = { position, eventType, idempotencyKey: "", body: "{}" };
    const range = { first: position, last: position };
    await stub.accept({ origin, range, events: [event] }, spec);
  }
  await settled(stub);
  const sizeAfter = await runInDurableObject(
    stub,
    (_object, { storage }) => storage.sql.databaseSize,
  );
  expect(await stub.list({ statuses: ["succeeded"], order: "asc", limit: 2000 })).toHaveLength(
    WARM_UP + DELIVERIES,
  );
  expect(count.rows / DELIVERIES).toBeLessThanOrEqual(ROWS_MAX);
  expect((sizeAfter - sizeBefore) / DELIVERIES).toBeLessThanOrEqual(BYTES_MAX);
});
