import type { LedgerPart } from "./part-list.ts";

/** A file of a backup, as its description has it. */
export interface DescribedFile {
  readonly file: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** A compressed file of a backup while it is written. It has another name until it is complete. */
export interface BackupFile {
  /** Writes bytes, and resolves when the next ones may come. */
  readonly write: (chunk: Uint8Array | string) => Promise<void>;
  /** Completes the file under a name. */
  readonly close: (file: string) => Promise<DescribedFile>;
  /** Gives a file up that is not complete. A complete one stays. */
  readonly destroy: () => void;
}

/** The place of a ledger's parts: a folder of a directory, or keys of a bucket with the same names. */
export interface PartFolder {
  /** The parts, from the first entry on. Throws `OperatorError` for a line of the list that describes none. */
  readonly parts: () => Promise<LedgerPart[]>;
  /** The SHA-256 over the lines of the first `count` parts, for a manifest: it covers all their files. */
  readonly hashOf: (count: number) => Promise<string>;
  /** Adds a part, whose files are complete, to the list. */
  readonly append: (part: LedgerPart) => Promise<void>;
  /** The size of a file in bytes; undefined where there is none. */
  readonly sizeOf: (file: string) => Promise<number | undefined>;
  /** Makes the folder ready for new files, and removes what a run has left that broke off. Complete files stay in any case. */
  readonly prepare: () => Promise<void>;
  /** Begins a file, whose name is `temporary` until it is complete. */
  readonly begin: (temporary: string) => BackupFile;
  /** Gives files their new names, `[from, to]` each. */
  readonly rename: (names: readonly (readonly [string, string])[]) => Promise<void>;
}
