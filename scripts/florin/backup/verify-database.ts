import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { problemOf } from "./file-hash.ts";
import { linesOf } from "./saved-lines.ts";
import { problemsOf } from "./verify/problems-of.ts";
import { problemsOfTableList } from "./verify/table-problems.ts";
import { DatabaseManifest, MANIFEST, type SavedTable } from "#platform/backup/saving/manifest.ts";
import { compareKeys, type RowKey, rowKeyOf } from "#platform/backup/saving/saved-rows.ts";
import { parseJson } from "#platform/json.ts";
import { OperatorError } from "#scripts/lib/project.ts";

/** What is wrong with a saved database, a sentence each, and its description. */
export interface CheckedDatabase {
  readonly manifest: DatabaseManifest;
  readonly problems: readonly string[];
}

/** Checks that all files of a saved database are there, unchanged and readable. Throws `OperatorError` for a folder that has none. */
export async function verifyDatabase(folder: string): Promise<CheckedDatabase> {
  const manifest = readDatabaseManifest(folder);
  const problems: string[] = [];
  for (const table of manifest.tables) {
    problems.push(...(await problemsOf(table.file, () => problemsOfTable(folder, table))));
  }
  // The list of migrations is among the files.
  if (problems.length === 0) {
    problems.push(...(await problemsOf(MANIFEST, () => problemsOfTableList(folder, manifest))));
  }
  return { manifest, problems };
}

/** The description of a saved database. Throws `OperatorError` for a folder that has none. */
export function readDatabaseManifest(folder: string): DatabaseManifest {
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

async function problemsOfTable(folder: string, table: SavedTable): Promise<string[]> {
  const { file, rows } = table;
  const path = join(folder, file);
  const problem = await problemOf(path, table);
  if (problem !== undefined) return [problem];
  const counted = await countRows(path, table);
  if (typeof counted === "string") return [`${file}: ${counted}`];
  return counted === rows ? [] : [`${file} has ${counted} rows instead of ${rows}.`];
}

const Line = z.array(z.unknown());

/** The number of rows of a file, or what is wrong with one of them. Rows are in the order of their keys, so that a key that comes twice does so in a row. */
async function countRows(path: string, { columns, key }: SavedTable): Promise<number | string> {
  const places = key.map((name) => columns.indexOf(name));
  let before: RowKey | undefined;
  let count = 0;
  for await (const text of linesOf(path)) {
    count++;
    const row = Line.parse(parseJson(text));
    if (row.length !== columns.length) return `line ${count} has ${row.length} values.`;
    const found = rowKeyOf(places.map((place) => row[place]));
    const order = before === undefined ? -1 : compareKeys(before, found);
    if (order === 0) return `line ${count} has the key of the line before.`;
    if (order > 0) return `line ${count} has a key that comes before that of the line before.`;
    before = found;
  }
  return count;
}
