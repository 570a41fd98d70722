import { z } from "zod";
import type { BackupReads } from "./calls.ts";
import type { CopiedTables, TablesCall } from "./copy-tables.ts";
import { PlainName } from "./manifest.ts";
import { withPatience } from "./patience.ts";
import type { SavedRows } from "./saved-rows.ts";

const PATH = "/api/florin/v1/backup/objects";

/** The class and the name of an object whose tables are saved. */
const CopiedPlace = z.object({ class: PlainName, name: z.string() });
export type CopiedPlace = z.output<typeof CopiedPlace>;

const Listed = z.object({
  data: z.object({ objects: z.array(CopiedPlace), next: CopiedPlace.optional() }),
});

/** A page of the objects that are saved, class by class. */
export async function listObjects(reads: BackupReads, from?: CopiedPlace) {
  const request = { method: "GET", path: PATH, query: { ...from }, answer: Listed } as const;
  return (await withPatience(() => reads.call(request), reads)).data;
}

/** The copy of an object's tables. */
export const callOfObject = (
  call: Pick<TablesCall, "reads" | "note">,
  { class: className, name }: CopiedPlace,
): TablesCall => ({
  ...call,
  path: `${PATH}/copies`,
  query: { class: className, name },
  isBegunAnew: true,
});

/** The first line of an object in the file of its class, behind which the rows of its tables come. */
export const headOfObject = (
  object: string,
  { tables, counters, endedAt }: CopiedTables,
  rows: SavedRows,
) => ({
  object,
  endedAt,
  tables: tables.map((table) => ({ ...table, rows: rows.count(table.name) })),
  counters: { ...counters },
});
