import { sql } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import { shapeDifferences, shapeOf, type TableShape } from "./wanted-tables.ts";
import { databaseOf } from "#platform/db/database.ts";
import { stringifyJson } from "#platform/json.ts";

/** Times for which the results "complete" and "incomplete" are cached, in milliseconds. */
const COMPLETE_MS = 60_000;
const INCOMPLETE_MS = 5000;

/** Checks whether the database has the tables that the modules want. */
export class TablesWatch {
  readonly #env: Pick<Env, "DB">;
  readonly #wanted: ReadonlyMap<string, readonly TableShape[]>;
  #lacks: ReadonlyMap<string, readonly string[]> = new Map();
  #untilMs = 0;

  /** `wanted` has the tables by the name of their module, or of the platform. */
  constructor(env: Pick<Env, "DB">, wanted: ReadonlyMap<string, readonly SQLiteTable[]>) {
    this.#env = env;
    this.#wanted = new Map([...wanted].map(([name, tables]) => [name, tables.map(shapeOf)]));
  }

  /**
   * The problems of the tables, a sentence each, by the name of their module; modules without problems are left out. One query reads all
   * tables, at most once in five seconds. Throws if the database does not answer.
   */
  async lacks(): Promise<ReadonlyMap<string, readonly string[]>> {
    if (Date.now() < this.#untilMs) return this.#lacks;
    const found = await readShapes(this.#env, [...this.#wanted.values()].flat());
    const lacks = [...this.#wanted].map(([name, tables]): [string, string[]] => [
      name,
      tables.flatMap((table) => shapeDifferences(table, found.get(table.name))),
    ]);
    this.#lacks = new Map(lacks.filter(([, sentences]) => sentences.length > 0));
    this.#untilMs = Date.now() + (this.#lacks.size === 0 ? COMPLETE_MS : INCOMPLETE_MS);
    return this.#lacks;
  }
}

/** A column or an index. `flag` tells whether a column is not null, or whether an index is unique. */
type PartSqlRow = {
  kind: "column" | "index";
  table: string;
  name: string;
  type: string;
  flag: number;
  pk: number;
};

/** The existing tables with the wanted names. */
async function readShapes(
  env: Pick<Env, "DB">,
  wanted: readonly TableShape[],
): Promise<Map<string, TableShape>> {
  const names = stringifyJson(wanted.map(({ name }) => name));
  const parts = await databaseOf(env).all<PartSqlRow>(sql`
    SELECT 'column' AS kind, t.value AS "table", c.name, c.type, c."notnull" AS flag, c.pk
      FROM json_each(${names}) AS t, pragma_table_info(t.value) AS c
    UNION ALL
    SELECT 'index', t.value, i.name, '', i."unique", 0
      FROM json_each(${names}) AS t, pragma_index_list(t.value) AS i`);
  return new Map(
    [...Map.groupBy(parts, ({ table }) => table)].map(([name, rows]) => [
      name,
      {
        name,
        columns: rows
          .filter(({ kind }) => kind === "column")
          .map((row) => ({
            name: row.name,
            type: row.type.toLowerCase(),
            isNotNull: row.flag === 1,
            isKey: row.pk > 0,
          })),
        indexes: rows
          .filter(({ kind }) => kind === "index")
          .map((row) => ({ name: row.name, isUnique: row.flag === 1 })),
      },
    ]),
  );
}
