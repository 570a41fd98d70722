import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterAll, afterEach, describe, expect, test, vi } from "vitest";
import { sweepRetention } from "#modules/reconciliation/retention/sweep.ts";
import { useSources, releaseSources } from "#modules/reconciliation/sources/uses.ts";
import { ABANDONED_AFTER_MS } from "#modules/reconciliation/statements/source-object.ts";
import {
  SILENCE_MS_MAX,
  type Upload,
  uploadFile,
} from "#modules/reconciliation/statements/upload.ts";
import { systemContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { AppError } from "#platform/errors.ts";
import { api } from "#test/support/platform/api.ts";
import { eventually } from "#test/support/platform/eventually.ts";
import { endObject, evict } from "#test/support/platform/evict.ts";
import { forgetFullStorage } from "#test/support/platform/forget-full-storage.ts";
import { dataOf, failureOf, pageOf } from "#test/support/reconciliation/books.ts";
import { collect, readingContext, SOURCES } from "#test/support/reconciliation/sources.ts";
import {
  fileOf,
  lineOf,
  newStatementSource,
  objectOf,
  statement,
  statementsPath,
  type StatementView,
  upload,
  uploaded,
} from "#test/support/reconciliation/uploads.ts";

afterAll(forgetFullStorage);

/** What the object of a source has: rows of files and lines, and keys of pieces. */
const storageOf = (source: string) =>
  runInDurableObject(objectOf(source), (_object, { storage }) => {
    const count = (table: string) =>
      storage.sql.exec<{ n: number }>(`SELECT count(*) AS n FROM ${table}`).one().n;
    const hasTables =
      storage.sql.exec("SELECT 1 FROM sqlite_master WHERE name = 'file'").toArray().length > 0;
    return {
      files: hasTables ? count("file") : 0,
      lines: hasTables ? count("line") : 0,
      pieces: [...storage.kv.list({ prefix: "file/" })].length,
    };
  });

const NOTHING = { files: 0, lines: 0, pieces: 0 };

/** Lines of so many days, one a line, in one statement. */
const longFile = (lines: number, id = "long"): string =>
  fileOf(
    { id, account: id, from: "2026-01-05", to: "2026-01-06" },
    Array.from({ length: lines }, (_, index) => index + 1),
  );

/** Rings the alarm of a source as often as it takes to bring its files to their ends. */
const work = (source: string): Promise<void> =>
  eventually(async () => {
    await runDurableObjectAlarm(objectOf(source));
    const states = await pageOf<StatementView>(await api(statementsPath(source)));
    expect(states.data.filter(({ state }) => state === "reading")).toEqual([]);
  });

afterEach(() => {
  vi.useRealTimers();
});

describe("uploads that do not end", () => {
  test("a body that breaks off leaves nothing behind", async () => {
    const source = await newStatementSource();
    async function* broken(): AsyncGenerator<Uint8Array> {
      for (let count = 0; count < 3; count++) yield new Uint8Array(400_000);
      throw new AppError("VALIDATION", "the body broke off");
    }
    const failing = uploadFile(readingContext(), { id: source, reading: {} }, uploadOf(broken()));
    await expect(failing).rejects.toThrow("the body broke off");
    // A proxy may end a body that it has not got whole.
    const short = { ...uploadOf(bytesOf(lineOf(1))), declaredBytes: 1000 };
    const cut = uploadFile(readingContext(), { id: source, reading: {} }, short);
    await expect(cut).rejects.toThrow("the body broke off");
    expect(await storageOf(source)).toEqual(NOTHING);
    expect((await pageOf(await api(statementsPath(source)))).data).toEqual([]);
  });

  test("a body that falls silent is given up", async () => {
    const source = await newStatementSource();
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    async function* silent(): AsyncGenerator<Uint8Array> {
      yield new TextEncoder().encode("{");
      await new Promise(() => undefined);
    }
    const call = uploadFile(readingContext(), { id: source, reading: {} }, uploadOf(silent()));
    const failure = call.catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(SILENCE_MS_MAX + 1);
    vi.useRealTimers();
    expect(await failure).toMatchObject({
      kind: "VALIDATION",
      message: expect.stringContaining("has sent nothing for 30 seconds") as string,
    });
    expect(await storageOf(source)).toEqual(NOTHING);
  });

  test("pieces whose upload was killed are swept", async () => {
    const source = await newStatementSource();
    const object = objectOf(source);
    await object.receive("upload", 0, new Uint8Array(1000));
    expect(await storageOf(source)).toEqual({ files: 1, lines: 0, pieces: 1 });
    await runDurableObjectAlarm(object);
    expect((await storageOf(source)).files).toBe(1);
    await runInDurableObject(object, (_object, { storage }) => {
      storage.sql.exec("UPDATE file SET touched_ms = touched_ms - ?", ABANDONED_AFTER_MS + 1);
    });
    await evict(object);
    await runDurableObjectAlarm(object);
    expect(await storageOf(source)).toEqual(NOTHING);
    expect(await object.receive("upload", 1, new Uint8Array(1))).toMatchObject({
      ok: false,
      failure: { kind: "CONFLICT" },
    });
  });

  test("a source takes four files at once", async () => {
    const object = objectOf(await newStatementSource());
    for (let count = 0; count < 4; count++) {
      expect(await object.receive(`upload-${count}`, 0, new Uint8Array(1))).toMatchObject({
        ok: true,
      });
    }
    expect(await object.receive("another", 0, new Uint8Array(1))).toMatchObject({
      ok: false,
      failure: { kind: "RATE_LIMITED" },
    });
    await object.abandon("upload-0");
    expect(await object.receive("another", 0, new Uint8Array(1))).toMatchObject({ ok: true });
  });
});

describe("files whose object ends", () => {
  test("a file that was being read is read again, and each line is there once", async () => {
    const source = await newStatementSource();
    const object = objectOf(source);
    const content = longFile(3000);
    const answer = upload(source, content).then(
      ({ status }) => status,
      () => 0,
    );
    await eventually(async () => expect((await storageOf(source)).lines).toBeGreaterThan(0));
    await endObject(object);
    await answer;
    await work(source);
    const { data } = await pageOf<StatementView>(await api(statementsPath(source)));
    expect(data).toMatchObject([{ state: "ready", lines: 3000 }]);
    const { lines } = await collect(source, { limit: 2000 });
    expect(lines.slice(0, 3).map(({ amount }) => amount)).toEqual([1n, 2n, 3n]);
    expect(await storageOf(source)).toMatchObject({ files: 1, lines: 3000 });
    expect((await upload(source, content)).status).toBe(409);
  });

  test.each(["received", "stored", "judged", "removing", "dropped"])(
    "the alarm brings a file on from the state %s",
    async (state) => {
      const source = await newStatementSource();
      const object = objectOf(source);
      const { id } = await uploaded(source, longFile(10));
      const isRemoval = state === "removing" || state === "dropped";
      const removal = {
        sourceId: source,
        principal: '{"issuer":"","subject":"s","clientId":"c","scopes":[],"ledgers":[]}',
        requestId: "r",
      };
      await runInDurableObject(object, async (_object, { storage }) => {
        storage.sql.exec(
          "UPDATE file SET state = ?, removal = ?",
          state,
          isRemoval ? JSON.stringify(removal) : null,
        );
        await storage.setAlarm(Date.now() + 60_000);
      });
      // What D1 knows when the object is at that state.
      if (state === "received")
        await env.DB.prepare("DELETE FROM reconciliation_statements WHERE id = ?").bind(id).run();
      if (!isRemoval)
        await env.DB.prepare("DELETE FROM reconciliation_statement_heads WHERE source_id = ?")
          .bind(source)
          .run();
      if (!isRemoval)
        await env.DB.prepare("UPDATE reconciliation_statements SET state = 'reading' WHERE id = ?")
          .bind(id)
          .run();
      await evict(object);
      await runDurableObjectAlarm(object);
      await eventually(async () => {
        if (isRemoval) expect(await storageOf(source)).toEqual(NOTHING);
        else
          expect(await statement(source, id)).toMatchObject({
            state: "ready",
            lines: 10,
            heads: [{ lines: 10 }],
          });
      });
      if (state === "removing")
        expect((await api(`${statementsPath(source)}/${id}`)).status).toBe(404);
      if (!isRemoval) expect((await collect(source)).lines).toHaveLength(10);
    },
  );

  test("a file that ends the process each time is refused in the end", async () => {
    const source = await newStatementSource();
    const object = objectOf(source);
    const { id } = await uploaded(source, longFile(10));
    await runInDurableObject(object, async (_object, { storage }) => {
      storage.sql.exec("UPDATE file SET state = 'stored', attempts = 5");
      await storage.setAlarm(Date.now() + 60_000);
    });
    await env.DB.prepare("UPDATE reconciliation_statements SET state = 'reading' WHERE id = ?")
      .bind(id)
      .run();
    await evict(object);
    await runDurableObjectAlarm(object);
    await eventually(async () => {
      const { refusal } = await statement(source, id);
      expect(refusal?.message).toContain("has failed 5 times");
    });
  });

  test("a full disk leaves a file being read until there is room, and is not the file's fault", async () => {
    const source = await newStatementSource();
    const object = objectOf(source);
    await uploaded(source, longFile(1, "before"));
    await runInDurableObject(object, (_object, { storage }) => {
      storage.sql.exec(
        "CREATE TRIGGER full BEFORE INSERT ON line BEGIN SELECT raise(ABORT, 'database or disk is full: SQLITE_FULL'); END",
      );
    });
    const answer = upload(source, longFile(5));
    await eventually(async () => {
      const { data } = await pageOf<StatementView>(await api(statementsPath(source)));
      expect(data.map(({ state }) => state)).toEqual(["reading", "ready"]);
    });
    await runDurableObjectAlarm(object);
    expect((await collect(source)).lines).toHaveLength(1);
    await runInDurableObject(object, async (_object, { storage }) => {
      expect(
        storage.sql
          .exec<{ attempts: number }>(
            "SELECT max(attempts) AS attempts FROM file WHERE state = 'stored'",
          )
          .one().attempts,
      ).toBe(0);
      storage.sql.exec("DROP TRIGGER full");
      await storage.setAlarm(Date.now() + 60_000);
      await storage.sync();
    });
    // An eviction would wait for the answer of the upload, which waits ten seconds for the end of the file.
    await endObject(object);
    await answer.catch(() => undefined);
    await work(source);
    expect((await collect(source)).lines).toHaveLength(6);
  });
});

describe("a database without room", () => {
  test("an upload that finds none is told so, and leaves nothing behind", async () => {
    const source = await newStatementSource();
    let isFull = true;
    const database = {
      prepare: env.DB.prepare.bind(env.DB),
      batch: async (statements: D1PreparedStatement[]) => {
        if (isFull) throw new Error("D1_ERROR: database or disk is full: SQLITE_FULL");
        return env.DB.batch(statements);
      },
    };
    await runInDurableObject(objectOf(source), (object) => {
      const own = object as unknown as { env: object };
      own.env = { ...own.env, DB: database };
    });
    expect((await upload(source, lineOf(1))).status).toBe(507);
    isFull = false;
    await eventually(async () => {
      await runDurableObjectAlarm(objectOf(source));
      expect(await storageOf(source)).toEqual(NOTHING);
    });
    expect((await pageOf(await api(statementsPath(source)))).data).toEqual([]);
    expect((await uploaded(source, lineOf(1))).state).toBe("ready");
  });
});

describe("lines that a matching has collected", () => {
  test("their statement is not deleted as long as the matching uses the source", async () => {
    const source = await newStatementSource();
    const [kept, free] = [
      await uploaded(source, longFile(2, "a")),
      await uploaded(source, longFile(2, "b")),
    ];
    const db = databaseOf(env);
    await db.batch([useSources({ env }, { matchingId: "m", sourceIds: [source] })]);
    await collect(source, { limit: 1 });
    const remove = (id: string) => api(`${statementsPath(source)}/${id}`, { method: "DELETE" });
    expect(await failureOf(await remove(kept.id))).toEqual([409, "STATEMENT_IN_USE"]);
    expect((await remove(free.id)).status).toBe(204);
    expect(await failureOf(await api(`${SOURCES}/${source}`, { method: "DELETE" }))).toEqual([
      409,
      "SOURCE_IN_USE",
    ]);
    await db.batch([releaseSources({ env }, "m")]);
    expect((await remove(kept.id)).status).toBe(204);
  });
});

describe("sources that are deleted", () => {
  test("the sweep deletes statements, lines and bytes, and an upload under way finds the source gone", async () => {
    const source = await newStatementSource();
    const object = objectOf(source);
    const { id } = await uploaded(source, longFile(3));
    await object.receive("late", 0, new TextEncoder().encode(lineOf(1)));
    expect((await api(`${SOURCES}/${source}`, { method: "DELETE" })).status).toBe(204);
    await sweepRetention(systemContext(env, "test"));
    const rows = await env.DB.prepare(
      "SELECT (SELECT count(*) FROM reconciliation_statements WHERE source_id = ?1) + (SELECT count(*) FROM reconciliation_statement_heads WHERE source_id = ?1) + (SELECT count(*) FROM reconciliation_sources WHERE id = ?1) AS n",
    )
      .bind(source)
      .first<{ n: number }>();
    expect(rows?.n).toBe(0);
    expect((await api(`${statementsPath(source)}/${id}`)).status).toBe(404);
    await evict(object);
    expect(await storageOf(source)).toEqual(NOTHING);
    const call = uploadFile(
      readingContext(),
      { id: source, reading: {} },
      uploadOf(bytesOf(lineOf(1))),
    );
    await expect(call).rejects.toMatchObject({ kind: "NOT_FOUND" });
    await eventually(async () => expect(await storageOf(source)).toEqual(NOTHING));
  });
});

const uploadOf = (chunks: AsyncIterable<Uint8Array>): Upload => ({
  chunks,
  fileName: undefined,
  mayOverlap: false,
  declaredBytes: undefined,
});

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(text);
}

