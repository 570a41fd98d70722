import { gunzipSync } from "node:zlib";
import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, expect, test } from "vitest";
import { beginBackups, beginOwnBackup } from "#modules/deployment/backup/own-backups.ts";
import { backupsSection } from "#modules/deployment/backup/status.ts";
import { present } from "#platform/assert.ts";
import { BackupManifest } from "#platform/backup/saving/backup-manifest.ts";
import { pathOfBytes } from "#platform/backup/saving/file-names.ts";
import { DatabaseManifest } from "#platform/backup/saving/manifest.ts";
import { backupBucketOf } from "#platform/backup/scheduled/r2-bucket.ts";
import { systemContext } from "#platform/context.ts";
import { parseJson } from "#platform/json.ts";
import { fromMillis } from "#platform/time.ts";
import { clientWith } from "#test/support/auth/clients.ts";
import { armForTheNextFile, asOperator } from "#test/support/deployment/arming.ts";
import {
  backupBucket as bucket,
  backupKeeper as keeper,
  endRun,
} from "#test/support/deployment/bucket-backups.ts";
import { okBodyOf } from "#test/support/ledger/api.ts";
import { api, freshName } from "#test/support/platform/api.ts";
import { evict } from "#test/support/platform/evict.ts";
import { newStatementSource, uploaded, wideFile } from "#test/support/reconciliation/uploads.ts";

const PATH = "/api/florin/v1/backup/bucket";

interface State {
  readonly last?: {
    readonly snapshot: string;
    readonly lacks: number;
    readonly alarms: number;
    readonly classA: number;
  };
  readonly run?: { readonly stage: string; readonly trouble?: { readonly reason: string } };
}

const read = async (): Promise<State> => (await okBodyOf<{ data: State }>(api(PATH))).data;

/** Rings alarms until no run is under way. The object is evicted before each one. */
async function work(): Promise<State> {
  for (let rings = 0; rings < 200; rings++) {
    const state = await read();
    if (state.run === undefined) return state;
    if (state.run.trouble !== undefined) throw new Error(state.run.trouble.reason);
    await evict(keeper());
    await runDurableObjectAlarm(keeper());
  }
  throw new Error("the run does not end");
}

const textOf = async (key: string): Promise<string> => {
  const found = await bucket.get(key);
  if (found === null) throw new Error(`${key} is missing`);
  return key.endsWith(".gz")
    ? gunzipSync(new Uint8Array(await found.arrayBuffer())).toString("utf8")
    : found.text();
};

const sha256 = async (key: string): Promise<string> => {
  const found = await bucket.get(key);
  const bytes = (await found?.arrayBuffer()) ?? new ArrayBuffer(0);
  return Buffer.from(await crypto.subtle.digest("SHA-256", bytes)).toString("hex");
};

async function manifestOf(snapshot: string): Promise<BackupManifest> {
  return BackupManifest.parse(parseJson(await textOf(`snapshots/${snapshot}/manifest.json`)));
}

const ledger = freshName("saved");
const post = (count: number): Promise<unknown> =>
  Promise.all(
    Array.from({ length: count }, () =>
      api(`/api/ledger/v2/${ledger}/transactions`, {
        body: {
          postings: [{ source: "world", destination: "users:1", asset: "EUR/2", amount: 1 }],
        },
      }),
    ),
  );

/** A file whose bytes the object of a source keeps in two pieces. */
const CONTENT = wideFile(600);
let statementSha256 = "";

beforeAll(async () => {
  await api(`/api/ledger/v2/${ledger}`, { method: "POST" });
  await post(3);
  await api("/api/webhooks/configs", {
    body: { endpoint: "https://hooks.example.com/x", eventTypes: ["ledger.created_ledger"] },
  });
  statementSha256 = (await uploaded(await newStatementSource(), CONTENT)).sha256;
});

