import type { Metadata, Transaction } from "./types.ts";
import { POSTINGS_MAX } from "#numscript";
import { AppError } from "#platform/errors.ts";

/** Longest amount, in decimal digits. */
export const AMOUNT_DIGITS_MAX = 1000;
/** Longest reference, in characters. */
export const REFERENCE_LENGTH_MAX = 1024;
/** Longest idempotency key, in characters. */
export const IDEMPOTENCY_KEY_LENGTH_MAX = 255;
/** Largest metadata of one account or transaction, keys and values, in bytes of JSON. */
export const METADATA_BYTES_MAX = 65_536;
/** Largest metadata, in bytes of JSON, of all accounts together whose metadata one transaction changes. */
export const ACCOUNTS_METADATA_BYTES_MAX = 8_000_000;
/** Largest number of postings of one transaction. */
export { POSTINGS_MAX };
/** Most assets of a ledger: an account may hold each of them, and is read with all its volumes. */
export const ASSETS_MAX = 10_000;
/** Largest event of a transaction, in bytes of JSON. An event is stored in one row, which holds 2 MB. */
export const EVENT_BYTES_MAX = 600_000;
/**
 * Largest event of a revert, in bytes of JSON. The event also contains the reverted transaction, whose volumes may have grown
 * since it was committed.
 */
export const REVERT_BYTES_MAX = 1_500_000;
/** Largest page, in bytes of JSON. A page that would be larger ends early, but has at least one item. */
export const PAGE_BYTES_MAX = 8_000_000;
/** Most work of the scripts, back-dated transactions and metadata of one bulk, in steps, which take about two seconds. */
export const BULK_STEPS_MAX = 2_000_000;
/**
 * Most rows that a list tries in one turn of a ledger, with a filter of few tests. After them, the list continues in another
 * turn.
 */
export const ROWS_TRIED_MAX = 20_000;
/** Largest answer to a bulk, in bytes of JSON. The answer of an object may have at most 32 MiB. */
export const BULK_ANSWER_BYTES_MAX = 16_000_000;

/**
 * The limits of imported entries that are wider than the limits of writes: the reference server has none of them, and its entries
 * cannot be refused one by one. A row may have 2 MB. The row of a transaction holds its payload and, after a change of its metadata,
 * the metadata once more.
 */
export const IMPORTED = {
  /** The reference server indexes addresses and references, in rows of 2,704 bytes after compression. */
  addressLength: 8192,
  referenceLength: 8192,
  metadataBytes: 400_000,
  postings: 20_000,
  transactionBytes: 1_400_000,
  /** The payload of a revert does not contain the reverted transaction. */
  revertBytes: 2_800_000,
} as const;

/**
 * Takes a sentence about a value that is beyond the limit of writes, and within the limit of imports. Without such a function, the
 * value is refused.
 */
export type Note = (sentence: string) => void;

interface Limited {
  readonly size: number;
  /** The limit of writes. */
  readonly own: number;
  /** The limit of imported entries. */
  readonly imported: number;
  /** The sentence about a value that is larger than `most`. */
  readonly problem: (most: number) => string;
}

function assertLimit({ size, own, imported, problem }: Limited, note: Note | undefined): void {
  if (size <= own) return;
  const most = note === undefined ? own : imported;
  if (size > most || note === undefined) throw new AppError("VALIDATION", problem(most));
  note(problem(own));
}

export const assertReference = (reference: string, note?: Note): void =>
  assertLimit(
    {
      size: reference.length,
      own: REFERENCE_LENGTH_MAX,
      imported: IMPORTED.referenceLength,
      problem: (most) => `the reference is longer than ${most} characters`,
    },
    note,
  );

export const assertMetadata = (metadata: Metadata, note?: Note): void =>
  assertLimit(
    {
      size: metadataBytes(metadata),
      own: METADATA_BYTES_MAX,
      imported: IMPORTED.metadataBytes,
      problem: (most) => `the metadata is larger than ${most} bytes`,
    },
    note,
  );

export const assertPostings = (count: number, note?: Note): void =>
  assertLimit(
    {
      size: count,
      own: POSTINGS_MAX,
      imported: IMPORTED.postings,
      problem: (most) => `there are more than ${most} postings`,
    },
    note,
  );

