import { z } from "zod";
import { PlainPath } from "./manifest.ts";

const SavedFile = z.object({ file: PlainPath, bytes: z.int(), sha256: z.string() });

/** A ledger of a snapshot. Its log is in the first `parts` parts of its folder. */
const SnapshotLedger = z.object({
  /** The name of the folder of its log, too. */
  uuid: z.uuid(),
  name: z.string(),
  bucket: z.string(),
  features: z.record(z.string(), z.string()),
  /** The id of the last entry; -1 for an empty log. */
  lastLogId: z.int(),
  lastHash: z.string(),
  entries: z.int(),
  /** The last entry whose event was published before the database was copied: later events are to be published again. */
  publishedLogId: z.int(),
  importedLogId: z.int().optional(),
  parts: z.int(),
  /** The SHA-256 over the descriptions of these parts. */
  partsSha256: z.string(),
});
export type SnapshotLedger = z.output<typeof SnapshotLedger>;

/** A ledger of a snapshot that could not be saved to its end: its folder has the first entries of its log, up to `lastLogId`, or none. */
const FailedLedger = SnapshotLedger.pick({
  uuid: true,
  name: true,
  lastLogId: true,
  lastHash: true,
  entries: true,
  publishedLogId: true,
  importedLogId: true,
  parts: true,
  partsSha256: true,
}).extend({
  /** Why, as a sentence. */
  reason: z.string(),
});
export type FailedLedger = z.output<typeof FailedLedger>;

/** An object that could not be copied, and why, as a sentence. */
const FailedObject = z.object({ object: z.string(), reason: z.string() });

/** The files that objects keep, in a list with a line for each; see `saving/kept-files.ts`. */
const SnapshotFiles = SavedFile.extend({
  /** The number of files in the list. */
  files: z.int(),
  /** How many files had gone when they were read. */
  gone: z.int(),
  /** The files that could not be read; absent where all were. */
  failed: z.array(FailedObject.extend({ class: z.string(), file: z.string() })).optional(),
});
export type SnapshotFiles = z.output<typeof SnapshotFiles>;

/** What a snapshot has, and of which moments. Times are those of the machine that made the backup. */
export const BackupManifest = z.object({
  format: z.literal(1),
  /** The commit of the server that was saved, if it is known, and the versions of its modules. */
  commit: z.string().optional(),
  versions: z.record(z.string(), z.string()),
  /** The id of the backup in the audit of the server. */
  backup: z.string(),
  /** The ids of backups that a long run has begun later, where it has. */
  laterBackups: z.array(z.string()).optional(),
  moments: z.object({
    began: z.string(),
    /** When it was read up to where events of ledgers were published. */
    published: z.string(),
    /** Everything that was answered before is in the database. */
    database: z.string(),
    /** Everything that was answered before is in the logs of the ledgers that the database has. */
    ledgers: z.string(),
    /** From when on objects were read, each as of a moment of its own. */
    objects: z.string(),
    ended: z.string(),
  }),
  /** The description of the saved database, in the folder `database`. */
  database: SavedFile,
  ledgers: z.array(SnapshotLedger),
  /** The ledgers that the database has, and that could not be saved to their ends; absent where all were. */
  failed: z.array(FailedLedger).optional(),
  /** The uuids of ledgers that the database has, and that were purged before their logs were read. */
  purged: z.array(z.string()),
  /** The objects outside of ledgers, in files in the folder `objects`. */
  objects: z.array(
    SavedFile.extend({
      class: z.string(),
      objects: z.int(),
      /** The objects of the class that could not be copied; absent where all were. */
      failed: z.array(FailedObject).optional(),
    }),
  ),
  /** The files that objects keep; absent in backups of earlier versions. */
  files: SnapshotFiles.optional(),
  /** The file with the keys; null if they are not in the backup. */
  keys: SavedFile.nullable(),
  /** The ids of the keys with which values of the database and of objects are encrypted. */
  keyIds: z.array(z.string()),
});
export type BackupManifest = z.output<typeof BackupManifest>;

/** The ledgers of which a snapshot has parts of logs. */
export const ledgersWithParts = ({
  ledgers,
  failed = [],
}: BackupManifest): Pick<SnapshotLedger, "uuid" | "name" | "parts" | "partsSha256">[] => [
  ...ledgers,
  ...failed,
];

/** What a snapshot lacks of a ledger that could not be saved. */
export function failureOfLedger({ name, lastLogId, reason }: FailedLedger): string {
  const saved = lastLogId < 0 ? "not saved" : `saved only up to entry ${lastLogId}`;
  return `The ledger '${name}' is ${saved}: ${reason}`;
}

/** What a snapshot lacks of the objects of a class, a sentence each. */
export const failuresOfClass = ({
  class: name,
  failed = [],
}: BackupManifest["objects"][number]): string[] =>
  failed.map(({ object, reason }) => `The object '${object}' of ${name} is not saved: ${reason}`);

/** What a snapshot lacks of the files that objects keep, a sentence each. */
export const failuresOfFiles = ({ files }: Pick<BackupManifest, "files">): string[] =>
  (files?.failed ?? []).map(
    ({ file, object, class: name, reason }) =>
      `The file '${file}' of the object '${object}' of ${name} is not saved: ${reason}`,
  );

/** What a snapshot lacks, a sentence each: what the server could not give. */
export const failuresOf = ({ failed = [], objects, files }: BackupManifest): string[] => [
  ...failed.map(failureOfLedger),
  ...objects.flatMap(failuresOfClass),
  ...failuresOfFiles({ files }),
];
