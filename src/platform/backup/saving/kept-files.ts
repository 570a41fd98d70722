import { z } from "zod";
import type { BackupCall, BackupReads } from "./calls.ts";
import { PlainName } from "./manifest.ts";
import { withPatience } from "./patience.ts";

const PATH = "/api/florin/v1/backup/objects/files";

const Sha256 = z.string().regex(/^[\da-f]{64}$/, "expected 64 hexadecimal digits");

/** A line of a snapshot's list of the files that objects keep. The bytes are where `pathOfBytes` says. */
export const SavedKeptFile = z.object({
  class: PlainName,
  /** The name of the object. */
  object: z.string(),
  /** The id of the file. */
  file: z.string(),
  bytes: z.int().min(0),
  sha256: Sha256,
});
export type SavedKeptFile = z.output<typeof SavedKeptFile>;

/** Where the next page of files is. */
const NextFiles = z.object({ class: z.string(), after: z.int() });
export type NextFiles = z.output<typeof NextFiles>;

const Listed = z.object({
  data: z.object({
    files: z.array(
      SavedKeptFile.omit({ object: true })
        .extend({ name: z.string() })
        .transform(({ name: object, ...file }): SavedKeptFile => ({ ...file, object })),
    ),
    next: NextFiles.optional(),
  }),
});

/** A page of the files that objects keep, class by class. */
export async function listKeptFiles(reads: BackupReads, from?: NextFiles) {
  const query = from === undefined ? {} : { class: from.class, after: String(from.after) };
  const request = { method: "GET", path: PATH, query, answer: Listed } as const;
  return (await withPatience(() => reads.call(request), reads)).data;
}

/** The call whose answer is the bytes of a file. */
export const bytesCall = ({ class: className, object: name, file }: SavedKeptFile): BackupCall => ({
  method: "GET",
  path: `${PATH}/content`,
  query: { class: className, name, file },
});
