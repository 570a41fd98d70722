import type { ledgerSettings } from "#modules/ledger/settings.ts";
import { AppError } from "#platform/errors.ts";
import { BODY_BYTES_MAX } from "#platform/http/body.ts";
import type { SettingsOf } from "#platform/settings.ts";

/** Most elements of one stream. For each element, its log id or its error is held until the answer is written. */
export const STREAM_ELEMENTS_MAX = 100_000;
/** Most characters of the messages of failed elements that are held until the answer is written. */
export const FAILURES_LENGTH_MAX = 16_000_000;
/** Largest element of a stream in bytes, which is the largest body of a request that makes one change. */
export const ELEMENT_BYTES_MAX = BODY_BYTES_MAX;
/** Longest line of a script stream in bytes, without its end. */
export const SCRIPT_LINE_BYTES_MAX = 64 * 1024;
/** Most elements and bytes that one call sends to the ledger. A single element may be larger. */
export const BATCH_ELEMENTS_MAX = 500;
export const BATCH_BYTES_MAX = 1024 * 1024;
/**
 * Most entries and bytes of one call of an import. Entries of a call are stored together, and the more there are, the more of their rows
 * share a page of the database. No client writes to the ledger meanwhile, so that no write waits; a read may wait for some 0.1 s.
 */
export const IMPORT_ENTRIES_MAX = 4000;
export const IMPORT_BYTES_MAX = 4 * 1024 * 1024;
/** Most elements and bytes of an atomic stream, which is executed in one call. */
export const ATOMIC_ELEMENTS_MAX = 10_000;
export const ATOMIC_BYTES_MAX = 8 * 1024 * 1024;
/** Most results in a page of the answer. */
export const PAGE_RESULTS_MAX = 500;

export type BulkSettings = Pick<SettingsOf<typeof ledgerSettings>, "FLORIN_BULK_MAX_SIZE">;

/** The elements of a bulk that comes as a whole. Throws `BULK_SIZE_EXCEEDED` for more elements than the deployment takes. */
export function bounded<T>(elements: readonly T[], settings: BulkSettings): readonly T[] {
  const { FLORIN_BULK_MAX_SIZE: most } = settings;
  if (elements.length <= most) return elements;
  throw new AppError("BULK_SIZE_EXCEEDED", `bulk size exceeded, max size is ${most}`);
}
