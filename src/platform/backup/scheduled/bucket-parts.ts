import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { type BackupBucket, onePiece } from "./bucket.ts";
import type { KnownFiles } from "./known-files.ts";
import { toMember } from "./staged-file.ts";
import { LEDGERS } from "#platform/backup/saving/file-names.ts";
import type { BackupFile, DescribedFile, PartFolder } from "#platform/backup/saving/part-folder.ts";
import { hashOfList, lineOfPart, PARTS, partsOf } from "#platform/backup/saving/part-list.ts";
import { OperatorError } from "#platform/errors.ts";

/** Bytes of text that are compressed as a member of the file: exactly as many, so that the same text is the same file, however it comes in. */
const MEMBER_BYTES = 1_000_000;

/** The folder of a ledger's parts in the bucket. */
export const folderOfLedger = (uuid: string): string => `${LEDGERS}/${uuid}`;

/** The list of a ledger's parts in the bucket. */
export const listOfParts = (uuid: string): string => `${folderOfLedger(uuid)}/${PARTS}`;

/** The parts of a ledger in the bucket. A file that the list names is replaced only by itself (`rename`), where it is lost or has another size. */
export function bucketParts(bucket: BackupBucket, known: KnownFiles, uuid: string): PartFolder {
  const folder = folderOfLedger(uuid);
  const list = listOfParts(uuid);
  const keyOf = (file: string): string => `${folder}/${file}`;
  return {
    parts: async () => partsOf((await known.textOf(list)).text, list),
    hashOf: async (count) => hashOfList((await known.textOf(list)).text, count),
    append: async (part) => {
      const { text, etag: before } = await known.textOf(list);
      const last = partsOf(text, list).at(-1);
      if (last !== undefined && last.to >= part.from)
        throw new Error(
          `${list} has entries up to ${last.to}, so that none from ${part.from} on follow.`,
        );
      const longer = text + lineOfPart(part);
      const etag = await bucket.putIf(list, longer, before);
      if (etag === undefined) {
        await known.readAgain(list);
        // It is the line of a process that has ended behind its put, or somebody else's, which the comparison of the log finds.
        throw new Error(`${list} was changed since it was read, and was read again.`);
      }
      known.note({ key: list, bytes: Buffer.byteLength(longer), etag }, longer);
    },
    // The bucket may have a file that a process has put in its last moment.
    sizeOf: async (file) => known.sizeOf(keyOf(file)) ?? (await bucket.head(keyOf(file)))?.bytes,
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

/** A compressed file of a part. It is in memory, some megabytes at most, until it is complete: what a crash leaves is nothing, or a whole file. */
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
    for (let left = Buffer.from(chunk); left.length > 0;) {
      const piece = left.subarray(0, MEMBER_BYTES - this.#bytes);
      left = left.subarray(piece.length);
      this.#text.push(piece);
      this.#bytes += piece.length;
      if (this.#bytes === MEMBER_BYTES) this.#compress();
    }
  }

  async close(file: string): Promise<DescribedFile> {
    if (this.#bytes > 0 || this.#members.length === 0) this.#compress();
    const bytes = Buffer.concat(this.#members);
    const key = `${this.#folder}/${file}`;
    const etag = await putNew(this.#bucket, key, bytes);
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

/** Puts a file that the list does not name. One that is there was left by a process that has ended: it stays if it is the same. Returns the ETag. */
async function putNew(bucket: BackupBucket, key: string, bytes: Uint8Array): Promise<string> {
  const etag = await bucket.putIf(key, bytes, undefined);
  if (etag !== undefined) return etag;
  const found = await bucket.get(key);
  if (found !== undefined && Buffer.compare(found.bytes, bytes) === 0) return found.etag;
  const replaced = await bucket.putIf(key, bytes, found?.etag);
  if (replaced === undefined) throw new Error(`${key} was changed while it was written.`);
  return replaced;
}
