import { applyD1Migrations, type D1Migration, reset } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, vi } from "vitest";
import { sdkCalls } from "./sdk/sdk-calls.ts";
import { WAIT_MS_MAX } from "#test/support/runner/patience.ts";

// The setup of each contract test file. The files of a worker share its runtime and its modules, but no data: each file starts
// with a migrated database, and without objects and spies. `test/support/payments/client-coverage.ts` gets the calls of a
// worker through the official client.

/**
 * Empties the storage except for the signing keys, because tokens and caches of the Worker outlive a file. The keys come back in the
 * transaction that makes their table, because work of an earlier file that is still under way would make a new key otherwise.
 */
async function resetAllButKeys(): Promise<void> {
  const keys = await signingKeys();
  await deleteStorage();
  const inserts = keys.map(
    (key) =>
      `INSERT INTO auth_signing_keys (${Object.keys(key).join()}) VALUES (${Object.values(key).map(literal).join()})`,
  );
  await applyD1Migrations(env.DB, [inOneStep(env.TEST_MIGRATIONS, inserts)]);
}

/** The signing keys of the files before; none in the first file, which has no tables. */
async function signingKeys(): Promise<Record<string, unknown>[]> {
  const isThere = await env.DB.prepare(
    "SELECT 1 FROM sqlite_master WHERE name = 'auth_signing_keys'",
  ).first();
  if (isThere === null) return [];
  return (await env.DB.prepare("SELECT * FROM auth_signing_keys").all()).results;
}

/** All migrations and further statements as one migration, which is one call of the database. It leaves the names that each would. */
function inOneStep(migrations: readonly D1Migration[], further: readonly string[]): D1Migration {
  const names = migrations.map(({ name }) => name);
  const last = names.at(-1);
  if (last === undefined) throw new Error("there are no migrations");
  const noted = names
    .slice(0, -1)
    .map((name) => `INSERT INTO d1_migrations (name) VALUES (${literal(name)})`);
  const statements = migrations.flatMap(({ queries }) => queries);
  return { name: last, queries: [[...statements, ...further, ...noted].join("\n;\n")] };
}

/**
 * Deletes all storage. A reset leaves the database as it was in one of a hundred files, where work of the file before was still under way,
 * so the reset is repeated until no table is left.
 */
async function deleteStorage(): Promise<void> {
  await vi.waitFor(
    async () => {
      await reset();
      const tables = await env.DB.prepare(TABLES).first<{ names: string | null }>();
      if (tables?.names)
        throw new Error(`the database has tables after its reset: ${tables.names}`);
    },
    { timeout: WAIT_MS_MAX },
  );
}

const TABLES =
  "SELECT group_concat(name) AS names FROM sqlite_master WHERE name NOT LIKE 'sqlite%' AND name NOT LIKE '\\_cf%' ESCAPE '\\'";

/** A value of a column as a literal of SQL. */
function literal(value: unknown): string {
  if (value === null) return "NULL";
  if (typeof value === "number") return String(value);
  if (typeof value === "string") return `'${value.replaceAll("'", "''")}'`;
  throw new Error(`no literal of SQL for a ${typeof value}`);
}

vi.restoreAllMocks();
await resetAllButKeys();
afterEach(({ task }) => {
  task.file.meta.sdkCalls = sdkCalls();
});
