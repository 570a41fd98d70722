import { createHash } from "node:crypto";
import { afterEach, expect, test } from "vitest";
import { present } from "#platform/assert.ts";
import { BackupManifest } from "#platform/backup/saving/backup-manifest.ts";
import { pathOfBytes } from "#platform/backup/saving/file-names.ts";
import type { StoredRun } from "#platform/backup/scheduled/backup-run.ts";
import { claimBucket } from "#platform/backup/scheduled/bucket-owner.ts";
import { RunFiles } from "#platform/backup/scheduled/run-files.ts";
import { KeptBackups } from "#test/support/platform/backup/kept-backups.ts";

const opened: KeptBackups[] = [];
afterEach(() => {
  for (const backups of opened.splice(0)) backups.close();
});

/** A deployment with a ledger and files of an object, by their ids. */
async function withFiles(files: Readonly<Record<string, string>>): Promise<KeptBackups> {
  const backups = await new KeptBackups().open(1);
  opened.push(backups);
  backups.pay(1);
  for (const [file, text] of Object.entries(files)) keep(backups, file, text);
  return backups;
}

const keep = ({ server }: KeptBackups, file: string, text: string): void =>
  void server.files.set(file, { object: "bank", bytes: Buffer.from(text) });

const keyOf = (text: string): string =>
  pathOfBytes(createHash("sha256").update(text).digest("hex"));

const timesRead = ({ server }: KeptBackups): number =>
  server.calls.filter((call) => call === "GET /objects/files/content").length;

const filesOf = (backups: KeptBackups): BackupManifest["files"] => {
  const key = `snapshots/${backups.snapshots().at(-1)}/manifest.json`;
  const text = Buffer.from(backups.bucket.files.get(key)?.bytes ?? []).toString("utf8");
  return BackupManifest.parse(JSON.parse(text)).files;
};

test("a day's backup has the files of objects, and the next day reads what is new", async () => {
  const backups = await withFiles({ a: "first", b: "second", c: "third", d: "first" });
  await backups.day(0);
  expect(backups.keeper().state.last).toMatchObject({ lacks: 0 });
  expect(filesOf(backups)).toMatchObject({ files: 4, gone: 0 });
  expect(timesRead(backups)).toBe(3);
  expect(await backups.verify()).toEqual([]);
  keep(backups, "e", "fifth");
  await backups.day(1);
  expect(timesRead(backups)).toBe(4);
  expect(filesOf(backups)).toMatchObject({ files: 5 });
  expect(await backups.verify()).toEqual([]);
});

test("a file that is lost in the bucket is put there again", async () => {
  const backups = await withFiles({ a: "first", b: "second" });
  await backups.day(0);
  backups.bucket.files.delete(keyOf("first"));
  await backups.day(1);
  expect(timesRead(backups)).toBe(3);
  expect(await backups.verify()).toEqual([]);
});

test("bytes go with the last snapshot that has them", async () => {
  const backups = await withFiles({ a: "first", b: "second" });
  backups.kept = 2;
  await backups.day(0);
  backups.server.files.delete("a");
  backups.server.files.set("b", { object: "bank" });
  await backups.day(1);
  expect(filesOf(backups)).toMatchObject({ files: 0, gone: 1 });
  expect(backups.bucket.files.has(keyOf("first"))).toBe(true);
  await backups.day(2);
  expect([...backups.bucket.files.keys()].filter((key) => key.startsWith("files/"))).toEqual([]);
  expect(await backups.verify()).toEqual([]);
});

test("no file counts as gone because the server does not know the backup", async () => {
  const backups = await withFiles({ a: "first" });
  let isKnown = false;
  backups.aroundCall = async (path) => {
    if (isKnown || !path.endsWith("/content")) return;
    isKnown = true;
    for (const refused of ["/objects/files/content", "/objects/files"])
      backups.server.refusals.set(refused, [404]);
  };
  await backups.day(0);
  expect(isKnown).toBe(true);
  expect(filesOf(backups)).toMatchObject({ files: 1, gone: 0 });
});

test("what somebody else has put beside the bytes stays", async () => {
  const backups = await withFiles({ a: "first" });
  const others = ["files/README.md", "files/ab/notes.txt", `files/ab/${"z".repeat(64)}`];
  for (const key of others) await backups.bucket.putIf(key, "theirs", undefined);
  await backups.bucket.putIf(keyOf("of a run that has failed"), "…", undefined);
  await backups.day(0);
  expect([...backups.bucket.files.keys()].filter((key) => key.startsWith("files/"))).toEqual([
    ...others,
    keyOf("first"),
  ]);
});

test("the rows of a run go with it", async () => {
  const backups = await withFiles({ a: "first" });
  await backups.day(0);
  expect(backups.sql.all("SELECT * FROM run_file")).toEqual([]);
});

test("a run that an earlier version has begun, which knew no files, begins anew", async () => {
  const backups = await withFiles({ a: "first" });
  backups.keeper().wake(backups.nowMs);
  const run = backups.values.get<StoredRun>("run");
  backups.values.put("run", { ...run, form: 1, stage: { name: "places" } });
  await backups.work();
  expect(filesOf(backups)).toMatchObject({ files: 1 });
  expect(await backups.verify()).toEqual([]);
});

test("an alarm makes as many calls as the platform allows, although a large file is read in a hundred pieces", async () => {
  const backups = await withFiles({});
  const largeBytes = 50_000_000;
  const sha256 = (number: number): string => createHash("sha256").update(`${number}`).digest("hex");
  const files = Array.from({ length: 20 }, (_, number) => {
    const id = { class: "SourceObject", object: "bank", file: `large-${number}` };
    return { ...id, bytes: largeBytes, sha256: sha256(number) };
  });
  backups.keeper().wake(backups.nowMs);
  new RunFiles(backups.sql).add(files);
  const run = present(backups.values.get<StoredRun>("run"), "a run is under way");
  const facts = { ...run.facts, claim: await claimBucket(backups.bucket, "the object") };
  backups.values.put("run", { ...run, facts, stage: { name: "bytes", after: 0 } });
  await backups.keeper().work();
  expect(timesRead(backups)).toBe(2);
});

test("a file that cannot be read is named, and all others are saved", async () => {
  const backups = await withFiles({ a: "first", b: "second", c: "third" });
  for (const file of ["a", "c"]) backups.server.otherBytes.set(file, Buffer.from("FIRST"));
  await backups.day(0);
  expect(backups.keeper().state.last).toMatchObject({ lacks: 2 });
  const files = filesOf(backups);
  expect(files).toMatchObject({ files: 1 });
  const reason = "The server sends other bytes than those that were uploaded.";
  const place = { class: "SourceObject", object: "bank" };
  expect(files?.failed).toEqual(["a", "c"].map((file) => ({ ...place, file, reason })));
  // A sick object is waited for once, however many files it has.
  const retries = 4;
  expect(timesRead(backups)).toBe(3 + retries);
  expect(backups.bucket.files.has(keyOf("first"))).toBe(false);
});
