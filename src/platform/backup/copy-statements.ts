import {
  type CopiedTable,
  keyText,
  quoted,
  quotedText,
  rowBytes,
  rowValues,
} from "./copied-table.ts";
import type { CopyStatement } from "./copy-database.ts";

/** The triggers that note the keys of rows of a table that are inserted, updated and deleted; an update may change the key. */
export function triggersOf(table: CopiedTable): CopyStatement[] {
  const name = quoted(table.name);
  const note = (row: string): string =>
    `INSERT INTO copy_change (tbl, key) SELECT ${quotedText(table.name)}, ${keyText(table, row)}`;
  const isMoved = `${keyText(table, "OLD")} IS NOT ${keyText(table, "NEW")}`;
  return [
    `CREATE TRIGGER ${triggerName(table, "insert")} AFTER INSERT ON ${name} BEGIN ${note("NEW")}; END`,
    `CREATE TRIGGER ${triggerName(table, "update")} AFTER UPDATE ON ${name} BEGIN ${note("NEW")}; ${note("OLD")} WHERE ${isMoved}; END`,
    `CREATE TRIGGER ${triggerName(table, "delete")} AFTER DELETE ON ${name} BEGIN ${note("OLD")}; END`,
  ].map((text) => ({ text }));
}

const triggerName = ({ name }: CopiedTable, change: string): string =>
  quoted(`copy_${change}_${name}`);

export const dropTriggers = (names: readonly string[]): CopyStatement[] =>
  names.map((name) => ({ text: `DROP TRIGGER ${quoted(name)}` }));

/**
 * The rows behind a key, in the order of keys: as many as have at most `bytesMax` bytes before the last one. Keys and sizes are read first,
 * so that no more rows are read than are returned; `found` is their number, which is `rowsMax` unless the table has no more.
 */
export function pageQuery(
  table: CopiedTable,
  limits: {
    readonly rowsMax: number;
    readonly bytesMax: number;
    readonly after?: string | undefined;
  },
): CopyStatement {
  const { rowsMax, bytesMax, after } = limits;
  const keys = table.key.map((name) => `t.${quoted(name)}`);
  const named = keys.map((column, index) => `${column} AS k${index}`);
  const places = keys.map((_, index) => `k${index}`).join();
  const behind = `(${keys.join()}) > (${keys.map((_, index) => `?1 ->> ${index}`).join()})`;
  const isJoined = keys.map((column, index) => `${column} = k${index}`).join(" AND ");
  const condition = after === undefined ? "?1 IS NULL" : behind;
  return {
    text: `WITH sized AS MATERIALIZED (
      SELECT ${named.join()}, ${rowBytes(table)} AS bytes FROM ${quoted(table.name)} AS t
      WHERE ${condition} ORDER BY ${keys.join()} LIMIT ?2 + 0
    ), summed AS MATERIALIZED (
      SELECT ${places}, sum(bytes) OVER (ORDER BY ${places}) - bytes AS before FROM sized
    )
    SELECT ${keyText(table, "t")} AS key, (SELECT count(*) FROM sized) AS found, ${rowValues(table)}
    FROM summed CROSS JOIN ${quoted(table.name)} AS t ON ${isJoined}
    WHERE before <= ?3 ORDER BY ${places}`,
    params: [after ?? null, rowsMax, bytesMax],
  };
}

/** Changes of the log behind `after` and up to `upTo`. */
interface ChangeRange {
  readonly after: number;
  readonly upTo: number;
}

const changedKeys = (table: CopiedTable): string =>
  `(SELECT key, max(seq) AS seq FROM copy_change WHERE seq > ? AND seq <= ? AND tbl = ${quotedText(table.name)} GROUP BY key) AS c`;

const isChanged = ({ key }: CopiedTable): string =>
  key.map((name, index) => `t.${quoted(name)} = c.key ->> ${index}`).join(" AND ");

/** The rows of a table that have changed, as they are now; `exists_now` is null for those that are gone. */
export const changedRows = (table: CopiedTable, { after, upTo }: ChangeRange): CopyStatement => ({
  text: `SELECT c.key AS key, iif(t.${quoted(table.key[0] ?? "")} IS NULL, NULL, 1) AS exists_now, ${rowValues(table)}
    FROM ${changedKeys(table)} LEFT JOIN ${quoted(table.name)} AS t ON ${isChanged(table)}`,
  params: [after, upTo],
});

/** The sizes of the same rows, with the number of the last change of each. */
export const changedSizes = (table: CopiedTable, { after, upTo }: ChangeRange): CopyStatement => ({
  text: `SELECT c.seq AS seq, ${rowBytes(table)} AS bytes
    FROM ${changedKeys(table)} LEFT JOIN ${quoted(table.name)} AS t ON ${isChanged(table)}`,
  params: [after, upTo],
});

/** The largest id that a table has given away, if it exceeds those of its rows. */
export const counterQuery = ({ name, key }: CopiedTable): CopyStatement => ({
  text: `SELECT name, seq FROM sqlite_sequence WHERE name = ${quotedText(name)}
    AND seq > (SELECT coalesce(max(${quoted(key[0] ?? "")}), 0) FROM ${quoted(name)})`,
});
