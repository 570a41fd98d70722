import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { constants, gzipSync } from "node:zlib";
import type { BackupBucket } from "./bucket.ts";
import type { DescribedFile } from "#platform/backup/saving/part-folder.ts";
import { stringifyJson } from "#platform/json.ts";

/** The values that an object keeps besides its tables. A value has at most 2 MB. */
export type KeptValues = Pick<SyncKvStorage, "get" | "put" | "delete">;

/** How far a staged file has come: the number of its complete members, and their bytes. */
interface StagedLength {
  readonly members: number;
  readonly bytes: number;
}

/** Characters of text after which a member is complete. */
const MEMBER_CHARACTERS = 512_000;
const VALUE_BYTES = 1_000_000;
const TAIL = "staged/tail";
const LENGTH = "staged/length";
const memberKey = (number: number): string => `staged/${number}`;

/** Compresses text as a whole member of a gzip file (RFC 1952): members one after the other are a file, too. */
export const toMember = (text: string | Uint8Array): Uint8Array =>
  // The texts of backups repeat themselves, so that a fast level leaves little to win for others.
  gzipSync(text, { level: constants.Z_BEST_SPEED });

/**
 * A compressed file that is written over many alarms. The object keeps its members, until it is put into the bucket at once, so that a crash
 * leaves nothing in the bucket that is no file:
 *
 *     lines ─► tail ─► 512 KB are there ─► member 0, member 1, … ─► close: one put, with the hash of all bytes
 *
 * One file is staged at a time. `append` and `clear` only write into the object, so that they are one change together with the caller's own.
 */
export class StagedFile {
  readonly #kv: KeptValues;

  constructor(kv: KeptValues) {
    this.#kv = kv;
  }

  append(text: string): void {
    const tail = (this.#kv.get<string>(TAIL) ?? "") + text;
    if (tail.length < MEMBER_CHARACTERS) return this.#kv.put(TAIL, tail);
    this.#kv.delete(TAIL);
    this.#add(toMember(tail));
  }

  /** Puts the file into a folder of the bucket. It may be called again after a crash. */
  async close(bucket: BackupBucket, folder: string, file: string): Promise<DescribedFile> {
    const { members, bytes: before } = this.#length;
    const last = toMember(this.#kv.get<string>(TAIL) ?? "");
    const all = (): Iterable<Uint8Array> => this.#pieces(members, last);
    const bytes = before + last.length;
    const hash = createHash("sha256");
    for (const piece of all()) hash.update(piece);
    await bucket.put(`${folder}/${file}`, { bytes, all });
    return { file, bytes, sha256: hash.digest("hex") };
  }

  /** Forgets the staged file, which is in the bucket, or was given up. */
  clear(): void {
    const { members } = this.#length;
    this.#kv.delete(TAIL);
    this.#kv.delete(LENGTH);
    for (let number = 0; number < members; number++) this.#kv.delete(memberKey(number));
  }

  get #length(): StagedLength {
    return this.#kv.get<StagedLength>(LENGTH) ?? { members: 0, bytes: 0 };
  }

  /** Keeps a member in values of at most a megabyte. */
  #add(member: Uint8Array): void {
    const { members, bytes } = this.#length;
    let number = members;
    for (let from = 0; from < member.length; from += VALUE_BYTES) {
      this.#kv.put(memberKey(number++), member.slice(from, from + VALUE_BYTES));
    }
    this.#kv.put(LENGTH, { members: number, bytes: bytes + member.length } satisfies StagedLength);
  }

  *#pieces(members: number, last: Uint8Array): Generator<Uint8Array> {
    for (let number = 0; number < members; number++) {
      const member = this.#kv.get<Uint8Array>(memberKey(number));
      if (member === undefined) throw new Error(`the staged file has lost its member ${number}`);
      yield member;
    }
    yield last;
  }
}

/** A value as the text of a file, with its description. */
export function describeText(
  file: string,
  value: unknown,
): DescribedFile & { readonly text: string } {
  const text = `${stringifyJson(value)}\n`;
  const sha256 = createHash("sha256").update(text).digest("hex");
  return { file, bytes: Buffer.byteLength(text), sha256, text };
}
