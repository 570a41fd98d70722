import { z } from "zod";

/** The name of the file that describes a saved database. It is written last, so that a folder without it is no backup. */
export const MANIFEST = "manifest.json";

/** The number of the format of the files. It grows with each change that older readers would misunderstand. */
const FORMAT = 1;

/** The name of a table or a class, which becomes the name of a file. It is a word, so that no server leads out of the folder. */
export const PlainName = z.string().regex(/^\w+$/, "expected a word");

/** The path of a file in a backup, from the folder of its description on: no description leads out of the folder. */
export const PlainPath = z
  .string()
  .regex(/^\w[\w-]*(?:\.\w+)*(?:\/\w[\w-]*(?:\.\w+)*)*$/, "expected the path of a file");

const SavedTable = z.object({
  name: PlainName,
  /** The columns of a line's values, in order. */
  columns: z.array(z.string()),
  /** The columns that identify a row. */
  key: z.array(z.string()),
  rows: z.int(),
  /** The file of the table: JSON lists, a line each, compressed by gzip. */
  file: PlainPath,
  bytes: z.int(),
  sha256: z.string(),
});
export type SavedTable = z.output<typeof SavedTable>;

/** The description of a saved database. */
export const DatabaseManifest = z.object({
  format: z.literal(FORMAT),
  /** When the call began that ended the copy, by the clock of the machine that saved it: whatever was answered before is in the copy. */
  endedAt: z.string(),
  tables: z.array(SavedTable),
  /** The largest ids that tables have given away, where they exceed those of their rows. */
  counters: z.record(z.string(), z.int()),
  /** The ids of the keys with which values are encrypted; absent in databases that an earlier version has saved. */
  keyIds: z.array(z.string()).optional(),
});
export type DatabaseManifest = z.output<typeof DatabaseManifest>;
