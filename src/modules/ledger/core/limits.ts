import { AppError } from "../../../platform/errors.ts";
import type { Metadata, Posting } from "./types.ts";

/** Longest amount, in decimal digits. */
export const AMOUNT_DIGITS_MAX = 1000;
/** Longest reference, idempotency key and metadata key, in characters. */
export const REFERENCE_LENGTH_MAX = 1024;
export const IDEMPOTENCY_KEY_LENGTH_MAX = 255;
/** Most text that the metadata of one account or transaction may hold, keys and values, in characters. */
export const METADATA_LENGTH_MAX = 65_536;
/** Most text that the postings and the account metadata of one transaction may hold: its event stays below 1 MB. */
export const TRANSACTION_LENGTH_MAX = 400_000;

/** How much of an event each posting takes besides its texts: keys, and what it adds to four volume maps. */
const POSTING_OVERHEAD = 400;

const tooLong = (what: string, most: number): AppError =>
  new AppError("VALIDATION", `${what} is longer than ${most} characters`);

export function assertReference(reference: string): void {
  if (reference.length > REFERENCE_LENGTH_MAX) {
    throw tooLong("the reference", REFERENCE_LENGTH_MAX);
  }
}

export function assertMetadata(metadata: Metadata): void {
  if (lengthOf(metadata) > METADATA_LENGTH_MAX) throw tooLong("the metadata", METADATA_LENGTH_MAX);
}

/** Bounds a whole transaction, so that its log entry fits a row and its event a message. */
export function assertTransactionSize(
  postings: readonly Posting[],
  accountMetadata: Readonly<Record<string, Metadata>>,
): void {
  let length = 0;
  for (const { source, destination, asset, amount } of postings) {
    length += 5 * (source.length + destination.length + 2 * asset.length) + POSTING_OVERHEAD;
    if (amount > Number.MAX_SAFE_INTEGER) length += 12 * amount.toString().length;
  }
  for (const [address, metadata] of Object.entries(accountMetadata)) {
    length += address.length + lengthOf(metadata);
  }
  if (length > TRANSACTION_LENGTH_MAX) {
    throw new AppError(
      "VALIDATION",
      `the transaction is too large: it counts ${length} characters with its volumes, the most is ${TRANSACTION_LENGTH_MAX}`,
    );
  }
}

function lengthOf(metadata: Metadata): number {
  let length = 0;
  for (const [key, value] of Object.entries(metadata)) length += key.length + value.length;
  return length;
}
