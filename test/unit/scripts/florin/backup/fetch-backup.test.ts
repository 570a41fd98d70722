import { appendFileSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { BackupFolder } from "#scripts/florin/backup/backup-folder.ts";
import { fetchBackup } from "#scripts/florin/backup/bucket/fetch-backup.ts";
import { backUpIntoBucket } from "#scripts/florin/backup/bucket/own-backups.ts";
import { verifyBackup } from "#scripts/florin/backup/verify-backup.ts";
import type { Api } from "#scripts/lib/api.ts";
import { BucketServer } from "#test/support/platform/backup/bucket-server.ts";
import { KeptBackups, uuidOf } from "#test/support/platform/backup/kept-backups.ts";

let backups: KeptBackups;
let server: BucketServer;
let api: Api;
let folder: BackupFolder;

beforeEach(async () => {
  // A server that breaks off is asked again after waits, which are over at once here.
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  vi.setTimerTickMode("nextTimerAsync");
  backups = await new KeptBackups().open();
  backups.server.objects.push("one");
  backups.pay(3);
  await backups.day(0);
  server = new BucketServer(backups.bucket);
  api = await server.open();
  folder = new BackupFolder(mkdtempSync(join(tmpdir(), "florin-fetched-")));
});
afterEach(() => {
  vi.useRealTimers();
  server.close();
  backups.close();
});

const fetched = (snapshot?: string) =>
  fetchBackup(api, folder, { snapshot, note: () => undefined });

async function verify(): Promise<readonly string[]> {
  const snapshot = folder.snapshots().at(-1) ?? "";
  return (await verifyBackup(folder, { snapshot, note: () => undefined })).problems;
}

test("a fetched backup is whole, and the next run fetches what is new", async () => {
  await fetched();
  expect(await verify()).toEqual([]);
  expect((await fetched()).files).toBe(0);
  backups.pay(2);
  await backups.day(1);
  server.read.length = 0;
  await fetched();
  expect(await verify()).toEqual([]);
  expect(folder.snapshots()).toHaveLength(2);
  expect(server.read.filter((key) => key.includes(uuidOf(1)))).toEqual([
    `ledgers/${uuidOf(1)}/log-4-5.jsonl.gz`,
    `ledgers/${uuidOf(1)}/origins-4-5.jsonl.gz`,
    `ledgers/${uuidOf(1)}/parts.jsonl`,
  ]);
  expect(server.read.at(-1)).toMatch(/^snapshots\/000002-[^/]+\/manifest\.json$/);
});

test("an answer that breaks off, or is shorter than its file, is asked for again", async () => {
  server.broken.add(`ledgers/${uuidOf(2)}/log-1-3.jsonl.gz`);
  server.short.add(`ledgers/${uuidOf(1)}/log-1-3.jsonl.gz`);
  server.short.add(`ledgers/${uuidOf(1)}/parts.jsonl`);
  await fetched();
  expect([...server.broken, ...server.short]).toEqual([]);
  expect(await verify()).toEqual([]);
});

test("an earlier snapshot is fetched by its name, and unknown and incomplete ones are refused", async () => {
  await backups.day(1);
  const [first = "", second = ""] = backups.snapshots();
  backups.bucket.files.delete(`snapshots/${second}/manifest.json`);
  expect(await fetched()).toMatchObject({ snapshot: first });
  await expect(fetched(second)).rejects.toThrow(`no complete snapshot ${second}`);
  backups.bucket.files.clear();
  await expect(fetched()).rejects.toThrow("The bucket has no complete backup.");
});

test("a folder with other parts than the bucket is refused", async () => {
  await fetched();
  appendFileSync(join(folder.ledger(uuidOf(1)), "parts.jsonl"), "more\n");
  await expect(fetched()).rejects.toThrow("the folder has another backup");
});

test("files of somebody else are named and left out, also one whose key leads out of the folder", async () => {
  const strays = ["ledgers/read-me", "snapshots/../../x", "snapshots/a/../../../x"];
  for (const key of strays) backups.bucket.files.set(key, { bytes: Buffer.from("x"), etag: "x" });
  const notes: string[] = [];
  await fetchBackup(api, folder, { snapshot: undefined, note: (line) => notes.push(line) });
  expect(notes).toEqual(strays.map((key) => `  no file of a backup, left out: "${key}"`));
  expect(server.read.filter((key) => strays.includes(key))).toEqual([]);
  expect(await verify()).toEqual([]);
});

test("the command waits for the run that it has begun, and says why one has ended without a backup", async () => {
  const last = {
    snapshot: "000002-x",
    sha256: "",
    began: "2026-11-28T03:00:00Z",
    ended: "2026-11-28T03:00:05Z",
    added: 1,
    lacks: 0,
    alarms: 2,
    classA: 3,
    classB: 4,
  };
  const run = { began: "2026-11-28T03:00:00Z", stage: "copy" };
  server.states.splice(0, 1, { run }, { run }, { run: { ...run, stage: "logs" } }, { last });
  const notes: string[] = [];
  expect(await backUpIntoBucket(api, (line) => notes.push(line))).toEqual(last);
  expect(notes).toEqual(["  copy", "  logs"]);
  const failure = { at: "2026-11-28T03:00:05Z", reason: "The bucket is full.", failures: 1 };
  server.states.splice(0, 1, { last, run }, { last, failure });
  await expect(backUpIntoBucket(api, () => undefined)).rejects.toThrow("The bucket is full.");
});
