import type { ImportNote } from "#ledger-engine/rules/log/import-notes.ts";
import type { AuthorChange } from "#ledger-engine/rules/reads.ts";
import type { Authorship } from "#ledger-engine/storage/authorship.ts";
import { readDepths } from "#ledger-engine/storage/causation.ts";
import { readImportNotes } from "#ledger-engine/storage/log/import-notes.ts";
import type { Sql } from "#platform/sql/sql.ts";

/** What the log does not determine of some entries, complete up to the entry `upTo`. */
export interface LogOrigins {
  /** The author of the first entry, and the changes of the author. */
  readonly authors: readonly AuthorChange[];
  /** The numbers of triggers that led to entries, where it is not 0. */
  readonly causes: readonly { readonly log: number; readonly depth: number }[];
  readonly notes: readonly ImportNote[];
  readonly upTo: number;
}

/** Most rows of each table that a page reads. A row of authors has up to 32 changes, and one of notes up to 21 sentences. */
const LIMITS = { authors: 100, causes: 2000, notes: 200 };

/**
 * Reads what the log does not determine of the entries after `after` and up to `to`: of as many of the first ones as a page has, at least
 * of one. `upTo` is the last entry of the page.
 */
export function readOrigins(
  { sql, authorship }: { readonly sql: Sql; readonly authorship: Authorship },
  after: number,
  to: number,
): LogOrigins {
  const range = { from: after + 1, to };
  const authors = authorship.changesIn(range, LIMITS.authors);
  const causes = readDepths(sql, range, LIMITS.causes + 1);
  const notes = readImportNotes(sql, { ...range, order: "asc", limit: LIMITS.notes + 1 });
  // A page ends before the first row that does not fit.
  const upTo = Math.min(
    authors.upTo,
    (causes[LIMITS.causes]?.log ?? Infinity) - 1,
    (notes[LIMITS.notes]?.id ?? Infinity) - 1,
    to,
  );
  return {
    authors: authors.changes.filter(({ from }) => from <= upTo),
    causes: causes.filter(({ log }) => log <= upTo),
    notes: notes.filter(({ id }) => id <= upTo),
    upTo,
  };
}
