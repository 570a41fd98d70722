import { Holds } from "./holds.ts";
import { GroupStore } from "#modules/reconciliation/matchings/engine/groups.ts";
import { Journal } from "#modules/reconciliation/matchings/engine/journal.ts";
import { LineStore } from "#modules/reconciliation/matchings/engine/lines.ts";
import { parseJson, stringifyJson } from "#platform/json.ts";
import type { Sql } from "#platform/sql/sql.ts";

/** Where the lines have come from. */
interface LinesFrom {
  readonly ledgers: readonly string[];
  readonly hasPayments: boolean;
  readonly statements: readonly string[];
}

/** What there is of it. Lines of what is not there are of the original of a copy. */
interface KnownLines {
  readonly lastTransactions: ReadonlyMap<string, number>;
  readonly lastAdjustment: number;
  readonly unknownStatements: readonly string[];
}

/** The lines of the original, by their ids, while they are removed. */
const UNKNOWN = "(SELECT id FROM copy_unknown)";

/**
 * Fits the lines of a matching that comes back from a backup to its sources, which are as of an earlier moment. Lines that the sources do not
 * have would keep others from being matched: their names will be those of other lines. They are removed, as if they had never been collected.
 */
export class LineFit {
  readonly #sql: Sql;
  readonly #lines: LineStore;
  readonly #groups: GroupStore;
  readonly #holds: Holds;

  /** `sql` has the tables of a matching. */
  constructor(sql: Sql) {
    this.#sql = sql;
    this.#lines = new LineStore(sql);
    this.#groups = new GroupStore(sql, this.#lines);
    const journal = new Journal(sql);
    this.#holds = new Holds(sql, { lines: this.#lines, groups: this.#groups, journal });
  }

  /** Where the lines have come from. */
  origins(): LinesFrom {
    return {
      ledgers: this.#distinct("ledger"),
      hasPayments:
        this.#sql.all("SELECT 1 FROM line WHERE evidence ->> 'paymentID' IS NOT NULL LIMIT 1")
          .length > 0,
      statements: this.#distinct("statementID"),
    };
  }

  #distinct(member: "ledger" | "statementID"): string[] {
    return this.#sql
      .all<{ name: string }>(
        `SELECT DISTINCT evidence ->> '${member}' AS name FROM line WHERE evidence ->> '${member}' IS NOT NULL`,
      )
      .map(({ name }) => name);
  }

  /** The corrections that hold lines, or have held them. */
  corrections(): string[] {
    return this.#sql.all<{ id: string }>("SELECT correction AS id FROM held").map(({ id }) => id);
  }

  /**
   * Removes the lines that the sources do not have, and the groups with one of them, whose other lines are open again, or held by their
   * corrections. Sources are read from their beginnings by the next run. Corrections that do not exist give up the lines that they hold.
   */
  fit(known: KnownLines, unknownCorrections: readonly string[]): void {
    this.#sql.all("CREATE TABLE copy_unknown (id INTEGER PRIMARY KEY) STRICT");
    this.#findUnknown(known);
    this.#removeGroups();
    for (const table of ["line_reference", "break_work", "break_event"]) {
      this.#sql.all(`DELETE FROM ${table} WHERE line IN ${UNKNOWN}`);
    }
    this.#sql.all("DELETE FROM pass_key");
    this.#sql.all(`UPDATE line SET break_related = NULL WHERE break_related IN ${UNKNOWN}`);
    this.#sql.all(`DELETE FROM line WHERE id IN ${UNKNOWN}`);
    this.#sql.all("DROP TABLE copy_unknown");
    this.#sql.all("UPDATE collection SET position = NULL");
    for (const correction of unknownCorrections) this.#holds.release(correction);
  }

  #findUnknown({ lastTransactions, lastAdjustment, unknownStatements }: KnownLines): void {
    const find = "INSERT INTO copy_unknown SELECT id FROM line WHERE evidence";
    const key = "CAST(source_id AS INTEGER)";
    for (const [ledger, last] of lastTransactions) {
      this.#sql.all(`${find} ->> 'ledger' = ? AND ${key} > ?`, ledger, last);
    }
    this.#sql.all(`${find} ->> 'paymentID' IS NOT NULL AND ${key} > ?`, lastAdjustment);
    this.#sql.all(
      `${find} ->> 'statementID' IN (SELECT value FROM json_each(?))`,
      stringifyJson(unknownStatements),
    );
  }

  #removeGroups(): void {
    const groups = this.#sql.all<{ id: number }>(
      `SELECT id FROM line_group WHERE
         EXISTS (SELECT 1 FROM json_each(left_lines) WHERE value IN ${UNKNOWN})
         OR EXISTS (SELECT 1 FROM json_each(right_lines) WHERE value IN ${UNKNOWN})`,
    );
    for (const { id } of groups) {
      const group = this.#groups.read(id);
      if (group === undefined) continue;
      const lines = [...group.left, ...group.right];
      if (group.state === "matched") this.#lines.setState(lines, "open", null);
      this.#groups.dissolve(group);
      this.#holdAgain(id);
    }
    for (const { lines } of this.#sql.all<{ lines: string }>("SELECT lines FROM declined_group")) {
      const isOfUnknown = this.#sql.all(
        `SELECT 1 FROM copy_unknown WHERE id IN (SELECT value FROM json_each(?)) LIMIT 1`,
        `[${lines.replaceAll(/[ =]+/g, ",").replace(/^,|,$/g, "")}]`,
      );
      if (isOfUnknown.length > 0)
        this.#sql.all("DELETE FROM declined_group WHERE lines = ?", lines);
    }
  }

  /** The correction that was closed with a group holds its lines again, until its booking is matched with them again. */
  #holdAgain(group: number): void {
    const held = this.#sql.all<{ correction: string; lines: string }>(
      "SELECT correction, lines FROM held WHERE line_group = ?",
      group,
    );
    for (const { correction, lines } of held) {
      this.#sql.all("UPDATE held SET line_group = NULL WHERE correction = ?", correction);
      this.#lines.setState(parseJson(lines) as readonly number[], "held", null); // `Holds` has written them
    }
  }
}
