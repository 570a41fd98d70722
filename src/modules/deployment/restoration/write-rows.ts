import { eq } from "drizzle-orm";
import type { RestoredTable } from "./progress.ts";
import { type CopiedRow, type CopiedTable, quoted } from "#platform/backup/copied-table.ts";
import { type CopyStatement, d1CopyDatabase } from "#platform/backup/copy-database.ts";
import { restorableTables } from "#platform/backup/restorable-tables.ts";
import { insertRows } from "#platform/backup/restored-rows.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { AppError } from "#platform/errors.ts";
import { planOf } from "#platform/restoration/restoration-plan.ts";
import {
  findRestoration,
  overError,
  type StoredRestoration,
} from "#platform/restoration/restoration-token.ts";
import { restoredTables } from "#platform/restoration/tables.ts";
import { MIGRATIONS } from "#platform/upgrade/migrations.ts";

/** Some rows of a table, in the order of the backup. */
export interface RowsToWrite {
  readonly columns: readonly string[];
  readonly rows: readonly CopiedRow[];
  /** How many rows of the table come before these. */
  readonly from: number;
  /** Whether these are the last ones. */
  readonly isLast: boolean;
  /** The last migration of the tables of the rows. */
  readonly migration: string;
  /** The largest id that the table has given away; absent if it does not count, or its rows show it. */
  readonly counter?: number | undefined;
}

/**
 * Writes rows of a table behind those that were written, in one transaction with their number. The first ones replace whatever the table has.
 * Rows that were written already are not written again, so that a request may be repeated. Returns how far the table is. Throws `NOT_FOUND`
 * for a table that no restoration writes, and `CONFLICT` for rows that do not come next, for rows of tables of another version, whose numbers
 * mean other rows, and for those that the table refuses.
 */
export async function writeRestoredRows(
  { env }: ServiceContext,
  restoration: StoredRestoration,
  { table: name, ...wanted }: RowsToWrite & { readonly table: string },
): Promise<RestoredTable> {
  const { migration } = planOf(restoration);
  if (wanted.migration !== migration || migration !== MIGRATIONS.at(-1)) {
    throw new AppError(
      "CONFLICT",
      `the restoration has begun with tables up to the migration ${migration}: go on with the version of server and command that it has begun with`,
    );
  }
  const database = d1CopyDatabase(env.DB);
  const table = (await restorableTables(database)).find((known) => known.name === name);
  if (table === undefined) {
    throw new AppError("NOT_FOUND", `there is no table ${name} whose rows are restored`);
  }
  const before = await findTable(env, name);
  const to = wanted.from + wanted.rows.length;
  const isWritten = before.rows >= to && (before.isComplete || !wanted.isLast);
  if (isWritten) return before;
  if (before.rows !== wanted.from || before.isComplete) throw notNext(before);
  try {
    await database.batch([
      noteRows(restoration, { name, from: wanted.from, to, isLast: wanted.isLast }),
      ...(wanted.from === 0 ? [{ text: `DELETE FROM ${quoted(name)}` }] : []),
      ...insertRows(table, wanted.columns, wanted.rows),
      ...(wanted.counter === undefined ? [] : setCounter(table, wanted.counter)),
    ]);
  } catch (cause) {
    const now = await findRestoration(databaseOf(env));
    if (now?.reference !== restoration.reference || now.stage !== "under-way") {
      throw overError({ stage: "abandoned", ...now, reference: restoration.reference });
    }
    throw refusalOf(cause, await findTable(env, name), wanted.from);
  }
  return { name, rows: to, isComplete: wanted.isLast };
}

async function findTable(env: Pick<Env, "DB">, name: string): Promise<RestoredTable> {
  const [row] = await databaseOf(env)
    .select()
    .from(restoredTables)
    .where(eq(restoredTables.name, name));
  return { name, rows: row?.rows ?? 0, isComplete: row?.isComplete === 1 };
}

/**
 * Notes how far the table is. Without a number of rows, which must not be null, the whole transaction fails: another request has written rows
 * meanwhile, or the restoration is over.
 */
const noteRows = (
  { reference }: StoredRestoration,
  { name, from, to, isLast }: { name: string; from: number; to: number; isLast: boolean },
): CopyStatement => ({
  text: `INSERT INTO restored_tables (name, rows, is_complete)
    SELECT ?1, iif(
      coalesce((SELECT rows FROM restored_tables WHERE name = ?1), 0) = ?2
        AND EXISTS (SELECT 1 FROM restoration WHERE reference = ?5 AND stage = 'under-way'),
      ?3, NULL), ?4
    WHERE TRUE
    ON CONFLICT (name) DO UPDATE SET rows = excluded.rows, is_complete = excluded.is_complete`,
  params: [name, from, to, isLast ? 1 : 0, reference],
});

/** Sets the largest id that a table has given away, whether it has rows or not. */
function setCounter({ name, isCounted }: CopiedTable, counter: number): CopyStatement[] {
  if (!isCounted) throw new AppError("VALIDATION", `the table ${name} counts no ids`);
  return [
    {
      text: "INSERT INTO sqlite_sequence (name, seq) SELECT ?1, 0 WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = ?1)",
      params: [name],
    },
    {
      text: "UPDATE sqlite_sequence SET seq = max(seq, CAST(?2 AS INTEGER)) WHERE name = ?1",
      params: [name, counter],
    },
  ];
}

const notNext = ({ name, rows, isComplete }: RestoredTable): AppError =>
  new AppError(
    "CONFLICT",
    isComplete
      ? `all rows of ${name} were written: another run restores the same backup, so end one of them and run florin backup restore again`
      : `the next row of ${name} that is written is number ${rows}: where another run restores the same backup, end one of them, and run florin backup restore again`,
  );

/** What a client is told of a transaction that has failed. */
function refusalOf(cause: unknown, now: RestoredTable, from: number): unknown {
  if (!(cause instanceof Error)) return cause;
  if (now.rows !== from || now.isComplete) return notNext(now);
  if (!/constraint failed/.test(cause.message)) return cause;
  return new AppError(
    "CONFLICT",
    `the table ${now.name} refuses rows behind row ${from}, because something else has written to it, or the rows are not those of the backup: give the restoration up with florin backup abandon, and make the deployment anew (${cause.message})`,
    { cause },
  );
}
