import type { Sql } from "#platform/sql/sql.ts";
import { hasSteps, TableSteps } from "#platform/sql/table-steps.ts";

/** The progress of a pipeline. All times are in milliseconds since the epoch. */
export interface Progress {
  /** Number of the last reset that the object knows of. */
  readonly resets: number;
  /** Id of the last log entry that was accepted; undefined before the first, and after a reset. */
  readonly lastLogId: number | undefined;
  /** When the pipeline was started or has delivered last, from which its idle time counts. */
  readonly activeAtMs: number;
  /** Since when entries have been waiting for their batch to fill; undefined if none are waiting. */
  readonly waitingSinceMs: number | undefined;
  /** Whether the pipeline's ledger was found to be deleted. */
  readonly isPaused: boolean;
  /** Entries delivered since the pipeline was created, repetitions included. */
  readonly entries: number;
  readonly batches: number;
  readonly deliveredAtMs: number | undefined;
  readonly failure: DeliveryFailure | undefined;
}

/** Attempts that have failed since the last success. */
export interface DeliveryFailure {
  readonly count: number;
  readonly sinceMs: number;
  readonly lastMs: number;
  readonly message: string;
}

/** Identifies the version of the spec that a pipeline follows. */
export interface SpecVersion {
  readonly id: string;
  readonly revision: number;
  readonly resets: number;
}

type Row = {
  pipeline: string;
  revision: number;
  resets: number;
  last_log: number | null;
  active_at: number;
  waiting_since: number | null;
  is_paused: number;
  entries: number;
  batches: number;
  delivered_at: number | null;
  failures: number;
  failing_since: number | null;
  failed_at: number | null;
  error: string | null;
};

const CREATE = `CREATE TABLE progress (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  pipeline TEXT NOT NULL, revision INTEGER NOT NULL, resets INTEGER NOT NULL,
  last_log INTEGER, active_at INTEGER NOT NULL, waiting_since INTEGER, is_paused INTEGER NOT NULL DEFAULT 0,
  entries INTEGER NOT NULL DEFAULT 0, batches INTEGER NOT NULL DEFAULT 0, delivered_at INTEGER,
  failures INTEGER NOT NULL DEFAULT 0, failing_since INTEGER, failed_at INTEGER, error TEXT
) STRICT`;

export const PROGRESS_TABLES = new TableSteps("the progress of the pipeline", [
  { name: "The progress of a pipeline", statements: [CREATE] },
]);

const NO_FAILURE = "failures = 0, failing_since = NULL, failed_at = NULL, error = NULL";

/** Longest error that is stored, in characters. */
const ERROR_LENGTH_MAX = 1000;

/** The table of a pipeline's object, which has one row. An object that knows of no pipeline has no table. */
export class ProgressStore {
  readonly #sql: Sql;
  #exists: boolean;

