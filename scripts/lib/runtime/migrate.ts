import { existsSync, readFileSync } from "node:fs";
import type { Miniflare } from "miniflare";
import { CREATE_BOOKS } from "../migration-books.ts";
import { inProject, OperatorError } from "../project.ts";
import { readMigrationsIn } from "../stored/database-file.ts";
import { databaseOf, type LocalDatabase, openDatabases } from "./runtime.ts";
import { isOpaque, isStorageFull } from "#platform/storage-full.ts";
import { APPLIED_QUERY, compareMigrations, REQUIRED_QUERY } from "#platform/upgrade/migrations.ts";

/**
 * Brings the D1 database of a state folder up to date; the Worker must not run at the same time. The migrations are recorded as wrangler
 * records them, so that `wrangler d1 migrations` finds nothing to do later. Throws `OperatorError` if the disk is full, and if no migration
 * leads from the tables of the database to those of this code.
 */
export async function migrate(dataPath: string): Promise<void> {
  const runtime = await openDatabases(dataPath);
  try {
    await migrateThrough(runtime, dataPath);
  } finally {
    await runtime.dispose();
  }
}

/**
 * Opens the Worker's runtime on a database that is up to date:
 *
 *     state without data      Worker's runtime ──► migrations
 *     state of this version   Worker's runtime
 *     any other state         runtime of the database alone ──► migrations ──► its end ──► Worker's runtime
 *
 * The start of a second runtime is a sixth of the work of a start. A state without data needs none, because nothing can work on its
 * database meanwhile: there are no objects and no messages, and the Worker refuses requests until its tables are there. Throws as `migrate`.
 */
export async function openMigrated(
  dataPath: string,
  open: () => Promise<Miniflare>,
): Promise<Miniflare> {
  const isNew = !existsSync(dataPath);
  if (!isNew && !isUpToDate(dataPath)) await migrate(dataPath);
  const runtime = await open();
  try {
    if (isNew) await migrateThrough(runtime, dataPath);
    return runtime;
  } catch (error) {
    await runtime.dispose();
    throw error;
  }
}

/** Whether the file of the database says that it needs no migration. For a file that cannot be read, `migrate` says why. */
function isUpToDate(dataPath: string): boolean {
  try {
    const { kind } = compareMigrations(readMigrationsIn(dataPath));
    return kind === "current" || kind === "ahead";
  } catch {
    return false;
  }
}

async function migrateThrough(runtime: Miniflare, dataPath: string): Promise<void> {
  try {
    const database = await databaseOf(runtime);
    await database.prepare(CREATE_BOOKS).run();
    const { results } = await database.prepare(APPLIED_QUERY).all<Applied>();
    const applied = results.map(({ name }) => name);
    const state = compareMigrations({ applied, required: await requiredIn(database) });
    if (state.kind === "refused") {
      throw new OperatorError(`The state in ${dataPath} cannot be used. ${state.reason}`);
    }
    for (const name of state.kind === "behind" ? state.missing : []) await apply(database, name);
  } catch (cause) {
    if (!isStorageFull(cause) && !isOpaque(cause)) throw cause;
    throw new OperatorError(
      `The database in ${dataPath} cannot be brought up to date: its disk is full, or cannot be written to.`,
      { cause },
    );
  }
}

/** The migration that code has to know; undefined in a database whose version did not say so. */
async function requiredIn(database: LocalDatabase): Promise<string | undefined> {
  const table = "SELECT name FROM sqlite_master WHERE name = 'required_migration'";
  if ((await database.prepare(table).first()) === null) return undefined;
  return (await database.prepare(REQUIRED_QUERY).first<Applied>())?.name;
}

interface Applied {
  readonly name: string;
}

/**
 * Applies a migration and records it, in one transaction. All statements of a migration are prepared as one, which the local database
 * allows: preparing a hundred statements one by one takes a call of the runtime for each, and most of a second in all.
 */
async function apply(database: LocalDatabase, name: string): Promise<void> {
  await database.batch([
    database.prepare(readFileSync(inProject("migrations", name), "utf8")),
    database.prepare("INSERT INTO d1_migrations (name) VALUES (?)").bind(name),
  ]);
}
