/** A file of a bucket, as a list shows it. The ETag changes with each change of the file. */
export interface BucketFile {
  readonly key: string;
  readonly bytes: number;
  readonly etag: string;
}

/** A page of files whose keys begin alike, in the order of their keys. `cursor` gives the next page; absent on the last one. */
export interface BucketPage {
  readonly files: readonly BucketFile[];
  /** What the keys have up to the next slash, where the list ends at slashes. */
  readonly folders: readonly string[];
  readonly cursor?: string;
}

/** Bytes that are written piece by piece, so that no more than a piece is in memory. */
export interface Pieces {
  /** Their number in all. */
  readonly bytes: number;
  readonly all: () => Iterable<Uint8Array>;
}

/** The bucket of a deployment's backups. A file is there with all its bytes, or not at all. */
export interface BackupBucket {
  /** Puts a file in the place of an earlier one. Returns its ETag. */
  readonly put: (key: string, pieces: Pieces) => Promise<string>;
  /**
   * Puts a small file, unless somebody else has changed it meanwhile: `etag` is what it had when it was read, undefined for no file. Returns its
   * new ETag; undefined if it was changed.
   */
  readonly putIf: (
    key: string,
    content: string | Uint8Array,
    etag: string | undefined,
  ) => Promise<string | undefined>;
  /** The bytes of a small file, and its ETag; undefined if there is none. */
  readonly get: (
    key: string,
  ) => Promise<{ readonly bytes: Uint8Array; readonly etag: string } | undefined>;
  /** A file without its bytes; undefined if there is none. */
  readonly head: (key: string) => Promise<BucketFile | undefined>;
  /** A page of the files whose keys begin with `prefix`; with `isFolder`, those of the folder alone, and the names of folders in it. */
  readonly list: (
    prefix: string,
    options: { readonly isFolder: boolean; readonly cursor?: string | undefined },
  ) => Promise<BucketPage>;
  /** Deletes at most 1000 files; one that is not there is no error. */
  readonly remove: (keys: readonly string[]) => Promise<void>;
}

/** The most files that one call deletes. */
export const REMOVED_MAX = 1000;

const encoder = new TextEncoder();

/** A text or bytes as one piece. */
export function onePiece(content: string | Uint8Array): Pieces {
  const bytes = typeof content === "string" ? encoder.encode(content) : content;
  return { bytes: bytes.length, all: () => [bytes] };
}
