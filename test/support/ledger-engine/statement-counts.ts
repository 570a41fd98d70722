import { NodeSql } from "#platform/sql/node-sql.ts";
import type { Sql, SqlRow, SqlValue } from "#platform/sql/sql.ts";

/** SQL that counts the statements of each kind. */
export class StatementCounts implements Sql {
  readonly #sql = new NodeSql();
  readonly counts = new Map<string, number>();

  all<Row extends SqlRow>(statement: string, ...bindings: readonly SqlValue[]): Row[] {
    const [kind = ""] = /^\w+(?: \w+ \w+)?/.exec(statement.replace(" OR FAIL", "")) ?? [];
    this.counts.set(kind, (this.counts.get(kind) ?? 0) + 1);
    return this.#sql.all<Row>(statement, ...bindings);
  }

  transaction<T>(work: () => T): T {
    return this.#sql.transaction(work);
  }

  get total(): number {
    return [...this.counts.values()].reduce((sum, count) => sum + count, 0);
  }
}
