import type { BreakStatus } from "#modules/reconciliation/core/breaks/status.ts";
import type { DecisionAuthor } from "#modules/reconciliation/matchings/engine/journal.ts";
import type { LineDetail } from "#modules/reconciliation/matchings/engine/line-reads.ts";
import type { Sql } from "#platform/sql/sql.ts";

/** What people have made of a break. */
export interface BreakWork {
  readonly status: BreakStatus;
  /** The name of whoever looks after the break; undefined for nobody. */
  readonly assignee: string | undefined;
  readonly comments: number;
}

/** A line that is not matched, or was not once, and what people have made of it. */
export interface BreakDetail extends LineDetail {
  readonly work: BreakWork;
}

/** A change of the status or the assignee. Absent members stay; an empty assignee is nobody. */
export interface BreakChange {
  readonly status?: BreakStatus | undefined;
  readonly assignee?: string | undefined;
}

/** Something that a person has said or done about a break. */
export interface BreakEvent extends Omit<DecisionAuthor, "note"> {
  readonly id: number;
  readonly what: "comment" | "status" | "assign";
  /** The comment, the new status, or the new assignee. */
  readonly text: string;
}

/** Most events of one line. */
export const BREAK_EVENTS_MAX = 1000;

const NO_WORK: BreakWork = { status: "open", assignee: undefined, comments: 0 };

type WorkRow = { status: BreakStatus; assignee: string | null; comments: number };

/** Status, assignee and comments of breaks. */
export class BreakWorkStore {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  read(line: number): BreakWork {
    const [row] = this.#sql.all<WorkRow>(
      "SELECT status, assignee, comments FROM break_work WHERE line = ?",
      line,
    );
    return row === undefined ? NO_WORK : { ...row, assignee: row.assignee ?? undefined };
  }

  /** What was said and done about a line, the oldest first. */
  events(line: number): readonly BreakEvent[] {
    return this.#sql.all<BreakEvent & Record<string, string | number>>(
      "SELECT id, what, text, at, principal, request FROM break_event WHERE line = ? ORDER BY id",
      line,
    );
  }

  /** Whether a line has no room for another event. */
  isFull(line: number): boolean {
    const [row] = this.#sql.all<{ n: number }>(
      "SELECT count(*) AS n FROM break_event WHERE line = ?",
      line,
    );
    return (row?.n ?? 0) >= BREAK_EVENTS_MAX;
  }

  change(line: number, { status, assignee }: BreakChange, by: Omit<DecisionAuthor, "note">): void {
    const known = this.read(line);
    if (status !== undefined && status !== known.status) {
      this.#put(line, { ...known, status });
      this.#add(line, { ...by, what: "status", text: status });
    }
    const wanted = assignee === "" ? undefined : assignee;
    if (assignee !== undefined && wanted !== known.assignee) {
      this.#put(line, { ...this.read(line), assignee: wanted });
      this.#add(line, { ...by, what: "assign", text: assignee });
    }
  }

  comment(line: number, text: string, by: Omit<DecisionAuthor, "note">): void {
    const known = this.read(line);
    this.#put(line, { ...known, comments: known.comments + 1 });
    this.#add(line, { ...by, what: "comment", text });
  }

  #put(line: number, { status, assignee, comments }: BreakWork): void {
    this.#sql.all(
      `INSERT INTO break_work (line, status, assignee, comments) VALUES (?, ?, ?, ?)
       ON CONFLICT (line) DO UPDATE SET status = excluded.status, assignee = excluded.assignee, comments = excluded.comments`,
      line,
      status,
      assignee ?? null,
      comments,
    );
  }

  #add(line: number, { at, what, text, principal, request }: Omit<BreakEvent, "id">): void {
    this.#sql.all(
      "INSERT INTO break_event (line, at, what, text, principal, request) VALUES (?, ?, ?, ?, ?, ?)",
      line,
      at,
      what,
      text,
      principal,
      request,
    );
  }
}
