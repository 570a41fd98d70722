import { createWriteStream, existsSync, mkdirSync, mkdtempSync } from "node:fs";
import { rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { hashOf } from "./file-hash.ts";
import { syncFolder } from "./sync-folder.ts";
import { TemporaryRows } from "./temporary-rows.ts";
import {
  copyTables,
  DATABASE_COPIES,
  type TableColumns,
} from "#platform/backup/saving/copy-tables.ts";
import { fileOf } from "#platform/backup/saving/file-names.ts";
import {
  type DatabaseManifest,
  MANIFEST,
  type SavedTable,
} from "#platform/backup/saving/manifest.ts";
import type { SavedRows } from "#platform/backup/saving/saved-rows.ts";
import { keyIdsIn } from "#platform/secrets/secrets.ts";
import type { Api } from "#scripts/lib/api.ts";
import { OperatorError } from "#scripts/lib/project.ts";

/**
 * Saves all tables of the database as they are at one moment into a new folder. The files are written under another name, so that a folder
 * with the name is complete. Throws `OperatorError` where the folder exists, or the server refuses.
 */
export async function saveDatabase(
  api: Api,
  folder: string,
  note: (line: string) => void,
): Promise<DatabaseManifest> {
  if (existsSync(folder)) {
    throw new OperatorError(`${folder} exists already. Name a folder that does not exist.`);
  }
  mkdirSync(dirname(folder), { recursive: true });
  const partial = mkdtempSync(`${folder}.partial-`);
  const rows = new TemporaryRows();
  try {
    const { tables, counters, endedAt } = await copyTables(rows, {
      reads: api,
      path: DATABASE_COPIES,
      note,
    });
    const saved: SavedTable[] = [];
    const keyIds = new Set<string>();
    for (const table of tables)
      saved.push(await writeTable({ folder: partial, table, keyIds }, rows));
    const manifest: DatabaseManifest = {
      format: 1,
      endedAt,
      tables: saved,
      counters,
      keyIds: [...keyIds].toSorted(),
    };
    const text = `${JSON.stringify(manifest, undefined, 2)}\n`;
    await writeFile(join(partial, MANIFEST), text, { mode: 0o600, flush: true });
    await rename(partial, folder);
    syncFolder(dirname(folder));
    return manifest;
  } finally {
    rows.close();
    await rm(partial, { recursive: true, force: true }); // It is there only after a failure.
  }
}

/** Writes the rows of a table into its file, and adds the keys with which values are encrypted to `keyIds`. */
async function writeTable(
  {
    folder,
    table,
    keyIds,
  }: { readonly folder: string; readonly table: TableColumns; readonly keyIds: Set<string> },
  kept: SavedRows,
): Promise<SavedTable> {
  const file = fileOf(table.name);
  const path = join(folder, file);
  let rows = 0;
  const lines = function* (): Generator<string> {
    for (const line of kept.linesOf(table.name)) {
      rows++;
      for (const keyId of keyIdsIn(line)) keyIds.add(keyId);
      yield `${line}\n`;
    }
  };
  const output = createWriteStream(path, { mode: 0o600, flush: true });
  await pipeline(Readable.from(lines()), createGzip(), output);
  const { size: bytes } = await stat(path);
  return { ...table, rows, file, bytes, sha256: await hashOf(path) };
}
