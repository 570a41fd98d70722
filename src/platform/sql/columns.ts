import { first, type Sql, type SqlValue } from "./sql.ts";
import { parseColumns } from "#platform/json.ts";

/**
 * Reads the single row of a statement whose columns are JSON texts, and parses each column. One text for a whole column is used because the
 * transfer of single values takes longer than the query. A text has at most 2 MB, so that columns must not hold long texts.
 */
export function readColumns(
  sql: Sql,
  statement: string,
  ...bindings: readonly SqlValue[]
): unknown {
  const row = first(sql.all<Record<string, string>>(statement, ...bindings));
  const columns: Record<string, unknown> = {};
  for (const [name, text] of Object.entries(row)) columns[name] = parseColumns(text);
  return columns;
}

/** SQL for an amount in a JSON column: the amount if a number holds it exactly, and null otherwise, because amounts may be long. */
export const numberOf = (amount: string): string =>
  `iif(${amount} <= ${Number.MAX_SAFE_INTEGER}, ${amount}, NULL)`;
