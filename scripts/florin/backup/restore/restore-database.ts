import { z } from "zod";
import type { MigratedDatabase, MigratedTable } from "./migrated-database.ts";
import { present } from "#platform/assert.ts";
import { withPatience } from "#platform/backup/saving/patience.ts";
import { MIGRATIONS } from "#platform/upgrade/migrations.ts";
import { type Api, RefusedCall } from "#scripts/lib/api.ts";

const CONFLICT = 409;

const Written = z.object({ name: z.string(), rows: z.int(), complete: z.boolean() });
const Answer = z.object({ data: Written });
const Progress = z.object({ data: z.object({ tables: z.array(Written) }) });

/** The last migration of the tables whose rows this command writes. */
export const TABLES_MIGRATION = present(MIGRATIONS.at(-1), "there are migrations");

/** A restoration that is under way. */
export interface Restoring {
  /** The API of the server with the token of the restoration. */
  readonly api: Api;
  /** The path of the restoration. */
  readonly path: string;
  readonly note: (line: string) => void;
}

/** Writes the rows of the tables of a saved database, table by table, behind those that the server has already. */
export async function restoreDatabase(
  restoring: Restoring,
  database: MigratedDatabase,
  tables: readonly MigratedTable[],
): Promise<void> {
  const written = await readWritten(restoring);
  for (const table of tables) {
    const known = written.get(table.name);
    if (known?.complete === true) continue;
    await writeTable(restoring, database, { table, from: known?.rows ?? 0 });
  }
}

/** How far the server has come with each table that it has begun. */
async function readWritten({ api, path }: Restoring) {
  const { data } = await withPatience(() => api.call({ method: "GET", path, answer: Progress }));
  return new Map(data.tables.map((table) => [table.name, table]));
}

async function writeTable(
  restoring: Restoring,
  database: MigratedDatabase,
  { table, from }: { readonly table: MigratedTable; readonly from: number },
): Promise<void> {
  const { api, path, note } = restoring;
  const { name, columns, counter = 0 } = table;
  let written = from;
  for (const { rows, isLast } of database.partsOf(table, from)) {
    const body = {
      columns,
      rows,
      from: written,
      last: isLast,
      migration: TABLES_MIGRATION,
      ...(isLast && counter > 0 ? { counter } : {}),
    };
    const to = written + rows.length;
    // The same rows may come twice: the server does not write them again.
    try {
      await withPatience(() =>
        api.call({ method: "POST", path: `${path}/tables/${name}`, body, answer: Answer }),
      );
    } catch (error) {
      const isConflict = error instanceof RefusedCall && error.status === CONFLICT;
      // A request whose answer was lost has perhaps written them while they came again.
      if (!isConflict || (await readWritten(restoring)).get(name)?.rows !== to) throw error;
    }
    written = to;
  }
  if (written > 0) note(`  ${written} rows, ${name}`);
}
