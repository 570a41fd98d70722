import { statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { type BackupManifest } from "#platform/backup/saving/backup-manifest.ts";
import type { BackupFolder } from "#scripts/florin/backup/backup-folder.ts";
import { readBackupManifest } from "#scripts/florin/backup/backup-manifest.ts";
import { hashOf } from "#scripts/florin/backup/file-hash.ts";
import { RestorationTokens } from "#scripts/florin/backup/restore/restoration-tokens.ts";
import { restoreBackup } from "#scripts/florin/backup/restore/restore-backup.ts";
import { releasedBackup } from "#test/support/platform/backup/released-backup.ts";

const pathOf = (folder: BackupFolder): string => folder.snapshot(folder.snapshots().at(-1) ?? "");

/** Restores the last snapshot into a server that nothing reaches. Its manifest is changed before. */
function restore(
  folder: BackupFolder,
  change: (manifest: BackupManifest) => BackupManifest,
  isIncompleteAccepted = false,
): Promise<unknown> {
  const path = pathOf(folder);
  const url = "http://127.0.0.1:9";
  const sha256 = "a".repeat(64);
  return restoreBackup({
    snapshot: { folder, path, manifest: change(readBackupManifest(path)), sha256 },
    url,
    connect: () => Promise.reject(new Error("the server is asked")),
    tokens: new RestorationTokens({ HOME: path }, { url, backup: sha256, secret: undefined }),
    isIncompleteAccepted,
    confirm: async () => undefined,
    note: () => undefined,
  });
}

test("a snapshot that has all is shown to the server", async () => {
  await expect(restore(releasedBackup(), (manifest) => manifest)).rejects.toThrow(
    "the server is asked",
  );
});

test("a snapshot that lacks something is refused with what it lacks, before a server is asked", async () => {
  const lacking = restore(releasedBackup(), (manifest) => ({
    ...manifest,
    objects: manifest.objects.map((saved) => ({
      ...saved,
      failed: [{ object: "one", reason: "it was silent" }],
    })),
  }));
  await expect(lacking).rejects.toThrow(
    /The object 'one' of EndpointObject is not saved: it was silent[^]*--incomplete/,
  );
});

test("objects of a class or a step that only a later version has are refused before a server is asked", async () => {
  const folder = releasedBackup();
  const unknown = restore(folder, (manifest) => ({
    ...manifest,
    objects: manifest.objects.map((saved) => ({ ...saved, class: "LaterObject" })),
  }));
  await expect(unknown).rejects.toThrow("no objects of the class LaterObject");

  const file = join(pathOf(folder), "objects", "EndpointObject.jsonl.gz");
  const tables = [{ name: "migration", columns: ["step"], key: ["step"], rows: 1 }];
  const head = { object: "one", endedAt: "2026-11-28T03:00:00Z", tables, counters: {} };
  writeFileSync(file, gzipSync(`${JSON.stringify(head)}\n[99]\n`));
  const described = { objects: 1, bytes: statSync(file).size, sha256: await hashOf(file) };
  const ahead = restore(folder, (manifest) => ({
    ...manifest,
    objects: manifest.objects.map((saved) =>
      saved.class === "EndpointObject" ? { ...saved, ...described } : saved,
    ),
  }));
  await expect(ahead).rejects.toThrow(/tables are at step 99, and this version knows \d/);
});

test("files of objects that are missing are named before a server is asked, unless the operator does without them", async () => {
  const folder = releasedBackup();
  const file = join(pathOf(folder), "files.jsonl.gz");
  const sha256 = "ab".repeat(32);
  const saved = { class: "SourceObject", object: "bank", file: "march", bytes: 1, sha256 };
  writeFileSync(file, gzipSync(`${JSON.stringify(saved)}\n`));
  const described = { file: "files.jsonl.gz", bytes: statSync(file).size, files: 1, gone: 0 };
  const files = { ...described, sha256: await hashOf(file) };
  const withFiles = (manifest: BackupManifest) => ({ ...manifest, files });
  await expect(restore(folder, withFiles)).rejects.toThrow(
    /files\/ab\/(?:ab){32} is missing. It is the file 'march' of the object 'bank'.[^]*--incomplete/,
  );
  await expect(restore(folder, withFiles, true)).rejects.toThrow("the server is asked");
});
