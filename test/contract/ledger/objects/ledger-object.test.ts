import { abortAllDurableObjects, listDurableObjectIds, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import {
  balanceOf,
  createLedger,
  freshLedger,
  inLedger,
  logIdsOf,
  objectOf,
  okBodyOf,
  pay,
  post,
  refusalOf,
  tablesIn,
  traceOf,
} from "#test/support/ledger/api.ts";
import { api, bodyOf, freshName } from "#test/support/platform/api.ts";
import { evict } from "#test/support/platform/evict.ts";

describe("a ledger that was never created", () => {
  test("a ledger that was never created leaves nothing in its object, whatever is asked of it", async () => {
    const name = freshName();
    const requests = [
      await inLedger(name, "/transactions"),
      await inLedger(name, "/accounts/a"),
      await post(name, pay("world -> a", 1)),
      await inLedger(name, "/_bulk", { body: [] }),
    ];
    for (const response of requests) {
      expect(await refusalOf(response)).toMatchObject({ status: 404, code: "LEDGER_NOT_FOUND" });
    }
    expect(await tablesIn(name)).toEqual([]);
    const keys = await runInDurableObject(objectOf(name), async (_, { storage }) => [
      (await storage.list()).size,
      await storage.getAlarm(),
    ]);
    expect(keys).toEqual([0, null]);
  });

  test("a ledger that was never created can be created after it was asked for", async () => {
    const name = freshName();
    expect((await inLedger(name, "/transactions")).status).toBe(404);
    await createLedger(name);
    await okBodyOf(post(name, pay("world -> a", 1)));
    expect(await logIdsOf(name)).toEqual([1]);
  });

  test("a ledger that was never created addresses no object when its name is invalid", async () => {
    const before = await listDurableObjectIds(env.LEDGERS);
    for (const name of ["a%20b", "x".repeat(64), "_info"]) {
      expect((await inLedger(name, "/transactions")).status).toBe(404);
    }
    expect(await listDurableObjectIds(env.LEDGERS)).toHaveLength(before.length);
  });
});

describe("the creation of ledgers", () => {
  test("ten ledgers that are created at once in one bucket all come about and can be written", async () => {
    const bucket = freshName("bucket");
    const names = Array.from({ length: 10 }, () => freshName());
    const created = await Promise.all(
      names.map((name) => api(`/api/ledger/v2/${name}`, { body: { bucket } })),
    );
    expect(created.map(({ status }) => status)).toEqual(names.map(() => 204));
    const written = await Promise.all(names.map((name) => post(name, pay("world -> a", 1))));
    expect(written.map(({ status }) => status)).toEqual(names.map(() => 200));
  });

  test("the creation of ledgers of one name at once succeeds for one, whose options are kept", async () => {
    const name = freshName();
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        api(`/api/ledger/v2/${name}`, { body: { metadata: { index: String(index) } } }),
      ),
    );
    const statuses = answers.map(({ status }) => status);
    expect(statuses.toSorted((a, b) => a - b)).toEqual([
      204,
      ...Array.from({ length: 7 }, () => 400),
    ]);
    const { data } = await okBodyOf<{ data: { metadata: object } }>(api(`/api/ledger/v2/${name}`));
    expect(data.metadata).toEqual({ index: String(statuses.indexOf(204)) });
  });

  test("the creation of ledgers that was cut off after the catalogue's row was written is finished at the first use", async () => {
    const name = freshName();
    await env.DB.prepare(
      "INSERT INTO ledgers (uuid, name, bucket, metadata, features, added_at) SELECT ?, ?, bucket, metadata, features, added_at FROM ledgers LIMIT 1",
    )
      .bind(crypto.randomUUID(), name)
      .run();
    expect(await tablesIn(name)).toEqual([]);
    const answers = await Promise.all([1, 2, 3].map(() => post(name, pay("world -> a", 1))));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(await balanceOf(name, "a")).toBe(3);
  });
});

