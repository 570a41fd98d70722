import { folderOf, toText, withKeyIds } from "./database-stages.ts";
import { sessionOf } from "./run-session.ts";
import type { Finish, CopiedObjectProgress, RunAt, WrittenClass } from "./run-state.ts";
import { type BackupReads, RefusedCall } from "#platform/backup/saving/calls.ts";
import {
  callOfObject,
  type CopiedPlace,
  headOfObject,
  listObjects,
} from "#platform/backup/saving/copied-objects.ts";
import { abandonCopy, beginCopy, copyNext } from "#platform/backup/saving/copy-tables.ts";
import { fileOf, OBJECTS } from "#platform/backup/saving/file-names.ts";
import { OperatorError } from "#platform/errors.ts";
import { stringifyJson } from "#platform/json.ts";

const NOT_FOUND = 404;
const CONFLICT = 409;
/** Copies of an object that are begun, because its tables have changed meanwhile: an object makes them at its first use. */
const TRIES = 3;
/** Failures in a row after which the step no longer waits for another copy to end: some 17 minutes. A copy that was left ends after ten. */
const BEGINS = 7;
const NOWHERE: CopiedPlace = { class: "", name: "" };

/** Notes which objects there are, a page at a time. */
export async function places({ tools, facts, stage }: RunAt<"places">): Promise<Finish> {
  const { reads, session } = await sessionOf(tools, facts);
  const { objects, next } = await listObjects(reads, stage.next);
  return () => {
    if (stage.next === undefined) tools.places.clear();
    tools.places.add(objects);
    return next === undefined
      ? { stage: { name: "objects", after: NOWHERE }, facts: { session } }
      : { stage: { name: "places", next }, facts: { session } };
  };
}

/** Does the next call of an object's copy, or writes the next of its rows; goes on with the next object, and with the next class. */
export async function objects(run: RunAt<"objects">): Promise<Finish> {
  const { tools, stage } = run;
  const { object, writing, after } = stage;
  if (object !== undefined && writing !== undefined) {
    return "copied" in object
      ? writeObject(run, { object, writing })
      : copyObject(run, { object, writing });
  }
  const next = tools.places.next(after);
  if (writing !== undefined && next?.class !== writing.class) return closeClass(run, writing);
  if (next === undefined) return () => ({ stage: { name: "manifest" } });
  return beginObject(run, next, {
    name: next.name,
    tries: 1,
  });
}

type Unbegun = Pick<CopiedObjectProgress, "name" | "tries">;
type Copying = Extract<CopiedObjectProgress, { readonly place: unknown }>;
type Copied = Extract<CopiedObjectProgress, { readonly copied: unknown }>;

const newClass = (name: string): WrittenClass => ({ class: name, objects: 0 });

function beginObject(
  run: RunAt<"objects">,
  place: CopiedPlace,
  { name, tries }: Unbegun,
): Promise<Finish> {
  const { tools, stage } = run;
  const writing = stage.writing ?? newClass(place.class);
  return attempt(run, { writing, object: { name, tries } }, async (reads) => {
    const begun = await beginCopy(callOfObject({ reads, note: () => undefined }, place));
    return () => {
      tools.rows.clear();
      return { stage: { ...stage, writing, object: { name, tries, place: begun } } };
    };
  });
}

function copyObject(
  run: RunAt<"objects">,
  { object, writing }: { readonly object: Copying; readonly writing: WrittenClass },
): Promise<Finish> {
  const { tools, stage } = run;
  const { name, tries } = object;
  return attempt(run, { writing, object }, async (reads) => {
    const call = callOfObject({ reads, note: () => undefined }, { class: writing.class, name });
    const progress = await copyNext(tools.rows, call, object.place);
    if (progress.phase !== "over") {
      return () => ({ stage: { ...stage, object: { name, tries, place: progress } } });
    }
    const { tables, counters, endedAt } = progress;
    return () => ({
      stage: { ...stage, object: { name, tries, copied: { tables, counters, endedAt } } },
    });
  });
}

/** Writes an object's first line, then its rows, table by table. */
async function writeObject(
  { tools, facts, stage }: RunAt<"objects">,
  { object, writing }: { readonly object: Copied; readonly writing: WrittenClass },
): Promise<Finish> {
  const { copied, name } = object;
  const written = object.written;
  if (written === undefined) {
    const head = stringifyJson(headOfObject(name, copied, tools.rows));
    return () => {
      tools.staged.append(toText([head]));
      return { stage: { ...stage, object: { ...object, written: { index: 0, rows: 0 } } } };
    };
  }
  const table = copied.tables[written.index];
  if (table === undefined) {
    return () => ({
      stage: {
        name: "objects",
        after: { class: writing.class, name },
        writing: { ...writing, objects: writing.objects + 1 },
      },
    });
  }
  const { lines, last } = tools.rows.page(table.name, written.after);
  const next =
    last === undefined
      ? { index: written.index + 1, rows: 0 }
      : { index: written.index, rows: written.rows + lines.length, after: last };
  return () => {
    tools.staged.append(toText(lines));
    return {
      stage: { ...stage, object: { ...object, written: next } },
      facts: { keyIds: withKeyIds(facts.keyIds, lines) },
    };
  };
}

async function closeClass(
  { tools, facts, stage }: RunAt<"objects">,
  { class: name, objects: count }: WrittenClass,
): Promise<Finish> {
  const folder = `${folderOf(facts)}/${OBJECTS}`;
  const file = await tools.staged.close(tools.bucket, folder, fileOf(name));
  return () => {
    tools.staged.clear();
    const saved = { class: name, objects: count, ...file };
    return {
      stage: { name: "objects", after: stage.after },
      facts: { classes: [...facts.classes, saved] },
    };
  };
}

/**
 * Works on an object. One that was deleted meanwhile is left out, one whose tables have changed is copied anew, and one that cannot be copied is
 * named. A copy that is given up is ended, so that the next one may begin; a process that has ended leaves one, for which the step waits, as for
 * another reader's. Throws also where the server does not answer at all.
 */
async function attempt(
  { tools, facts, stage }: RunAt<"objects">,
  { object, writing }: { readonly object: Unbegun | Copying; readonly writing: WrittenClass },
  work: (reads: BackupReads) => Promise<Finish>,
): Promise<Finish> {
  const { reads, session } = await sessionOf(tools, facts);
  const { name, tries } = object;
  const after = { class: writing.class, name };
  try {
    const finish = await work(reads);
    return () => {
      const { stage: next, facts: found } = finish();
      return { stage: next, facts: { session, ...found } };
    };
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    const status = error instanceof RefusedCall ? error.status : undefined;
    const hasBegun = "place" in object;
    if (hasBegun) {
      const call = callOfObject({ reads, note: () => undefined }, after);
      await abandonCopy(call, object.place.id).catch(() => undefined); // It ends by itself, too.
    }
    const over = { name: "objects", after } as const;
    if (status === NOT_FOUND) return () => ({ stage: { ...over, writing }, facts: { session } });
    if (status === CONFLICT && !hasBegun && tools.failures < BEGINS) {
      throw new Error(error.message, { cause: error });
    }
    if (status === CONFLICT && hasBegun && tries < TRIES) {
      const again = { tools, facts: { ...facts, session }, stage: { ...stage, writing } };
      return beginObject(again, after, { name, tries: tries + 1 });
    }
    await listObjects(reads); // A server that does not answer this either is not one with a sick object.
    return () => {
      tools.places.noteFailure(after, error.message);
      return { stage: { ...over, writing }, facts: { session } };
    };
  }
}
