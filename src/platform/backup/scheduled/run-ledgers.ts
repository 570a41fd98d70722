import { z } from "zod";
import type { FailedLedger, SnapshotLedger } from "#platform/backup/saving/backup-manifest.ts";
import type { CatalogueRow } from "#platform/backup/saving/catalogue-rows.ts";
import { LEDGERS } from "#platform/backup/saving/file-names.ts";
import type { LedgerPage, ListedLedger } from "#platform/backup/saving/saved-ledgers.ts";
import { parseJson, stringifyJson } from "#platform/json.ts";
import { first, type Sql } from "#platform/sql/sql.ts";

/** A ledger that a run has to save, with its number among them. */
export interface WantedLedger {
  readonly number: number;
  readonly row: CatalogueRow;
  /** Undefined where the server did not say how far its log goes. */
  readonly listed: ListedLedger | undefined;
  /** Up to where its events were published before the database was copied. */
  readonly publishedLogId: number;
}

/** What the last snapshot relies on of a ledger. */
interface KeptLedger {
  readonly parts: number;
  readonly partsSha256: string;
}

/** Where the keys of a ledger's files, `ledgers/<uuid>/…`, have its UUID: the first character, counted from 1, and their number. */
const UUID_IN_KEY = [LEDGERS.length + 2, 36] as const;

/** Rows of the manifest that are read at once. */
const PAGE = 500;

/**
 * The ledgers of a run, a row each, because there may be a hundred thousand. What a run has described is JSON, as the manifest has it. A second
 * table has what the last snapshot relies on, and which snapshot has named a ledger last.
 */
export class RunLedgers {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /** Forgets all of a run. */
  clear(): void {
    this.#sql.all("DELETE FROM run_ledger");
  }

