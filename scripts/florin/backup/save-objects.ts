import { z } from "zod";
import type { BackupReads } from "./calls/backup-session.ts";
import { copyTables } from "./copy-tables.ts";
import { FileWriter } from "./file-writer.ts";
import { eachAtOnce } from "./ledgers/each-at-once.ts";
import { PlainName } from "./manifest.ts";
import { withPatience } from "./patience.ts";
import type { FailedObject, SavedClass, SavedObject } from "./saved-objects.ts";
import { SavedRows } from "./saved-rows.ts";
import { stringifyJson } from "#platform/json.ts";
import { keyIdsIn } from "#platform/secrets/secrets.ts";
import { RefusedCall } from "#scripts/lib/api.ts";
import { OperatorError } from "#scripts/lib/project.ts";

const PATH = "/api/florin/v1/backup/objects";
/** Most objects that are copied at once. */
const AT_ONCE = 4;
/** Copies of an object that are begun anew because its tables have changed meanwhile: an object makes them at its first use. */
const TRIES = 3;

const Place = z.object({ class: PlainName, name: z.string() });
type Place = z.output<typeof Place>;
const Listed = z.object({
  data: z.object({ objects: z.array(Place), next: Place.optional() }),
});

/** What is saved, and where. */
interface ObjectsSave {
  readonly reads: BackupReads;
  readonly folder: string;
  readonly note: (line: string) => void;
}

/**
 * Saves the tables of all objects outside of ledgers, each as of one moment: a file for each class. An object that cannot be copied is named, and
 * all others are saved. Returns the keys with which values are encrypted, too.
 */
export async function saveObjects(
  save: ObjectsSave,
): Promise<{ readonly classes: SavedClass[]; readonly keyIds: string[] }> {
  const places = Map.groupBy(await listObjects(save), (place) => place.class);
  const classes: SavedClass[] = [];
  const keyIds = new Set<string>();
  for (const [name, objects] of places) {
    const writer = new FileWriter(save.folder, `${name}.partial`);
    try {
      const { count, failed } = await saveClass(save, objects, { writer, keyIds });
      classes.push({
        class: name,
        objects: count,
        ...(await writer.close(`${name}.jsonl.gz`)),
        ...(failed.length === 0 ? {} : { failed }),
      });
      save.note(`  ${count} objects, ${name}`);
    } finally {
      writer.destroy();
    }
  }
  return { classes, keyIds: [...keyIds].toSorted() };
}

async function listSome({ reads }: ObjectsSave, from?: Place) {
  const request = { method: "GET", path: PATH, query: { ...from }, answer: Listed } as const;
  return (await withPatience(() => reads.call(request))).data;
}

async function listObjects(save: ObjectsSave): Promise<Place[]> {
  const places: Place[] = [];
  let next: Place | undefined;
  do {
    const data = await listSome(save, next);
    places.push(...data.objects);
    next = data.next;
  } while (next !== undefined);
  return places;
}

/** Writes the objects of a class, some of which are copied at once, one after the other. Returns their number, and which ones could not be copied. */
async function saveClass(
  save: ObjectsSave,
  places: readonly Place[],
  { writer, keyIds }: { readonly writer: FileWriter; readonly keyIds: Set<string> },
): Promise<{ readonly count: number; readonly failed: FailedObject[] }> {
  const failed: FailedObject[] = [];
  let count = 0;
  let written = Promise.resolve();
  await eachAtOnce(places, AT_ONCE, async (place) => {
    using rows = disposable(new SavedRows());
    const object = await copyObject(save, place, rows.value);
    if (object === undefined) return;
    if ("reason" in object) {
      failed.push(object);
      return;
    }
    count++;
    written = written.then(() => writeObject(object, rows.value, { writer, keyIds }));
    await written;
  });
  return { count, failed };
}

const disposable = (value: SavedRows) => ({ value, [Symbol.dispose]: () => value.close() });

const NOT_FOUND = 404;
const CONFLICT = 409;

/** Copies the tables of an object; undefined if it was deleted meanwhile. Throws where the server does not answer at all. */
async function copyObject(
  save: ObjectsSave,
  place: Place,
  rows: SavedRows,
): Promise<SavedObject | FailedObject | undefined> {
  try {
    return await tryToCopy(save, place, rows);
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    await listSome(save); // A server that does not answer this either is not one with a sick object.
    return { object: place.name, reason: error.message };
  }
}

async function tryToCopy(
  { reads, note }: ObjectsSave,
  { class: className, name }: Place,
  rows: SavedRows,
): Promise<SavedObject | undefined> {
  for (let tries = 1; ; tries++) {
    try {
      const query = { class: className, name };
      const copied = await withPatience(() => {
        rows.clear();
        const path = `${PATH}/copies`;
        return copyTables(rows, { api: reads, path, query, note, isBegunAnew: true });
      });
      const { counters, endedAt } = copied;
      const tables = copied.tables.map((table) => ({ ...table, rows: rows.count(table.name) }));
      return { object: name, endedAt, tables, counters };
    } catch (error) {
      if (!(error instanceof RefusedCall)) throw error;
      if (error.status === NOT_FOUND) return undefined;
      if (error.status !== CONFLICT || tries === TRIES) throw error;
    }
  }
}

async function writeObject(
  object: SavedObject,
  rows: SavedRows,
  { writer, keyIds }: { readonly writer: FileWriter; readonly keyIds: Set<string> },
): Promise<void> {
  await writer.write(`${stringifyJson(object)}\n`);
  for (const { name } of object.tables) {
    for (const line of rows.linesOf(name)) {
      for (const keyId of keyIdsIn(line)) keyIds.add(keyId);
      await writer.write(`${line}\n`);
    }
  }
}
