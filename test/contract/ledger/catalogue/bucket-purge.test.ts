import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { deletePipelinesOf, PipelineObject, PipelineService } from "#modules/exporters/index.ts";
import { readElements } from "#modules/ledger/bulk/elements.ts";
import { LedgerService } from "#modules/ledger/index.ts";
import { LedgerEvents } from "#modules/ledger/ledger-events.ts";
import { systemContext } from "#platform/context.ts";
import { fromMillis } from "#platform/time.ts";
import { consume } from "#src/jobs.ts";
import { freshExporter, freshPipeline } from "#test/support/exporters/pipelines.ts";
import {
  inLedger,
  logIdsOf,
  objectOf,
  okBodyOf,
  pay,
  post,
  traceOf,
} from "#test/support/ledger/api.ts";
import {
  bucketOf,
  bucketsAt,
  createIn,
  deleteBucket,
  freshBucket,
  halfAudited,
  isServed,
  ledgerIn,
  ledgersIn,
  NO_STORAGE,
  restoreBucket,
  rowOf,
  storageOf,
  uuidOf,
} from "#test/support/ledger/buckets.ts";
import { api, freshName } from "#test/support/platform/api.ts";
import { eventually } from "#test/support/platform/eventually.ts";
import { evict } from "#test/support/platform/evict.ts";

const HOUR = 3_600_000;
/** The time between the first failure of an object and the next call of it. */
const RETRY_MS = 15_000;

let bucket: string;
beforeEach(() => {
  bucket = freshBucket();
});

