import { FileWriter } from "./file-writer.ts";
import { eachAtOnce } from "./ledgers/each-at-once.ts";
import type { FailedObject, SavedClass, SavedObject } from "./saved-objects.ts";
import { TemporaryRows } from "./temporary-rows.ts";
import type { BackupReads } from "#platform/backup/saving/calls.ts";
import {
  callOfObject,
  headOfObject,
  listObjects,
  type CopiedPlace,
} from "#platform/backup/saving/copied-objects.ts";
import { copyTables } from "#platform/backup/saving/copy-tables.ts";
import { fileOf } from "#platform/backup/saving/file-names.ts";
import { withPatience } from "#platform/backup/saving/patience.ts";
import type { SavedRows } from "#platform/backup/saving/saved-rows.ts";
import { stringifyJson } from "#platform/json.ts";
import { keyIdsIn } from "#platform/secrets/secrets.ts";
import { RefusedCall } from "#scripts/lib/api.ts";
import { OperatorError } from "#scripts/lib/project.ts";

/** Most objects that are copied at once. */
const AT_ONCE = 4;
/** Copies of an object that are begun anew because its tables have changed meanwhile: an object makes them at its first use. */
const TRIES = 3;

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
  const places = Map.groupBy(await listAll(save), (place) => place.class);
  const classes: SavedClass[] = [];
  const keyIds = new Set<string>();
  for (const [name, objects] of places) {
    const writer = new FileWriter(save.folder, `${name}.partial`);
    try {
      const { count, failed } = await saveClass(save, objects, { writer, keyIds });
      classes.push({
        class: name,
        objects: count,
        ...(await writer.close(fileOf(name))),
        ...(failed.length === 0 ? {} : { failed }),
      });
      save.note(`  ${count} objects, ${name}`);
    } finally {
      writer.destroy();
    }
  }
  return { classes, keyIds: [...keyIds].toSorted() };
}

async function listAll({ reads }: ObjectsSave): Promise<CopiedPlace[]> {
  const places: CopiedPlace[] = [];
  let next: CopiedPlace | undefined;
  do {
    const data = await listObjects(reads, next);
    places.push(...data.objects);
    next = data.next;
  } while (next !== undefined);
  return places;
}

/** Writes the objects of a class, some of which are copied at once, one after the other. Returns their number, and which ones could not be copied. */
async function saveClass(
  save: ObjectsSave,
  places: readonly CopiedPlace[],
  { writer, keyIds }: { readonly writer: FileWriter; readonly keyIds: Set<string> },
): Promise<{ readonly count: number; readonly failed: FailedObject[] }> {
  const failed: FailedObject[] = [];
  let count = 0;
  let written = Promise.resolve();
  await eachAtOnce(places, AT_ONCE, async (place) => {
    using rows = new TemporaryRows();
    const object = await copyObject(save, place, rows);
    if (object === undefined) return;
    if ("reason" in object) {
      failed.push(object);
      return;
    }
    count++;
    written = written.then(() => writeObject(object, rows, { writer, keyIds }));
    await written;
  });
  return { count, failed };
}

const NOT_FOUND = 404;
const CONFLICT = 409;

/** Copies the tables of an object; undefined if it was deleted meanwhile. Throws where the server does not answer at all. */
async function copyObject(
  save: ObjectsSave,
  place: CopiedPlace,
  rows: SavedRows,
): Promise<SavedObject | FailedObject | undefined> {
  try {
    return await tryToCopy(save, place, rows);
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    await listObjects(save.reads); // A server that does not answer this either is not one with a sick object.
    return { object: place.name, reason: error.message };
  }
}

async function tryToCopy(
  save: ObjectsSave,
  place: CopiedPlace,
  rows: SavedRows,
): Promise<SavedObject | undefined> {
  for (let tries = 1; ; tries++) {
    try {
      const copied = await withPatience(() => {
        rows.clear();
        return copyTables(rows, callOfObject(save, place));
      });
      return headOfObject(place.name, copied, rows);
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
