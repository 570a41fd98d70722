import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import {
  APPLIED_QUERY,
  type AppliedMigrations,
  REQUIRED_QUERY,
} from "#platform/upgrade/migrations.ts";

/**
 * The migrations that were applied to the D1 database of a local server; none if there is no database. The name of the database's file is a
 * hash.
 */
export function readMigrationsIn(dataPath: string): AppliedMigrations {
  const folder = join(dataPath, "d1/miniflare-D1DatabaseObject");
  if (!existsSync(folder)) return { applied: [] };
  const file = readdirSync(folder).find(
    (name) => name.endsWith(".sqlite") && name !== "metadata.sqlite",
  );
  if (file === undefined) return { applied: [] };
  const database = new DatabaseSync(join(folder, file), { readOnly: true });
  const namesIn = (table: string, query: string): string[] => {
    const isThere = database.prepare("SELECT 1 FROM sqlite_master WHERE name = ?").get(table);
    if (isThere === undefined) return [];
    return database
      .prepare(query)
      .all()
      .map((row) => String(row["name"]));
  };
  try {
    const [required] = namesIn("required_migration", REQUIRED_QUERY);
    return { applied: namesIn("d1_migrations", APPLIED_QUERY), required };
  } finally {
    database.close();
  }
}
