import { z } from "zod";
import { PlainName, type SavedTable } from "./manifest.ts";
import { whileBusy, withPatience } from "./patience.ts";
import type { SavedRows } from "./saved-rows.ts";
import type { Api } from "#scripts/lib/api.ts";

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
interface CopyCall {
  readonly api: Pick<Api, "call">;
  /** The path of copies. */
  readonly path: string;
  /** What the query of each call has besides its own parameters. */
  readonly query?: Readonly<Record<string, string>>;
  readonly note: (line: string) => void;
  /** Whether the caller begins a copy anew that fails: reads are not repeated then. */
  readonly isBegunAnew?: boolean;
}

/** A copy as of one moment. */
interface CopiedTables {
  readonly tables: readonly TableColumns[];
  readonly counters: Readonly<Record<string, number>>;
  readonly endedAt: string;
}

/**
 * Copies tables into `rows`. Reads are repeated where the server does not answer; the begin and the end are repeated only while it is busy,
 * because the answer of an end is given once. A copy that fails is ended, so that the next one may begin at once.
 */
export async function copyTables(rows: SavedRows, call: CopyCall): Promise<CopiedTables> {
  const { api, path, query, note } = call;
  const common = query === undefined ? {} : { query };
  const { id } = (
    await whileBusy(() => api.call({ method: "POST", path, ...common, answer: Begun }))
  ).data;
  const begun = { ...call, path: `${path}/${id}` };
  try {
    const tables = await copyRows(rows, begun);
    return { tables, ...(await copyChanges(rows, begun)) };
  } catch (error) {
    const ending = {
      method: "DELETE",
      path: begun.path,
      ...common,
      answer: z.undefined(),
    } as const;
    // The server ends the copy by itself if it does not hear of this.
    await api.call(ending).catch(() => note("  the server will end the copy in ten minutes"));
    throw error;
  }
}

const patienceOf = ({ isBegunAnew = false }: CopyCall): typeof withPatience =>
  isBegunAnew ? (read) => read() : withPatience;

async function copyRows(kept: SavedRows, call: CopyCall): Promise<TableColumns[]> {
  const { api, path, query, note } = call;
  const tables = new Map<string, TableColumns>();
  let count = 0;
  let next: { readonly table?: string; readonly key?: string | undefined } | undefined = {};
  while (next !== undefined) {
    const given: Readonly<Record<string, string | undefined>> = { ...query, ...next };
    const { data } = await patienceOf(call)(() =>
      api.call({ method: "GET", path: `${path}/rows`, query: given, answer: Rows }),
    );
    const { table: name, columns, key, rows } = data;
    tables.set(name, { name, columns, key });
    const places = key.map((column) => columns.indexOf(column));
    kept.together(() => {
      for (const row of rows)
        kept.keep(
          name,
          places.map((place) => row[place]),
          row,
        );
    });
    count += rows.length;
    if (data.next?.key !== undefined) note(`  ${count} rows, ${name}`);
    next = data.next;
  }
  return [...tables.values()];
}

/** Reads what has changed until the copy is the database of one moment. */
async function copyChanges(kept: SavedRows, call: CopyCall) {
  const { api, path, query } = call;
  for (let after = 0; ;) {
    const behind = { ...query, after: String(after) };
    const { data } = await patienceOf(call)(() =>
      api.call({ method: "GET", path: `${path}/changes`, query: behind, answer: Changes }),
    );
    kept.together(() => data.rows.forEach((row) => kept.keepChanged(row)));
    after = data.after;
    if (data.left > LEFT_MAX) continue;
    const last = { ...query, after: String(after) };
    let endedAt = "";
    const end = await whileBusy(() => {
      endedAt = new Date().toISOString(); // The moment of the copy is later: it is in the call.
      return api.call({ method: "POST", path: `${path}/end`, query: last, answer: End });
    });
    if (!end.data.ended) continue;
    kept.together(() => end.data.rows.forEach((row) => kept.keepChanged(row)));
    return { counters: end.data.counters, endedAt };
  }
}
