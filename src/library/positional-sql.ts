import { NodeSql } from "#platform/sql/node-sql.ts";
import type { Sql, SqlRow, SqlValue } from "#platform/sql/sql.ts";

/** SQL on every version of Node that the library supports: from 22.13 to 24.6, `node:sqlite` treats `?1` as a named parameter. */
export class PositionalSql implements Sql {
  readonly #sql: NodeSql;
  readonly #statements = new Map<string, Positional>();

  constructor(path?: string) {
    this.#sql = new NodeSql(path);
  }

  all<Row extends SqlRow>(statement: string, ...bindings: readonly SqlValue[]): Row[] {
    const { text, bindingNumbers } = this.#positional(statement);
    if (bindingNumbers === undefined) return this.#sql.all<Row>(text, ...bindings);
    return this.#sql.all<Row>(
      text,
      ...bindingNumbers.map((number) => bindings[number - 1] ?? null),
    );
  }

  transaction<T>(work: () => T): T {
    return this.#sql.transaction(work);
  }

  close(): void {
    this.#sql.close();
  }

  #positional(statement: string): Positional {
    let known = this.#statements.get(statement);
    if (known === undefined) {
      known = toPositional(statement);
      this.#statements.set(statement, known);
    }
    return known;
  }
}

interface Positional {
  readonly text: string;
  /** The binding of each parameter, counted from 1; undefined if the parameters are in order. */
  readonly bindingNumbers?: readonly number[];
}

/** Replaces numbered parameters by positional ones. No statement of the engine has a `?` in a text. */
export function toPositional(statement: string): Positional {
  if (!/\?\d/.test(statement)) return { text: statement };
  const bindingNumbers: number[] = [];
  const text = statement.replaceAll(/\?(\d*)/g, (_, digits: string) => {
    // A parameter without a number follows the largest number so far, as in SQLite.
    bindingNumbers.push(digits === "" ? Math.max(0, ...bindingNumbers) + 1 : Number(digits));
    return "?";
  });
  return { text, bindingNumbers };
}
