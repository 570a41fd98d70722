import { type Sql } from "#platform/sql/sql.ts";

export const DECISIONS = [
  "run",
  "confirm",
  "decline",
  "break",
  "match",
  "reopen",
  "write_off",
  "correct",
] as const;
export type DecisionKind = (typeof DECISIONS)[number];

/** Who decides, when, and why. */
export interface DecisionAuthor {
  /** As a text of `Timestamp`. */
  readonly at: string;
  /** As `toPrincipalColumn` gives it. */
  readonly principal: string;
  readonly request: string;
  readonly note: string;
}

/** What has changed a group, besides the pass that has made it. */
export interface JournalEntry extends DecisionAuthor {
  readonly id: number;
  readonly what: DecisionKind;
  /** The group; 0 for the beginning of a run. */
  readonly group: number;
  /** The run that has decided, in the name of whoever began it, or that begins; 0 for a person. */
  readonly run: number;
}

type DecisionRow = {
  id: number;
  at: string;
  what: DecisionKind;
  line_group: number;
  note: string;
  run: number;
  principal: string;
  request: string;
};

/** The decisions about groups, in their order. None is ever changed. */
export class Journal {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  add(
    what: DecisionKind,
    {
      group,
      run = 0,
      by,
    }: { readonly group: number; readonly run?: number; readonly by: DecisionAuthor },
  ): void {
    this.#sql.all(
      "INSERT INTO decision (at, what, line_group, note, run, principal, request) VALUES (?, ?, ?, ?, ?, ?, ?)",
      by.at,
      what,
      group,
      by.note,
      run,
      by.principal,
      by.request,
    );
  }

  ofGroup(group: number): readonly JournalEntry[] {
    return this.#sql
      .all<DecisionRow>("SELECT * FROM decision WHERE line_group = ? ORDER BY id", group)
      .map(toDecision);
  }

  /** Decisions behind one, in their order. */
  after(id: number, limit: number): readonly JournalEntry[] {
    return this.#sql
      .all<DecisionRow>("SELECT * FROM decision WHERE id > ? ORDER BY id LIMIT ? + 0", id, limit)
      .map(toDecision);
  }
}

const toDecision = ({ line_group: group, ...row }: DecisionRow): JournalEntry => ({
  ...row,
  group,
});
