import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
} from "node:fs";
import { join } from "node:path";
import type { PartFolder } from "#platform/backup/saving/part-folder.ts";
import {
  hashOfList,
  type LedgerPart,
  lineOfPart,
  PARTS,
  partsOf,
} from "#platform/backup/saving/part-list.ts";
import { FileWriter } from "#scripts/florin/backup/file-writer.ts";
import { syncFolder } from "#scripts/florin/backup/sync-folder.ts";

export type { LedgerPart };

/**
 * The first `count` parts of a ledger, from the first entry on; all of them by default. A line that a crash has cut off is no part. Throws
 * `OperatorError` for a line that describes none.
 */
export const readParts = (folder: string, count?: number): LedgerPart[] =>
  partsOf(readList(folder), join(folder, PARTS), count);

/** The SHA-256 over the lines of the first `count` parts, for a manifest: it covers all their files. */
export const hashOfParts = (folder: string, count: number): string =>
  hashOfList(readList(folder), count);

function readList(folder: string): string {
  const path = join(folder, PARTS);
  return existsSync(path) ? readFileSync(path, "utf8") : "";
}

/** The parts of a ledger in a folder of this machine. */
export const directoryParts = (folder: string): PartFolder => ({
  parts: async () => readParts(folder),
  hashOf: async (count) => hashOfParts(folder, count),
  append: async (part) => {
    appendFileSync(join(folder, PARTS), lineOfPart(part), { mode: 0o600, flush: true });
    syncFolder(folder);
  },
  sizeOf: async (file) => statSync(join(folder, file), { throwIfNoEntry: false })?.size,
  prepare: async () => {
    removeLeftovers(folder);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  },
  begin: (temporary) => new FileWriter(folder, temporary),
  rename: async (names) => {
    for (const [from, to] of names) renameSync(join(folder, from), join(folder, to));
    syncFolder(folder);
  },
});

/** Removes files that are not complete, and the end of a line that is none. */
function removeLeftovers(folder: string): void {
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder)) {
    if (name.endsWith(".partial")) rmSync(join(folder, name));
  }
  const path = join(folder, PARTS);
  if (!existsSync(path)) return;
  const text = readFileSync(path);
  const length = text.lastIndexOf("\n") + 1;
  if (length < text.length) truncateSync(path, length);
}