test("a backup into the bucket has every file that its manifest names, and the next one adds what is new", async () => {
  const begun = await api(PATH, { method: "POST" });
  expect(begun.status).toBe(201);
  expect((await api(PATH, { method: "POST" })).status).toBe(409);
  const audited =
    "SELECT count(*) AS begins FROM audit WHERE action LIKE 'deployment.bucket-backup.%'";
  expect(await env.DB.prepare(audited).first()).toEqual({ begins: 1 });
  const { last } = await work();
  expect(last).toMatchObject({ lacks: 0 });
  const snapshot = last?.snapshot ?? "";
  const manifest = await manifestOf(snapshot);
  expect(manifest.objects.map((saved) => saved.class)).toContain("EndpointObject");
  for (const saved of manifest.objects) {
    expect(await sha256(`snapshots/${snapshot}/objects/${saved.file}`)).toBe(saved.sha256);
  }
  const folder = `snapshots/${snapshot}/database`;
  const database = DatabaseManifest.parse(parseJson(await textOf(`${folder}/manifest.json`)));
  expect(await sha256(`${folder}/manifest.json`)).toBe(manifest.database.sha256);
  for (const { file, sha256: hash, rows } of database.tables) {
    expect(await sha256(`${folder}/${file}`)).toBe(hash);
    expect((await textOf(`${folder}/${file}`)).split("\n")).toHaveLength(rows + 1);
  }
  expect(manifest.files?.files).toBeGreaterThan(0);
  expect(await textOf(`snapshots/${snapshot}/files.jsonl.gz`)).toContain(statementSha256);
  expect(await textOf(pathOfBytes(statementSha256))).toBe(CONTENT);
  const saved = manifest.ledgers.find(({ name }) => name === ledger);
  expect(saved).toMatchObject({ entries: 3, parts: 1 });
  await post(2);
  await api(PATH, { method: "POST" });
  const second = await manifestOf((await work()).last?.snapshot ?? "");
  expect(second.ledgers.find(({ name }) => name === ledger)).toMatchObject({
    entries: 5,
    parts: 2,
  });
  const uuid = saved?.uuid ?? "";
  const logs = [await textOf(`ledgers/${uuid}/log-1-3.jsonl.gz`)];
  logs.push(await textOf(`ledgers/${uuid}/log-4-5.jsonl.gz`));
  const exported = await api(`/api/ledger/v2/${ledger}/logs/export`, { method: "POST" });
  expect(logs.join("")).toBe(await exported.text());
});

test("files of the bucket are listed and read by whoever has begun a backup, and nothing else is", async () => {
  const { id } = (
    await okBodyOf<{ data: { id: string } }>(api("/api/florin/v1/backup", { method: "POST" }))
  ).data;
  interface Files {
    readonly data: { readonly files: readonly { readonly key: string; readonly bytes: number }[] };
  }
  const { files } = (await okBodyOf<Files>(api(`${PATH}/files?backup=${id}`))).data;
  const manifest = files.find(({ key }) => /^snapshots\/[^/]+\/manifest\.json$/.test(key));
  expect(manifest?.bytes).toBeGreaterThan(0);
  expect(files.filter(({ key }) => key === "owner.json")).toEqual([]);
  const contentOf = (key: string, backup = id) =>
    api(`${PATH}/files/content?backup=${backup}&key=${encodeURIComponent(key)}`);
  const answer = await contentOf(manifest?.key ?? "");
  expect(await answer.text()).toBe(await textOf(manifest?.key ?? ""));
  for (const key of ["owner.json", "snapshots/none", "../x"])
    expect((await contentOf(key)).status).toBe(404);
  expect((await contentOf(manifest?.key ?? "", crypto.randomUUID())).status).toBe(404);
});

test("the sweep begins the run of a day once, and waits for the next day", async () => {
  const daily = { ...systemContext({ ...env, FLORIN_BACKUP_HOUR: "3" } as Env, "test") };
  await runInDurableObject(keeper(), (_object, { storage }) => storage.kv.delete("slot"));
  const next = await beginBackups.run(daily);
  expect(new Date(next ?? 0).getUTCHours()).toBe(3);
  expect((await read()).run).toBeDefined();
  await endRun();
  await beginBackups.run(daily);
  expect((await read()).run).toBeUndefined();
  expect(await beginBackups.run(systemContext(env, "test"))).toBeUndefined();
});

test("the status shows the age of the last backup, and one that is late with the reason", async () => {
  const daily = systemContext({ ...env, FLORIN_BACKUP_HOUR: "3" } as Env, "test");
  const fresh = await backupsSection.read(daily);
  expect(fresh.problems).toEqual([]);
  expect(fresh.samples[0]).toMatchObject({ family: { name: "florin_backup_age_seconds" } });
  const later = { ...daily, clock: () => fromMillis(Date.now() + 27 * 3_600_000) };
  const failure = { atMs: Date.now(), reason: "The bucket is gone.", failures: 1 };
  await runInDurableObject(keeper(), (_object, { storage }) => storage.kv.put("failure", failure));
  expect(await backupsSection.stuck?.(later, 10)).toEqual([
    expect.objectContaining({
      work: "backups",
      why: "the last complete backup is more than 26 hours old: The bucket is gone",
    }),
  ]);
  await runInDurableObject(keeper(), (_object, { storage }) => storage.kv.put("pruning", failure));
  expect((await backupsSection.read(daily)).problems).toEqual([
    expect.objectContaining({
      severity: "warning",
      why: "they could not be removed: The bucket is gone",
    }),
  ]);
  const shown = await okBodyOf<{ data: { pruning: object } }>(api(PATH));
  expect(shown.data.pruning).toMatchObject({ reason: "The bucket is gone.", failures: 1 });
  await runInDurableObject(keeper(), (_object, { storage }) => storage.kv.delete("pruning"));
  const unbound = { ...daily, env: { ...daily.env, FLORIN_BACKUPS: undefined } as unknown as Env };
  expect((await backupsSection.read(unbound)).problems).toHaveLength(1);
  expect((await backupsSection.read(systemContext(env, "test"))).samples).toEqual([]);
});