/** Throws `VALIDATION` if the event of a new transaction, with its volumes, would exceed the limit. */
export function assertEventSize(
  transaction: Sized,
  accountMetadata: Readonly<Record<string, Metadata>>,
  note?: Note,
): void {
  const size = transactionBytes(transaction) + accountMetadataBytes(accountMetadata);
  const imported = IMPORTED.transactionBytes;
  assertLimit(
    { size, own: EVENT_BYTES_MAX, imported, problem: tooLarge("transaction", size) },
    note,
  );
}

/** Throws `VALIDATION` if the event of a revert, with both transactions and their volumes, would exceed the limit. */
export function assertRevertSize(revert: Sized, reverted: Sized, note?: Note): void {
  const size = transactionBytes(revert) + transactionBytes(reverted);
  const imported = IMPORTED.revertBytes;
  assertLimit({ size, own: REVERT_BYTES_MAX, imported, problem: tooLarge("revert", size) }, note);
}

/** The fields that determine the size of a transaction. */
export type Sized = Pick<Transaction, "postings" | "metadata" | "volumes">;

/** The approximate size of a transaction as JSON with all its volumes, in bytes. */
export function transactionBytes({ postings, metadata, volumes = [] }: Sized): number {
  let bytes = metadataBytes(metadata);
  for (const { source, destination, asset, amount } of postings) {
    bytes += source.length + destination.length + asset.length + digits(amount) + POSTING_BYTES;
  }
  for (const { account, asset, input, output } of volumes) {
    const volume = 2 * (digits(input) + digits(output)) + VOLUME_BYTES;
    bytes += VOLUME_MAPS * (account.length + asset.length + volume);
  }
  return bytes;
}

export function accountMetadataBytes(accountMetadata: Readonly<Record<string, Metadata>>): number {
  let bytes = 0;
  for (const [address, metadata] of Object.entries(accountMetadata)) {
    bytes += address.length + metadataBytes(metadata) + MEMBER_BYTES;
  }
  return bytes;
}

const tooLarge =
  (what: string, bytes: number) =>
  (most: number): string =>
    `the ${what} is too large: with its volumes it takes ${bytes} bytes, and ${most} are allowed`;

/** The number of maps of volumes in an event: before and after, each by insertion and by effective date. */
const VOLUME_MAPS = 4;
/** The bytes of a posting, and of an entry of a map of volumes, without their texts and numbers. */
const POSTING_BYTES = 56;
const VOLUME_BYTES = 48;

const SAFE_DIGITS = 16;
const SAFE_MAX = BigInt(Number.MAX_SAFE_INTEGER);
/** The number of decimal digits, at least `SAFE_DIGITS`. Comparing an amount takes less than half of the time of converting it. */
const digits = (amount: bigint): number =>
  amount <= SAFE_MAX ? SAFE_DIGITS : amount.toString().length;

/** The size of metadata as JSON, in bytes. Very large metadata is not measured to the end. */
export function metadataBytes(metadata: Metadata): number {
  let bytes = 0;
  for (const key of Object.keys(metadata)) {
    bytes += jsonBytes(key) + jsonBytes(metadata[key] ?? "") + MEMBER_BYTES;
    // The size exceeds all limits of writes, so that its exact value does not matter.
    if (bytes > REVERT_BYTES_MAX) break;
  }
  return bytes;
}

/** The bytes of the quotes, colon and comma of a member. */
const MEMBER_BYTES = 6;

/** The UTF-8 length of a text inside JSON, where control characters take six bytes and other characters up to four. */
function jsonBytes(text: string): number {
  let bytes = 0;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit < 0x20) bytes += 6;
    else if (unit === 0x22 || unit === 0x5c) bytes += 2;
    else if (unit < 0x80) bytes += 1;
    else bytes += unit < 0x800 || isSurrogate(unit) ? 2 : 3;
  }
  return bytes;
}

/** Whether a UTF-16 unit is half of a character that takes four bytes in UTF-8. */
const isSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdfff;

/** The number of first items that have at most `bytesMax` bytes together, but at least one. */
export function countWithin<T>(
  items: readonly T[],
  bytesMax: number,
  sizeOf: (item: T) => number,
): number {
  let bytes = 0;
  const over = items.findIndex((item, index) => {
    bytes += sizeOf(item);
    return index > 0 && bytes > bytesMax;
  });
  return over === -1 ? items.length : over;
}