describe("the purge", () => {
  const SETTINGS = {
    FLORIN_BUCKET_RETENTION: "1h",
    FLORIN_BUCKET_CLEANUP_SCHEDULE: "0 30 * * * *",
  };
  /** The date is far ahead, so that no sweep by the real clock finds the ledgers due. */
  const deletedMs = Date.parse("2126-03-01T10:10:00Z");
  const dueMs = Date.parse("2126-03-01T11:30:00Z");
  const at = (nowMs: number, ports = {}) => bucketsAt(nowMs, { settings: SETTINGS, ...ports });

  test("the purge of a bucket comes at the next time of the schedule after the retention, and not before", async () => {
    const ledger = await ledgerIn(bucket);
    await at(deletedMs).deleteBucket(bucket);
    expect(await at(deletedMs).sweep()).toBe(dueMs);
    expect(await at(dueMs - 1).sweep()).toBe(dueMs);
    expect(await rowOf(ledger)).toMatchObject({ purging_since: null });
    expect((await storageOf(objectOf(ledger))).tables).not.toEqual([]);
    await at(dueMs).sweep();
    expect(await rowOf(ledger)).toBeNull();
    expect(await storageOf(objectOf(ledger))).toEqual(NO_STORAGE);
    expect(await bucketOf(bucket)).toBeUndefined();
  });

  test("the purge of a bucket leaves one entry in the audit for a bucket, with the deployment itself as the author", async () => {
    await Promise.all([ledgerIn(bucket), ledgerIn(bucket)]);
    await at(deletedMs).deleteBucket(bucket);
    await at(dueMs).sweep();
    await at(dueMs).sweep();
    const { cursor } = await okBodyOf<{ cursor: { data: readonly object[] } }>(
      api(`/api/florin/v1/audit?object=buckets/${bucket}`),
    );
    const system = { issuer: "florin", clientId: "florin", object: `buckets/${bucket}` };
    expect(cursor.data).toEqual([
      expect.objectContaining({ ...system, action: "ledger.bucket.purge" }),
      expect.objectContaining({ ...system, action: "ledger.bucket.delete" }),
    ]);
  });

  test("the purge of a bucket first deletes a ledger whose object does not know of the deletion yet", async () => {
    const ledger = await ledgerIn(bucket);
    const killed = async () => {
      throw new Error("killed");
    };
    await at(deletedMs, { setDeletion: killed, armClock: killed }).deleteBucket(bucket);
    await at(dueMs, { setDeletion: killed, purge: killed }).sweep();
    expect(await rowOf(ledger)).toMatchObject({ purging_since: fromMillis(dueMs) });
    expect(await isServed(ledger)).toBe(true);
    await at(dueMs + RETRY_MS, { purge: killed }).sweep();
    expect(await isServed(ledger)).toBe(false);
    await at(dueMs + HOUR).sweep();
    expect(await rowOf(ledger)).toBeNull();
  });

  test("the purge of a bucket is done again when the storage was not emptied, whatever the object remembers", async () => {
    const ledger = await ledgerIn(bucket);
    const uuid = await uuidOf(ledger);
    await at(deletedMs).deleteBucket(bucket);
    await runInDurableObject(objectOf(ledger), async (object, { storage }) => {
      vi.spyOn(storage, "deleteAll").mockRejectedValueOnce(new Error("no disk"));
      await expect(object.purge(uuid)).rejects.toThrow("no disk");
    });
    expect((await storageOf(objectOf(ledger))).tables).not.toEqual([]);
    await at(dueMs).sweep();
    expect(await rowOf(ledger)).toBeNull();
    expect(await storageOf(objectOf(ledger))).toEqual(NO_STORAGE);
  });

  test("the purge of a bucket keeps the name while a pipeline of the old ledger may still read it", async () => {
    const ledger = await ledgerIn(bucket);
    const id = await freshPipeline(ledger, await freshExporter("noop"));
    const pipeline = env.PIPELINES.getByName(id);
    await at(deletedMs).deleteBucket(bucket);
    vi.spyOn(PipelineObject.prototype, "refresh").mockRejectedValueOnce(new Error("down"));
    expect(await at(dueMs).sweep()).toBe(dueMs + RETRY_MS);
    expect(await rowOf(ledger)).not.toBeNull();
    await eventually(async () =>
      expect(await PipelineService.from(systemContext(env, "test")).sweep()).toBeUndefined(),
    );
    await at(dueMs + RETRY_MS).sweep();
    expect(await rowOf(ledger)).toBeNull();
    expect(await storageOf(pipeline)).toEqual(NO_STORAGE);
  });

  test("the purge of a bucket empties the object and that of its audit, for good", async () => {
    const ledger = await ledgerIn(bucket);
    const audit = env.AUDITS.getByName(ledger);
    await halfAudited(ledger);
    expect((await storageOf(audit)).tables).toContain("audit");
    await at(deletedMs).deleteBucket(bucket);
    await at(dueMs).sweep();
    await evict(objectOf(ledger));
    expect((await inLedger(ledger, "/transactions")).status).toBe(404);
    expect(await storageOf(objectOf(ledger))).toEqual(NO_STORAGE);
    expect(await storageOf(audit)).toEqual(NO_STORAGE);
  });

  test("the purge of a bucket deletes the result of the last verification", async () => {
    const ledger = await ledgerIn(bucket);
    const audit = env.AUDITS.getByName(ledger);
    await okBodyOf(api(`/api/florin/v1/ledgers/${ledger}/verify`, { method: "POST" }));
    expect((await storageOf(audit)).tables).toContain("audit_result");
    await at(deletedMs).deleteBucket(bucket);
    await at(dueMs).sweep();
    expect(await storageOf(audit)).toEqual(NO_STORAGE);
  });

  test("the purge of a bucket frees the name for a ledger that knows nothing of the old one", async () => {
    const ledger = await ledgerIn(bucket);
    const uuid = await uuidOf(ledger);
    await at(deletedMs).deleteBucket(bucket);
    await at(dueMs).sweep();
    await createIn(bucket, ledger);
    await okBodyOf(post(ledger, pay("world -> b", 1)));
    const pipeline = await freshPipeline(ledger, await freshExporter("noop"));
    const object = objectOf(ledger);
    const audit = env.AUDITS.getByName(ledger);
    await halfAudited(ledger);
    // Calls and messages about the old ledger arrive late.
    await object.purge(uuid);
    await audit.purge(uuid);
    expect((await storageOf(audit)).tables).toContain("audit");
    const request = {
      after: 0,
      range: { table: "ledger" as const, after: undefined, to: undefined },
      steps: { entries: 1, rows: 1 },
      wantsRows: false,
    };
    expect(await object.answerAudit(uuid, request)).toMatchObject({ ok: false });
    await deletePipelinesOf(systemContext(env, "test"), { name: ledger, uuid });
    expect((await inLedger(ledger, `/pipelines/${pipeline}`)).status).toBe(200);
    await object.setDeletion({ uuid, revision: 9, deletedAt: fromMillis(deletedMs) });
    expect(await object.readLogs(1, 1, uuid)).toMatchObject({ ok: false });
    expect(await object.confirmPublished(1, uuid)).toMatchObject({ ok: false });
    expect(await logIdsOf(ledger)).toEqual([1]);
    expect((await traceOf(ledger)).accounts).not.toContain('"a"');
    await eventually(async () => {
      expect(await object.readLogs(1, 1)).toMatchObject({ value: { publishedLogId: 1 } });
    });
  });

  test("the purge of a bucket is continued after a crash at any ledger", async () => {
    const ledgers = [await ledgerIn(bucket), await ledgerIn(bucket), await ledgerIn(bucket)];
    await at(deletedMs).deleteBucket(bucket);
    const dying = at(dueMs, {
      purge: async ({ name, uuid }: { name: string; uuid: string }) => {
        if (name === ledgers[1]) await objectOf(name).purge(uuid);
        if (name !== ledgers[0]) throw new Error("killed");
        await objectOf(name).purge(uuid);
      },
    });
    expect(await dying.sweep()).toBe(dueMs + RETRY_MS);
    expect(await rowOf(ledgers[0] ?? "")).toBeNull();
    expect(await rowOf(ledgers[1] ?? "")).not.toBeNull();
    await at(dueMs + RETRY_MS).sweep();
    for (const ledger of ledgers) {
      expect(await rowOf(ledger)).toBeNull();
      expect(await storageOf(objectOf(ledger))).toEqual(NO_STORAGE);
    }
  });

  test("the purge of a bucket is prevented by a restoration before it, and not undone by one after it has begun", async () => {
    const saved = await ledgerIn(bucket);
    await at(deletedMs).deleteBucket(bucket);
    await at(dueMs - 1).restoreBucket(bucket);
    await at(dueMs).sweep();
    expect(await isServed(saved)).toBe(true);

    await at(deletedMs).deleteBucket(bucket);
    const restoring = at(dueMs, {
      purge: async () => {
        await at(dueMs).restoreBucket(bucket);
        throw new Error("killed");
      },
    });
    expect(await restoring.sweep()).toBe(dueMs + RETRY_MS);
    expect(await rowOf(saved)).toMatchObject({ deleted_at: fromMillis(deletedMs) });
    expect(await isServed(saved)).toBe(false);
    expect(await ledgersIn(bucket)).toEqual([]);
    await at(dueMs + RETRY_MS).sweep();
    expect(await rowOf(saved)).toBeNull();
  });

  test("the purge of a bucket that is far away is checked again after a day, as settings may change", async () => {
    await ledgerIn(bucket);
    const monthly = bucketsAt(deletedMs);
    await monthly.deleteBucket(bucket);
    expect(await monthly.sweep()).toBe(deletedMs + 24 * HOUR);
    const never = bucketsAt(deletedMs, { settings: { FLORIN_BUCKET_RETENTION: "99999999h" } });
    expect(await never.sweep()).toBe(deletedMs + 24 * HOUR);
    await restoreBucket(bucket);
    expect(await never.sweep()).toBeUndefined();
  });

  /** Purges a ledger and creates another one with its name. */
  async function replace(ledger: string): Promise<void> {
    await at(deletedMs).deleteBucket(bucket);
    await at(dueMs).sweep();
    await createIn(bucket, ledger);
  }

  test("the purge of a bucket ends a stream and an import: the next ledger of the name gets nothing of them", async () => {
    const service = LedgerService.from(systemContext(env, "test"));
    const [source, target] = [await ledgerIn(bucket), freshName("ledger")];
    await okBodyOf(post(source, pay("world -> a", 1)));
    const exported = await inLedger(source, "/logs/export", { method: "POST" });
    const log = new TextDecoder().decode(await exported.arrayBuffer());
    const element = `{"action":"CREATE_TRANSACTION","data":${JSON.stringify(pay("world -> a", 1))}}`;
    const options = { atomic: false, continueOnFailure: false };
    await createIn(bucket, target);
    const importing = service.importLogs(target, interrupted(log.split("\n"), target));
    await expect(importing).rejects.toMatchObject({ kind: "LEDGER_NOT_FOUND" });
    expect(await logIdsOf(target)).toEqual([]);
    const elements = readElements(interrupted([element, element], target), "json");
    const streaming = service.executeStream(target, elements, options);
    await expect(streaming).rejects.toMatchObject({ kind: "LEDGER_NOT_FOUND" });
    expect(await logIdsOf(target)).toEqual([]);
    expect((await post(target, pay("world -> a", 1))).status).toBe(200);
  });

  /** Yields the first two lines, and replaces the ledger in between, once the first line has arrived. */
  async function* interrupted(
    [first = "", second = ""]: readonly string[],
    ledger: string,
  ): AsyncGenerator<Uint8Array> {
    const encoder = new TextEncoder();
    yield encoder.encode(`${first}\n`);
    await eventually(async () => expect(await logIdsOf(ledger)).toHaveLength(1));
    await replace(ledger);
    yield encoder.encode(`${second}\n`);
  }

  test("the purge of a bucket ends an export, which gives nothing of the next ledger", async () => {
    const ledger = await ledgerIn(bucket);
    const metadata = { k: "x".repeat(60_000) };
    for (let index = 0; index < 20; index++) {
      const written = await inLedger(ledger, "/accounts/a/metadata", { body: metadata });
      expect(written.status).toBe(204);
    }
    const pages = LedgerService.from(systemContext(env, "test")).exportLogs(ledger);
    expect((await pages.next()).value).toContain('"id":1');
    await replace(ledger);
    for (let index = 0; index < 25; index++) await okBodyOf(post(ledger, pay("world -> b", 1)));
    await expect(pages.next()).rejects.toMatchObject({ kind: "LEDGER_NOT_FOUND" });
  });
});