  constructor(sql: Sql) {
    this.#sql = sql;
    this.#exists = hasSteps(sql);
    if (this.#exists) PROGRESS_TABLES.migrateToEnd(sql);
  }

  read(): Progress | undefined {
    const row = this.#row();
    return row === undefined ? undefined : toProgress(row);
  }

  /** The id of the pipeline. An object that an alarm has woken may not know its own name. */
  readId(): string | undefined {
    return this.#row()?.pipeline;
  }

  /**
   * Adopts a version of the spec, unless a newer one was adopted. Returns whether this version counts. A reset clears the position. A
   * smaller revision counts only where D1 was taken back to an earlier time; then `toEarlier` adopts it.
   */
  adopt({ id, revision, resets }: SpecVersion, nowMs: number): boolean {
    return this.#sql.transaction(() => {
      const row = this.#row();
      if (row !== undefined && row.revision >= revision) return row.revision === revision;
      if (row === undefined) {
        if (!this.#exists) PROGRESS_TABLES.migrateToEnd(this.#sql);
        this.#exists = true;
        this.#sql.all(
          "INSERT INTO progress (one, pipeline, revision, resets, active_at) VALUES (1, ?, ?, ?, ?)",
          id,
          revision,
          resets,
          nowMs,
        );
      } else if (row.resets < resets) {
        this.#sql.all(
          `UPDATE progress SET revision = ?, resets = ?, last_log = NULL, active_at = ?, waiting_since = NULL, ${NO_FAILURE}`,
          revision,
          resets,
          nowMs,
        );
      } else {
        this.#sql.all("UPDATE progress SET revision = ?, active_at = ?", revision, nowMs);
      }
      return true;
    });
  }

  /** Adopts a version of the spec from before D1 was taken back to an earlier time, and keeps the position. */
  toEarlier({ revision, resets }: SpecVersion, nowMs: number): void {
    this.#sql.all(
      "UPDATE progress SET revision = ?, resets = ?, active_at = ?",
      revision,
      resets,
      nowMs,
    );
  }

  /**
   * Follows a version of the spec with the progress of a backup, whose ledger ends at an entry: entries behind it were accepted of the original
   * only, and the ledger will give their ids to others.
   */
  settle(spec: SpecVersion, lastEntry: number | undefined, nowMs: number): void {
    this.#exists = hasSteps(this.#sql);
    if (!this.#exists) return;
    if (!this.adopt(spec, nowMs)) this.toEarlier(spec, nowMs);
    if (lastEntry !== undefined) {
      const last = lastEntry < 0 ? null : lastEntry;
      this.#sql.all("UPDATE progress SET last_log = ? WHERE last_log > ?", last, lastEntry);
    }
  }

  /** Moves the position to the last of some accepted entries, unless the pipeline was reset since they were sent. */
  advance(resets: number, { lastLogId, count }: Accepted, nowMs: number): void {
    if (!this.#exists) return;
    this.#sql.all(
      `UPDATE progress SET last_log = ?, active_at = ?, waiting_since = NULL, is_paused = 0, entries = entries + ?,
          batches = batches + 1, delivered_at = ?, ${NO_FAILURE}
        WHERE resets = ?`,
      lastLogId,
      nowMs,
      count,
      nowMs,
      resets,
    );
  }

  /** Stores that an attempt has failed. Returns the number of failures in a row. */
  fail(message: string, nowMs: number): number {
    if (!this.#exists) return 0;
    const [row] = this.#sql.all<{ failures: number }>(
      `UPDATE progress SET failures = failures + 1, failing_since = coalesce(failing_since, ?), failed_at = ?, error = ?
        RETURNING failures`,
      nowMs,
      nowMs,
      message.slice(0, ERROR_LENGTH_MAX),
    );
    return row?.failures ?? 0;
  }

  /** Stores that entries wait for their batch to fill. Returns since when they do, in milliseconds since the epoch. */
  waitingSince(nowMs: number): number {
    const sinceMs = this.read()?.waitingSinceMs;
    // A time in the future was stored before the machine's clock was set back.
    if (sinceMs !== undefined && sinceMs <= nowMs) return sinceMs;
    if (this.#exists) this.#sql.all("UPDATE progress SET waiting_since = ?", nowMs);
    return nowMs;
  }

  /** Stores that there is nothing to send, and whether the reason is a deleted ledger. Clears earlier failures. */
  rest({ isPaused }: { readonly isPaused: boolean }): void {
    if (!this.#exists) return;
    this.#sql.all(
      `UPDATE progress SET is_paused = ?, waiting_since = NULL, ${NO_FAILURE}
        WHERE is_paused <> ? OR failures > 0 OR waiting_since IS NOT NULL`,
      Number(isPaused),
      Number(isPaused),
    );
  }

  /** Forgets the table, which was deleted with the storage of the object. */
  forget(): void {
    this.#exists = false;
  }

  #row(): Row | undefined {
    return this.#exists ? this.#sql.all<Row>("SELECT * FROM progress")[0] : undefined;
  }
}

export interface Accepted {
  readonly lastLogId: number;
  readonly count: number;
}

const toProgress = (row: Row): Progress => ({
  resets: row.resets,
  lastLogId: row.last_log ?? undefined,
  activeAtMs: row.active_at,
  waitingSinceMs: row.waiting_since ?? undefined,
  isPaused: row.is_paused === 1,
  entries: row.entries,
  batches: row.batches,
  deliveredAtMs: row.delivered_at ?? undefined,
  failure:
    row.failures === 0
      ? undefined
      : {
          count: row.failures,
          sinceMs: row.failing_since ?? 0,
          lastMs: row.failed_at ?? 0,
          message: row.error ?? "",
        },
});