describe("clients that write at once", () => {
  test("64 clients that write at once on one hot account lose nothing", async () => {
    const ledger = await freshLedger();
    await okBodyOf(post(ledger, pay("world -> hot", 64)));
    const answers = await Promise.all(
      Array.from({ length: 128 }, (_, index) =>
        post(ledger, pay(index % 2 === 0 ? "hot -> cold" : "world -> hot", 1)),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect([await balanceOf(ledger, "hot"), await balanceOf(ledger, "cold")]).toEqual([64, 64]);
    expect(await logIdsOf(ledger)).toHaveLength(129);
  });

  test("a thousand clients that write at once neither stall nor fail", async () => {
    const ledger = await freshLedger();
    const answers = await Promise.all(
      Array.from({ length: 1000 }, (_, index) => post(ledger, pay(`world -> users:${index}`, 1))),
    );
    expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
    expect(await balanceOf(ledger, "world")).toBe(-1000);
  });

  test("clients that write at once cannot spend the same money twice", async () => {
    const ledger = await freshLedger();
    await okBodyOf(post(ledger, pay("world -> a", 10)));
    const answers = await Promise.all(
      Array.from({ length: 32 }, () => post(ledger, pay("a -> b", 1))),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(10);
    expect([await balanceOf(ledger, "a"), await balanceOf(ledger, "b")]).toEqual([0, 10]);
  });

  test("clients that write at once with one idempotency key make one transaction and get equal bodies", async () => {
    const ledger = await freshLedger();
    const init = { headers: { "idempotency-key": "k1" } };
    const answers = await Promise.all(
      Array.from({ length: 16 }, () => post(ledger, pay("world -> a", 1), init)),
    );
    const bodies = new Set(await Promise.all(answers.map((response) => response.text())));
    expect(bodies.size).toBe(1);
    const hits = answers.filter((response) => response.headers.get("idempotency-hit") === "true");
    expect(hits).toHaveLength(15);
    expect(await logIdsOf(ledger)).toEqual([1]);
  });

  test("clients that write at once cannot revert one transaction twice", async () => {
    const ledger = await freshLedger();
    await okBodyOf(post(ledger, pay("world -> a", 1)));
    const answers = await Promise.all(
      Array.from({ length: 8 }, () =>
        inLedger(ledger, "/transactions/1/revert", { method: "POST" }),
      ),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(await balanceOf(ledger, "a")).toBe(0);
  });
});

describe("an object that is evicted", () => {
  test("an object that is evicted shows the same and goes on", async () => {
    const ledger = await freshLedger();
    const key = { headers: { "idempotency-key": "k1" } };
    const huge = {
      postings: [{ source: "world", destination: "a", amount: 10n ** 30n, asset: "USD" }],
    };
    const first = await bodyOf(await post(ledger, huge, key));
    await okBodyOf(post(ledger, pay("a -> b", 5, { timestamp: "2020-01-01T00:00:00Z" })));
    const before = await traceOf(ledger);
    await evict(objectOf(ledger));
    expect(await traceOf(ledger)).toEqual(before);
    await evict(objectOf(ledger));
    expect(await bodyOf(await post(ledger, huge, key))).toEqual(first);
    expect(await okBodyOf(post(ledger, pay("b -> c", 5)))).toMatchObject({ data: { id: 3 } });
    expect(await refusalOf(post(ledger, pay("b -> c", 1)))).toMatchObject({
      code: "INSUFFICIENT_FUND",
    });
    expect(await balanceOf(ledger, "a")).toBe(10n ** 30n - 5n);
  });

  test("an object that is evicted loses nothing that it has acknowledged, whether it is evicted or reset", async () => {
    const ledger = await freshLedger();
    await okBodyOf(post(ledger, pay("world -> a", 1)));
    const acknowledged = [1];
    const refusals: unknown[] = [];
    const write = async (): Promise<void> => {
      const response = await post(ledger, pay("world -> a", 1));
      if (response.status === 200) {
        acknowledged.push((await response.json<{ data: { id: number } }>()).data.id);
      } else {
        refusals.push([response.status, response.headers.get("retry-after")]);
      }
    };
    for (const stop of [() => evict(objectOf(ledger)), abortAllDurableObjects]) {
      const writes = Array.from({ length: 20 }, write);
      await stop();
      await Promise.all(writes);
      await write();
    }
    // A reset cuts requests off, and their outcome is unknown.
    expect(refusals).toEqual(refusals.map(() => [503, "1"]));
    expect(acknowledged.length).toBeGreaterThanOrEqual(3);
    expect(new Set(acknowledged).size).toBe(acknowledged.length);
    for (const id of acknowledged) {
      expect((await inLedger(ledger, `/transactions/${id}`)).status).toBe(200);
    }
    expect(await balanceOf(ledger, "a")).toBe((await logIdsOf(ledger)).length);
  });
});

describe("names that every JavaScript object has", () => {
  test("names that every JavaScript object has pass through HTTP, RPC and storage as metadata keys and accounts", async () => {
    const ledger = await freshLedger();
    const odd = '{"10":"t","9":"n","__proto__":"p","constructor":"c"}';
    const body = `{"postings":[{"source":"world","destination":"__proto__","amount":1,"asset":"USD"}],"metadata":${odd},"accountMetadata":{"__proto__":${odd}}}`;
    const sorted = '{"10":"t","9":"n","__proto__":"p","constructor":"c"}';
    expect(await (await post(ledger, body)).text()).toContain(`"metadata":${sorted}`);
    await inLedger(ledger, "/accounts/constructor/metadata", { body: odd });
    for (const address of ["__proto__", "constructor"]) {
      const text = await (await inLedger(ledger, `/accounts/${address}?expand=volumes`)).text();
      expect(text).toContain(`"metadata":${sorted}`);
    }
    const bulk = `[{"action":"ADD_METADATA","data":{"targetType":"ACCOUNT","targetId":"b","metadata":${odd}}}]`;
    await okBodyOf(inLedger(ledger, "/_bulk", { body: bulk }));
    expect(await (await inLedger(ledger, "/accounts/b")).text()).toContain(`"metadata":${sorted}`);
    const removed = await inLedger(ledger, "/accounts/b/metadata/__proto__", { method: "DELETE" });
    expect(removed.status).toBe(204);
    expect(await (await inLedger(ledger, "/accounts/b")).text()).toContain(
      '"metadata":{"10":"t","9":"n","constructor":"c"}',
    );
  });
});
