import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { stringifyJson } from "#platform/json.ts";

/**
 * The condition for rows whose ledger one of the patterns allows (`platform/access/ledger-patterns.ts`); undefined, for all rows, without
 * patterns.
 */
export const whereLedgerAllowed = (
  column: SQLWrapper,
  patterns: readonly string[],
): SQL | undefined => (patterns.length === 0 ? undefined : isCovered(column, patterns));

/**
 * The condition for rows whose own patterns are all covered by `patterns`, so that the rows concern no other ledgers; undefined, for all
 * rows, without patterns. The column holds the patterns of a row as JSON.
 */
export function whereBindingCovered(
  column: SQLWrapper,
  patterns: readonly string[],
): SQL | undefined {
  if (patterns.length === 0) return undefined;
  const isBeyond = sql`NOT ${isCovered(sql`bound.value`, patterns)}`;
  return sql`(json_array_length(${column}) > 0 AND NOT EXISTS (SELECT 1 FROM json_each(${column}) AS bound WHERE ${isBeyond}))`;
}

/** The test whether one of the patterns equals a text, or is a beginning of the text followed by a star. */
const isCovered = (text: SQLWrapper, patterns: readonly string[]): SQL => sql`
  EXISTS (SELECT 1 FROM json_each(${stringifyJson(patterns)}) AS pattern
    WHERE ${text} = pattern.value
      OR (substr(pattern.value, -1) = '*'
        AND substr(${text}, 1, length(pattern.value) - 1) = substr(pattern.value, 1, length(pattern.value) - 1)))`;
