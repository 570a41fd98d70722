import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { LedgerEngine } from "#ledger-engine";
import { NodeSql } from "#platform/sql/node-sql.ts";
import { BackupFolder } from "#scripts/florin/backup/backup-folder.ts";
import { readBackupManifest } from "#scripts/florin/backup/backup-manifest.ts";
import { readParts } from "#scripts/florin/backup/ledgers/ledger-parts.ts";
import { saveBackup } from "#scripts/florin/backup/save-backup.ts";
import { verifyBackup } from "#scripts/florin/backup/verify-backup.ts";
import type { Api } from "#scripts/lib/api.ts";
import { create, INFO, posting, TestLedger } from "#test/support/ledger-engine/fixtures.ts";
import { BackupServer } from "#test/support/platform/backup/backup-server.ts";

let server: BackupServer;
let api: Api;
let folder: BackupFolder;
const ledgers: TestLedger[] = [];

beforeEach(async () => {
  // A server that stays silent is asked again after waits, which are over at once here.
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  vi.setTimerTickMode("nextTimerAsync");
  server = new BackupServer();
  api = await server.open();
  folder = new BackupFolder(mkdtempSync(join(tmpdir(), "florin-save-backup-")));
  ledgers.length = 0;
  for (const number of [1, 2, 3]) {
    const ledger = ledgerNamed(`ledger-${number}`);
    pay(ledger, 5);
    ledgers.push(ledger);
    server.ledgers.push({ id: number, uuid: uuidOf(number), engine: ledger.engine });
  }
});
afterEach(() => {
  vi.useRealTimers();
  server.close();
});

function ledgerNamed(name: string): TestLedger {
  const sql = new NodeSql();
  LedgerEngine.create(sql, { ...INFO, name });
  return new TestLedger({ sql, isStored: true });
}

const uuidOf = (number: number): string => `0f0e0d0c-0b0a-4908-8706-05040302010${number}`;

function pay(ledger: TestLedger | undefined, count: number): void {
  for (let number = 1; number <= count; number++)
    ledger?.run(create(posting("world -> users:1", number)));
}

const save = (kept = 7) =>
  saveBackup({ api, folder, kept, keys: undefined, note: () => undefined });

const verify = async (): Promise<readonly string[]> => {
  const snapshot = folder.snapshots().at(-1) ?? "";
  return (await verifyBackup(folder, { snapshot, note: () => undefined })).problems;
};

/** The second ledger of the server. */
function second() {
  const ledger = server.ledgers[1];
  if (ledger === undefined) throw new Error("there are three ledgers");
  return ledger;
}

test("a ledger whose object does not answer is named, all others are saved, and no older snapshot goes", async () => {
  await save(1);
  expect(await verify()).toEqual([]);
  for (const ledger of ledgers) pay(ledger, 2);
  second().silence = "no such table: logs";
  const made = await save(1);
  expect(folder.snapshots()).toHaveLength(2);
  expect(made).toMatchObject({ added: 4, keptOlder: undefined });
  expect(made.manifest.ledgers.map(({ name, lastLogId }) => [name, lastLogId])).toEqual([
    ["ledger-1", 7],
    ["ledger-3", 7],
  ]);
  // What an earlier run has saved of the ledger belongs to the snapshot.
  expect(made.manifest.failed).toEqual([
    expect.objectContaining({
      uuid: uuidOf(2),
      name: "ledger-2",
      reason: "no such table: logs",
      lastLogId: 5,
      entries: 5,
      parts: 1,
    }),
  ]);
  expect(made.manifest.purged).toEqual([]);
  expect(await verify()).toEqual([
    "The ledger 'ledger-2' is saved only up to entry 5: no such table: logs",
  ]);
  delete second().silence;
  const { manifest } = await save(1);
  expect(manifest).not.toHaveProperty("failed");
  expect(folder.snapshots()).toHaveLength(1);
  expect(await verify()).toEqual([]);
});

test("of a ledger that is silent before the copy of the database, events are published as far as the last snapshot says", async () => {
  for (const ledger of ledgers) ledger.engine.confirmPublished(3);
  await save();
  for (const ledger of ledgers) ledger.engine.confirmPublished(5);
  second().silence = "busy";
  server.afterDatabase = () => delete second().silence;
  const { manifest, failures } = await save();
  expect(failures).toEqual([]);
  expect(manifest.ledgers.map(({ publishedLogId }) => publishedLogId)).toEqual([5, 3, 5]);
});

test("a ledger whose log cannot be read fails alone, also where it was never saved before", async () => {
  second().refusal = 500;
  second().importedLogId = 3;
  const { manifest, failures } = await save();
  expect(failures).toHaveLength(1);
  expect(manifest.failed?.[0]).toMatchObject({
    name: "ledger-2",
    lastLogId: -1,
    importedLogId: 3,
    parts: 0,
  });
  expect(manifest.failed?.[0]?.reason).toContain("refused with 500");
  expect(await verify()).toEqual([
    expect.stringMatching(/^The ledger 'ledger-2' is not saved: .*refused with 500/),
  ]);
});

test("a list of parts that cannot be read is a failure of its ledger", async () => {
  await save();
  const parts = join(folder.ledger(uuidOf(2)), "parts.jsonl");
  writeFileSync(parts, "no part\n", { flag: "a" });
  const { failures } = await save();
  expect(failures).toEqual([
    expect.stringMatching(/^The ledger 'ledger-2' .* line 2 does not describe a part/),
  ]);
});