  /** Notes up to where events are published. Of a ledger that does not answer, that is what the last snapshot has: what is published stays so. */
  notePublished({ ledgers, failed }: LedgerPage): void {
    const note = (uuid: string, published: number): void => {
      this.#sql.all(
        "INSERT INTO run_ledger (uuid, published) VALUES (?, ?) ON CONFLICT (uuid) DO UPDATE SET published = excluded.published",
        uuid,
        published,
      );
    };
    for (const { uuid, publishedLogId } of ledgers) note(uuid, publishedLogId);
    for (const { uuid } of failed) {
      const [kept] = this.#sql.all<{ published: number }>(
        "SELECT published FROM kept_ledger WHERE uuid = ?",
        uuid,
      );
      if (kept !== undefined) note(uuid, kept.published);
    }
  }

  /** Notes ledgers of the saved catalogue that are not being purged, in their order. */
  want(rows: readonly CatalogueRow[]): void {
    for (const row of rows) {
      this.#sql.all(
        `INSERT INTO run_ledger (uuid, number, row) VALUES (?, (SELECT coalesce(max(number), 0) + 1 FROM run_ledger), ?)
          ON CONFLICT (uuid) DO UPDATE SET row = excluded.row, number = coalesce(number, excluded.number)`,
        row.uuid,
        stringifyJson(row),
      );
    }
  }

  /** Notes how far logs go, or why that is not known. Ledgers that are not wanted are left out. */
  noteEnds({ ledgers, failed }: LedgerPage): void {
    for (const ledger of ledgers) {
      this.#sql.all(
        "UPDATE run_ledger SET listed = ? WHERE uuid = ? AND number IS NOT NULL",
        stringifyJson(ledger),
        ledger.uuid,
      );
    }
    for (const { uuid, reason } of failed) this.noteFailure(uuid, reason);
  }

  /** The next wanted ledger behind a number that is neither saved nor failed, and that the server has; undefined if there is none. */
  next(after: number): WantedLedger | undefined {
    const [found] = this.#sql.all<LedgerRow>(
      `SELECT number, row, listed, published FROM run_ledger WHERE number > ? AND listed IS NOT NULL AND saved IS NULL AND failed IS NULL
        ORDER BY number LIMIT 1`,
      after,
    );
    return found === undefined ? undefined : toWanted(found);
  }

  /** Notes why a ledger cannot be saved; `describe` is called for it when the logs are. */
  noteFailure(uuid: string, reason: string): void {
    this.#sql.all(
      "UPDATE run_ledger SET failed = ?, saved = NULL WHERE uuid = ? AND number IS NOT NULL",
      stringifyJson({ reason }),
      uuid,
    );
  }

  /** Notes that the server no longer has a ledger. */
  notePurged(uuid: string): void {
    this.#sql.all("UPDATE run_ledger SET listed = NULL WHERE uuid = ?", uuid);
  }

  noteSaved(ledger: SnapshotLedger): void {
    this.#sql.all(
      "UPDATE run_ledger SET saved = ? WHERE uuid = ?",
      stringifyJson(ledger),
      ledger.uuid,
    );
  }

  /** The next ledger that has failed and is not described; undefined if there is none. */
  nextFailed(): (WantedLedger & { readonly reason: string }) | undefined {
    const [found] = this.#sql.all<LedgerRow & { failed: string }>(
      `SELECT number, row, listed, published, failed FROM run_ledger
        WHERE number IS NOT NULL AND failed IS NOT NULL AND saved IS NULL ORDER BY number LIMIT 1`,
    );
    if (found === undefined) return undefined;
    const { reason } = parseJson(found.failed) as { readonly reason: string }; // as `noteFailure` writes it
    return { ...toWanted(found), reason };
  }

  /** Notes what the bucket has of a ledger that has failed. */
  noteDescribedFailure(ledger: FailedLedger): void {
    const text = stringifyJson(ledger);
    this.#sql.all(
      "UPDATE run_ledger SET failed = ?, saved = ? WHERE uuid = ?",
      text,
      text,
      ledger.uuid,
    );
  }

  /** The number of ledgers that have failed, and of all that are described. */
  counts(): { readonly failed: number; readonly described: number } {
    const row = first(
      this.#sql.all<{ failed: number; described: number }>(
        "SELECT count(failed) AS failed, count(saved) AS described FROM run_ledger",
      ),
    );
    return { failed: row.failed, described: row.described };
  }

  /** Lists of the manifest as JSON, piece by piece. */
  *saved(): Generator<string> {
    yield* this.#texts("saved", "saved IS NOT NULL AND failed IS NULL");
  }
  *failed(): Generator<string> {
    yield* this.#texts("failed", "failed IS NOT NULL");
  }
  *purged(): Generator<string> {
    yield* this.#texts("json_quote(uuid)", "saved IS NULL AND failed IS NULL");
  }

  *#texts(column: string, condition: string): Generator<string> {
    for (let after: number | undefined = 0; after !== undefined;) {
      const rows: { number: number; text: string }[] = this.#sql.all(
        `SELECT number, ${column} AS text FROM run_ledger WHERE number > ? AND ${condition} ORDER BY number LIMIT ? + 0`,
        after,
        PAGE,
      );
      for (const { text } of rows) yield text;
      after = rows.at(-1)?.number;
    }
  }

  /** What the last snapshot relies on of a ledger. */
  keptOf(uuid: string): KeptLedger | undefined {
    const [row] = this.#sql.all<{ parts: number; parts_sha256: string }>(
      "SELECT parts, parts_sha256 FROM kept_ledger WHERE uuid = ?",
      uuid,
    );
    return row === undefined ? undefined : { parts: row.parts, partsSha256: row.parts_sha256 };
  }

  /** Notes what a snapshot that is complete relies on. */
  keep(snapshot: string): void {
    this.#sql.all(
      `INSERT OR REPLACE INTO kept_ledger SELECT uuid, saved ->> 'parts', saved ->> 'partsSha256', saved ->> 'publishedLogId', ?
        FROM run_ledger WHERE saved IS NOT NULL`,
      snapshot,
    );
  }

  /** A ledger that no snapshot from `oldest` on has; undefined if there is none. */
  nextUnneeded(oldest: string): string | undefined {
    const [row] = this.#sql.all<{ uuid: string }>(
      "SELECT uuid FROM kept_ledger WHERE snapshot < ? LIMIT 1",
      oldest,
    );
    return row?.uuid;
  }

  /** A ledger that has files in the bucket and that no snapshot has ever named; undefined if there is none. */
  nextUnnamed(): string | undefined {
    return this.#sql
      .all<{ uuid: string }>(
        `SELECT DISTINCT substr(key, ?, ?) AS uuid FROM bucket_file
          WHERE key >= ? AND key < ?
            AND NOT EXISTS (SELECT 1 FROM kept_ledger WHERE kept_ledger.uuid = substr(key, ?, ?))`,
        ...UUID_IN_KEY,
        `${LEDGERS}/`,
        `${LEDGERS}0`, // "0" comes behind "/"
        ...UUID_IN_KEY,
      )
      .map(({ uuid }) => uuid)
      .find((uuid) => z.uuid().safeParse(uuid).success);
  }

  /** Forgets what the last snapshot relies on, for a bucket that does not have it. */
  forgetAllKept(): void {
    this.#sql.all("DELETE FROM kept_ledger");
  }

  forgetKept(uuid: string): void {
    this.#sql.all("DELETE FROM kept_ledger WHERE uuid = ?", uuid);
  }
}

/** A row of a ledger that is wanted. */
interface LedgerRow extends Record<string, string | number | null> {
  readonly number: number;
  readonly row: string;
  readonly listed: string | null;
  readonly published: number | null;
}

const toWanted = ({ number, row, listed, published }: LedgerRow): WantedLedger => ({
  number,
  row: parseJson(row) as CatalogueRow, // as `want` writes it
  listed: listed === null ? undefined : (parseJson(listed) as ListedLedger), // as `noteEnds` writes it
  publishedLogId: published ?? 0,
});
