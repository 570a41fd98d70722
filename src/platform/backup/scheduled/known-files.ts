import type { BackupBucket, BucketFile, BucketPage } from "./bucket.ts";
import type { Sql } from "#platform/sql/sql.ts";

/**
 * What the bucket has of ledgers and of the files of objects, so that a run which finds nothing new reads nothing: the sizes and ETags of all
 * files, as the last list showed them, and the texts of lists of parts as long as their ETags are the same. It may be lost: the next list has
 * all of it again.
 */
export class KnownFiles {
  readonly #sql: Sql;
  readonly #bucket: BackupBucket;

  constructor(sql: Sql, bucket: BackupBucket) {
    this.#sql = sql;
    this.#bucket = bucket;
  }

  /** Reads the next page of the list of all files of a folder, and forgets those behind `after` that it does not have. */
  async listNext(
    folder: string,
    { after, cursor }: { readonly after: string; readonly cursor?: string | undefined },
  ): Promise<{ readonly after: string; readonly cursor?: string }> {
    const prefix = `${folder}/`;
    const from = after === "" ? prefix : after;
    const page = await this.#bucket.list(prefix, { isFolder: false, cursor });
    const upTo = page.cursor === undefined ? prefix + END : (page.files.at(-1)?.key ?? from);
    this.#sql.transaction(() => this.#replace(page, from, upTo));
    return page.cursor === undefined ? { after: upTo } : { after: upTo, cursor: page.cursor };
  }

  #replace({ files }: BucketPage, after: string, upTo: string): void {
    const known = new Map(
      this.#sql
        .all<{ key: string; bytes: number; etag: string }>(
          "SELECT key, bytes, etag FROM bucket_file WHERE key > ? AND key <= ?",
          after,
          upTo,
        )
        .map((file) => [file.key, file]),
    );
    for (const file of files) {
      const before = known.get(file.key);
      if (before?.etag !== file.etag || before.bytes !== file.bytes) this.note(file);
      known.delete(file.key);
    }
    for (const key of known.keys()) this.forget(key);
  }

  sizeOf(key: string): number | undefined {
    const [row] = this.#sql.all<{ bytes: number }>(
      "SELECT bytes FROM bucket_file WHERE key = ?",
      key,
    );
    return row?.bytes;
  }

  /** The keys that begin with `prefix`. */
  keysBelow(prefix: string): string[] {
    return this.#sql
      .all<{ key: string }>(
        "SELECT key FROM bucket_file WHERE key >= ? AND key < ?",
        prefix,
        `${prefix}${END}`,
      )
      .map(({ key }) => key);
  }

  /** The text of a small file, and its ETag; an empty text without one if there is no file. */
  async textOf(key: string): Promise<{ readonly text: string; readonly etag?: string }> {
    const [row] = this.#sql.all<{ etag: string; text: string | null }>(
      "SELECT etag, text FROM bucket_file WHERE key = ?",
      key,
    );
    if (row === undefined) return { text: "" };
    return row.text === null ? this.readAgain(key) : { text: row.text, etag: row.etag };
  }

  /** Reads the text of a small file from the bucket, whatever is known of it. */
  async readAgain(key: string): Promise<{ readonly text: string; readonly etag?: string }> {
    const found = await this.#bucket.get(key);
    if (found === undefined) {
      this.forget(key);
      return { text: "" };
    }
    const { bytes, etag } = found;
    const text = new TextDecoder().decode(bytes);
    this.note({ key, bytes: bytes.length, etag }, text);
    return { text, etag };
  }

  /** Notes a file that is in the bucket. */
  note({ key, bytes, etag }: BucketFile, text: string | null = null): void {
    // A longer text than a value of SQLite holds is read from the bucket each time.
    const kept = text === null || text.length > TEXT_MAX ? null : text;
    this.#sql.all("INSERT OR REPLACE INTO bucket_file VALUES (?, ?, ?, ?)", key, bytes, etag, kept);
  }

  forget(key: string): void {
    this.#sql.all("DELETE FROM bucket_file WHERE key = ?", key);
  }
}

/** Comes after all characters of keys. */
const END = "\u{10FFFF}";
const TEXT_MAX = 500_000;