test("a server that stops to answer makes the run fail, and not its ledgers", async () => {
  server.afterDatabase = () => {
    second().refusal = 500;
    server.onLog = () => void server.refusals.set("/ledgers", Array<number>(7).fill(500));
  };
  await expect(save()).rejects.toThrow("refused with 500");
  expect(folder.snapshots()).toEqual([]);
});

test("a ledger that is purged while logs are read is no failure, and what was saved of it goes when no snapshot has it", async () => {
  await save(1);
  const [, purged] = server.ledgers;
  pay(ledgers[1], 1);
  // Its row was copied, and its log is refused from the moment on in which its end was listed.
  server.onLog = (uuid) => {
    if (uuid === purged?.uuid) server.ledgers.splice(1, 1);
  };
  const { manifest, failures } = await save(1);
  expect(failures).toEqual([]);
  expect(manifest.purged).toEqual([uuidOf(2)]);
  expect(manifest.ledgers.map(({ name }) => name)).toEqual(["ledger-1", "ledger-3"]);
  expect(await verify()).toEqual([]);
  expect(readdirSync(join(folder.path, "ledgers")).toSorted()).toEqual([uuidOf(1), uuidOf(3)]);
});

test("a part that was lost is read again, and one that cannot be makes its ledger fail with its parts", async () => {
  await save();
  const [part] = readParts(folder.ledger(uuidOf(2)));
  const log = join(folder.ledger(uuidOf(2)), part?.log.file ?? "");
  rmSync(log);
  expect((await save()).failures).toEqual([]);
  expect(await verify()).toEqual([]);
  rmSync(log);
  second().refusal = 409;
  expect((await save()).manifest.failed).toEqual([
    expect.objectContaining({ name: "ledger-2", parts: 1, lastLogId: 5 }),
  ]);
  expect(await verify()).toHaveLength(2);
});

test("an object that cannot be copied is named, all others of its class are saved, and no older snapshot goes", async () => {
  await save(1);
  server.objects.push("one", "two", "three");
  server.sickObjects.add("two");
  const { manifest, failures } = await save(1);
  expect(failures).toEqual([
    expect.stringMatching(/^The object 'two' of EndpointObject is not saved: .*refused with 500/),
  ]);
  expect(manifest.objects.map(({ objects, failed }) => [objects, failed?.length])).toEqual([
    [2, 1],
  ]);
  expect(folder.snapshots()).toHaveLength(2);
  expect(await verify()).toEqual(failures);
  server.sickObjects.clear();
  expect((await save(1)).failures).toEqual([]);
  expect(folder.snapshots()).toHaveLength(1);
  expect(await verify()).toEqual([]);
});

test("a log that is another one than was saved refuses the whole run, and nothing is added to any ledger", async () => {
  await save();
  pay(ledgers[0], 1);
  const other = ledgerNamed("ledger-2");
  pay(other, 4);
  server.ledgers[1] = { id: 2, uuid: uuidOf(2), engine: other.engine };
  await expect(save()).rejects.toThrow("The log of the ledger 'ledger-2' does not continue");
  expect(folder.snapshots()).toHaveLength(1);
  expect(readParts(folder.ledger(uuidOf(1)))).toHaveLength(1);
});

test("calls that a busy server refuses are repeated, the begin and the end of the copy included, and an end that is lost is not", async () => {
  const copy = "/database-copies/copy";
  for (const path of ["", "/versions", "/database-copies", `${copy}/rows`, `${copy}/end`])
    server.refusals.set(path, [429, 429]);
  server.refusals.set(`${copy}/changes`, [503, 429]);
  await save();
  expect(server.calls.filter((call) => call.endsWith("/end"))).toHaveLength(3);
  server.refusals.set(`${copy}/end`, [503]);
  await expect(save()).rejects.toThrow("refused with 503");
  expect(server.calls.at(-1)).toBe(`DELETE ${copy}`);
});

test("the moment of the database is before the call that ended its copy, and after those that were refused", async () => {
  const end = "/database-copies/copy/end";
  server.refusals.set(end, [429]);
  let refusedAt = "";
  vi.spyOn(server.refusals, "get").mockImplementation((path) => {
    const refusals = Map.prototype.get.call(server.refusals, path) as number[] | undefined;
    if (path === end && refusals?.length === 1) refusedAt = new Date().toISOString();
    return refusals;
  });
  let endedAt = "";
  server.afterDatabase = () => {
    endedAt = new Date().toISOString();
  };
  const { moments } = (await save()).manifest;
  expect(refusedAt).not.toBe("");
  expect(moments.database >= refusedAt).toBe(true);
  expect(moments.database <= endedAt).toBe(true);
  expect([moments.began, moments.published, moments.database, moments.ledgers]).toEqual(
    [moments.began, moments.published, moments.database, moments.ledgers].toSorted(),
  );
});

test("the manifest has the SHA-256 that the run gives, and a changed one does not", async () => {
  const { sha256, manifest } = await save();
  const [snapshot = ""] = folder.snapshots();
  const check = { snapshot, sha256, note: () => undefined };
  expect((await verifyBackup(folder, check)).problems).toEqual([]);
  const changed = { ...manifest, backup: "another" };
  writeFileSync(join(folder.snapshot(snapshot), "manifest.json"), JSON.stringify(changed));
  expect(readBackupManifest(folder.snapshot(snapshot)).backup).toBe("another");
  expect((await verifyBackup(folder, check)).problems).toEqual([
    expect.stringContaining("not the given one"),
  ]);
});
