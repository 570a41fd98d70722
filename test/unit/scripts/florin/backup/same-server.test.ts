import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import type { DatabaseManifest } from "#platform/backup/saving/manifest.ts";
import { BackupFolder } from "#scripts/florin/backup/backup-folder.ts";
import { assertSameServer } from "#scripts/florin/backup/same-server.ts";

const file = "secret_keys.jsonl.gz";
const columns = ["id", "first_seen_ms"];
const table = { name: "secret_keys", columns, key: ["id"], rows: 1, file, bytes: 1, sha256: "" };
const MANIFEST: DatabaseManifest = { format: 1, endedAt: "", tables: [table], counters: {} };

/** Writes a saved database with keys that were first seen at some times. */
function saveKeys(folder: string, rows: readonly (readonly [string, number])[]): string {
  mkdirSync(folder, { recursive: true });
  const text = rows.map((row) => `${JSON.stringify(row)}\n`).join("");
  writeFileSync(join(folder, file), gzipSync(text));
  return folder;
}

test("a server goes on with its backup when it has more keys, and not when it was made anew, also with the same key", async () => {
  const folder = new BackupFolder(mkdtempSync(join(tmpdir(), "florin-same-server-")));
  folder.lock()[Symbol.dispose]();
  const database = saveKeys(join(folder.path, "first"), [["aa", 1]]);
  await assertSameServer(folder, database, MANIFEST);
  const name = folder.nextName("2026-11-27T03:00:00.000Z");
  const snapshot = folder.beginSnapshot(name);
  saveKeys(join(snapshot, "database"), [["aa", 1]]);
  writeFileSync(join(snapshot, "manifest.json"), "{}");
  folder.completeSnapshot(name);
  await assertSameServer(folder, database, MANIFEST);
  saveKeys(database, [
    ["aa", 1],
    ["bb", 2],
  ]);
  await assertSameServer(folder, database, MANIFEST);
  for (const rows of [[], [["aa", 2]], [["bb", 1]]] as const) {
    saveKeys(database, rows);
    await expect(assertSameServer(folder, database, MANIFEST)).rejects.toThrow("another server");
  }
});