describe("a bucket for files", () => {
  test("files move to the bucket when they are ready, are read from there, and go with their statement", async () => {
    const bindings = env as unknown as { FLORIN_STATEMENTS?: unknown; EXPORT_BUCKET: R2Bucket };
    const source = await newStatementSource();
    const content = longFile(20_000);
    await runInDurableObject(objectOf(source), (object) => {
      Object.assign((object as unknown as { env: object }).env, {
        FLORIN_STATEMENTS: bindings.EXPORT_BUCKET,
      });
    });
    bindings.FLORIN_STATEMENTS = bindings.EXPORT_BUCKET;
    try {
      const { id } = await dataOf<StatementView>(await upload(source, content), 201);
      await eventually(async () => {
        await runDurableObjectAlarm(objectOf(source));
        expect((await storageOf(source)).pieces).toBe(0);
      });
      const file = await api(`${statementsPath(source)}/${id}/file`);
      expect(Buffer.from(await file.arrayBuffer()).toString()).toBe(content);
      expect((await api(`${statementsPath(source)}/${id}`, { method: "DELETE" })).status).toBe(204);
      await eventually(async () =>
        expect(
          (await bindings.EXPORT_BUCKET.list({ prefix: `statements/${source}/` })).objects,
        ).toEqual([]),
      );
    } finally {
      delete bindings.FLORIN_STATEMENTS;
    }
  });
});
