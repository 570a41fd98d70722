import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { readObjects, whyObjectsRefused } from "./object-files.ts";
import { OBJECT_STEPS } from "./object-steps.ts";
import { MADE_BEFORE_RELEASES } from "#platform/upgrade/migrations.ts";
import { FLORIN_VERSION } from "#platform/upgrade/version.ts";

/**
 * The format of state folders: which files there are, and how the runtime lays out its own in `v3`. It grows by one when a version can no
 * longer read what the one before has written, or writes what that one cannot read.
 */
export const STATE_FORMAT = 1;

export const VERSION_FILE = "version.json";

const StateVersion = z.object({
  format: z.int(),
  /** The version that used the folder last. */
  florin: z.string(),
  /** How many steps that version knew for the tables of each class of objects. */
  steps: z.record(z.string(), z.int()),
});
export type StateVersion = z.output<typeof StateVersion>;

/** What this code writes into the folders that it uses. */
export const CURRENT_VERSION: StateVersion = {
  format: STATE_FORMAT,
  florin: FLORIN_VERSION,
  steps: Object.fromEntries(
    Object.entries(OBJECT_STEPS).map(([name, { length }]) => [name, length]),
  ),
};

/** What the folder says of itself; undefined where it has no data yet, or was made before folders said it. */
export function readStateVersion(path: string): StateVersion | undefined {
  const file = join(path, VERSION_FILE);
  if (!existsSync(file)) return undefined;
  return StateVersion.parse(JSON.parse(readFileSync(file, "utf8")));
}

/** Why this code cannot work with a state folder, a sentence; undefined where nothing speaks against it, or nothing is there yet. */
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
  // Only where a later version has been at work, because there is a file to open for each object.
  return isLater ? whyObjectsRefused(readObjects(dataPath)) : undefined;
}
