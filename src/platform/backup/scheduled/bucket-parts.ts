import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { type BackupBucket, onePiece } from "./bucket.ts";
import type { KnownFiles } from "./known-files.ts";
import { toMember } from "./staged-file.ts";
import { LEDGERS } from "#platform/backup/saving/file-names.ts";
import type { BackupFile, DescribedFile, PartFolder } from "#platform/backup/saving/part-folder.ts";
import { hashOfList, lineOfPart, PARTS, partsOf } from "#platform/backup/saving/part-list.ts";
import { OperatorError } from "#platform/errors.ts";

/** Characters of text after which they are compressed as a member of the file. */
const MEMBER_CHARACTERS = 1_000_000;

/** The folder of a ledger's parts in the bucket. */
export const folderOfLedger = (uuid: string): string => `${LEDGERS}/${uuid}`;

/** The parts of a ledger in the bucket. */
export function bucketParts(bucket: BackupBucket, known: KnownFiles, uuid: string): PartFolder {
  const folder = folderOfLedger(uuid);
  const list = `${folder}/${PARTS}`;
  const keyOf = (file: string): string => `${folder}/${file}`;
  return {
    parts: async () => partsOf((await known.textOf(list)).text, list),
    hashOf: async (count) => hashOfList((await known.textOf(list)).text, count),
    append: async (part) => {
      const { text, etag: before } = await known.textOf(list);
      const longer = text + lineOfPart(part);
      const etag = await bucket.putIf(list, longer, before);
      if (etag === undefined) {
        await known.readAgain(list);
        // It is the line of a process that has ended behind its put, or somebody else's, which the comparison of the log finds.
        throw new Error(`${list} was changed since it was read, and was read again.`);
      }
      known.note({ key: list, bytes: Buffer.byteLength(longer), etag }, longer);
    },
    sizeOf: async (file) => known.sizeOf(keyOf(file)),
    prepare: async () => {
      const left = known.keysBelow(`${folder}/`).filter((key) => key.endsWith(".partial"));
      if (left.length === 0) return;
      await bucket.remove(left);
      for (const key of left) known.forget(key);
    },
    begin: () => new PartFile(bucket, known, folder),
    rename: async (names) => {
      for (const [from, to] of names) {
        const found = await bucket.get(keyOf(from));
        if (found === undefined) throw new OperatorError(`${keyOf(from)} is lost.`);
        const etag = await bucket.put(keyOf(to), onePiece(found.bytes));
        known.note({ key: keyOf(to), bytes: found.bytes.length, etag });
        await bucket.remove([keyOf(from)]);
        known.forget(keyOf(from));
      }
    },
  };
}

/** A compressed file of a part. It is in memory, some megabytes at most, until it is complete: what a crash leaves is nothing. */
class PartFile implements BackupFile {
  readonly #bucket: BackupBucket;
  readonly #known: KnownFiles;
  readonly #folder: string;
  readonly #members: Uint8Array[] = [];
  #text: Uint8Array[] = [];
  #bytes = 0;

  constructor(bucket: BackupBucket, known: KnownFiles, folder: string) {
    this.#bucket = bucket;
    this.#known = known;
    this.#folder = folder;
  }

  async write(chunk: Uint8Array | string): Promise<void> {
    const bytes = Buffer.from(chunk);
    this.#text.push(bytes);
    this.#bytes += bytes.length;
    if (this.#bytes >= MEMBER_CHARACTERS) this.#compress();
  }

  async close(file: string): Promise<DescribedFile> {
    if (this.#bytes > 0 || this.#members.length === 0) this.#compress();
    const bytes = Buffer.concat(this.#members);
    const key = `${this.#folder}/${file}`;
    const etag = await this.#bucket.put(key, onePiece(bytes));
    this.#known.note({ key, bytes: bytes.length, etag });
    return { file, bytes: bytes.length, sha256: createHash("sha256").update(bytes).digest("hex") };
  }

  destroy(): void {
    this.#text = [];
    this.#members.length = 0;
  }

  #compress(): void {
    this.#members.push(toMember(Buffer.concat(this.#text)));
    this.#text = [];
    this.#bytes = 0;
  }
}
