import { SNAPSHOTS, snapshotsAmong } from "#platform/backup/saving/file-names.ts";
import { MANIFEST } from "#platform/backup/saving/manifest.ts";

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
   * Puts a file whose bytes come as a stream, in the place of an earlier one, and returns its ETag; undefined, and nothing is put, where their
   * number or their SHA-256 is another one.
   */
  readonly putStream: (
    key: string,
    content: {
      readonly bytes: number;
      readonly sha256: string;
      readonly body: ReadableStream<Uint8Array> | null;
    },
  ) => Promise<string | undefined>;
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

/** Bytes of pieces after which a step is asked again whether it is under way. */
const CHECKED_BYTES = 1_000_000;

/**
 * The bucket of a step, which may be asked only while the step is under way: a step that was given up because it took too long goes on as soon as
 * whoever it waits for answers, and would then write over what others have written since. Each operation throws then, also one that is answered
 * too late, so that nothing is noted of it.
 */
export function bucketOfStep(bucket: BackupBucket, isUnderWay: () => boolean): BackupBucket {
  const assertUnderWay = (): void => {
    if (!isUnderWay()) throw new Error("The step that asks the bucket was given up.");
  };
  const within = async <T>(work: () => Promise<T>): Promise<T> => {
    assertUnderWay();
    const answer = await work();
    assertUnderWay();
    return answer;
  };
  const piecesOf = function* (pieces: Pieces): Generator<Uint8Array> {
    let since = Infinity;
    for (const piece of pieces.all()) {
      // A manifest has a piece for each ledger, and the question costs a read of the object's storage.
      if (since >= CHECKED_BYTES) {
        assertUnderWay();
        since = 0;
      }
      since += piece.length;
      yield piece;
    }
  };
  return {
    put: (key, pieces) => within(() => bucket.put(key, { ...pieces, all: () => piecesOf(pieces) })),
    // The name of such a file is the hash of its bytes: a put that ends late writes what is there.
    putStream: (...file) => within(() => bucket.putStream(...file)),
    putIf: (...file) => within(() => bucket.putIf(...file)),
    get: (key) => within(() => bucket.get(key)),
    head: (key) => within(() => bucket.head(key)),
    list: (...page) => within(() => bucket.list(...page)),
    remove: (keys) => within(() => bucket.remove(keys)),
  };
}

/** The most files that one call deletes. */
export const REMOVED_MAX = 1000;

const encoder = new TextEncoder();

/** A text or bytes as one piece. */
export function onePiece(content: string | Uint8Array): Pieces {
  const bytes = typeof content === "string" ? encoder.encode(content) : content;
  return { bytes: bytes.length, all: () => [bytes] };
}

/** The names of the snapshots of a bucket, in the order in which they were made: those with a manifest, and those without one. */
export async function snapshotsIn(
  bucket: BackupBucket,
): Promise<{ readonly complete: readonly string[]; readonly incomplete: readonly string[] }> {
  const names: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await bucket.list(`${SNAPSHOTS}/`, { isFolder: true, cursor });
    names.push(...page.folders.map((folder) => folder.slice(SNAPSHOTS.length + 1, -1)));
    cursor = page.cursor;
  } while (cursor !== undefined);
  const complete: string[] = [];
  const incomplete: string[] = [];
  for (const name of snapshotsAmong(names)) {
    const manifest = await bucket.head(`${SNAPSHOTS}/${name}/${MANIFEST}`);
    (manifest === undefined ? incomplete : complete).push(name);
  }
  return { complete, incomplete };
}
