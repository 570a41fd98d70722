import { mkdirSync, mkdtempSync, readdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { MANIFEST } from "#platform/backup/saving/manifest.ts";
import { BackupFolder } from "#scripts/florin/backup/backup-folder.ts";

const UUIDS = ["0f0e0d0c-0b0a-4908-8706-050403020100", "0f0e0d0c-0b0a-4908-8706-050403020101"];

function freshBackup(): BackupFolder {
  const folder = new BackupFolder(mkdtempSync(join(tmpdir(), "florin-backup-folder-")));
  folder.lock()[Symbol.dispose]();
  return folder;
}

/** Makes a snapshot that has its manifest alone; returns its name. */
function snapshotAt(folder: BackupFolder, began: string): string {
  const name = folder.nextName(began);
  writeFileSync(join(folder.beginSnapshot(name), MANIFEST), "{}");
  folder.completeSnapshot(name);
  return name;
}

test("a snapshot without a manifest is not complete, and its number is not given away twice", () => {
  const folder = freshBackup();
  const first = snapshotAt(folder, "2026-11-27T03:00:00.000Z");
  mkdirSync(join(folder.path, "snapshots", "000002-2026-11-28T03-00-00.000Z"));
  expect(folder.snapshots()).toEqual([first]);
  const third = snapshotAt(folder, "2026-11-29T03:00:00.000Z");
  expect(third).toMatch(/^000003-/);
  expect(folder.snapshots()).toEqual([first, third]);
});

test("snapshots are in the order in which they were made, also where a clock was ahead, and the last one is never removed", () => {
  const folder = freshBackup();
  snapshotAt(folder, "2026-11-27T03:00:00.000Z");
  const ahead = snapshotAt(folder, "2031-01-01T00:00:00.000Z");
  const last = snapshotAt(folder, "2026-11-28T03:00:00.000Z");
  folder.removeOlder(2);
  expect(folder.snapshots()).toEqual([ahead, last]);
  folder.removeOlder(1);
  expect(folder.snapshots()).toEqual(["000003-2026-11-28T03-00-00.000Z"]);
});

test("what is none of the backup's is no snapshot and no ledger, and stays", () => {
  const folder = freshBackup();
  const made = snapshotAt(folder, "2026-11-27T03:00:00.000Z");
  for (const parent of ["snapshots", "ledgers"]) {
    writeFileSync(join(folder.path, parent, ".DS_Store"), "x");
    mkdirSync(join(folder.path, parent, "lost+found"));
  }
  for (const uuid of UUIDS) mkdirSync(folder.ledger(uuid));
  folder.removeOlder(1);
  folder.removeLedgersBut(new Set(UUIDS.slice(0, 1)));
  expect(folder.snapshots()).toEqual([made]);
  expect(readdirSync(join(folder.path, "ledgers")).toSorted()).toEqual([
    ".DS_Store",
    UUIDS[0],
    "lost+found",
  ]);
});

test("what runs have left that were killed is removed by the next one", () => {
  const folder = freshBackup();
  mkdirSync(join(folder.path, "snapshots", "partial-000001-2026-11-27T03-00-00.000Z"));
  mkdirSync(join(folder.path, "snapshots", "removed-000001-2026-11-26T03-00-00.000Z"));
  mkdirSync(join(folder.path, "ledgers", `removed-${UUIDS[0]}`));
  const made = snapshotAt(folder, "2026-11-28T03:00:00.000Z");
  expect(readdirSync(join(folder.path, "snapshots"))).toEqual([made]);
  expect(readdirSync(join(folder.path, "ledgers"))).toEqual([]);
});
