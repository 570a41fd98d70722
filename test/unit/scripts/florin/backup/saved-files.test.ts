import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { pathOfBytes } from "#platform/backup/saving/file-names.ts";
import { BackupFolder } from "#scripts/florin/backup/backup-folder.ts";
import { savedFiles } from "#scripts/florin/backup/files/saved-files.ts";
import { saveBackup } from "#scripts/florin/backup/save-backup.ts";
import { verifyBackup } from "#scripts/florin/backup/verify-backup.ts";
import type { Api } from "#scripts/lib/api.ts";
import { BackupServer } from "#test/support/platform/backup/backup-server.ts";

let server: BackupServer;
let api: Api;
let folder: BackupFolder;

beforeEach(async () => {
  // A server that stays silent is asked again after waits, which are over at once here.
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  vi.setTimerTickMode("nextTimerAsync");
  server = new BackupServer();
  api = await server.open();
  folder = new BackupFolder(mkdtempSync(join(tmpdir(), "florin-saved-files-")));
});
afterEach(() => {
  vi.useRealTimers();
  server.close();
});

const save = (kept = 7) =>
  saveBackup({ api, folder, kept, keys: undefined, note: () => undefined });

const verify = async (): Promise<readonly string[]> => {
  const snapshot = folder.snapshots().at(-1) ?? "";
  return (await verifyBackup(folder, { snapshot, note: () => undefined })).problems;
};

const sha256Of = (text: string): string => createHash("sha256").update(text).digest("hex");
const keep = (file: string, text: string, object = "bank"): void =>
  void server.files.set(file, { object, bytes: Buffer.from(text) });
const timesRead = (): number =>
  server.calls.filter((call) => call === "GET /objects/files/content").length;

test("the bytes of a file are saved once, whichever runs and objects have it", async () => {
  keep("a", "first");
  keep("b", "second");
  const made = await save();
  expect(made.failures).toEqual([]);
  expect(made.manifest.files).toMatchObject({ file: "files.jsonl.gz", files: 2, gone: 0 });
  expect(readFileSync(folder.bytes(sha256Of("first")), "utf8")).toBe("first");
  expect(timesRead()).toBe(2);
  keep("c", "first", "other bank");
  keep("d", "");
  const next = await save();
  expect(next.manifest.files).toMatchObject({ files: 4 });
  expect(timesRead()).toBe(3);
  expect(await Array.fromAsync(savedFiles(next.snapshot, next.manifest.files))).toEqual(
    [
      ["a", "first", "bank"],
      ["b", "second", "bank"],
      ["c", "first", "other bank"],
      ["d", "", "bank"],
    ].map(([file, text = "", object]) => ({
      class: "SourceObject",
      object,
      file,
      bytes: text.length,
      sha256: sha256Of(text),
    })),
  );
  expect(await verify()).toEqual([]);
});

test("a file that is missing, shorter or another one is found, and read again by its length", async () => {
  keep("a", "first");
  keep("b", "second");
  keep("c", "third");
  await save();
  rmSync(folder.bytes(sha256Of("first")));
  writeFileSync(folder.bytes(sha256Of("second")), "sec");
  writeFileSync(folder.bytes(sha256Of("third")), "THIRD");
  expect(await verify()).toEqual([
    `${pathOfBytes(sha256Of("first"))} is missing. It is the file 'a' of the object 'bank'.`,
    `${pathOfBytes(sha256Of("second"))} has 3 bytes instead of 6. It is the file 'b' of the object 'bank'.`,
    `${pathOfBytes(sha256Of("third"))} has another SHA-256 than described. It is the file 'c' of the object 'bank'.`,
  ]);
  writeFileSync(folder.bytes(sha256Of("third")), "third");
  await save();
  expect(await verify()).toEqual([]);
});

test("a file that cannot be read is named, all others are saved, and nothing older goes", async () => {
  keep("a", "first");
  await save(1);
  keep("b", "second");
  server.otherBytes.set("b", Buffer.from("SECOND"));
  const made = await save(1);
  expect(made.failures).toEqual([
    "The file 'b' of the object 'bank' of SourceObject is not saved: The server sends other bytes than those that were uploaded.",
  ]);
  expect(existsSync(folder.bytes(sha256Of("second")))).toBe(false);
  expect(made.manifest.files).toMatchObject({ files: 1 });
  expect(folder.snapshots()).toHaveLength(2);
  expect(await verify()).toEqual(made.failures);
  server.otherBytes.set("b", Buffer.from("sec"));
  expect((await save(1)).failures[0]).toContain("The server sends 3 of 6 bytes.");
});

test("a sick object is waited for once, however many files it has", async () => {
  for (const file of ["a", "b", "c"]) keep(file, `of ${file}`);
  keep("d", "of d", "other bank");
  for (const file of ["a", "c"]) server.otherBytes.set(file, Buffer.from("of"));
  const made = await save();
  expect(made.manifest.files?.failed?.map(({ file }) => file)).toEqual(["a", "c"]);
  const retries = 6;
  expect(timesRead()).toBe(4 + retries);
  expect(made.manifest.files).toMatchObject({ files: 2 });
});

test("a file that has gone is no failure, and its bytes go with the last snapshot that has it", async () => {
  keep("a", "first");
  keep("b", "second");
  await save(2);
  server.files.delete("a");
  server.files.set("b", { object: "bank" });
  const made = await save(2);
  expect(made.failures).toEqual([]);
  expect(made.manifest.files).toMatchObject({ files: 0, gone: 1 });
  expect(existsSync(folder.bytes(sha256Of("first")))).toBe(true);
  await save(2);
  expect(existsSync(folder.bytes(sha256Of("first")))).toBe(false);
  expect(existsSync(folder.bytes(sha256Of("second")))).toBe(false);
  expect(await verify()).toEqual([]);
});

test("no file counts as gone because the server does not know the backup", async () => {
  keep("a", "first");
  const send = api.send.bind(api);
  vi.spyOn(api, "send").mockImplementation((request) => {
    for (const refused of ["/objects/files/content", "/objects/files"])
      if (request.path.endsWith("/content")) server.refusals.set(refused, [404]);
    return send(request);
  });
  await expect(save()).rejects.toThrow("refused with 404");
  expect(folder.snapshots()).toEqual([]);
});

test("a server that does not list files is saved without them", async () => {
  server.refusals.set("/objects/files", [404]);
  const made = await save();
  expect(made.manifest).not.toHaveProperty("files");
  expect(await verify()).toEqual([]);
});
