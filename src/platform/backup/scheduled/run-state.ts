import type { BackupBucket } from "./bucket.ts";
import type { KnownFiles } from "./known-files.ts";
import type { RunFiles } from "./run-files.ts";
import type { RunLedgers } from "./run-ledgers.ts";
import type { RunPlaces } from "./run-places.ts";
import type { KeptValues, StagedFile } from "./staged-file.ts";
import type { BackupManifest } from "#platform/backup/saving/backup-manifest.ts";
import type { BackupReads } from "#platform/backup/saving/calls.ts";
import type { CopiedPlace } from "#platform/backup/saving/copied-objects.ts";
import type { CopiedTables, CopyPlace } from "#platform/backup/saving/copy-tables.ts";
import type { NextFiles } from "#platform/backup/saving/kept-files.ts";
import type { SavedTable } from "#platform/backup/saving/manifest.ts";
import type { DescribedFile } from "#platform/backup/saving/part-folder.ts";
import type { RowPlace, SavedRows } from "#platform/backup/saving/saved-rows.ts";
import type { DeploymentKeys } from "#platform/backup/saving/wrapped-keys.ts";
import type { Sql } from "#platform/sql/sql.ts";

/** The number of the form of a stored run. A run of another form, which an earlier version of the code has begun, is begun anew. */
export const RUN_FORM = 2;

/** The key of the value of the object that names the first snapshot from which on it knows the ledgers of all snapshots in the bucket. */
export const KNOWN_FROM = "known-from";

/** The rows of a table while they are written into its file. */
export interface WrittenTable {
  /** The place of the table among those that were copied. */
  readonly index: number;
  readonly rows: number;
  readonly after?: RowPlace | undefined;
}

/** What an object's copy has come to: its tables are read, or were, and are written. */
export type CopiedObjectProgress = { readonly name: string; readonly tries: number } & (
  | { readonly place: CopyPlace }
  | { readonly copied: CopiedTables; readonly written?: WrittenTable }
);

/** The file of a class of objects while it is written. */
export interface WrittenClass {
  readonly class: string;
  readonly objects: number;
}

/**
 * What a run does next. Each stage is a series of short steps, and a step that is done again after a crash does no harm:
 *
 *     begin       the owner of the bucket, a name        compare     all logs continue what was saved
 *     files       what the bucket has                    logs        new parts
 *     heads       the events that are out                kept-files  which files objects keep
 *     copy        rows of the database                   bytes       those that the bucket does not have
 *     server      the same one as before?                file-list   the list of all
 *     catalogue   ledgers to save                        places      which objects there are
 *     tables      a file for each table                  objects     tables of each, a file for each class
 *     ends        how far logs go now                    manifest    keys; the manifest is last
 *       └─► compare                                      prune       older snapshots go
 */
export type RunStage =
  | { readonly name: "begin" }
  | {
      readonly name: "files";
      /** The files of objects are listed behind those of ledgers. */
      readonly of?: "objects" | undefined;
      readonly after: string;
      readonly cursor?: string | undefined;
    }
  | { readonly name: "heads"; readonly after: number }
  | { readonly name: "copy"; readonly tries: number; readonly place?: CopyPlace }
  | { readonly name: "server"; readonly copied: CopiedTables }
  | { readonly name: "catalogue"; readonly copied: CopiedTables; readonly after?: RowPlace }
  | {
      readonly name: "tables";
      readonly copied: CopiedTables;
      readonly written: WrittenTable;
    }
  | { readonly name: "ends"; readonly after: number }
  | { readonly name: "compare"; readonly after: number }
  | { readonly name: "logs"; readonly after: number; readonly isReady: boolean }
  | { readonly name: "kept-files"; readonly next?: NextFiles | undefined }
  | { readonly name: "bytes"; readonly after: number }
  | { readonly name: "file-list"; readonly after: number }
  | { readonly name: "places"; readonly next?: CopiedPlace | undefined }
  | {
      readonly name: "objects";
      readonly after: CopiedPlace;
      readonly writing?: WrittenClass | undefined;
      readonly object?: CopiedObjectProgress | undefined;
    }
  | { readonly name: "manifest" }
  | { readonly name: "prune" };

/** What a run has found out. */
export interface RunFacts {
  readonly began: string;
  /** The id of the claim to its bucket, by which the bucket is known. */
  readonly claim?: string;
  /** The name of its snapshot, and of the last complete one before it. */
  readonly snapshot: string;
  readonly last?: string | undefined;
  /** The backups that were begun in the audit, and when the last one was, in milliseconds since the epoch. */
  readonly session?: { readonly ids: readonly string[]; readonly begunMs: number };
  readonly versions?: Pick<BackupManifest, "commit" | "versions">;
  readonly moments: Partial<BackupManifest["moments"]>;
  readonly tables: readonly SavedTable[];
  readonly database?: DescribedFile;
  /** The files of classes of objects. The places of the run have the objects that have failed, of which there may be many. */
  readonly classes: readonly Omit<BackupManifest["objects"][number], "failed">[];
  /** The list of the files that objects keep. */
  readonly files?: Omit<NonNullable<BackupManifest["files"]>, "failed">;
  readonly keyIds: readonly string[];
  /** Entries of logs that the run has added. */
  readonly added: number;
  /** The hash of the manifest, and what the snapshot lacks, once it is complete. */
  readonly sha256?: string;
  readonly lacks?: number;
}

/** What a step has come to. It is made in the same change of the object's storage in which it is stored. */
export type Finish = () => {
  readonly stage: RunStage | undefined;
  readonly facts?: Partial<RunFacts>;
};

/** What a run works with. */
export interface RunTools {
  readonly sql: Sql;
  readonly kv: KeptValues;
  readonly bucket: BackupBucket;
  /** The operations of the deployment; those that need a backup that has begun get its id by `sessionOf`. */
  readonly reads: BackupReads;
  readonly nowMs: () => number;
  /** The identity of the deployment, as the bucket names its owner. */
  readonly owner: string;
  /** The keys of the deployment, and the public key in PEM to which they are wrapped; undefined for a backup without them. */
  readonly keys: { readonly keys: DeploymentKeys; readonly publicKey: string } | undefined;
  /** How often the present step has failed in a row. */
  readonly failures: number;
  /** How many snapshots are kept. */
  readonly kept: number;
  /** The name of the last snapshot that this object has completed; undefined for none. */
  readonly lastComplete: string | undefined;
  readonly rows: SavedRows;
  readonly known: KnownFiles;
  readonly ledgers: RunLedgers;
  readonly places: RunPlaces;
  readonly files: RunFiles;
  readonly staged: StagedFile;
}

/** A run at one of its stages. */
export interface RunAt<S extends RunStage["name"]> {
  readonly tools: RunTools;
  readonly facts: RunFacts;
  readonly stage: Extract<RunStage, { readonly name: S }>;
}
