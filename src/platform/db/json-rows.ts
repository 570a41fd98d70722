import { type SQL, sql } from "drizzle-orm";
import { packJson } from "./pack-json.ts";
import { stringifyJson } from "#platform/json.ts";

/**
 * Rows as a source of a statement: `FROM ${jsonRows(rows)} AS r ORDER BY ${ROW_ORDER}`, in which `r.item ->> 0` is the first value of a
 * row. Any number of rows, at least one, takes one statement with a few parameters.
 */
export function jsonRows(rows: readonly (readonly unknown[])[]): SQL {
  const packs = [...packJson(rows.map((row) => stringifyJson(row)))].map(
    (pack, place) => sql`(${place}, ${pack})`,
  );
  return sql`(
    SELECT pack.column1 AS place, e.key AS at, e.value AS item
    FROM (VALUES ${sql.join(packs, sql`, `)}) AS pack, json_each(pack.column2) AS e)`;
}

/** The order of the rows of `jsonRows`. */
export const ROW_ORDER: SQL = sql`r.place, r.at`;

/** The values of a row in their order, for a statement that takes `count` columns. */
export const rowItems = (count: number, first = 0): SQL =>
  sql.raw(Array.from({ length: count }, (_, at) => `r.item ->> ${first + at}`).join(", "));
