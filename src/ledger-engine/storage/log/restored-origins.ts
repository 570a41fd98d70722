import { writeImportNotes } from "./import-notes.ts";
import type { ImportNote } from "#ledger-engine/rules/log/import-notes.ts";
import type { AuthorChange } from "#ledger-engine/rules/reads.ts";
import { Authorship } from "#ledger-engine/storage/authorship.ts";
import type { Sql } from "#platform/sql/sql.ts";

/** What the log does not determine of entries that are there, in the order of the log. */
export interface OriginFacts {
  readonly authors: readonly AuthorChange[];
  readonly causes: readonly { readonly log: number; readonly depth: number }[];
  readonly notes: readonly ImportNote[];
}

/** How far a restored ledger's events are published, and its log was imported. */
export interface RestoredMarks {
  readonly publishedLogId: number;
  readonly importedLogId: number | undefined;
}

/** Stores facts of entries whose authors, causes and notes are not known yet. Facts that are stored already do no harm. */
export function restoreOrigins(sql: Sql, { authors, causes, notes }: OriginFacts): void {
  sql.transaction(() => {
    const authorship = new Authorship(sql);
    for (const { from, author } of authors) {
      if (from > authorship.lastChange) authorship.note(from, author);
    }
    for (const { log, depth } of causes) {
      sql.all("INSERT OR REPLACE INTO causation (log, depth) VALUES (?, ?)", log, depth);
    }
    for (const { id } of notes) sql.all("DELETE FROM import_note WHERE log = ?", id);
    writeImportNotes(sql, notes);
  });
}

/** Forgets the notes about imported entries: a restored log has those of its original, and none for entries that the original has written itself. */
export const forgetImportNotes = (sql: Sql): void => void sql.all("DELETE FROM import_note");

/** Sets the marks of a ledger. An engine that is open does not know them. */
export const restoreMarks = (sql: Sql, { publishedLogId, importedLogId }: RestoredMarks): void =>
  void sql.all(
    "UPDATE ledger SET published_log = ?, imported_log = ?",
    publishedLogId,
    importedLogId ?? null,
  );
