import { createWriteStream, existsSync, mkdirSync, mkdtempSync } from "node:fs";
import { rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { z } from "zod";
import { hashOf } from "./file-hash.ts";
import { type DatabaseManifest, MANIFEST, type SavedTable } from "./manifest.ts";
import { SavedRows } from "./saved-rows.ts";
import { keyIdsIn } from "#platform/secrets/secrets.ts";
import type { Api } from "#scripts/lib/api.ts";
import { OperatorError } from "#scripts/lib/project.ts";

const PATH = "/api/florin/v1/backup/database-copies";
/** Changes that are left when a copy is ended. The server refuses an end with more than 500. */
const LEFT_MAX = 200;

const Row = z.array(z.unknown());
const Changed = z.object({ table: z.string(), key: z.string(), row: Row.optional() });
const Begun = z.object({ data: z.object({ id: z.string() }) });
const Rows = z.object({
  data: z.object({
    table: z.string(),
    columns: z.array(z.string()),
    key: z.array(z.string()),
    rows: z.array(Row),
    next: z.object({ table: z.string(), key: z.string().optional() }).optional(),
  }),
});
const Changes = z.object({
  data: z.object({ rows: z.array(Changed), after: z.int(), left: z.int() }),
});
const End = z.object({
  data: z.object({
    ended: z.boolean(),
    rows: z.array(Changed),
    counters: z.record(z.string(), z.int()),
  }),
});

/** A table without its file. */
type CopiedTable = Pick<SavedTable, "name" | "columns" | "key">;

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
  const rows = new SavedRows();
  try {
    const { tables, counters, endedAt } = await copyInto(rows, api, note);
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
    return manifest;
  } finally {
    rows.close();
    await rm(partial, { recursive: true, force: true }); // It is there only after a failure.
  }
}

/** Copies the database into `rows`. A copy that fails is ended, so that the next one may begin at once. */
async function copyInto(rows: SavedRows, api: Api, note: (line: string) => void) {
  const { id } = (await api.call({ method: "POST", path: PATH, answer: Begun })).data;
  try {
    const tables = await copyRows(rows, api, { path: `${PATH}/${id}`, note });
    return { tables, ...(await copyChanges(rows, api, `${PATH}/${id}`)) };
  } catch (error) {
    const ending = { method: "DELETE", path: `${PATH}/${id}`, answer: z.undefined() } as const;
    // The server ends the copy by itself if it does not hear of this.
    await api.call(ending).catch(() => note("  the server will end the copy in ten minutes"));
    throw error;
  }
}

async function copyRows(
  kept: SavedRows,
  api: Api,
  { path, note }: { readonly path: string; readonly note: (line: string) => void },
): Promise<CopiedTable[]> {
  const tables = new Map<string, CopiedTable>();
  let count = 0;
  let next: { readonly table?: string; readonly key?: string | undefined } | undefined = {};
  while (next !== undefined) {
    const given = Object.entries(next).filter(([, value]) => value !== undefined);
    const query = new URLSearchParams(given.map(([name, value]) => [name, value ?? ""]));
    const { data } = await api.call({
      method: "GET",
      path: `${path}/rows?${query.toString()}`,
      answer: Rows,
    });
    const { table: name, columns, key, rows } = data;
    tables.set(name, { name, columns, key });
    const places = key.map((column) => columns.indexOf(column));
    kept.together(() => {
      for (const row of rows)
        kept.keep(
          name,
          places.map((place) => row[place]),
          row,
        );
    });
    count += rows.length;
    if (data.next?.key !== undefined) note(`  ${count} rows, ${name}`);
    next = data.next;
  }
  return [...tables.values()];
}

/** Reads what has changed until the copy is the database of one moment. */
async function copyChanges(kept: SavedRows, api: Api, path: string) {
  for (let after = 0; ;) {
    const { data } = await api.call({
      method: "GET",
      path: `${path}/changes?after=${after}`,
      answer: Changes,
    });
    kept.together(() => data.rows.forEach((row) => kept.keepChanged(row)));
    after = data.after;
    if (data.left > LEFT_MAX) continue;
    const end = await api.call({ method: "POST", path: `${path}/end?after=${after}`, answer: End });
    if (!end.data.ended) continue;
    kept.together(() => end.data.rows.forEach((row) => kept.keepChanged(row)));
    return { counters: end.data.counters, endedAt: new Date().toISOString() };
  }
}

/** Writes the rows of a table into its file, and adds the keys with which values are encrypted to `keyIds`. */
async function writeTable(
  {
    folder,
    table,
    keyIds,
  }: { readonly folder: string; readonly table: CopiedTable; readonly keyIds: Set<string> },
  kept: SavedRows,
): Promise<SavedTable> {
  const file = `${table.name}.jsonl.gz`;
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
