import { env } from "cloudflare:workers";

/** The rows of tables, by the names of the tables. */
export type TableRows = ReadonlyMap<string, readonly Readonly<Record<string, unknown>>[]>;

/** The rows of all tables of payments and workflows that are part of a backup, as of one moment. */
export async function readCopiedRows(): Promise<TableRows> {
  const { results } = await env.DB.prepare(
    "SELECT name FROM sqlite_master WHERE type = 'table' AND (name GLOB 'payment_*' OR name GLOB 'orchestration_*') AND name <> 'payment_lookups'",
  ).all<{ name: string }>();
  const read = await env.DB.batch<Record<string, unknown>>(
    results.map(({ name }) => env.DB.prepare(`SELECT * FROM ${name}`)),
  );
  return new Map(results.map(({ name }, at) => [name, read[at]?.results ?? []]));
}

/** Replaces the rows of tables, as a restore does. */
export async function restoreRows(tables: TableRows): Promise<void> {
  await env.DB.batch(
    [...tables].flatMap(([name, rows]) => [
      env.DB.prepare(`DELETE FROM ${name}`),
      ...rows.map((row) => {
        const columns = Object.keys(row);
        const places = columns.map(() => "?").join(", ");
        return env.DB.prepare(
          `INSERT INTO ${name} (${columns.join(", ")}) VALUES (${places})`,
        ).bind(...Object.values(row));
      }),
    ]),
  );
}
