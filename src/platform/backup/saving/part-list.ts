import { createHash } from "node:crypto";
import { z } from "zod";
import { PlainPath } from "./manifest.ts";
import { OperatorError } from "#platform/errors.ts";
import { parseJson, stringifyJson } from "#platform/json.ts";

const PartFile = z.object({ file: PlainPath, bytes: z.int(), sha256: z.string() });

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
  log: PartFile,
  /** What the log does not determine of them, and the number of its lines. */
  origins: PartFile.extend({ facts: z.int() }),
});
export type LedgerPart = z.output<typeof LedgerPart>;

/** The list of a ledger's parts: a JSON line for each, which is written when the files of the part are. */
export const PARTS = "parts.jsonl";

/** The whole lines of a list of parts: a line that a crash has cut off is no part. */
const wholeLines = (list: string, count?: number): string[] =>
  list.split("\n").slice(0, -1).slice(0, count);

/** The first `count` parts of a list; all of them by default. `path` names the list in errors. Throws `OperatorError` for a line that describes none. */
export function partsOf(list: string, path: string, count?: number): LedgerPart[] {
  return wholeLines(list, count).map((line, index) => {
    try {
      return LedgerPart.parse(parseJson(line));
    } catch (cause) {
      throw new OperatorError(`${path}: line ${index + 1} does not describe a part of a log.`, {
        cause,
      });
    }
  });
}

/** The line of a part. */
export const lineOfPart = (part: LedgerPart): string => `${stringifyJson(part)}\n`;

/** The SHA-256 over the lines of the first `count` parts, for a manifest: it covers all their files. */
export const hashOfList = (list: string, count: number): string =>
  createHash("sha256")
    .update(
      wholeLines(list, count)
        .map((line) => `${line}\n`)
        .join(""),
    )
    .digest("hex");
