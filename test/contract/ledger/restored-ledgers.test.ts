import { env } from "cloudflare:workers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { LedgerHead } from "#ledger-engine";
import { unwrap } from "#platform/result.ts";
import {
  type TestRestoration,
  underWay,
  workForTheNextFile,
} from "#test/support/deployment/restoring.ts";
import { freshLedger, pay, post, refusalOf } from "#test/support/ledger/api.ts";
import { api, bodyOf, freshName } from "#test/support/platform/api.ts";

/** The log of a ledger with six transactions, as a backup has it, and the end of it. */
let log: string;
let end: LedgerHead;

beforeAll(async () => {
  const name = await freshLedger();
  for (let number = 1; number <= 6; number++) {
    const body = pay("world -> users:1", 9_007_199_254_740_993n + BigInt(number));
    await post(name, body, { headers: { "idempotency-key": `key-${number}` } });
  }
  const exported = await api(`/api/ledger/v2/${name}/logs/export`, { method: "POST" });
  log = new TextDecoder().decode(await exported.arrayBuffer());
  end = await headOf(name);
});
afterAll(workForTheNextFile);

async function uuidOf(name: string): Promise<string> {
  const row = await env.DB.prepare("SELECT uuid FROM ledgers WHERE name = ?")
    .bind(name)
    .first<{ uuid: string }>();
  return row?.uuid ?? "";
}

const headOf = async (name: string): Promise<LedgerHead> =>
  unwrap<LedgerHead>(await env.LEDGERS.getByName(name).head(await uuidOf(name)));

/** Puts a ledger into the catalogue, as the rows of a backup do, whose object has nothing yet. */
async function catalogued(
  deletedAt: string | null = null,
): Promise<{ name: string; uuid: string }> {
  const [name, uuid] = [freshName("restored"), crypto.randomUUID()];
  await env.DB.prepare(
    `INSERT INTO ledgers (uuid, name, bucket, metadata, features, added_at, deleted_at, revision, synced_revision)
     SELECT ?, ?, bucket, metadata, features, added_at, ?, 3, 3 FROM ledgers LIMIT 1`,
  )
    .bind(uuid, name, deletedAt)
    .run();
  return { name, uuid };
}

const sendLog = (
  restoration: TestRestoration,
  uuid: string,
  { body, after = -1 }: { readonly body: string; readonly after?: number },
): Promise<Response> =>
  restoration.call(`/ledgers/${uuid}/log?after=${after}`, {
    method: "POST",
    headers: { "content-type": "application/octet-stream" },
    body,
  });

const finish = (restoration: TestRestoration, uuid: string, fields: object = {}) =>
  restoration.call(`/ledgers/${uuid}/end`, {
    body: { lastLogId: 6, lastHash: end.lastHash, publishedLogId: 4, ...fields },
  });

const AUTHOR = { issuer: "issuer", subject: "ada", clientId: "console" };

