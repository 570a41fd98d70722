import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { readObjects, whyObjectsRefused } from "./object-files.ts";
import { OBJECT_STEPS } from "./object-steps.ts";
import { MADE_BEFORE_RELEASES } from "#platform/upgrade/migrations.ts";
import { FLORIN_VERSION } from "#platform/upgrade/version.ts";

/**
 * The format of state folders: their files, and the runtime's layout of `v3`. The number grows by one when a version cannot read the
 * folders of the version before, or writes folders that the version before cannot read.
 */
export const STATE_FORMAT = 1;

export const VERSION_FILE = "version.json";

const StateVersion = z.object({
  format: z.int(),
  /** The version that used the folder last. */
  florin: z.string(),
  /** The number of steps that the version knew for the tables of each class of objects. */
  steps: z.record(z.string(), z.int()),
});
export type StateVersion = z.output<typeof StateVersion>;

/** The record that this code writes into the folders that it uses. */
export const CURRENT_VERSION: StateVersion = {
  format: STATE_FORMAT,
  florin: FLORIN_VERSION,
  steps: Object.fromEntries(
    Object.entries(OBJECT_STEPS).map(([name, { length }]) => [name, length]),
  ),
};

/** The version record of a folder; undefined for a folder without data, or without a record, from before 0.2.0. */
export function readStateVersion(path: string): StateVersion | undefined {
  const file = join(path, VERSION_FILE);
  if (!existsSync(file)) return undefined;
  return StateVersion.parse(JSON.parse(readFileSync(file, "utf8")));
}

/** The reason why this code cannot use a state folder, a sentence; undefined if it can, or if the folder has no data yet. */
export function whyFolderRefused(path: string): string | undefined {
  const dataPath = join(path, "v3");
  const version = readStateVersion(path);
  if (version === undefined) return existsSync(dataPath) ? MADE_BEFORE_RELEASES : undefined;
  if (version.format > STATE_FORMAT) {
    return `The state has the format ${version.format}, and this version of Florin knows formats up to ${STATE_FORMAT}. Run Florin ${version.florin}, which used it last, or a later version.`;
  }
  const isLater = Object.entries(version.steps).some(
    ([name, steps]) => steps > (OBJECT_STEPS[name]?.length ?? 0),
  );
  // Objects are read only after a later version has used the folder, because each object has a file to open.
  return isLater ? whyObjectsRefused(readObjects(dataPath)) : undefined;
}
