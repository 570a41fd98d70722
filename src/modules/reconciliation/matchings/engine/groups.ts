import type { LineStore } from "./lines.ts";
import type { Group } from "#modules/reconciliation/core/matching/index.ts";
import { parseJson, stringifyJson } from "#platform/json.ts";
import { chunksOf, first, type Sql } from "#platform/sql/sql.ts";

/**
 * What is known of a group. A `candidate` is one of several groups that fit equally well, until the run ends; a group that is `proposed` waits
 * for a person; lines of a `matched` one belong together; a person has `declined` a proposal, or `broken` a match.
 */
export type GroupState = "candidate" | "proposed" | "matched" | "declined" | "broken";

/** A group that a run or a person has made. */
export interface NewGroup extends Group {
  readonly state: "candidate" | "proposed" | "matched";
  /** The run, 0 for a group that a person has made. */
  readonly run: number;
  readonly pass: string;
  readonly confidence: number;
  readonly isAmbiguous: boolean;
}

export interface StoredGroup extends Omit<NewGroup, "state"> {
  readonly id: number;
  readonly state: GroupState;
}

export type GroupRow = {
  id: number;
  state: GroupState;
  run: number;
  pass: string;
  confidence: number;
  is_ambiguous: number;
  left_lines: string;
  right_lines: string;
};

/** The groups of a matching. */
export class GroupStore {
  readonly #sql: Sql;
  readonly #lines: LineStore;

  constructor(sql: Sql, lines: LineStore) {
    this.#sql = sql;
    this.#lines = lines;
  }

  /** Stores groups, whose lines get their state, but for those of candidates. Gives them without those that a person has declined before. */
  insert(groups: readonly NewGroup[]): readonly NewGroup[] {
    const kept = this.#withoutDeclined(groups);
    this.#insertAll(kept);
    return kept;
  }

  /** Stores a group that a person has made, even if it was declined before. */
  insertByHand(group: NewGroup): void {
    this.#insertAll([group]);
  }

  /** The last id that a group has got. The group may be gone. */
  lastId(): number {
    return first(this.#sql.all<{ id: number }>("SELECT id FROM last_group")).id;
  }

  #insertAll(groups: readonly NewGroup[]): void {
    if (groups.length === 0) return;
    const last = this.lastId();
    const rows = groups.map((group, index) => ({ ...group, id: last + 1 + index }));
    this.#sql.all("UPDATE last_group SET id = ?", last + groups.length);
    for (const chunk of chunksOf(rows.map(rowText))) {
      const json = `[${chunk.join(",")}]`;
      this.#sql.all(
        `INSERT INTO line_group (id, state, run, pass, confidence, is_ambiguous, left_lines, right_lines)
         SELECT ${[0, 1, 2, 3, 4, 5, 6, 7].map((index) => `value ->> ${index}`).join(", ")} FROM json_each(?)`,
        json,
      );
      this.#sql.all(
        `UPDATE line SET state = CASE found.state WHEN 'matched' THEN 1 ELSE 2 END, line_group = found.id
         FROM (
           SELECT line.value AS line, made.value ->> 0 AS id, made.value ->> 1 AS state
           FROM json_each(?) AS made, json_each(made.value -> 8) AS line
         ) AS found
         WHERE line.id = found.line AND found.state <> 'candidate'`,
        json,
      );
    }
  }

  read(id: number): StoredGroup | undefined {
    const [row] = this.#sql.all<GroupRow>("SELECT * FROM line_group WHERE id = ?", id);
    return row === undefined ? undefined : toGroup(row);
  }

  /** The first groups in a state. */
  inState(state: "candidate" | "proposed", limit: number): readonly StoredGroup[] {
    return this.#sql
      .all<GroupRow>(
        "SELECT * FROM line_group WHERE state = ? ORDER BY id LIMIT ? + 0",
        state,
        limit,
      )
      .map(toGroup);
  }

  setState(id: number, state: GroupState): void {
    this.#sql.all("UPDATE line_group SET state = ? WHERE id = ?", state, id);
  }

  /** Removes a group that nobody has decided about, and opens its lines. */
  dissolve({ id, left, right, state }: StoredGroup): void {
    this.#sql.all("DELETE FROM line_group WHERE id = ?", id);
    if (state === "proposed") this.#lines.setState([...left, ...right], "open", null);
  }

  /** Opens the lines of a group, and keeps runs from making this group again. */
  decline({ id, left, right }: StoredGroup, state: "declined" | "broken"): void {
    this.setState(id, state);
    this.#lines.setState([...left, ...right], "open", null);
    this.#sql.all(
      "INSERT OR IGNORE INTO declined_group (lines) VALUES (?)",
      linesText({ left, right }),
    );
  }

  #withoutDeclined(groups: readonly NewGroup[]): readonly NewGroup[] {
    if (this.#sql.all("SELECT 1 FROM declined_group LIMIT 1").length === 0) return groups;
    return groups.filter(
      (group) =>
        this.#sql.all("SELECT 1 FROM declined_group WHERE lines = ?", linesText(group)).length ===
        0,
    );
  }
}

const rowText = (group: NewGroup & { readonly id: number }): string =>
  stringifyJson([
    group.id,
    group.state,
    group.run,
    group.pass,
    group.confidence,
    group.isAmbiguous ? 1 : 0,
    idsText(group.left),
    idsText(group.right),
    [...group.left, ...group.right],
  ]);

export const toGroup = (row: GroupRow): StoredGroup => ({
  id: row.id,
  state: row.state,
  run: row.run,
  pass: row.pass,
  confidence: row.confidence,
  isAmbiguous: row.is_ambiguous === 1,
  left: parseJson(row.left_lines) as readonly number[], // `rowText` has written them.
  right: parseJson(row.right_lines) as readonly number[],
});

const idsText = (ids: readonly number[]): string => `[${ids.join(",")}]`;

/** A group by its lines, whatever their order is. */
export const linesText = ({ left, right }: Group): string =>
  [left, right].map((ids) => ids.toSorted((one, other) => one - other).join(" ")).join("=");
