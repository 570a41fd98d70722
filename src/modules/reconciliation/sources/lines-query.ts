import { parseTimestamp, toMillis } from "#platform/time.ts";

/** Most transactions that one page reads, and most lines that it has. */
export const TRANSACTIONS_MAX = 1000;
export const LINES_MAX = 2000;

/** Which lines of a source a page has. */
export interface LinesQuery {
  /** The position of the page before; undefined for the first page. */
  readonly after: string | undefined;
  /** The first and the last day of the lines, in days since 1970-01-01; undefined for no last day. Lines of other days are passed over. */
  readonly from: number;
  readonly to: number | undefined;
  /** Most lines, from 1; at most `LINES_MAX`. A payment between two accounts of a pool gives one more. */
  readonly limit: number;
}

/** A page of lines for a matching. */
export interface CollectedQuery extends LinesQuery {
  /** The id of the matching that collects. A statement whose lines it has got is not deleted as long as the matching uses the source. */
  readonly collector: string;
}

const DAY_MS = 86_400_000;

/** The day in UTC of an instant in RFC 3339, in days since 1970-01-01. */
export function dayOfTimestamp(text: string): number {
  const timestamp = parseTimestamp(text);
  if (timestamp === undefined) throw new Error(`${text} is no timestamp`);
  return Math.floor(toMillis(timestamp) / DAY_MS);
}
