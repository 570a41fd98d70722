import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { stringifyJson } from "#platform/json.ts";

/** The rows whose ledger some patterns allow (`platform/access/ledger-patterns.ts`); all rows without any pattern. */
export const whereLedgerAllowed = (
  column: SQLWrapper,
  patterns: readonly string[],
): SQL | undefined => (patterns.length === 0 ? undefined : isCovered(column, patterns));

/**
 * The rows that were made under patterns which these cover, so that they can't have to do with other ledgers; all rows without
 * any pattern. The column has the patterns of a row as JSON.
 */
export function whereBindingCovered(
  column: SQLWrapper,
  patterns: readonly string[],
): SQL | undefined {
  if (patterns.length === 0) return undefined;
  const isBeyond = sql`NOT ${isCovered(sql`bound.value`, patterns)}`;
  return sql`(json_array_length(${column}) > 0 AND NOT EXISTS (SELECT 1 FROM json_each(${column}) AS bound WHERE ${isBeyond}))`;
}

/** Whether one of the patterns equals a text, or is its beginning with a star. */
const isCovered = (text: SQLWrapper, patterns: readonly string[]): SQL => sql`
  EXISTS (SELECT 1 FROM json_each(${stringifyJson(patterns)}) AS pattern
    WHERE ${text} = pattern.value
      OR (substr(pattern.value, -1) = '*'
        AND substr(${text}, 1, length(pattern.value) - 1) = substr(pattern.value, 1, length(pattern.value) - 1)))`;
