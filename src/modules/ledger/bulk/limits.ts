import type { ledgerSettings } from "#modules/ledger/settings.ts";
import { AppError } from "#platform/errors.ts";
import { BODY_BYTES_MAX } from "#platform/http/body.ts";
import type { SettingsOf } from "#platform/settings.ts";

/** Most elements of one stream: for each, its log id or its error is held until the answer is written. */
export const STREAM_ELEMENTS_MAX = 100_000;
/** Most text of failed elements that is held until then, in characters of their messages. */
export const FAILURES_LENGTH_MAX = 16_000_000;
/** Largest element of a stream in bytes: the largest body of a request that makes one change. */
export const ELEMENT_BYTES_MAX = BODY_BYTES_MAX;
/** Longest line of a script stream in bytes, without its end. */
export const SCRIPT_LINE_BYTES_MAX = 64 * 1024;
/** Most elements and bytes that one call sends to the ledger. A single element may be larger. */
export const BATCH_ELEMENTS_MAX = 500;
export const BATCH_BYTES_MAX = 1024 * 1024;
/**
 * The same for entries of an import. They are stored together, and the more there are, the more of their rows share a page of the
 * database. Nobody writes to a ledger meanwhile, so that no write waits for them; a read may, for some 0.1 s.
 */
export const IMPORT_ENTRIES_MAX = 4000;
export const IMPORT_BYTES_MAX = 4 * 1024 * 1024;
/** Most that an atomic stream may hold, as it is executed in one call: elements, and their bytes. */
export const ATOMIC_ELEMENTS_MAX = 10_000;
export const ATOMIC_BYTES_MAX = 8 * 1024 * 1024;
/** Most results in a page of the answer. */
export const PAGE_RESULTS_MAX = 500;

export type BulkSettings = Pick<SettingsOf<typeof ledgerSettings>, "FLORIN_BULK_MAX_SIZE">;

/** The elements of a bulk that comes whole. Throws `BULK_SIZE_EXCEEDED` for more of them than the deployment takes. */
export function bounded<T>(elements: readonly T[], settings: BulkSettings): readonly T[] {
  const { FLORIN_BULK_MAX_SIZE: most } = settings;
  if (elements.length <= most) return elements;
  throw new AppError("BULK_SIZE_EXCEEDED", `bulk size exceeded, max size is ${most}`);
}
