import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterAll, expect, test } from "vitest";
import { present } from "#platform/assert.ts";
import { newId } from "#platform/ids.ts";
import { durableSql } from "#platform/sql/durable-sql.ts";
import { underWay, workForTheNextFile } from "#test/support/deployment/restoring.ts";
import { okBodyOf } from "#test/support/ledger/api.ts";
import { api, send, token } from "#test/support/platform/api.ts";
import { withRows } from "#test/support/platform/backup/come-back.ts";
import { type SavedObject, savedObjectOf } from "#test/support/platform/backup/saved-object.ts";
import { eventually } from "#test/support/platform/eventually.ts";
import {
  fileOf,
  MARCH,
  newStatementSource,
  objectOf,
  statement,
  statementsPath,
  type StatementView,
  uploaded,
  wideFile,
} from "#test/support/reconciliation/uploads.ts";

const FILES = "/api/florin/v1/backup/objects/files";
const PIECE = 512 * 1024;

afterAll(workForTheNextFile);

interface ListedFile {
  readonly class: string;
  readonly name: string;
  readonly file: string;
  readonly bytes: number;
  readonly sha256: string;
}

const beginBackup = async (): Promise<string> =>
  (await okBodyOf<{ data: { id: string } }>(api("/api/florin/v1/backup", { method: "POST" }))).data
    .id;

async function listAll(backup: string): Promise<ListedFile[]> {
  const found: ListedFile[] = [];
  let next: Record<string, string> | undefined = {};
  while (next !== undefined) {
    const query = new URLSearchParams({ backup, ...next });
    const { data } = await okBodyOf<{
      data: { files: ListedFile[]; next?: { class: string; after: number } };
    }>(api(`${FILES}?${query.toString()}`));
    found.push(...data.files);
    next = data.next && { class: data.next.class, after: String(data.next.after) };
  }
  return found;
}

const APRIL = fileOf({ ...MARCH, id: "S-4", from: "2026-04-01", to: "2026-04-30" }, [3, 4]);

const download = async (source: string, id: string): Promise<string> => {
  const answer = await api(`${statementsPath(source)}/${id}/file`);
  expect(answer.status).toBe(200);
  return answer.text();
};

test("a backup lists the files of statements and reads their bytes, and nobody else does", async () => {
  const source = await newStatementSource();
  const content = wideFile(600);
  const file = await uploaded(source, content);
  const place = { class: "StatementSourceObject", name: source, file: file.id };
  const backup = await beginBackup();
  const listed = (await listAll(backup)).find((one) => one.file === file.id);
  expect(listed).toEqual({ ...place, bytes: content.length, sha256: file.sha256 });
  const read = (query: Record<string, string>) =>
    api(`${FILES}/content?${new URLSearchParams(query).toString()}`);
  const answer = await read({ backup, ...place });
  expect(answer.headers.get("content-type")).toBe("application/octet-stream");
  expect(await answer.text()).toBe(content);
  for (const [query, status] of [
    [{ backup: newId(), ...place }, 404],
    [{ backup, ...place, class: "LedgerObject" }, 404],
    [{ backup, ...place, file: newId() }, 404],
    [{ backup, ...place, name: newId() }, 404],
  ] as const) {
    expect((await read(query)).status).toBe(status);
  }
  expect((await api(`${FILES}?backup=${backup}&class=LedgerObject`)).status).toBe(404);
  expect((await api(`${FILES}?backup=${newId()}`)).status).toBe(404);
  const gone = await api(`${statementsPath(source)}/${file.id}`, { method: "DELETE" });
  expect(gone.status).toBe(204);
  expect((await read({ backup, ...place })).status).toBe(404);
  expect((await listAll(backup)).map((one) => one.file)).not.toContain(file.id);
});

/** The object of a source as a backup has it, in which a file is not read yet. The object is empty afterwards. */
async function savedWithUnread(source: string, { id }: StatementView): Promise<SavedObject> {
  await env.DB.batch([
    env.DB.prepare(
      "DELETE FROM reconciliation_statement_heads WHERE statement_key = (SELECT key FROM reconciliation_statements WHERE id = ?)",
    ).bind(id),
    env.DB.prepare(
      "UPDATE reconciliation_statements SET state = 'reading', lines = 0, ended_at = NULL WHERE id = ?",
    ).bind(id),
  ]);
  let saved: SavedObject | undefined;
  const wiped = runInDurableObject(objectOf(source), async (_, ctx) => {
    saved = savedObjectOf(durableSql(ctx.storage));
    await ctx.storage.deleteAlarm();
    await ctx.storage.deleteAll();
    await ctx.storage.sync();
    ctx.abort("a test ends it");
  });
  await wiped.catch(() => undefined);
  const unread = { state: "stored", verdict: null, first_line: null, last_line: null };
  return withRows(present(saved, "the object was read"), "file", (rows) =>
    rows.map((row) => (row["id"] === id ? { ...row, ...unread } : row)),
  );
}

