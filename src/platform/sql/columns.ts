import { first, type Sql, type SqlValue } from "./sql.ts";
import { parseColumns } from "#platform/json.ts";

/**
 * Reads the columns that a statement gives in its one row, by their names. Each comes as one text, because to hand over each value of
 * each row takes longer than to find them. A text has at most 2 MB, so that the columns must not hold long texts.
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

/** An amount in a column, if a number holds it exactly; null otherwise, because amounts may be long. */
export const numberOf = (amount: string): string =>
  `iif(${amount} <= ${Number.MAX_SAFE_INTEGER}, ${amount}, NULL)`;