describe("a ledger of a backup", () => {
  test("a log comes back in parts, with its hashes, and publishes only what was not published", async () => {
    const restoration = await underWay();
    const { name, uuid } = await catalogued();
    const lines = log.trimEnd().split("\n");
    const head = await bodyOf(await restoration.call(`/ledgers/${uuid}`));
    expect(head).toEqual({ data: { lastLogId: -1, lastHash: "", complete: false } });
    expect(
      (await sendLog(restoration, uuid, { body: `${lines.slice(0, 2).join("\n")}\n` })).status,
    ).toBe(200);
    // The end is compared, so that a half is none.
    const early = await refusalOf(finish(restoration, uuid));
    expect(early).toMatchObject({ status: 409 });
    expect(early.message).toContain("ends with entry 2, and the backup says 6");
    // A repetition beside a request that still goes on is a conflict, and stores nothing.
    const again = await refusalOf(sendLog(restoration, uuid, { body: `${lines[1]}\n`, after: 1 }));
    expect(again).toMatchObject({ status: 409 });
    expect(again.message).toContain("ends with entry 2, and the entries come behind entry 1");
    expect(
      (await sendLog(restoration, uuid, { body: lines[2] ?? "", after: Number.NaN })).status,
    ).toBe(400);
    expect(
      await bodyOf(await sendLog(restoration, uuid, { body: lines.slice(2).join("\n"), after: 2 })),
    ).toEqual({
      data: { lastLogId: 6, lastHash: end.lastHash },
    });
    const facts = {
      authors: [
        { from: 1, author: AUTHOR },
        { from: 4, author: null },
        { from: 5, author: AUTHOR },
      ],
      causes: [{ log: 5, depth: 2 }],
      notes: [{ log: 3, notes: ["odd"] }],
    };
    for (let time = 0; time < 2; time++) {
      const path = `/ledgers/${uuid}/origins`;
      expect((await restoration.call(path, { body: facts })).status).toBe(200);
    }
    for (let time = 0; time < 2; time++) {
      expect((await finish(restoration, uuid)).status).toBe(200);
    }
    expect(await headOf(name)).toEqual({ ...end, publishedLogId: 4, importedLogId: undefined });
    const origins = await env.LEDGERS.getByName(name).readOrigins(uuid, 0, 6);
    expect(unwrap(origins)).toMatchObject({
      authors: [
        { from: 1, author: AUTHOR },
        { from: 4, author: undefined },
        { from: 5, author: AUTHOR },
      ],
      causes: [{ log: 5, depth: 2 }],
      notes: [{ id: 3, notes: ["odd"] }],
    });
    expect(end.lastLogId).toBe(6);
    // No entry comes behind the log of a ledger that is whole.
    expect((await sendLog(restoration, uuid, { body: lines[0] ?? "", after: 6 })).status).toBe(400);
    // It is completed once: a late repetition moves no mark back.
    expect((await finish(restoration, uuid, { publishedLogId: 1 })).status).toBe(200);
    expect(await headOf(name)).toMatchObject({ publishedLogId: 4 });
    expect(await bodyOf(await restoration.call(`/ledgers/${uuid}`))).toMatchObject({
      data: { complete: true },
    });
  });

  test("the ledger of a deleted bucket comes back, and stays deleted", async () => {
    const restoration = await underWay();
    const { name, uuid } = await catalogued("2026-03-01T09:30:00.000000Z");
    expect((await sendLog(restoration, uuid, { body: log })).status).toBe(200);
    expect((await finish(restoration, uuid, { publishedLogId: 6 })).status).toBe(200);
    expect(await headOf(name)).toMatchObject({ lastLogId: 6, lastHash: end.lastHash });
    expect(await env.LEDGERS.getByName(name).assertCreated()).toMatchObject({ ok: false });
  });

  test("a changed log, an unknown ledger, marks behind the end and the object of another ledger are refused", async () => {
    const restoration = await underWay();
    const { name, uuid } = await catalogued();
    const changed = await refusalOf(
      sendLog(restoration, uuid, { body: log.replace("users:1", "users:2") }),
    );
    expect(changed.status).toBe(400);
    expect((await restoration.call(`/ledgers/${crypto.randomUUID()}`)).status).toBe(404);
    expect((await sendLog(restoration, uuid, { body: log })).status).toBe(200);
    expect((await finish(restoration, uuid, { publishedLogId: 7 })).status).toBe(400);
    expect((await finish(restoration, uuid, { lastHash: "x" })).status).toBe(409);
    const other = crypto.randomUUID();
    await env.DB.prepare("UPDATE ledgers SET uuid = ? WHERE name = ?").bind(other, name).run();
    const foreign = await refusalOf(sendLog(restoration, other, { body: log }));
    expect(foreign).toMatchObject({ status: 409 });
    expect(foreign.message).toContain("holds another ledger of this name");
  });

  test("a ledger without entries comes back", async () => {
    const restoration = await underWay();
    const { name, uuid } = await catalogued();
    const nothing = { lastLogId: -1, lastHash: "", publishedLogId: 0 };
    expect((await finish(restoration, uuid, nothing)).status).toBe(200);
    expect(await headOf(name)).toMatchObject({ lastLogId: -1, publishedLogId: 0 });
  });
});
