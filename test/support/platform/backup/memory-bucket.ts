import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { chunksOf } from "#platform/backup/saving/calls.ts";
import type { BackupBucket, BucketFile, Pieces } from "#platform/backup/scheduled/bucket.ts";

/** Files that a list gives at once. */
const PAGE = 3;

interface StoredFile {
  readonly bytes: Uint8Array;
  readonly etag: string;
}

/** A bucket in memory, with the conditions and pages of R2. `around` is called before and after each operation, and may throw or never resolve. */
export class MemoryBucket implements BackupBucket {
  readonly files = new Map<string, StoredFile>();
  around: (operation: string, key: string) => Promise<void> = async () => undefined;
  #versions = 0;

  async put(key: string, { bytes, all }: Pieces): Promise<string> {
    return this.#do("put", key, () => {
      const content = Buffer.concat([...all()]);
      if (content.length !== bytes) throw new Error(`${key} has ${content.length} bytes`);
      return this.#store(key, content);
    });
  }

  async putStream(
    key: string,
    {
      bytes,
      sha256,
      body,
    }: {
      readonly bytes: number;
      readonly sha256: string;
      readonly body: ReadableStream<Uint8Array> | null;
    },
  ): Promise<string | undefined> {
    const content = Buffer.concat(await Array.fromAsync(chunksOf(body)));
    const isSame = createHash("sha256").update(content).digest("hex") === sha256;
    return this.#do("putStream", key, () =>
      content.length === bytes && isSame ? this.#store(key, content) : undefined,
    );
  }

  async putIf(
    key: string,
    content: string | Uint8Array,
    etag: string | undefined,
  ): Promise<string | undefined> {
    return this.#do("putIf", key, () =>
      this.files.get(key)?.etag === etag ? this.#store(key, Buffer.from(content)) : undefined,
    );
  }

  async get(key: string): Promise<StoredFile | undefined> {
    return this.#do("get", key, () => this.files.get(key));
  }

  async head(key: string): Promise<BucketFile | undefined> {
    return this.#do("head", key, () => {
      const file = this.files.get(key);
      return file === undefined ? undefined : { key, bytes: file.bytes.length, etag: file.etag };
    });
  }

  async list(
    prefix: string,
    { isFolder, cursor = "" }: { readonly isFolder: boolean; readonly cursor?: string | undefined },
  ) {
    return this.#do("list", prefix, () => this.#list(prefix, { isFolder, cursor }));
  }

  #list(
    prefix: string,
    { isFolder, cursor }: { readonly isFolder: boolean; readonly cursor: string },
  ) {
    const keys = [...this.files.keys()].filter((key) => key.startsWith(prefix)).toSorted();
    const names = isFolder
      ? [...new Set(keys.map((key) => folderIn(key, prefix.length) ?? key))]
      : keys;
    const page = names.filter((name) => name > cursor).slice(0, PAGE);
    const files = page.flatMap((key): BucketFile[] => {
      const file = this.files.get(key);
      return file === undefined ? [] : [{ key, bytes: file.bytes.length, etag: file.etag }];
    });
    const folders = page.filter((name) => name.endsWith("/"));
    const last = page.at(-1);
    return last === undefined || names.at(-1) === last
      ? { files, folders }
      : { files, folders, cursor: last };
  }

  async remove(keys: readonly string[]): Promise<void> {
    await this.#do("remove", keys.join(), () => {
      for (const key of keys) this.files.delete(key);
    });
  }

  /** Writes all files into a folder, as a copy of a bucket does. */
  copyTo(folder: string): void {
    for (const [key, { bytes }] of this.files) {
      const path = join(folder, key);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, bytes);
    }
  }

  async #do<T>(operation: string, key: string, work: () => T): Promise<T> {
    await this.around(operation, key);
    const result = work();
    await this.around(operation, key);
    return result;
  }

  #store(key: string, bytes: Uint8Array): string {
    const etag = `etag-${++this.#versions}`;
    this.files.set(key, { bytes, etag });
    return etag;
  }
}

/** The key up to the first slash behind the prefix; undefined if there is none. */
function folderIn(key: string, from: number): string | undefined {
  const end = key.indexOf("/", from);
  return end === -1 ? undefined : key.slice(0, end + 1);
}
