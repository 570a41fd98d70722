import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import { LedgerService } from "#modules/ledger/index.ts";
import { systemContext } from "#platform/context.ts";
import {
  inLedger,
  logIdsOf,
  objectOf,
  okBodyOf,
  pay,
  post,
  refusalOf,
  traceOf,
} from "#test/support/ledger/api.ts";
import {
  bucketOf,
  bucketPage,
  createIn,
  deleteBucket,
  freshBucket,
  isServed,
  ledgerIn,
  ledgersIn,
  NO_STORAGE,
  restoreBucket,
  rowOf,
  storageOf,
} from "#test/support/ledger/buckets.ts";
import { type ApiInit, api, bodyOf, freshName, token } from "#test/support/platform/api.ts";
import { evict } from "#test/support/platform/evict.ts";
import { codeOf, sdk } from "#test/support/platform/sdk/sdk.ts";

const { v2 } = sdk().ledger;
const HOUR = 3_600_000;

let bucket: string;
beforeEach(() => {
  bucket = freshBucket();
});

describe("a bucket that is deleted", () => {
  test("a bucket that is deleted takes its ledgers out of lists, and leaves those of other buckets, through the SDK", async () => {
    const [first, second] = [await ledgerIn(bucket), await ledgerIn(bucket)];
    const other = await ledgerIn(freshName("other"));
    const beforeMs = Date.now();
    expect((await v2.deleteBucket({ bucket })).statusCode).toBe(204);
    const afterMs = Date.now();
    expect(await ledgersIn(bucket)).toEqual([]);
    const [{ deletedAt = "" } = {}] = await ledgersIn(bucket, true);
    expect(Date.parse(deletedAt)).toBeGreaterThanOrEqual(beforeMs);
    expect(Date.parse(deletedAt)).toBeLessThanOrEqual(afterMs);
    expect(await ledgersIn(bucket, true)).toEqual([
      { name: first, deletedAt },
      { name: second, deletedAt },
    ]);
    const { data } = await okBodyOf<{ data: { config: { storage: { ledgers: string[] } } } }>(
      api("/api/ledger/v2/_info"),
    );
    expect(data.config.storage.ledgers).not.toContain(first);
    expect(data.config.storage.ledgers).toContain(other);
    expect((await traceOf(other)).logIds).toEqual([1]);
    expect((await v2.restoreBucket({ bucket })).statusCode).toBe(204);
    expect(await ledgersIn(bucket)).toEqual([{ name: first }, { name: second }]);
  });

  const tx = { postings: [{ source: "world", destination: "a", amount: 1, asset: "USD" }] };
  const line = '{"type":"SET_METADATA","data":{}}';
  const type = (value: string) => ({ headers: { "content-type": value } });
  test.each<[what: string, path: string, init?: ApiInit]>([
    ["list of transactions", "/transactions"],
    ["count of transactions", "/transactions", { method: "HEAD" }],
    ["transaction", "/transactions/1"],
    ["list of accounts", "/accounts"],
    ["account", "/accounts/a"],
    ["list of logs", "/logs"],
    ["list of volumes", "/volumes"],
    ["balances", "/aggregate/balances"],
    ["statistics", "/stats"],
    ["information", "/_info"],
    ["export", "/logs/export", { method: "POST" }],
    ["commit", "/transactions", { body: tx }],
    ["refused commit", "/transactions", { body: pay("no address -> a", 1) }],
    ["dry run", "/transactions?dryRun=true", { body: tx }],
    ["replay", "/transactions", { body: tx, headers: { "idempotency-key": "first" } }],
    ["revert", "/transactions/1/revert", { method: "POST" }],
    ["transaction's metadata", "/transactions/1/metadata", { body: { a: "b" } }],
    ["deletion of metadata", "/transactions/1/metadata/k", { method: "DELETE" }],
    ["account's metadata", "/accounts/a/metadata", { body: { a: "b" } }],
    ["bulk", "/_bulk", { body: [{ action: "CREATE_TRANSACTION", data: tx }] }],
    [
      "stream",
      "/_bulk",
      {
        body: `{"action":"CREATE_TRANSACTION"}`,
        ...type("application/vnd.formance.ledger.api.v2.bulk+json-stream"),
      },
    ],
    ["import", "/logs/import", { body: line, ...type("application/octet-stream") }],
  ])(
    "a bucket that is deleted answers LEDGER_NOT_FOUND to each use of its ledgers: %s",
    async (_, path, init) => {
      const ledger = await ledgerIn(bucket);
      await deleteBucket(bucket);
      const response = await inLedger(ledger, path, init);
      if (init?.method === "HEAD") expect(response.status).toBe(404);
      else {
        expect(await refusalOf(response)).toMatchObject({ status: 404, code: "LEDGER_NOT_FOUND" });
      }
    },
  );

  test("a bucket that is deleted has no ledger for what goes through the catalogue, either", async () => {
    const ledger = await ledgerIn(bucket);
    await deleteBucket(bucket);
    expect(await codeOf(v2.getLedger({ ledger }))).toBe("NOT_FOUND");
    const writes = [
      await inLedger(ledger, "/metadata", { method: "PUT", body: { a: "b" } }),
      await inLedger(ledger, "/metadata/a", { method: "DELETE" }),
      await api(`/api/florin/v1/ledgers/${ledger}/verify`, { method: "POST" }),
      await api(`/api/florin/v1/ledgers/${ledger}/accounts/a/balances/USD`),
    ];
    expect(writes.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
  });

  test("a bucket that is deleted ends the audits of its ledgers, which leave nothing", async () => {
    const ledger = await ledgerIn(bucket);
    const { uuid, name, features } = await LedgerService.from(systemContext(env, "test")).getLedger(
      ledger,
    );
    await deleteBucket(bucket);
    const audit = env.AUDITS.getByName(ledger);
    const answer = await audit.audit({ uuid, name, bucket, features });
    expect(answer).toMatchObject({ ok: false, failure: { kind: "LEDGER_NOT_FOUND" } });
    expect(await storageOf(audit)).toEqual(NO_STORAGE);
  });

  test("a bucket that is deleted keeps the names of its ledgers taken", async () => {
    const ledger = await ledgerIn(bucket);
    await deleteBucket(bucket);
    const code = await codeOf(v2.createLedger({ ledger, v2CreateLedgerRequest: {} }));
    expect(code).toBe("LEDGER_ALREADY_EXISTS");
  });

  test("a bucket that is deleted comes back with equal data, and the same log goes on", async () => {
    const ledger = await ledgerIn(bucket);
    const key = { headers: { "idempotency-key": "first" } };
    const first = await bodyOf(await post(ledger, pay("world -> a", 5), key));
    const [trace, view] = [await traceOf(ledger), await bodyOf(await inLedger(ledger, ""))];
    await deleteBucket(bucket);
    await evict(objectOf(ledger));
    expect(await isServed(ledger)).toBe(false);
    await restoreBucket(bucket);
    expect(await traceOf(ledger)).toEqual(trace);
    expect(await bodyOf(await inLedger(ledger, ""))).toEqual(view);
    expect(await bodyOf(await post(ledger, pay("world -> a", 5), key))).toEqual(first);
    await evict(objectOf(ledger));
    expect(await okBodyOf(post(ledger, pay("a -> b", 1)))).toMatchObject({ data: { id: 3 } });
    expect(await logIdsOf(ledger)).toEqual([1, 2, 3]);
  });

  test("a bucket that is deleted may be deleted again, be unknown, or be restored without having been deleted", async () => {
    const ledger = await ledgerIn(bucket);
    for (const change of [deleteBucket, deleteBucket, restoreBucket, restoreBucket, deleteBucket]) {
      expect((await change(bucket)).status).toBe(204);
      expect((await change(freshName("unknown"))).status).toBe(204);
    }
    expect(await isServed(ledger)).toBe(false);
    expect(await rowOf(ledger)).toMatchObject({ revision: 3, synced_revision: 3 });
  });

  test("a bucket that is deleted takes new ledgers, which are served", async () => {
    const old = await ledgerIn(bucket);
    await deleteBucket(bucket);
    const young = await ledgerIn(bucket);
    expect(await ledgersIn(bucket)).toEqual([{ name: young }]);
    expect(await bucketOf(bucket)).toMatchObject({ ledgers: 1, deletedLedgers: 1 });
    await restoreBucket(bucket);
    expect(await ledgersIn(bucket)).toEqual([{ name: old }, { name: young }]);
  });

  test("the deletion of a bucket needs the scope to write, and a name that a bucket can have", async () => {
    const ledger = await ledgerIn(bucket);
    const reader = { token: await token("ledger:read") };
    for (const change of [deleteBucket, restoreBucket]) {
      expect((await change(bucket, reader)).status).toBe(401);
      for (const name of ["x".repeat(64), "a.b", "a%20b", "a%2Fb"]) {
        expect(await refusalOf(change(name))).toMatchObject({ status: 400, code: "VALIDATION" });
      }
    }
    expect(await codeOf(v2.deleteBucket({ bucket: "a.b" }))).toBe("VALIDATION");
    expect(await codeOf(v2.restoreBucket({ bucket: "a.b" }))).toBe("VALIDATION");
    expect(await isServed(ledger)).toBe(true);
  });
});

describe("the list of buckets", () => {
  test("the list of buckets counts served and deleted ledgers, and shows when the first is purged", async () => {
    await ledgerIn(bucket);
    expect(await bucketOf(bucket)).toEqual({ name: bucket, ledgers: 1, deletedLedgers: 0 });
    await deleteBucket(bucket);
    await ledgerIn(bucket);
    const [{ deletedAt } = { deletedAt: "" }] = await ledgersIn(bucket, true);
    const purgeMs = Math.ceil((Date.parse(deletedAt ?? "") + 720 * HOUR) / HOUR) * HOUR;
    expect(await bucketOf(bucket)).toEqual({
      name: bucket,
      ledgers: 1,
      deletedLedgers: 1,
      deletedAt,
      purgeAt: new Date(purgeMs).toISOString().replace(".000Z", "Z"),
    });
  });

  test("the list of buckets is walked by name, forward and back", async () => {
    const names = ["a", "b", "c", "d"].map((letter) => `${letter}-${bucket}`);
    for (const name of names) await createIn(name, freshName("ledger"));
    const walk = async (sort: string): Promise<string[]> => {
      const seen: string[] = [];
      let page = await bucketPage(`pageSize=3&sort=${sort}`);
      for (;;) {
        seen.push(...page.data.map(({ name }) => name));
        if (page.next === "") return seen;
        const next = await bucketPage(`cursor=${page.next}`);
        expect((await bucketPage(`cursor=${next.previous}`)).data).toEqual(page.data);
        page = next;
      }
    };
    const forward = await walk("name:asc");
    expect(forward.filter((name) => name.endsWith(bucket))).toEqual(names);
    expect(forward).toEqual(forward.toSorted());
    expect(await walk("name:desc")).toEqual(forward.toReversed());
    expect((await refusalOf(api("/api/florin/v1/buckets?sort=id"))).code).toBe("VALIDATION");
  });
});
