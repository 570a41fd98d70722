import { readFileSync } from "node:fs";
import { z } from "zod";
import type { CloudflareApi } from "./cloudflare.ts";
import {
  APPLIED_QUERY,
  compareMigrations,
  type MigrationsState,
  REQUIRED_QUERY,
} from "#platform/upgrade/migrations.ts";
import { CREATE_BOOKS } from "#scripts/lib/migration-books.ts";
import { inProject, OperatorError } from "#scripts/lib/project.ts";

const Database = z.object({
  uuid: z.string(),
  name: z.string(),
  jurisdiction: z.string().nullish(),
});

/** A D1 database of the account. */
export type RemoteDatabase = z.output<typeof Database>;

/**
 * Finds the database of a deployment: that of the environment file's id, or else that of the name. Throws `OperatorError` if the file names a
 * database that is gone, because a new and empty one in its place would be a silent loss.
 */
export async function findDatabase(
  api: CloudflareApi,
  name: string,
  id: string | undefined,
): Promise<RemoteDatabase | undefined> {
  if (id !== undefined) {
    const known = await api.read(`d1/database/${id}`, Database);
    if (known !== undefined) return known;
    throw new OperatorError(
      `The account has no D1 database ${id}, which the environment file names as database_id. Take the right account or the right id. To begin with an empty database, remove the line.`,
    );
  }
  const all = await api.list(`d1/database?name=${encodeURIComponent(name)}`, Database);
  const found = all.find((database) => database.name === name);
  return found === undefined ? undefined : await api.read(`d1/database/${found.uuid}`, Database);
}

export const createDatabase = (
  api: CloudflareApi,
  name: string,
  jurisdiction: string | undefined,
): Promise<RemoteDatabase> =>
  api.change("d1/database", { method: "POST", body: { name, jurisdiction } }, Database);

/**
 * Throws `OperatorError` if the database lies in another jurisdiction than the environment file names. The jurisdiction of a deployment never
 * changes: its objects, and with them all ledgers, would be others, which are empty.
 */
export function assertPlace(
  { name, jurisdiction }: RemoteDatabase,
  wanted: string | undefined,
): void {
  const actual = jurisdiction ?? undefined;
  if (actual === wanted) return;
  const describe = (place: string | undefined): string =>
    place === undefined ? "no jurisdiction" : `the jurisdiction "${place}"`;
  throw new OperatorError(
    `The D1 database ${name} lies in ${describe(actual)}, but the environment file names ${describe(wanted)}. A deployment never changes its jurisdiction. Make a new deployment with another name, and move the ledgers there.`,
  );
}

const Applied = z.array(z.object({ results: z.array(z.object({ name: z.string() })) }));
const Tables = z.array(z.object({ results: z.array(z.object({ count: z.number() })) }));

/** Compares the migrations of a database with those of this version, by reads only. */
export async function readMigrations(api: CloudflareApi, id: string): Promise<MigrationsState> {
  if (!(await hasTable(api, id, "d1_migrations"))) return compareMigrations({ applied: [] });
  const [books] = await query(api, id, APPLIED_QUERY, Applied);
  const applied = (books?.results ?? []).map(({ name }) => name);
  if (!(await hasTable(api, id, "required_migration"))) return compareMigrations({ applied });
  const [required] = await query(api, id, REQUIRED_QUERY, Applied);
  return compareMigrations({ applied, required: required?.results[0]?.name });
}

async function hasTable(api: CloudflareApi, id: string, name: string): Promise<boolean> {
  const count = `SELECT count(*) AS count FROM sqlite_master WHERE name = '${name}'`;
  const [tables] = await query(api, id, count, Tables);
  return tables?.results[0]?.count === 1;
}

/** Applies the migrations that a database lacks, each with its record in one transaction, so that a run that broke off goes on. */
export async function applyMigrations(api: CloudflareApi, id: string): Promise<void> {
  const state = await readMigrations(api, id);
  if (state.kind === "refused") throw new OperatorError(state.reason);
  if (state.kind !== "behind") return;
  await query(api, id, CREATE_BOOKS, z.unknown());
  for (const name of state.missing) {
    const migration = readFileSync(inProject("migrations", name), "utf8").trimEnd();
    const record = `INSERT INTO d1_migrations (name) VALUES ('${name}');`;
    const end = migration.endsWith(";") ? "" : ";";
    await query(api, id, `${migration}${end}\n${record}`, z.unknown());
  }
}

/** Runs statements, which D1 executes as one transaction. */
const query = <S extends z.ZodType>(
  api: CloudflareApi,
  id: string,
  ...[sql, schema]: [string, S]
): Promise<z.output<S>> =>
  api.change(`d1/database/${id}/query`, { method: "POST", body: { sql } }, schema);
