import { expect, test } from "vitest";
import type { AuditReport } from "#ledger-engine/audit/audit.ts";
import { TABLE_NAMES, type TableName } from "#ledger-engine/audit/table-ranges.ts";
import type { TestLedger } from "#test/support/ledger-engine/fixtures.ts";
import { audited, auditsOf } from "#test/support/ledger-engine/in-node.ts";
import { variedLedger } from "#test/support/ledger-engine/varied-ledger.ts";

/**
 * Values of every type, of which a table accepts those that its columns allow. The last texts look like ends of lines and
 * lists.
 */
const VALUES = [
  "NULL",
  "0",
  "2",
  "9007199254740993",
  "0.0",
  "0.5",
  "''",
  "'0'",
  "'null'",
  "x''",
  "x'30'",
  `'0' || char(10)`,
  `char(0)`,
  `'",'`,
  `']' || char(10) || '[1'`,
];

/** The values for a column, and forms of another type that look like its own. */
const valuesOf = (column: string): string[] => [
  ...VALUES.filter((value) => !(value === "NULL" && CHECKSUMS.has(column))),
  `CAST(${column} AS TEXT)`,
  `CAST(${column} AS BLOB)`,
  `CAST(${column} AS REAL)`,
  `CAST(${column} AS TEXT) || char(0)`,
  `CAST(${column} AS TEXT) || char(10)`,
  `' ' || ${column}`,
];

/** Columns with numbers that may differ, as long as they lie within the log, and `needs`, which is in no ledger that an earlier version has made. */
const ONLY_IN_LEDGER = new Set(["published_log", "imported_log", "deletion_revision", "needs"]);
/** Columns with checksums. An audit accepts an entry that lacks its checksum. */
const CHECKSUMS = new Set(["seal", "checksum"]);
/** The rows of a table that are changed, in turn: the first one and some behind it. */
const ROWS = [0, 4, 8];

interface Change {
  readonly table: TableName;
  readonly statement: string;
}

/** Changes that put each value into each column, except key columns, of one of these rows, or of the last row of a shorter table. */
function changesOf(ledger: TestLedger): Change[] {
  return TABLE_NAMES.flatMap((table) => {
    const columns = ledger.sql.all<{ name: string; pk: number }>(
      `SELECT name, pk FROM pragma_table_info('${table}')`,
    );
    const key = columns.filter(({ pk }) => pk > 0).toSorted((a, b) => a.pk - b.pk);
    const keys = key.map(({ name }) => name).join(", ");
    const others = columns.filter(({ name, pk }) => pk === 0 && !ONLY_IN_LEDGER.has(name));
    return others.flatMap(({ name }) =>
      valuesOf(name).map((value, index) => ({
        table,
        statement: `UPDATE ${table} SET ${name} = ${value}
            WHERE (${keys}) = (SELECT ${keys} FROM ${table} ORDER BY ${keys} LIMIT 1
              OFFSET min(${ROWS[index % ROWS.length] ?? 0}, (SELECT count(*) - 1 FROM ${table})))`,
      })),
    );
  });
}

/** The rows of a table, with the types of their cells. */
const shown = (ledger: TestLedger, { table }: Change): string => {
  const columns = ledger.sql
    .all<{ name: string }>(`SELECT name FROM pragma_table_info('${table}')`)
    .flatMap(({ name }) => [`typeof(${name})`, `hex(${name})`]);
  return JSON.stringify(
    ledger.sql.all<{ text: string }>(
      `SELECT concat_ws(' ', ${columns.join(", ")}) AS text FROM ${table}`,
    ),
  );
};

/** The outcome of a change: a constraint refuses it, it changes nothing, or the finding of `audit`. The change is undone. */
function outcomeOf(ledger: TestLedger, change: Change, audit: () => AuditReport): string {
  const end = new Error("the change is undone");
  const before = shown(ledger, change);
  let outcome = "refused";
  try {
    ledger.sql.transaction(() => {
      ledger.sql.all(change.statement);
      outcome = shown(ledger, change) === before ? "nothing" : audit().status;
      throw end;
    });
  } catch (error) {
    if (error !== end && outcome !== "refused") throw error;
  }
  return outcome;
}

test("an audit finds a value of any type in any column of any table", () => {
  const ledger = variedLedger();
  const audit = auditsOf(ledger);
  const outcomes = changesOf(ledger).map((change) => ({
    change,
    outcome: outcomeOf(ledger, change, audit),
  }));
  expect(outcomes.filter(({ outcome }) => outcome === "consistent")).toEqual([]);
  expect(outcomes.filter(({ outcome }) => outcome === "inconsistent").length).toBeGreaterThan(300);
  expect(audited(ledger).status).toBe("consistent");
});
