import { createReadStream, existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { createGunzip } from "node:zlib";
import { z } from "zod";
import { DatabaseManifest, MANIFEST, type SavedTable } from "./manifest.ts";
import { hashOf } from "./save-database.ts";
import { parseJson, stringifyJson } from "#platform/json.ts";
import { OperatorError } from "#scripts/lib/project.ts";

/** What is wrong with a saved database, a sentence each, and its description. */
export interface CheckedDatabase {
  readonly manifest: DatabaseManifest;
  readonly problems: readonly string[];
}

/** Checks that all files of a saved database are there, unchanged and readable. Throws `OperatorError` for a folder that has none. */
export async function verifyDatabase(folder: string): Promise<CheckedDatabase> {
  const manifest = readManifest(folder);
  const problems: string[] = [];
  for (const table of manifest.tables) problems.push(...(await problemsOf(folder, table)));
  return { manifest, problems };
}

function readManifest(folder: string): DatabaseManifest {
  const path = join(folder, MANIFEST);
  if (!existsSync(path)) {
    throw new OperatorError(
      `${folder} has no ${MANIFEST}, which is written last: it is no saved database, or one that was never completed.`,
    );
  }
  try {
    return DatabaseManifest.parse(parseJson(readFileSync(path, "utf8")));
  } catch (error) {
    throw new OperatorError(`${path} is not the description of a database of this format.`, {
      cause: error,
    });
  }
}

async function problemsOf(folder: string, table: SavedTable): Promise<string[]> {
  const { file, bytes, sha256, rows } = table;
  const path = join(folder, file);
  if (!existsSync(path)) return [`${file} is missing.`];
  const { size } = statSync(path);
  if (size !== bytes) return [`${file} has ${size} bytes instead of ${bytes}.`];
  if ((await hashOf(path)) !== sha256)
    return [`${file} has another SHA-256 than ${MANIFEST} says.`];
  const counted = await countRows(path, table);
  if (typeof counted === "string") return [`${file}: ${counted}`];
  return counted === rows ? [] : [`${file} has ${counted} rows instead of ${rows}.`];
}

const Line = z.array(z.unknown());

/** The number of rows of a file, or what is wrong with one of them. */
async function countRows(path: string, { columns, key }: SavedTable): Promise<number | string> {
  const lines = createInterface({ input: createReadStream(path).pipe(createGunzip()) });
  const places = key.map((name) => columns.indexOf(name));
  const keys = new Set<string>();
  let count = 0;
  for await (const text of lines) {
    count++;
    const row = Line.parse(parseJson(text));
    if (row.length !== columns.length) return `line ${count} has ${row.length} values.`;
    keys.add(stringifyJson(places.map((place) => row[place])));
    if (keys.size !== count) return `line ${count} has the key of an earlier line.`;
  }
  return count;
}
