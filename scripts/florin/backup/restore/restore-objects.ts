import { join } from "node:path";
import { z } from "zod";
import type { Restoring } from "./restore-database.ts";
import type { ObjectFiles } from "./restore-files.ts";
import { withPatience } from "#platform/backup/saving/patience.ts";
import { eachAtOnce } from "#scripts/florin/backup/ledgers/each-at-once.ts";
import {
  type SavedClass,
  type SavedObject,
  SavedObjects,
} from "#scripts/florin/backup/saved-objects.ts";

/** Most objects that are restored at once, and most rows of one that is read ahead of its turn. */
const AT_ONCE = 4;
const AHEAD_ROWS_MAX = 2000;
/** Most rows, and characters, of one request; at least one row. */
const ROWS_MAX = 5000;
const CHARACTERS_MAX = 1_000_000;

const Begun = z.object({
  data: z.object({
    state: z.enum(["open", "ended", "left-out"]),
    rows: z.record(z.string(), z.int()),
  }),
});

/** What has become of the saved objects. */
export interface RestoredObjects {
  readonly restored: number;
  /** Objects that the database does not know, or that are made anew from it. */
  readonly leftOut: number;
}

/** An object whose rows are read, of a class. */
interface ReadObject {
  readonly className: string;
  readonly head: SavedObject;
  /** The step of its tables; 0 without tables. */
  readonly step: number;
  readonly lines: AsyncIterable<string> | Iterable<string>;
}

/** The saved objects of a snapshot. */
interface ObjectsToRestore {
  /** The path of the folder that has a file for each class. */
  readonly folder: string;
  readonly classes: readonly SavedClass[];
  /** The files that the objects keep beside their tables; undefined for a snapshot without them. */
  readonly files?: ObjectFiles | undefined;
}

/**
 * Restores the saved objects of a snapshot: when the rows of the database and the logs of ledgers are there, because the objects are fitted to
 * them. The files of an object come behind its rows. An object that has come back already is left as it is, and one that was cut off goes on behind the
 * rows that it has.
 */
export async function restoreObjects(
  restoring: Restoring,
  { folder, classes, files }: ObjectsToRestore,
): Promise<RestoredObjects> {
  const counts = { restored: 0, leftOut: 0 };
  for (const { class: className, file } of classes) {
    const before = { ...counts };
    const saved = new SavedObjects(join(folder, file));
    const steps = await saved.steps();
    const small: ReadObject[] = [];
    const restoreSmall = async (): Promise<void> => {
      await eachAtOnce(small.splice(0), AT_ONCE, async (object) => {
        counts[await restoreObject(restoring, object, files)]++;
      });
    };
    let place = 0;
    await saved.each(async (head, lines) => {
      const object = { className, head, step: steps[place++] ?? 0 };
      const rows = head.tables.reduce((sum, table) => sum + table.rows, 0);
      if (rows > AHEAD_ROWS_MAX) {
        counts[await restoreObject(restoring, { ...object, lines }, files)]++;
        return;
      }
      const ahead: string[] = [];
      for await (const line of lines) ahead.push(line);
      small.push({ ...object, lines: ahead });
      if (small.length >= AT_ONCE * AT_ONCE) await restoreSmall();
    });
    await restoreSmall();
    const leftOut = counts.leftOut - before.leftOut;
    const remark =
      leftOut === 0
        ? ""
        : `, and ${leftOut} that the database makes anew or does not know are left out`;
    restoring.note(`  ${counts.restored - before.restored} objects, ${className}${remark}`);
  }
  return counts;
}

/** Restores one object, and reads its lines to their end. */
async function restoreObject(
  restoring: Restoring,
  { className, head, step, lines }: ReadObject,
  files: ObjectFiles | undefined,
): Promise<keyof RestoredObjects> {
  const { api, path } = restoring;
  const query = { class: className, name: head.object };
  const post = <S extends z.ZodType>(place: string, body: unknown, answer: S) =>
    // The same rows may come twice: the object does not store them again.
    withPatience(() =>
      api.call({ method: "POST", path: `${path}/objects${place}`, query, body, answer }),
    );
  const tables = head.tables.map(({ name, columns, rows }) => ({ name, columns, rows }));
  const { data } = await post("", { step, tables }, Begun);
  const rows = new TableRows(head, data.rows);
  for await (const line of lines) {
    const part = rows.add(line);
    if (part !== undefined && data.state === "open") {
      await post(`/tables/${part.table}`, part.body, z.undefined());
    }
  }
  if (data.state === "left-out") return "leftOut";
  if (data.state === "ended") return "restored";
  await files?.restore(restoring, className, head.object);
  await post("/end", { counters: head.counters }, z.undefined());
  return "restored";
}

/** Rows for one request. */
interface RowsPart {
  readonly table: string;
  readonly body: { readonly after: number; readonly rows: readonly RawRow[] };
}

/** A row as its line has it. */
type RawRow = readonly unknown[];

/** Packs the lines of an object into requests, without those that the server has. */
class TableRows {
  readonly #left: { readonly name: string; readonly rows: number; readonly skip: number }[];
  /** The rows of the present table that were read. */
  #read = 0;
  #rows: RawRow[] = [];
  #characters = 0;

  constructor({ tables }: SavedObject, known: Readonly<Record<string, number>>) {
    this.#left = tables
      .filter(({ rows }) => rows > 0)
      .map(({ name, rows }) => ({ name, rows, skip: known[name] ?? 0 }));
  }

  /** Takes the next line; gives a part that is full, or the last one of its table. */
  add(line: string): RowsPart | undefined {
    const [table] = this.#left;
    if (table === undefined) throw new Error("an object has more rows than its tables");
    this.#read++;
    if (this.#read > table.skip) {
      this.#rows.push(SavedObjects.toRow(line));
      this.#characters += line.length;
    }
    const isLast = this.#read === table.rows;
    const isFull = this.#rows.length >= ROWS_MAX || this.#characters >= CHARACTERS_MAX;
    const part = isLast || isFull ? this.#part(table.name) : undefined;
    if (isLast) {
      this.#left.shift();
      this.#read = 0;
    }
    return part;
  }

  /** The rows that were taken and not given. */
  #part(table: string): RowsPart | undefined {
    const rows = this.#rows;
    if (rows.length === 0) return undefined;
    [this.#rows, this.#characters] = [[], 0];
    return { table, body: { after: this.#read - rows.length, rows } };
  }
}