describe("the events of a ledger that is deleted", () => {
  test("the events of a ledger that is deleted still go out when they were committed before", async () => {
    const ledger = await ledgerIn(bucket);
    await deleteBucket(bucket);
    const origin = { ledger, uuid: await uuidOf(ledger) };
    const { events } = await new LedgerEvents(env).read(origin, 1, 1);
    expect(events).toMatchObject([{ type: "COMMITTED_TRANSACTIONS" }]);
    await eventually(async () => {
      expect(await objectOf(ledger).readLogs(1, 1)).toMatchObject({ value: { publishedLogId: 1 } });
    });
  });

  test("the events of a ledger that is deleted are dropped when it is purged, and make no object", async () => {
    const acked: string[] = [];
    const name = freshName();
    const message = (body: object): Message => ({
      id: "1",
      timestamp: new Date(),
      body,
      attempts: 1,
      ack: () => acked.push("ack"),
      retry: () => acked.push("retry"),
    });
    const batch: MessageBatch = {
      queue: "florin-events",
      messages: [
        message({ source: "ledger", ledger: name, uuid: crypto.randomUUID(), from: 1, to: 3 }),
        message({ source: "ledger", ledger: name, uuid: crypto.randomUUID(), from: 1, to: 3 }),
      ],
      metadata: { metrics: { backlogCount: 0, backlogBytes: 0 } },
      ackAll: () => undefined,
      retryAll: () => undefined,
    };
    await consume(batch, env);
    expect(acked).toEqual(["ack", "ack"]);
    expect(await storageOf(objectOf(name))).toEqual(NO_STORAGE);
  });
});
