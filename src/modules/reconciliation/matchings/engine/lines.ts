import { LINE_HELD, LINE_MATCHED, LINE_OPEN, LINE_PROPOSED } from "./tables.ts";
import type { MatchSide, OpenLine } from "#modules/reconciliation/core/matching/line.ts";
import { present } from "#platform/assert.ts";
import { parseJson } from "#platform/json.ts";
import { chunksOf, fromStored, type Sql, type StoredAmount } from "#platform/sql/sql.ts";

export type LineState = "open" | "matched" | "proposed" | "held";

export type LineRow = {
  id: number;
  side: number;
  day: number;
  asset: string;
  amount: StoredAmount;
  fee: StoredAmount | null;
  texts: string;
};

export const LINE_COLUMNS =
  "line.id, line.side, line.day, line.asset, line.amount, line.fee, line.texts";

/** The lines of a matching. */
export class LineStore {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /** The greatest id of a line, 0 without lines. */
  lastId(): number {
    const [row] = this.#sql.all<{ id: number | null }>("SELECT max(id) AS id FROM line");
    return row?.id ?? 0;
  }

  /** Lines without a match behind a line, in the order of their ids. */
  unmatchedAfter(id: number, limit: number, states: readonly LineState[]): readonly OpenLine[] {
    return this.#sql
      .all<LineRow>(
        `SELECT ${LINE_COLUMNS} FROM line WHERE state <> ${LINE_MATCHED} AND id > ? AND state IN (${states.map(stateNumber).join(", ")})
         ORDER BY id LIMIT ? + 0`,
        id,
        limit,
      )
      .map(toLine);
  }

  /** Lines of a reference, in the order of their ids. */
  ofReference(
    reference: string,
    limit: number,
  ): readonly (OpenLine & { readonly isOpen: boolean })[] {
    return this.#sql
      .all<LineRow & { state: number }>(
        `SELECT ${LINE_COLUMNS}, state FROM line_reference JOIN line ON line.id = line_reference.line
         WHERE reference = ? ORDER BY line LIMIT ? + 0`,
        reference,
        limit,
      )
      .map((row) => ({ ...toLine(row), isOpen: row.state !== LINE_MATCHED }));
  }

  /** Lines by their ids. */
  byId(ids: readonly number[]): readonly OpenLine[] {
    return [...chunksOf(ids.map(String))].flatMap((chunk) =>
      this.#sql
        .all<LineRow>(
          `SELECT ${LINE_COLUMNS} FROM line WHERE id IN (SELECT value FROM json_each(?))`,
          `[${chunk.join(",")}]`,
        )
        .map(toLine),
    );
  }

  /** The id of a line by its name in the source of a side. Throws for an unknown one. */
  idOf(side: MatchSide, sourceId: string): number {
    const [row] = this.#sql.all<{ id: number }>(
      "SELECT id FROM line WHERE side = ? AND source_id = ?",
      sideNumber(side),
      sourceId,
    );
    return present(row, "the line is stored").id;
  }

  /** Gives lines a state and the group that has them; null for open ones. */
  setState(ids: readonly number[], state: LineState, group: number | null): void {
    for (const chunk of chunksOf(ids.map(String))) {
      this.#sql.all(
        "UPDATE line SET state = ?, line_group = ? WHERE id IN (SELECT value FROM json_each(?))",
        stateNumber(state),
        group,
        `[${chunk.join(",")}]`,
      );
    }
  }

  /** Whether a line waits for a person's decision, or its search was given up in a run. */
  isUndecided(id: number, run: number): boolean {
    return (
      this.#sql.all(
        `SELECT 1 FROM line WHERE id = ? AND (state = ${LINE_PROPOSED} OR is_given_up = ?)`,
        id,
        run,
      ).length > 0
    );
  }

  /** The groups that have one of these lines. */
  groupsOf(ids: readonly number[]): readonly number[] {
    return this.#sql
      .all<{ id: number }>(
        `SELECT DISTINCT line_group AS id FROM line
         WHERE id IN (SELECT value FROM json_each(?)) AND line_group IS NOT NULL ORDER BY 1`,
        `[${ids.join(",")}]`,
      )
      .map(({ id }) => id);
  }

  /** Whether all these lines exist, differ, and are of one side. */
  areOf(side: MatchSide, ids: readonly number[]): boolean {
    const found = this.#sql.all(
      "SELECT 1 FROM line WHERE side = ? AND id IN (SELECT value FROM json_each(?))",
      sideNumber(side),
      `[${ids.join(",")}]`,
    );
    return found.length === ids.length;
  }

  /** Whether all these lines are in one of the states. */
  areAll(ids: readonly number[], states: readonly LineState[]): boolean {
    let count = 0;
    for (const chunk of chunksOf(ids.map(String))) {
      const [row] = this.#sql.all<{ n: number }>(
        `SELECT count(*) AS n FROM line WHERE id IN (SELECT value FROM json_each(?)) AND state IN (${states.map(stateNumber).join(", ")})`,
        `[${chunk.join(",")}]`,
      );
      count += row?.n ?? 0;
    }
    return count === ids.length;
  }
}

const STATES = {
  open: LINE_OPEN,
  matched: LINE_MATCHED,
  proposed: LINE_PROPOSED,
  held: LINE_HELD,
} as const;

const stateNumber = (state: LineState): number => STATES[state];

export const sideNumber = (side: MatchSide): number => (side === "left" ? 0 : 1);

export const toLine = (row: LineRow): OpenLine => ({
  id: row.id,
  side: row.side === 0 ? "left" : "right",
  day: row.day,
  asset: row.asset,
  amount: fromStored(row.amount),
  fee: row.fee === null ? undefined : fromStored(row.fee),
  texts: parseJson(row.texts) as OpenLine["texts"], // `put` has written them.
});
