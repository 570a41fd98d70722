import { createHash } from "node:crypto";
import {
  appendFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
} from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { PlainPath } from "#scripts/florin/backup/manifest.ts";
import { syncFolder } from "#scripts/florin/backup/sync-folder.ts";
import { OperatorError } from "#scripts/lib/project.ts";

const SavedFile = z.object({ file: PlainPath, bytes: z.int(), sha256: z.string() });

/** Consecutive entries of a ledger's log that were saved together. A part that is complete never changes. */
const LedgerPart = z.object({
  format: z.literal(1),
  /** The ids of the first and the last entry, and their number: ids have gaps. */
  from: z.int(),
  to: z.int(),
  entries: z.int(),
  /** The hash of the last entry in base64, which is empty in a ledger that keeps no hashes, and the SHA-256 of its line. */
  lastHash: z.string(),
  lastLine: z.string(),
  /** The entries as an export has them, a line each, compressed by gzip. */
  log: SavedFile,
  /** What the log does not determine of them, and the number of its lines. */
  origins: SavedFile.extend({ facts: z.int() }),
});
export type LedgerPart = z.output<typeof LedgerPart>;

/** The list of a ledger's parts: a JSON line for each, which is written when the files of the part are. */
const PARTS = "parts.jsonl";

/**
 * The first `count` parts of a ledger, from the first entry on; all of them by default. A line that a crash has cut off is no part. Throws
 * `OperatorError` for a line that describes none.
 */
export function readParts(folder: string, count?: number): LedgerPart[] {
  const path = join(folder, PARTS);
  return readLines(folder, count).map((line, index) => {
    try {
      return LedgerPart.parse(JSON.parse(line));
    } catch (cause) {
      throw new OperatorError(`${path}: line ${index + 1} does not describe a part of a log.`, {
        cause,
      });
    }
  });
}

function readLines(folder: string, count?: number): string[] {
  const path = join(folder, PARTS);
  if (!existsSync(path)) return [];
  return readFileSync(path, "utf8").split("\n").slice(0, -1).slice(0, count);
}

/** Adds a part, whose files are complete. */
export function appendPart(folder: string, part: LedgerPart): void {
  appendFileSync(join(folder, PARTS), `${JSON.stringify(part)}\n`, { mode: 0o600, flush: true });
  syncFolder(folder);
}

/** The SHA-256 over the lines of the first `count` parts, for a manifest: it covers all their files. */
export const hashOfParts = (folder: string, count: number): string =>
  createHash("sha256")
    .update(
      readLines(folder, count)
        .map((line) => `${line}\n`)
        .join(""),
    )
    .digest("hex");

/** Removes what a run has left that broke off: files that are not complete, and the end of a line. Complete files stay in any case. */
export function removeLeftovers(folder: string): void {
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
