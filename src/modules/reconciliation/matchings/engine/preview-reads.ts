import { type GroupRow, linesText, toGroup } from "./groups.ts";
import { type LineRow, LINE_COLUMNS, toLine } from "./lines.ts";
import { TAKEN_BACK } from "./reversals.ts";
import { LINE_HELD } from "./tables.ts";
import type { Group, OpenLine } from "#modules/reconciliation/core/matching/index.ts";
import { stringifyJson } from "#platform/json.ts";
import { chunksOf, type Sql } from "#platform/sql/sql.ts";

/** A line that other passes might match otherwise, and the group that a run has put it into. */
export interface PreviewLine {
  readonly line: OpenLine;
  readonly group: number | undefined;
}

/** A page of such lines, the newest first, and the groups that they have. */
export interface PreviewPage {
  readonly lines: readonly PreviewLine[];
  readonly groups: readonly PreviewGroup[];
  /** The last id that was looked at, behind which the next page begins; undefined at the end. */
  readonly next: number | undefined;
}

/** A group that a run has made and nobody has decided about. */
export interface PreviewGroup extends Group {
  readonly id: number;
  readonly isProposed: boolean;
  readonly pass: string;
  readonly confidence: number;
}

/** What a preview of other passes reads. */
export class PreviewReads {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /** Lines below an id that are open and not held, or that a run has matched or proposed and nobody has decided about. */
  page(below: number, limit: number): PreviewPage {
    const rows = this.#sql.all<LineRow & { line_group: number | null }>(
      `SELECT ${LINE_COLUMNS}, line.line_group FROM line WHERE id < ? AND state <> ${LINE_HELD} ORDER BY id DESC LIMIT ? + 0`,
      below,
      limit,
    );
    const ids = [...new Set(rows.flatMap(({ line_group: id }) => (id === null ? [] : [id])))];
    const groups = this.#sql
      .all<GroupRow>(
        `SELECT * FROM line_group WHERE id IN (SELECT value FROM json_each(?)) AND run > 0 AND pass <> '${TAKEN_BACK}'
           AND NOT EXISTS (SELECT 1 FROM decision WHERE decision.line_group = line_group.id)`,
        stringifyJson(ids),
      )
      .map(toGroup);
    const isKnown = new Set(groups.map(({ id }) => id));
    return {
      lines: rows
        .filter(({ line_group: id }) => id === null || isKnown.has(id))
        .map((row) => ({ line: toLine(row), group: row.line_group ?? undefined })),
      groups: groups.map(({ id, left, right, state, pass, confidence }) => ({
        id,
        left,
        right,
        isProposed: state === "proposed",
        pass,
        confidence,
      })),
      next: rows.length < limit ? undefined : rows.at(-1)?.id,
    };
  }

  /** Those of some groups that a person has declined or broken, by their places. */
  declined(groups: readonly Group[]): readonly number[] {
    const texts = groups.map((group, place) => stringifyJson([place, linesText(group)]));
    return [...chunksOf(texts)].flatMap((chunk) =>
      this.#sql
        .all<{ place: number }>(
          `SELECT value ->> 0 AS place FROM json_each(?)
           WHERE EXISTS (SELECT 1 FROM declined_group WHERE lines = value ->> 1)`,
          `[${chunk.join(",")}]`,
        )
        .map(({ place }) => place),
    );
  }
}