/** Begins a restoration, into which the rows of an object have come. */
async function restoring(source: string, saved: SavedObject) {
  const { id, call, token: secret } = await underWay();
  const query = (more: Record<string, string> = {}) =>
    new URLSearchParams({ class: "StatementSourceObject", name: source, ...more }).toString();
  const tables = saved.tables.map(({ name, columns, rows }) => ({
    name,
    columns,
    rows: rows.length,
  }));
  await okBodyOf(call(`/objects?${query()}`, { body: { step: saved.step, tables } }));
  for (const { name, rows } of saved.tables) {
    const answer = await call(`/objects/tables/${name}?${query()}`, { body: { after: 0, rows } });
    expect(answer.status).toBe(204);
  }
  const begin = (file: Pick<StatementView, "id" | "bytes" | "sha256">) => {
    const { id: fileId, bytes, sha256 } = file;
    return call(`/objects/files?${query()}`, { body: { file: fileId, bytes, sha256 } });
  };
  return {
    begin,
    progress: async (file: StatementView) =>
      (await okBodyOf<{ data: { state: string; pieces: number } }>(begin(file))).data,
    piece: async (file: StatementView, place: number, body: string) =>
      (
        await send(
          `/api/florin/v1/restorations/${id}/objects/files/pieces?${query({ file: file.id, place: String(place) })}`,
          { method: "POST", headers: { authorization: `Bearer ${secret}` }, body },
        )
      ).status,
    end: async () => {
      const answer = await call(`/objects/end?${query()}`, { body: { counters: saved.counters } });
      expect(answer.status).toBe(204);
      await workForTheNextFile();
    },
  };
}

/** Rings the alarm of a source until a statement is not being read any more. */
const settled = (source: string, id: string): Promise<StatementView> =>
  eventually(async () => {
    await runDurableObjectAlarm(objectOf(source));
    const found = await statement(source, id);
    expect(found.state).not.toBe("reading");
    return found;
  });

test("files come back byte for byte, and one that was not read is read then", async () => {
  const source = await newStatementSource();
  const content = wideFile(600);
  const [first, second] = [content.slice(0, PIECE), content.slice(PIECE)];
  expect(second.length).toBeGreaterThan(0);
  const ready = await uploaded(source, content);
  const unread = await uploaded(source, APRIL);
  const restoration = await restoring(source, await savedWithUnread(source, unread));
  const { begin, progress, piece } = restoration;
  expect((await begin({ ...ready, bytes: 1 })).status).toBe(409);
  expect((await begin({ ...ready, sha256: unread.sha256 })).status).toBe(409);
  expect(await progress({ ...ready, id: newId() })).toMatchObject({ state: "left-out" });
  expect(await piece({ ...ready, id: newId() }, 0, first)).toBe(409);
  expect(await progress(ready)).toEqual({ state: "open", pieces: 0, pieceBytes: PIECE });
  expect(await piece(ready, 1, second)).toBe(409);
  expect(await piece(ready, 0, second)).toBe(400);
  expect(await piece(ready, 0, "x".repeat(PIECE * 2 + 1))).toBe(413);
  // Other bytes are found with the last piece, and all come again.
  expect(await piece(ready, 0, "x".repeat(PIECE))).toBe(204);
  expect(await progress(ready)).toMatchObject({ state: "open", pieces: 1 });
  expect(await piece(ready, 1, second)).toBe(204);
  expect(await progress(ready)).toMatchObject({ state: "open", pieces: 0 });
  for (const [place, body] of [
    [0, first],
    [0, first],
    [1, second],
    [1, second],
  ] as const) {
    expect(await piece(ready, place, body)).toBe(204);
  }
  expect(await progress(ready)).toMatchObject({ state: "complete", pieces: 2 });
  expect(await piece(unread, 0, APRIL)).toBe(204);
  await restoration.end();
  expect(await settled(source, unread.id)).toMatchObject({ state: "ready", lines: 2 });
  expect(await download(source, ready.id)).toBe(content);
  expect(await download(source, unread.id)).toBe(APRIL);
});

test("files that came back move to the bucket of the copy, from which the next backup reads them", async () => {
  const bindings = env as unknown as { FLORIN_STATEMENTS?: unknown; EXPORT_BUCKET: R2Bucket };
  const source = await newStatementSource();
  const content = wideFile(600);
  const ready = await uploaded(source, content);
  const unread = await uploaded(source, APRIL);
  const restoration = await restoring(source, await savedWithUnread(source, unread));
  const pieces = [content.slice(0, PIECE), content.slice(PIECE)];
  for (const [place, piece] of pieces.entries()) {
    expect(await restoration.piece(ready, place, piece)).toBe(204);
  }
  await restoration.end();
  bindings.FLORIN_STATEMENTS = bindings.EXPORT_BUCKET;
  try {
    const moved = await eventually(async () => {
      await runDurableObjectAlarm(objectOf(source));
      const found = await bindings.EXPORT_BUCKET.get(`statements/${source}/${ready.id}`);
      return present(found, "the file has moved");
    });
    expect(await moved.text()).toBe(content);
    await eventually(async () => expect(await objectOf(source).piece(ready.id, 0)).toBeUndefined());
    expect(await download(source, ready.id)).toBe(content);
    const backup = await beginBackup();
    const query = { backup, class: "StatementSourceObject", name: source, file: ready.id };
    const answer = await api(`${FILES}/content?${new URLSearchParams(query).toString()}`);
    expect(await answer.text()).toBe(content);
  } finally {
    delete bindings.FLORIN_STATEMENTS;
  }
});

test("a file of which a piece is missing has no bytes, and is refused if it was not read", async () => {
  const source = await newStatementSource();
  const content = wideFile(600);
  const ready = await uploaded(source, content);
  const unread = await uploaded(source, APRIL);
  const restoration = await restoring(source, await savedWithUnread(source, unread));
  expect(await restoration.piece(ready, 0, content.slice(0, PIECE))).toBe(204);
  await restoration.end();
  expect(await settled(source, unread.id)).toMatchObject({ state: "refused" });
  expect(await statement(source, ready.id)).toMatchObject({ state: "ready", lines: 600 });
  const answer = await send(`${statementsPath(source)}/${ready.id}/file`, {
    headers: { authorization: `Bearer ${await token()}` },
  });
  expect(answer.status).toBe(404);
  const left = await runInDurableObject(objectOf(source), (_, { storage }) => [
    ...storage.kv.list({ prefix: "file/" }),
  ]);
  expect(left).toEqual([]);
});
