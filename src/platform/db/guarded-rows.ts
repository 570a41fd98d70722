import { type SQL, sql } from "drizzle-orm";
import { packJson } from "./pack-json.ts";
import { stringifyJson } from "#platform/json.ts";

type Value = string | number | null;

/**
 * A row that belongs to one of several changes in one batch. The guard names the row's change, so that a condition can decide for each row
 * whether its change was stored.
 */
export interface GuardedRow {
  readonly guard: readonly (string | number)[];
  readonly columns: readonly Value[];
}

/** The rows as JSON parameters, each for `json_each(…) AS e`. */
export const packRows = (rows: readonly GuardedRow[]): string[] => [
  ...packJson(rows.map(({ guard, columns }) => stringifyJson([guard, ...columns]))),
];

/** A column of the row `e`. */
export const columnOf = (number: number): SQL => sql.raw(`e.value ->> ${number + 1}`);

/** The first `count` columns of the row `e`. */
export const columnsOf = (count: number): SQL =>
  sql.join(
    Array.from({ length: count }, (_, number) => columnOf(number)),
    sql`, `,
  );

/** A part of the guard of the row `e`. */
export const guardOf = (part: number): SQL => sql.raw(`e.value ->> '$[0][${part}]'`);
