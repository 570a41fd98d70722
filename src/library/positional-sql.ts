import { NodeSql } from "#platform/sql/node-sql.ts";
import type { Sql, SqlRow, SqlValue } from "#platform/sql/sql.ts";

/** SQL on every Node that the library is for: `node:sqlite` of 22.13, and up to 24.6, takes `?1` for a name. */
export class PositionalSql implements Sql {
  readonly #sql: NodeSql;
  readonly #statements = new Map<string, Positional>();

  constructor(path?: string) {
    this.#sql = new NodeSql(path);
  }

  all<Row extends SqlRow>(statement: string, ...bindings: readonly SqlValue[]): Row[] {
    const { text, places } = this.#positional(statement);
    if (places === undefined) return this.#sql.all<Row>(text, ...bindings);
    return this.#sql.all<Row>(text, ...places.map((place) => bindings[place - 1] ?? null));
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
  /** Which binding each parameter takes, counted from 1; not there where they are in order. */
  readonly places?: readonly number[];
}

/** Writes numbered parameters without their numbers. No statement of the engine has a `?` in a text. */
export function toPositional(statement: string): Positional {
  if (!/\?\d/.test(statement)) return { text: statement };
  const places: number[] = [];
  const text = statement.replaceAll(/\?(\d*)/g, (_, digits: string) => {
    // One without a number follows the largest so far, as in SQLite.
    places.push(digits === "" ? Math.max(0, ...places) + 1 : Number(digits));
    return "?";
  });
  return { text, places };
}
