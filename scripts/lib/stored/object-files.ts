import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { OBJECT_STEPS } from "./object-steps.ts";

/** The progress of the objects of one class with the steps of their tables. */
export interface ObjectProgress {
  readonly className: string;
  /** The number of the last step that this code knows. */
  readonly known: number;
  /** The number of objects at each step. Objects without tables are at step 0. */
  readonly countByStep: ReadonlyMap<number, number>;
  /** The number of the last step that code has to know to use all of the objects. */
  readonly needs: number;
}

/** Classes whose objects start again: an audit that another version has begun is dropped. */
const BEGUN_AGAIN: ReadonlySet<string> = new Set(["LedgerAuditObject"]);

/** Reads the file of each object in the data of a local server, which may be running. */
export function readObjects(dataPath: string): ObjectProgress[] {
  return Object.entries(OBJECT_STEPS).flatMap(([className, { length: known }]) => {
    const objects = known === 0 ? [] : objectFiles(dataPath, className).map(progressOf);
    if (objects.length === 0) return [];
    const counts = [...Map.groupBy(objects, ({ step }) => step)].map(
      ([step, alike]) => [step, alike.length] as const,
    );
    const needs = Math.max(...objects.map((object) => object.needs));
    return [{ className, known, countByStep: new Map(counts), needs }];
  });
}

/** The reason why this code cannot use the objects, a sentence; undefined if it can. */
export function whyObjectsRefused(objects: readonly ObjectProgress[]): string | undefined {
  const later = objects.find(
    ({ className, known, needs }) => !BEGUN_AGAIN.has(className) && needs > known,
  );
  if (later === undefined) return undefined;
  const { className, known, countByStep } = later;
  return `The state was written by a later version of Florin: a ${className} in it is at step ${Math.max(...countByStep.keys())}, and this version knows only ${known}. Run the later version again, or one after it.`;
}

function objectFiles(dataPath: string, className: string): string[] {
  const folder = join(dataPath, "do", `florin-${className}`);
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith(".sqlite") && name !== "metadata.sqlite")
    .map((name) => join(folder, name));
}

/** The last step that an object has begun, and the last one that code has to know to use it. */
function progressOf(file: string): { step: number; needs: number } {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    const tables = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'migration'";
    if (database.prepare(tables).get() === undefined) return { step: 0, needs: 0 };
    const row = database.prepare("SELECT * FROM migration ORDER BY step DESC LIMIT 1").get();
    const step = Number(row?.["step"] ?? 0);
    return { step, needs: Number(row?.["needs"] ?? step) };
  } finally {
    database.close();
  }
}