test("a run whose alarm was lost goes on when another one is asked for", async () => {
  await endRun();
  await runInDurableObject(keeper(), (_object, { storage }) => {
    const facts = { began: "2026-11-28T03:00:00.000Z" };
    storage.kv.put("run", { form: 0, facts, stage: { name: "logs" }, goneOnMs: Date.now() });
  });
  expect((await api(PATH, { method: "POST" })).status).toBe(409);
  const goesOn = () =>
    runInDurableObject(keeper(), async (_object, { storage }) => {
      const run = storage.kv.get<{ readonly form: number }>("run");
      return run?.form !== 0 || (await storage.getAlarm()) !== null;
    });
  await expect.poll(goesOn).toBe(true);
  await endRun();
});

test("backups in the bucket are for operators whose tokens are not bound to ledgers", async () => {
  const bound = await clientWith({ scopes: ["florin:operate"], metadata: { ledgers: "a-*" } });
  expect((await api(PATH, { token: bound.token })).status).toBe(401);
  const other = await clientWith({ scopes: ["ledger:read"] });
  expect((await api(PATH, { token: other.token, method: "POST" })).status).toBe(401);
});

test("a restored copy that is disarmed begins none, because its bucket may be that of the original", async () => {
  const copy = systemContext({ ...env, FLORIN_DISARMED: "restored" } as Env, "test");
  await expect(beginOwnBackup(copy)).rejects.toThrow("is a restored copy that is disarmed");
  await asOperator("/disarm", { note: "restored" });
  await env.DB.prepare("UPDATE disarmament SET reason = 'restored'").run();
  expect((await asOperator("/backup/bucket", {})).status).toBe(409);
  await armForTheNextFile();
  expect((await read()).run).toBeUndefined();
});

test("R2 keeps the conditions and lists that a run relies on, and counts what is charged", async () => {
  const charged: string[] = [];
  const r2 = present(
    backupBucketOf(env, (kind) => charged.push(kind)),
    "the tests bind a bucket",
  );
  const key = `ledgers/${crypto.randomUUID()}/parts.jsonl`;
  const first = await r2.putIf(key, "one\n", undefined);
  expect(first).toBeDefined();
  expect(await r2.putIf(key, "other\n", undefined)).toBeUndefined();
  const second = await r2.putIf(key, "two\n", first);
  expect(await r2.putIf(key, "other\n", first)).toBeUndefined();
  const found = await r2.get(key);
  expect([Buffer.from(found?.bytes ?? []).toString(), found?.etag]).toEqual(["two\n", second]);
  const pieces = { bytes: 6, all: () => [Buffer.from("abc"), Buffer.from("def")] };
  await r2.put(`${key}/x`, pieces);
  expect(await r2.head(`${key}/x`)).toMatchObject({ key: `${key}/x`, bytes: 6 });
  const inFolder = await r2.list(`${key}/`, { isFolder: true });
  expect(inFolder.files.map((file) => [file.key, file.bytes])).toEqual([[`${key}/x`, 6]]);
  const above = await r2.list("ledgers/", { isFolder: true });
  expect(above.folders).toContain(`${key.slice(0, key.lastIndexOf("/"))}/`);
  await r2.remove([key, `${key}/x`, `${key}/none`]);
  expect([await r2.head(key), await r2.get(key), await r2.stream(key)]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
  expect(charged.join("")).toBe("AAAABABAABBB");
});

test("bytes that are not those of a file are not put into the bucket, and leave what is there", async () => {
  const r2 = present(
    backupBucketOf(env, () => undefined),
    "the tests bind a bucket",
  );
  const [key, text] = ["files/ab/abcd", "of a file"];
  const body = (content: string) => new Blob([content]).stream();
  const digest = await crypto.subtle.digest("SHA-256", Buffer.from(text));
  const described = { bytes: text.length, sha256: Buffer.from(digest).toString("hex") };
  for (const other of ["of A file", "of a file, and more"]) {
    expect(await r2.putStream(key, { ...described, body: body(other) })).toBeUndefined();
  }
  await expect(r2.putStream(key, { ...described, body: body("of") })).rejects.toThrow(
    "The server sends 2 of 9 bytes.",
  );
  expect(await r2.head(key)).toBeUndefined();
  const etag = await r2.putStream(key, { ...described, body: body(text) });
  expect(await r2.head(key)).toEqual({ key, bytes: text.length, etag });
  expect(await r2.putStream(key, { ...described, body: body("of A file") })).toBeUndefined();
  expect(await r2.head(key)).toEqual({ key, bytes: text.length, etag });
  await r2.remove([key]);
});
