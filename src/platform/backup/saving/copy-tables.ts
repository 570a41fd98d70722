import { z } from "zod";
import type { BackupReads } from "./calls.ts";
import { PlainName, type SavedTable } from "./manifest.ts";
import { whileBusy, withPatience } from "./patience.ts";
import type { SavedRows } from "./saved-rows.ts";

/** The path of copies of the database. */
export const DATABASE_COPIES = "/api/florin/v1/backup/database-copies";
/** Changes that are left when a copy is ended. The server refuses an end with more than 500. */
const LEFT_MAX = 200;

const Row = z.array(z.unknown());
const Changed = z.object({ table: PlainName, key: z.string(), row: Row.optional() });
const Begun = z.object({ data: z.object({ id: z.string() }) });
const Rows = z.object({
  data: z.object({
    table: PlainName,
    columns: z.array(z.string()),
    key: z.array(z.string()),
    rows: z.array(Row),
    next: z.object({ table: PlainName, key: z.string().optional() }).optional(),
  }),
});
const Changes = z.object({
  data: z.object({ rows: z.array(Changed), after: z.int(), left: z.int() }),
});
const End = z.object({
  data: z.object({
    ended: z.boolean(),
    rows: z.array(Changed),
    counters: z.record(z.string(), z.int()),
  }),
});

/** A table without its file. */
export type TableColumns = Pick<SavedTable, "name" | "columns" | "key">;

/** Tables that are copied: those of the database, or of an object. */
export interface TablesCall {
  readonly reads: BackupReads;
  /** The path of copies. */
  readonly path: string;
  /** What the query of each call has besides its own parameters. */
  readonly query?: Readonly<Record<string, string>>;
  readonly note: (line: string) => void;
  /** Whether the caller begins a copy anew that fails: reads are not repeated then. */
  readonly isBegunAnew?: boolean;
}

/** A copy as of one moment. */
export interface CopiedTables {
  readonly tables: readonly TableColumns[];
  readonly counters: Readonly<Record<string, number>>;
  readonly endedAt: string;
}

/** How far a copy has come. It can be stored: whoever has the rows goes on from it. */
export type CopyPlace =
  | {
      readonly phase: "rows";
      readonly id: string;
      readonly tables: readonly TableColumns[];
      readonly count: number;
      readonly next: { readonly table?: string; readonly key?: string | undefined };
    }
  | {
      readonly phase: "changes" | "end";
      readonly id: string;
      readonly tables: readonly TableColumns[];
      readonly after: number;
    };

/** The next place of a copy, or what it has given at its end. */
export type CopyProgress = CopyPlace | ({ readonly phase: "over" } & CopiedTables);

/** Begins a copy. It is repeated only while the server is busy: another one may not begin before this one has ended. */
export async function beginCopy({ reads, path, query = {} }: TablesCall): Promise<CopyPlace> {
  const request = { method: "POST", path, query, answer: Begun } as const;
  const { id } = (await whileBusy(() => reads.call(request), reads)).data;
  return { phase: "rows", id, tables: [], count: 0, next: {} };
}

/**
 * Does one call of a copy, and keeps the rows that it gives:
 *
 *     rows ─► … ─► rows ─► changes ─► … ─► changes ─► end ─► over
 *                             ▲                        │ too many are left
 *                             └────────────────────────┘
 *
 * A step that is repeated after a crash keeps the same rows, or newer ones. The answer of `end` is given once: if it was lost, the copy is
 * begun anew.
 */
export function copyNext(
  rows: SavedRows,
  call: TablesCall,
  place: CopyPlace,
): Promise<CopyProgress> {
  switch (place.phase) {
    case "rows":
      return copyRows(rows, call, place);
    case "changes":
      return copyChanges(rows, call, place);
    case "end":
      return endCopy(rows, call, place);
  }
}

/**
 * Copies tables into `rows`. Reads are repeated where the server does not answer. A copy that fails is ended, so that the next one may begin
 * at once.
 */
export async function copyTables(rows: SavedRows, call: TablesCall): Promise<CopiedTables> {
  let progress: CopyProgress = await beginCopy(call);
  const { id } = progress;
  try {
    while (progress.phase !== "over") progress = await copyNext(rows, call, progress);
    const { tables, counters, endedAt } = progress;
    return { tables, counters, endedAt };
  } catch (error) {
    // The server ends the copy by itself if it does not hear of this.
    await abandonCopy(call, id).catch(() =>
      call.note("  the server will end the copy in ten minutes"),
    );
    throw error;
  }
}

/** Ends a copy without its result. */
export async function abandonCopy(
  { reads, path, query = {} }: TablesCall,
  id: string,
): Promise<void> {
  await reads.call({ method: "DELETE", path: `${path}/${id}`, query, answer: z.undefined() });
}

const patiently = <T>({ isBegunAnew = false, reads }: TablesCall, read: () => Promise<T>) =>
  isBegunAnew ? read() : withPatience(read, reads);

type RowsPlace = Extract<CopyPlace, { readonly phase: "rows" }>;
type ChangesPlace = Exclude<CopyPlace, RowsPlace>;

async function copyRows(
  kept: SavedRows,
  call: TablesCall,
  { id, tables, count, next }: RowsPlace,
): Promise<CopyPlace> {
  const { reads, path, note } = call;
  const query: Readonly<Record<string, string | undefined>> = { ...call.query, ...next };
  const { data } = await patiently(call, () =>
    reads.call({ method: "GET", path: `${path}/${id}/rows`, query, answer: Rows }),
  );
  const { table: name, columns, key, rows } = data;
  const places = key.map((column) => columns.indexOf(column));
  kept.together(() => {
    for (const row of rows)
      kept.keep(
        name,
        places.map((place) => row[place]),
        row,
      );
  });
  const known =
    tables.at(-1)?.name === name
      ? tables
      : [...tables, { name, columns, key } satisfies TableColumns];
  if (data.next === undefined) return { phase: "changes", id, tables: known, after: 0 };
  const total = count + rows.length;
  if (data.next.key !== undefined) note(`  ${total} rows, ${name}`);
  return { phase: "rows", id, tables: known, count: total, next: data.next };
}

/** Reads what has changed, until the copy is nearly the database of one moment. */
async function copyChanges(
  kept: SavedRows,
  call: TablesCall,
  { id, tables, after }: ChangesPlace,
): Promise<CopyPlace> {
  const { reads, path } = call;
  const query = { ...call.query, after: String(after) };
  const { data } = await patiently(call, () =>
    reads.call({ method: "GET", path: `${path}/${id}/changes`, query, answer: Changes }),
  );
  kept.together(() => data.rows.forEach((row) => kept.keepChanged(row)));
  return { phase: data.left > LEFT_MAX ? "changes" : "end", id, tables, after: data.after };
}

/** Reads the last changes. It is repeated only while the server is busy, because the answer of an end is given once. */
async function endCopy(
  kept: SavedRows,
  call: TablesCall,
  { id, tables, after }: ChangesPlace,
): Promise<CopyProgress> {
  const { reads, path } = call;
  const query = { ...call.query, after: String(after) };
  let endedAt = "";
  const { data } = await whileBusy(() => {
    endedAt = new Date().toISOString(); // The moment of the copy is later: it is in the call.
    return reads.call({ method: "POST", path: `${path}/${id}/end`, query, answer: End });
  }, reads);
  if (!data.ended) return { phase: "changes", id, tables, after };
  kept.together(() => data.rows.forEach((row) => kept.keepChanged(row)));
  return { phase: "over", tables, counters: data.counters, endedAt };
}
