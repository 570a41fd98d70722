import { join } from "node:path";
import { z } from "zod";
import { type DescribedFile, problemOf } from "./file-hash.ts";
import { linesOf } from "./saved-lines.ts";
import { parseJson } from "#platform/json.ts";

/** The first line of an object in the file of its class. The rows of its tables follow, table by table, a JSON list on each line. */
const SavedObject = z.strictObject({
  /** The name of the object. */
  object: z.string(),
  endedAt: z.string(),
  tables: z.array(
    z.object({
      name: z.string(),
      columns: z.array(z.string()),
      key: z.array(z.string()),
      rows: z.int().min(0),
    }),
  ),
  counters: z.record(z.string(), z.int()),
});
export type SavedObject = z.output<typeof SavedObject>;

/** An object that could not be copied, and why, as a sentence. */
export interface FailedObject {
  readonly object: string;
  readonly reason: string;
}

/** The saved objects of a class. */
export interface SavedClass extends DescribedFile {
  readonly class: string;
  readonly objects: number;
  readonly failed?: FailedObject[] | undefined;
}

const Row = z.array(z.unknown());

/** The rows of an object's table that are still to come. */
interface ComingRows {
  readonly width: number;
  rows: number;
}

/** What is wrong with the saved objects of a class, as a sentence; undefined if nothing is. */
export async function problemOfClass(
  folder: string,
  saved: SavedClass,
): Promise<string | undefined> {
  const path = join(folder, saved.file);
  const problem = await problemOf(path, saved);
  if (problem !== undefined) return problem;
  let objects = 0;
  let number = 0;
  let coming: ComingRows[] = [];
  for await (const line of linesOf(path)) {
    number++;
    const value = parseJson(line);
    const [table] = coming;
    if (table === undefined) {
      const object = SavedObject.safeParse(value);
      if (!object.success) return `${saved.file}: line ${number} begins no object.`;
      objects++;
      coming = object.data.tables
        .map(({ columns, rows }) => ({ width: columns.length, rows }))
        .filter(({ rows }) => rows > 0);
    } else {
      const row = Row.safeParse(value);
      if (row.data?.length !== table.width)
        return `${saved.file}: line ${number} is no row of its table.`;
      table.rows--;
      if (table.rows === 0) coming.shift();
    }
  }
  const lacking = coming.reduce((sum, { rows }) => sum + rows, 0);
  if (lacking > 0) return `${saved.file} lacks ${lacking} rows of its last object.`;
  return objects === saved.objects
    ? undefined
    : `${saved.file} has ${objects} objects instead of ${saved.objects}.`;
}

/** The objects in the file of a class, whose form `problemOfClass` has checked. */
export class SavedObjects {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  /** The values of a row in its line. */
  static toRow(line: string): readonly unknown[] {
    return Row.parse(parseJson(line));
  }

  /** The step of each object's tables, in order: the last one of the rows of `migration`, and 0 for an object without tables. */
  async steps(): Promise<readonly number[]> {
    const steps: number[] = [];
    await this.each(async ({ tables }, lines) => {
      const place = tables.findIndex(({ name }) => name === "migration");
      const from = tables.slice(0, place).reduce((sum, { rows }) => sum + rows, 0);
      const to = place === -1 ? 0 : from + (tables[place]?.rows ?? 0);
      const column = tables[place]?.columns.indexOf("step") ?? 0;
      let number = 0;
      let last = 0;
      for await (const line of lines) {
        const isStep = place !== -1 && number >= from && number < to;
        if (isStep) last = Math.max(last, Number(SavedObjects.toRow(line)[column]));
        number++;
      }
      steps.push(last);
    });
    return steps;
  }

  /** Gives each object to `visit`, which reads the lines of its rows to their end. */
  async each(
    visit: (object: SavedObject, lines: AsyncIterable<string>) => Promise<void>,
  ): Promise<void> {
    const all = linesOf(this.#path);
    for (let next = await all.next(); next.done !== true; next = await all.next()) {
      const object = SavedObject.parse(parseJson(next.value));
      const count = object.tables.reduce((sum, { rows }) => sum + rows, 0);
      await visit(object, firstOf(all, count));
    }
  }
}

/** The next items of an iterator, which stays open. */
async function* firstOf(
  items: AsyncIterator<string, undefined>,
  count: number,
): AsyncGenerator<string, undefined> {
  for (let left = count; left > 0; left--) {
    const next = await items.next();
    if (next.done === true) return;
    yield next.value;
  }
}
