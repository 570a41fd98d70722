import { FILES, pathOfBytes } from "#platform/backup/saving/file-names.ts";
import { SavedKeptFile } from "#platform/backup/saving/kept-files.ts";
import { parseJson, stringifyJson } from "#platform/json.ts";
import { first, type Sql } from "#platform/sql/sql.ts";

/** What has become of a file: the bucket has it, the deployment no longer has it, or it could not be read, and why. */
type FileOutcome = "saved" | "gone" | { readonly reason: string };

/** A file that a run saves, with its number among them. */
export interface WantedKeptFile {
  readonly number: number;
  readonly file: SavedKeptFile;
}

type FileRow = { number: number; line: string; outcome: string | null };

/** Lines of the list that are written at once. */
const PAGE = 500;
/** Where the key of a file has its SHA-256: the first character, counted from 1. */
const SHA256_IN_KEY = `${FILES}/ab/`.length + 1;
/** The length of the key of a file. */
const KEY_LENGTH = pathOfBytes("0".repeat(64)).length;

/** The files of objects that a run saves, a row each, and those that snapshots in the bucket have. */
export class RunFiles {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /** Forgets all of a run. */
  clear(): void {
    this.#sql.all("DELETE FROM run_file");
  }

  add(files: readonly SavedKeptFile[]): void {
    for (const file of files) {
      this.#sql.all("INSERT INTO run_file (line) VALUES (?)", stringifyJson(file));
    }
  }

  /** The first files behind a number. */
  next(after: number, limit: number): WantedKeptFile[] {
    const rows = this.#sql.all<FileRow>(
      "SELECT * FROM run_file WHERE number > ? ORDER BY number LIMIT ? + 0",
      after,
      limit,
    );
    return rows.map(({ number, line }) => ({ number, file: toFile(line) }));
  }

  note(number: number, outcome: FileOutcome): void {
    const text = typeof outcome === "string" ? outcome : stringifyJson(outcome);
    this.#sql.all("UPDATE run_file SET outcome = ? WHERE number = ?", text, number);
  }

  /** Whether a file of an object could not be read: the others are not waited for then. */
  isSick({ class: className, object }: SavedKeptFile): boolean {
    const found = this.#sql.all(
      "SELECT 1 FROM run_file WHERE outcome GLOB '{*' AND line ->> 'class' = ? AND line ->> 'object' = ? LIMIT 1",
      className,
      object,
    );
    return found.length > 0;
  }

  /** The next lines of the list behind a number: the files that the bucket has. */
  lines(after: number): { readonly lines: readonly string[]; readonly last?: number } {
    const rows = this.#sql.all<FileRow>(
      "SELECT * FROM run_file WHERE number > ? AND outcome = 'saved' ORDER BY number LIMIT ? + 0",
      after,
      PAGE,
    );
    const last = rows.at(-1)?.number;
    const lines = rows.map(({ line }) => line);
    return last === undefined ? { lines } : { lines, last };
  }

  /** The numbers of files that are saved, and that had gone. */
  counts(): { readonly files: number; readonly gone: number } {
    return first(
      this.#sql.all<{ files: number; gone: number }>(
        "SELECT coalesce(sum(outcome = 'saved'), 0) AS files, coalesce(sum(outcome = 'gone'), 0) AS gone FROM run_file",
      ),
    );
  }

  /** The files that could not be read. */
  failed(): { class: string; object: string; file: string; reason: string }[] {
    return this.#sql
      .all<FileRow>("SELECT * FROM run_file WHERE outcome GLOB '{*' ORDER BY number")
      .map(({ line, outcome }) => {
        const { class: className, object, file } = toFile(line);
        const { reason } = parseJson(outcome ?? "") as { readonly reason: string }; // as `note` writes it
        return { class: className, object, file, reason };
      });
  }

  /** Notes the bytes that a snapshot which is complete relies on. */
  keep(snapshot: string): void {
    this.#sql.all(
      "INSERT OR REPLACE INTO kept_bytes SELECT DISTINCT line ->> 'sha256', ? FROM run_file WHERE outcome = 'saved'",
      snapshot,
    );
  }

  /** Forgets which bytes snapshots rely on, because another bucket has taken the place of theirs. */
  forgetAllKept(): void {
    this.#sql.all("DELETE FROM kept_bytes");
  }

  /**
   * The keys of files in the bucket, at most `limit`, whose bytes no snapshot from `oldest` on has. What somebody else has put there under another
   * name is none of the backup's.
   */
  unneeded(oldest: string, limit: number): string[] {
    this.#sql.all("DELETE FROM kept_bytes WHERE snapshot < ?", oldest);
    return this.#sql
      .all<{ key: string }>(
        `SELECT key FROM bucket_file WHERE key >= ? AND key < ?
          AND length(key) = ? AND substr(key, ?) NOT GLOB '*[^0-9a-f]*'
          AND NOT EXISTS (SELECT 1 FROM kept_bytes WHERE sha256 = substr(key, ?)) LIMIT ? + 0`,
        `${FILES}/`,
        `${FILES}0`, // "0" comes behind "/"
        KEY_LENGTH,
        SHA256_IN_KEY,
        SHA256_IN_KEY,
        limit,
      )
      .map(({ key }) => key);
  }
}

const toFile = (line: string): SavedKeptFile => SavedKeptFile.parse(parseJson(line));
