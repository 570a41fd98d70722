import { type RunCursor, type RunSettings, settingsOf, settingsText } from "./settings.ts";
import type { MatchSide } from "#modules/reconciliation/core/matching/line.ts";
import { AppError } from "#platform/errors.ts";
import { parseJson, stringifyJson } from "#platform/json.ts";
import { first, type Sql } from "#platform/sql/sql.ts";

export const RUN_STATES = ["collecting", "matching", "done", "failed"] as const;
export type MatchingRunState = (typeof RUN_STATES)[number];

/** What a run has done so far. */
export interface RunHead {
  /** From 1, in the order of runs. */
  readonly number: number;
  readonly state: MatchingRunState;
  /** What the run is about: `collect left`, `match end-to-end id`; empty after the end. */
  readonly phase: string;
  /** Lines that are new since the last run, or were changed. */
  readonly collected: { readonly left: number; readonly right: number };
  /** Groups that the run has matched, and proposed. */
  readonly matched: number;
  readonly proposed: number;
  /** Lines without a match at the end, those of proposals among them; 0 before. */
  readonly open: number;
  /** As texts of `Timestamp`. */
  readonly startedAt: string;
  readonly endedAt: string | undefined;
  /** Why the run has failed, in a sentence. */
  readonly error: string | undefined;
  /** The principal that began the run, as `toPrincipalColumn` gives it. */
  readonly principal: string;
}

/** What begins a run. */
export interface RunStart {
  readonly principal: string;
  readonly request: string;
  readonly at: string;
}

type HeadRow = {
  id: number;
  settings: string;
  cursor: string | null;
  state: MatchingRunState;
  principal: string | null;
  started_at: string | null;
  ended_at: string | null;
  error: string | null;
  collected_left: number;
  collected_right: number;
  matched: number;
  proposed: number;
  unmatched: number;
};

/** The heads of runs, and their cursors. */
export class RunHeads {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /** Begins a run at a cursor. Throws `CONFLICT` while another one works. */
  begin(settings: RunSettings, cursor: RunCursor, { principal, at }: RunStart): number {
    if (this.working() !== undefined)
      throw new AppError("CONFLICT", "a run of this matching has not ended yet");
    return first(
      this.#sql.all<{ id: number }>(
        `INSERT INTO run (settings, cursor, state, principal, started_at) VALUES (?, ?, ?, ?, ?) RETURNING id`,
        settingsText(settings),
        stringifyJson(cursor),
        stateOf(cursor),
        principal,
        at,
      ),
    ).id;
  }

  /** The run that works, with its cursor. */
  working(): WorkingRun | undefined {
    const [row] = this.#sql.all<{
      id: number;
      settings: string;
      cursor: string;
      failures: number;
      principal: string;
    }>(
      "SELECT id, settings, cursor, failures, principal FROM run WHERE cursor IS NOT NULL ORDER BY id DESC LIMIT 1",
    );
    if (row === undefined) return undefined;
    return {
      id: row.id,
      settings: settingsOf(row.settings),
      cursor: parseJson(row.cursor) as RunCursor, // `advance` or `begin` has written it.
      failures: row.failures,
      principal: row.principal,
    };
  }

  /** Stores where the next slice begins; undefined at the end. `at` is when. */
  advance(id: number, next: RunCursor | undefined): void {
    this.#sql.all(
      `UPDATE run SET cursor = ?2, is_copied = (is_copied AND state = ?3), state = ?3, failures = 0 WHERE id = ?1`,
      id,
      next === undefined ? null : stringifyJson(next),
      next === undefined ? "done" : stateOf(next),
    );
  }

  end(id: number, at: string): void {
    this.#sql.all("UPDATE run SET ended_at = ?, is_copied = 0 WHERE id = ?", at, id);
  }

  /** Ends a run whose source cannot be read. The next run goes on where it was. */
  fail(id: number, error: string, at: string): void {
    this.#sql.all(
      "UPDATE run SET cursor = NULL, state = 'failed', error = ?, ended_at = ?, is_copied = 0 WHERE id = ?",
      error,
      at,
      id,
    );
  }

  addFailure(id: number): void {
    this.#sql.all("UPDATE run SET failures = failures + 1 WHERE id = ?", id);
  }

  clearFailures(id: number): void {
    this.#sql.all("UPDATE run SET failures = 0 WHERE id = ? AND failures > 0", id);
  }

  addCollected(id: number, side: MatchSide, count: number): void {
    this.#sql.all(
      `UPDATE run SET collected_${side} = collected_${side} + ? WHERE id = ?`,
      count,
      id,
    );
  }

  add(id: number, { matched = 0, proposed = 0, unmatched = 0 }: Partial<RunCounts>): void {
    this.#sql.all(
      "UPDATE run SET matched = matched + ?, proposed = proposed + ?, unmatched = unmatched + ? WHERE id = ?",
      matched,
      proposed,
      unmatched,
      id,
    );
  }

  find(id: number): RunHead | undefined {
    const [row] = this.#sql.all<HeadRow>("SELECT * FROM run WHERE id = ?", id);
    return row === undefined ? undefined : toHead(row);
  }

  settings(id: number): RunSettings | undefined {
    const [row] = this.#sql.all<{ settings: string }>("SELECT settings FROM run WHERE id = ?", id);
    return row === undefined ? undefined : settingsOf(row.settings);
  }

  /** Heads that D1 does not know as they are. */
  uncopied(): readonly RunHead[] {
    return this.#sql.all<HeadRow>("SELECT * FROM run WHERE is_copied = 0 ORDER BY id").map(toHead);
  }

  /** Notes that D1 may not know the heads from a run on as they are: it was taken back to an earlier moment. */
  setUncopied(from: number): void {
    this.#sql.all("UPDATE run SET is_copied = 0 WHERE id >= ?", from);
  }

  /** Notes that D1 knows a head, unless it has changed meanwhile. */
  setCopied({ number, state, endedAt }: RunHead): void {
    this.#sql.all(
      "UPDATE run SET is_copied = 1 WHERE id = ? AND state = ? AND ended_at IS ?",
      number,
      state,
      endedAt ?? null,
    );
  }
}

export interface WorkingRun {
  readonly id: number;
  readonly settings: RunSettings;
  readonly cursor: RunCursor;
  /** How often the present page could not be read. */
  readonly failures: number;
  readonly principal: string;
}

interface RunCounts {
  readonly matched: number;
  readonly proposed: number;
  readonly unmatched: number;
}

const stateOf = ({ phase }: RunCursor): MatchingRunState =>
  phase === "collect" ? "collecting" : "matching";

const toHead = (row: HeadRow): RunHead => ({
  number: row.id,
  state: row.state,
  phase: row.cursor === null ? "" : phaseOf(parseJson(row.cursor) as RunCursor, row.settings),
  collected: { left: row.collected_left, right: row.collected_right },
  matched: row.matched,
  proposed: row.proposed,
  open: row.unmatched,
  startedAt: row.started_at ?? "",
  endedAt: row.ended_at ?? undefined,
  error: row.error ?? undefined,
  principal: row.principal ?? "",
});

function phaseOf(cursor: RunCursor, settings: string): string {
  if (cursor.phase === "collect") return `collect ${cursor.side}`;
  if (cursor.phase !== "index" && cursor.phase !== "match") return cursor.phase;
  return `${cursor.phase} ${settingsOf(settings).passes[cursor.pass]?.name ?? ""}`;
}
