import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { sqlCopyDatabase } from "#platform/backup/copy-database.ts";
import { APPLIED, restorableTables } from "#platform/backup/restorable-tables.ts";
import type { DatabaseManifest } from "#platform/backup/saving/manifest.ts";
import { parseJson } from "#platform/json.ts";
import { NodeSql } from "#platform/sql/node-sql.ts";
import { MIGRATIONS } from "#platform/upgrade/migrations.ts";
import { linesOf } from "#scripts/florin/backup/saved-lines.ts";
import { inProject } from "#scripts/lib/project.ts";

/**
 * What the list of a saved database's tables lacks, a sentence each: every table that its migrations make, apart from those that tell of the
 * deployment itself. The tables of a later version are not known, and are not looked for.
 */
export async function problemsOfTableList(
  folder: string,
  manifest: DatabaseManifest,
): Promise<string[]> {
  const applied = await readApplied(folder, manifest);
  if (applied === undefined) return [`The database lacks the table ${APPLIED}.`];
  const listed = new Set(manifest.tables.map(({ name }) => name));
  return (await tablesOf(applied))
    .filter((name) => !listed.has(name))
    .map((name) => `The database lacks the table ${name}, which its version has.`);
}

/** The names of the migrations that made the tables of a saved database; undefined if it does not say so. */
export async function readApplied(
  folder: string,
  { tables }: DatabaseManifest,
): Promise<string[] | undefined> {
  const saved = tables.find(({ name }) => name === APPLIED);
  if (saved === undefined) return undefined;
  const place = saved.columns.indexOf("name");
  const applied: string[] = [];
  for await (const line of linesOf(join(folder, saved.file))) {
    applied.push(String((parseJson(line) as unknown[])[place])); // as `SavedRows` has written it
  }
  return applied;
}

/** The names of the tables that migrations make, of those that this version knows. */
async function tablesOf(applied: readonly string[]): Promise<string[]> {
  const names = new Set(applied);
  const database = new DatabaseSync(":memory:");
  try {
    for (const name of MIGRATIONS.filter((known) => names.has(known))) {
      database.exec(readFileSync(inProject("migrations", name), "utf8"));
    }
    const tables = await restorableTables(sqlCopyDatabase(new NodeSql(database)));
    return tables.map(({ name }) => name);
  } finally {
    database.close();
  }
}
