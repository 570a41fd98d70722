import { LINE_MATCHED, LINE_OPEN, LINE_PROPOSED } from "./tables.ts";
import { referencesOf } from "#modules/reconciliation/core/breaks/classify.ts";
import type { MatchSide, OpenLine } from "#modules/reconciliation/core/matching/line.ts";
import { parseJson, stringifyJson } from "#platform/json.ts";
import { chunksOf, fromStored, isSafe, type Sql, type StoredAmount } from "#platform/sql/sql.ts";

/** A line as its source gives it. */
export interface NewLine extends Omit<OpenLine, "id"> {
  /** The name of the line in its source, which is unique on its side. */
  readonly sourceId: string;
}

export type LineState = "open" | "matched" | "proposed";

export type LineRow = {
  id: number;
  side: number;
  day: number;
  asset: string;
  amount: StoredAmount;
  fee: StoredAmount | null;
  texts: string;
};

export const LINE_COLUMNS = "id, side, day, asset, amount, fee, texts";

/** The lines of a matching. */
export class LineStore {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /**
   * Stores lines that are new, and changes lines that are known with other facts. Gives the ids of changed lines, which count as open from
   * then on; the caller breaks their groups before.
   */
  put(lines: readonly NewLine[]): { readonly added: number; readonly changed: readonly number[] } {
    let added = 0;
    const changed: number[] = [];
    for (const line of lines) {
      const { side, sourceId, day, asset } = line;
      const facts = [
        day,
        asset,
        toStored(line.amount),
        optionalAmount(line.fee),
        stringifyJson(line.texts),
      ] as const;
      const [known] = this.#sql.all<LineRow>(
        `SELECT ${LINE_COLUMNS} FROM line WHERE side = ? AND source_id = ?`,
        sideNumber(side),
        sourceId,
      );
      if (known === undefined) {
        const [made] = this.#sql.all<{ id: number }>(
          "INSERT INTO line (side, source_id, day, asset, amount, fee, texts) VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING id",
          sideNumber(side),
          sourceId,
          ...facts,
        );
        if (made !== undefined) this.#putReferences({ ...line, id: made.id });
        added += 1;
      } else if (!isSame(known, line)) {
        this.#sql.all(
          "UPDATE line SET day = ?, asset = ?, amount = ?, fee = ?, texts = ? WHERE id = ?",
          ...facts,
          known.id,
        );
        for (const reference of referencesOf(toLine(known)))
          this.#sql.all(
            "DELETE FROM line_reference WHERE reference = ? AND line = ?",
            reference,
            known.id,
          );
        this.#putReferences({ ...line, id: known.id });
        changed.push(known.id);
      }
    }
    return { added, changed };
  }

  #putReferences(line: OpenLine): void {
    for (const reference of new Set(referencesOf(line)))
      this.#sql.all(
        "INSERT INTO line_reference (reference, line) VALUES (?, ?)",
        reference,
        line.id,
      );
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

const STATES = { open: LINE_OPEN, matched: LINE_MATCHED, proposed: LINE_PROPOSED } as const;

const stateNumber = (state: LineState): number => STATES[state];

const sideNumber = (side: MatchSide): number => (side === "left" ? 0 : 1);

export const toLine = (row: LineRow): OpenLine => ({
  id: row.id,
  side: row.side === 0 ? "left" : "right",
  day: row.day,
  asset: row.asset,
  amount: fromStored(row.amount),
  fee: row.fee === null ? undefined : fromStored(row.fee),
  texts: parseJson(row.texts) as OpenLine["texts"], // `put` has written them.
});

const isSame = (known: LineRow, line: NewLine): boolean =>
  known.day === line.day &&
  known.asset === line.asset &&
  fromStored(known.amount) === line.amount &&
  (known.fee === null ? undefined : fromStored(known.fee)) === line.fee &&
  known.texts === stringifyJson(line.texts);

const toStored = (amount: bigint): StoredAmount =>
  isSafe(amount) ? Number(amount) : amount.toString();

const optionalAmount = (amount: bigint | undefined): StoredAmount | null =>
  amount === undefined ? null : toStored(amount);
