import { describe, expect, test } from "vitest";
import {
  answerAudit,
  type AuditAnswer,
  type AuditReport,
  type AuditRequest,
  LedgerAudit,
  parseProgress,
} from "#ledger-engine/audit/audit.ts";
import { TABLE_NAMES, rowsOf } from "#ledger-engine/audit/table-ranges.ts";
import type { LedgerInfo } from "#ledger-engine/rules/types.ts";
import { migrateToEnd, STEP_LAST } from "#ledger-engine/storage/migrations.ts";
import { stringifyJson } from "#platform/json.ts";
import { NodeSql } from "#platform/sql/node-sql.ts";
import {
  at,
  create,
  posting,
  setMetadata,
  TestLedger,
} from "#test/support/ledger-engine/fixtures.ts";
import { audited, auditsOf } from "#test/support/ledger-engine/in-node.ts";
import { changed, exportOf, importInto, linesOf } from "#test/support/ledger-engine/logs.ts";
import { toFirstStep } from "#test/support/ledger-engine/migration/first-step.ts";
import { variedLedger } from "#test/support/ledger-engine/varied-ledger.ts";

/** The number of compared rows of each table. */
const COUNTED = {
  ledger: 1,
  migration: STEP_LAST,
  asset: 2,
  account: 9,
  tx: 10,
  entry: 8,
  move: 25,
  metadata_index: 12,
  metadata_log: 9,
  schema: 2,
};

describe("an audit", () => {
  test("an audit replays every row of a ledger, byte for byte", () => {
    const ledger = variedLedger();
    const report = audited(ledger);
    expect(report).toMatchObject({ status: "consistent", differences: [], lastLogId: 19 });
    expect(Object.keys(report.rows).toSorted()).toEqual([...TABLE_NAMES].toSorted());
    expect(report.rows).toEqual(COUNTED);
    const total = report.totals.find(({ asset }) => asset === "EUR/2");
    expect(total).toEqual({ asset: "EUR/2", input: 10n, output: 10n });
  });

  test.each([
    { HASH_LOGS: "DISABLED" },
    { HASH_LOGS: "ASYNC" },
    { MOVES_HISTORY: "OFF" },
    { MOVES_HISTORY_POST_COMMIT_EFFECTIVE_VOLUMES: "DISABLED" },
    { TRANSACTION_METADATA_HISTORY: "DISABLED" },
    { ACCOUNT_METADATA_HISTORY: "DISABLED" },
  ] as const)("an audit finds a ledger with %o consistent", (features) => {
    expect(audited(variedLedger(features)).differences).toEqual([]);
  });

  test.each([1, 3, 100])(
    "an audit includes what is written meanwhile, and goes on where it stopped, with %i answers together",
    (answersMax) => {
      const ledger = variedLedger();
      const sql = new NodeSql();
      let audit = new LedgerAudit(sql, ledger.engine.info);
      let writes = 0;
      const ask = (request: AuditRequest): AuditAnswer => {
        const answer = answerAudit(ledger.sql, request);
        if (writes++ < 5) {
          ledger.commit(create(posting("world -> a", 1), { timestamp: at("06:00") }));
          ledger.run(setMetadata("a", { writes: `${writes}` }));
        }
        return answer;
      };
      while (audit.report.status === "running") {
        audit.step(ask, { entries: 4, rows: 3 }, answersMax);
        audit = new LedgerAudit(
          sql,
          ledger.engine.info,
          parseProgress(stringifyJson(audit.progress)),
        );
      }
      expect(audit.report).toMatchObject({ status: "consistent", differences: [] });
      expect(audit.report.lastLogId).toBe(ledger.engine.lastLogId);
    },
  );

  test("an audit replays the answers that it takes together in one transaction", () => {
    const ledger = variedLedger();
    const sql = new NodeSql();
    const audit = new LedgerAudit(sql, ledger.engine.info);
    const seen: number[] = [];
    const step = (): void => {
      const ask = (request: AuditRequest): AuditAnswer => {
        seen.push(request.after);
        return answerAudit(ledger.sql, request);
      };
      audit.step(ask, { entries: 4, rows: 3 }, 3);
    };
    step();
    expect(seen).toEqual([-1, 4, 8]);
    expect(audit.report.lastLogId).toBe(13);
    ledger.sql.all("UPDATE tx SET payload = '[' WHERE log = 19");
    step();
    expect(audit.report).toMatchObject({ status: "inconsistent", lastLogId: 13 });
    expect(new LedgerAudit(sql, ledger.engine.info).report.lastLogId).toBe(13);
  });

  test("an audit accepts numbers that do not follow from the log, as long as they lie within it", () => {
    const ledger = variedLedger();
    ledger.sql.all("UPDATE ledger SET published_log = 13, imported_log = 5");
    expect(audited(ledger).differences).toEqual([]);
  });

  test("an audit accepts entries without checksums, but not behind a gap between ids", () => {
    const ledger = variedLedger();
    ledger.sql.all("UPDATE entry SET checksum = NULL");
    ledger.sql.all("UPDATE tx SET seal = NULL WHERE key_hash IS NULL AND log <> 11");
    expect(audited(ledger).differences).toEqual([]);
    ledger.sql.all("UPDATE tx SET seal = NULL WHERE log = 11");
    expect(audited(ledger).differences).toMatchObject([{ table: "tx", column: "seal" }]);
  });
});

test("an audit finds that an entry with a key has lost the hash of its inputs", () => {
  const ledger = variedLedger();
  ledger.sql.all("UPDATE tx SET seal = NULL WHERE key = 'k1'");
  expect(audited(ledger).differences).toMatchObject([{ table: "tx", key: "1", column: "seal" }]);
});

test("an entry that was imported with a key but without its hash is consistent", () => {
  for (const HASH_LOGS of ["SYNC", "DISABLED"] as const) {
    const source = variedLedger({ HASH_LOGS });
    const copy = new TestLedger({ features: { HASH_LOGS } });
    const lines = linesOf(exportOf(source)).map((line) =>
      changed(line, { idempotencyHash: undefined }),
    );
    expect(importInto(copy, lines)).toEqual({ taken: lines.length });
    expect(audited(copy).differences).toEqual([]);
    const before = copy.dump();
    if (HASH_LOGS === "SYNC") {
      toFirstStep(copy.sql);
      migrateToEnd(copy.sql);
      expect(
        copy
          .dump()
          .split("\n")
          .filter((row) => row.includes("'k1'")),
      ).toEqual(before.split("\n").filter((row) => row.includes("'k1'")));
    }
  }
});

/** Columns with numbers that do not follow from the log. `needs` is in no ledger that an earlier version has made. */
const ONLY_IN_LEDGER = new Set(["published_log", "deletion_revision", "needs"]);

describe("an audit finds", () => {
  const keyOf = (ledger: TestLedger, table: string): string =>
    ledger.sql
      .all<{ name: string }>(
        `SELECT name FROM pragma_table_info('${table}') WHERE pk > 0 ORDER BY pk`,
      )
      .map(({ name }) => name)
      .join(", ");

  /** Every cell of a ledger that is not null, in the form that `corrupt` takes. */
  function corruptions(features: Partial<LedgerInfo["features"]> = {}) {
    const ledger = variedLedger(features);
    return TABLE_NAMES.flatMap((table) => {
      const columns = ledger.sql
        .all<{ name: string }>(`SELECT name FROM pragma_table_info('${table}')`)
        .filter(({ name }) => !ONLY_IN_LEDGER.has(name))
        .map(({ name }) => name);
      const key = keyOf(ledger, table);
      return columns.flatMap((column) => {
        const keys = [...rowsOf(ledger.sql, { table, after: undefined, to: undefined })];
        return keys.flatMap((_, row) => {
          const [cell] = ledger.sql.all<{ type: string }>(
            `SELECT typeof(${column}) AS type FROM ${table} ORDER BY ${key} LIMIT 1 OFFSET ${row}`,
          );
          return cell === undefined || cell.type === "null"
            ? []
            : [{ table, column, row, type: cell.type }];
        });
      });
    });
  }

  /** Flips the lowest bit of an integer or of a text's last character. In a blob it shifts the bytes by one. */
  function corrupt(
    ledger: TestLedger,
    { table, column, row, type }: ReturnType<typeof corruptions>[number],
  ): void {
    const bit = (byte: string): string => `((${byte} | 1) - (${byte} & 1))`;
    const values: Record<string, string> = {
      integer: bit(column),
      blob: `unhex(substr(hex(${column}), 3) || iif(hex(${column}) LIKE '00%', '01', '00'))`,
      text: `substr(${column}, 1, length(${column}) - 1) || char(${bit(`unicode(substr(${column}, -1))`)})`,
    };
    const value = values[type] ?? column;
    const key = keyOf(ledger, table);
    const place = `(${key}) = (SELECT ${key} FROM ${table} ORDER BY ${key} LIMIT 1 OFFSET ${row})`;
    ledger.sql.all(`UPDATE ${table} SET ${column} = ${value} WHERE ${place}`);
  }

  /** Whether `audit` finds a change, or a constraint of the table refuses it. The change is undone afterwards. */
  function isFound(
    ledger: TestLedger,
    corruption: ReturnType<typeof corruptions>[number],
    audit: () => AuditReport,
  ): boolean {
    const end = new Error("the change is undone");
    let status = "";
    try {
      ledger.sql.transaction(() => {
        corrupt(ledger, corruption);
        ({ status } = audit());
        throw end;
      });
    } catch (error) {
      if (error !== end) return true; // a constraint of the table
    }
    return status === "inconsistent";
  }

  test.each([{}, { HASH_LOGS: "DISABLED" }] as const)(
    "an audit finds a flipped bit in any cell of any table, with %o",
    (features) => {
      const all = corruptions(features);
      expect(all.length).toBeGreaterThan(100);
      const ledger = variedLedger(features);
      const audit = auditsOf(ledger);
      const missed = all.filter((corruption) => !isFound(ledger, corruption, audit));
      expect(missed).toEqual([]);
      expect(audited(ledger).status).toBe("consistent");
    },
  );

  test("an audit finds an address that no ledger would take, and goes on to compare all rows", () => {
    const ledger = variedLedger();
    ledger.sql.all("UPDATE account SET address = '\u{fffd}' || substr(address, 2) WHERE id = 2");
    const { differences, rows } = audited(ledger);
    expect(differences.filter(({ table }) => table === "log")).toEqual([]);
    expect(differences.some(({ table, column }) => table === "tx" && column === "hash")).toBe(true);
    expect(rows.move).toBeGreaterThan(0);
  });

  test("an audit finds rows that are missing and rows that no entry makes, and says which", () => {
    const ledger = variedLedger();
    ledger.sql.all("DELETE FROM move WHERE tx = 3");
    ledger.sql.all("INSERT INTO asset (id, name) VALUES (99, 'XXX')");
    const { differences, status } = audited(ledger);
    expect(status).toBe("inconsistent");
    expect(differences).toContainEqual({
      table: "asset",
      key: "99",
      problem: "no log entry makes this row",
    });
    expect(differences.filter(({ problem }) => problem === "the row is missing")).toHaveLength(2);
  });

  test.each([
    ["move", "UPDATE move SET account = 77 WHERE account = 3"],
    ["move", "UPDATE move SET asset = 9 WHERE asset = 2"],
    ["move", "UPDATE move SET tx = 50 WHERE tx = 7"],
    ["log", "UPDATE tx SET id = 500 WHERE id = 2"],
    ["move", "UPDATE move SET role = role & 3 WHERE role = 5"],
    ["move", "UPDATE move SET input = CAST(input AS BLOB) WHERE tx = 3"],
    ["move", "UPDATE move SET output = CAST(output AS TEXT) WHERE tx = 3"],
    ["metadata_index", "UPDATE metadata_index SET scope = 1 WHERE scope = 0 AND target = 1"],
    ["metadata_index", "UPDATE metadata_index SET target = 2 WHERE scope = 0 AND target = 1"],
    ["metadata_index", "DELETE FROM metadata_index WHERE scope = 3"],
    ["metadata_log", "UPDATE metadata_log SET log = 8 WHERE log = 7"],
    ["metadata_log", "INSERT INTO metadata_log (kind, target, log) VALUES (1, 2, 1000)"],
    ["ledger", "UPDATE ledger SET published_log = 20"],
    ["ledger", "UPDATE ledger SET imported_log = 20"],
    ["ledger", "UPDATE ledger SET imported_log = -1"],
    ["tx", "UPDATE tx SET reference = reference || char(0) || 'zzz' WHERE id = 1"],
  ])("an audit finds rows under another key, and hidden bytes: %s, %s", (table, statement) => {
    const ledger = variedLedger();
    ledger.sql.all(statement);
    const { status, differences } = audited(ledger);
    expect(status).toBe("inconsistent");
    expect(differences.map((difference) => difference.table)).toContain(table);
  });

  test("an audit finds a difference far behind the rows that are read at a time, and nothing else", () => {
    const ledger = new TestLedger();
    for (let count = 0; count < 600; count++) ledger.commit(create(posting("world -> a", 1)));
    expect(audited(ledger)).toMatchObject({ status: "consistent", rows: { tx: 600, move: 1200 } });
    ledger.sql.all("UPDATE move SET output = output + 1 WHERE tx = 555 AND role = 1");
    const { differences } = audited(ledger);
    expect(differences).toMatchObject([
      { table: "move", key: "1,1,555", column: "output", stored: "556", expected: "555" },
    ]);
  });

  test("an audit finds differences of large rows, of which it shows only the part that differs", () => {
    const ledger = new TestLedger();
    for (let count = 0; count < 30; count++) {
      ledger.run(setMetadata(`a${count}`, { k: `${count}`.padStart(60_000, "x") }));
    }
    ledger.sql.all("UPDATE account SET metadata = replace(metadata, 'xxx1', 'xxx2')");
    const { differences } = audited(ledger);
    expect(differences.length).toBeGreaterThan(5);
    expect(JSON.stringify(differences).length).toBeLessThan(50_000);
  });

  test("an audit finds a wrong hash in the chain, once", () => {
    const ledger = variedLedger();
    ledger.sql.all("UPDATE entry SET hash = zeroblob(32) WHERE id = 7");
    const { differences } = audited(ledger);
    // Only the changed entry and the next entry, which is chained to it, differ.
    expect(differences.map(({ table, key, column }) => `${table} ${key} ${column}`)).toEqual([
      "tx 4 hash",
      "entry 7 hash",
    ]);
  });

  test.each(["place = place + 2", "place = place - 2"])(
    "an audit finds two transactions with one entry, after %s, and ends there",
    (change) => {
      const ledger = variedLedger();
      ledger.sql.all(`UPDATE tx SET ${change} WHERE log = 2`);
      expect(audited(ledger)).toMatchObject({
        status: "inconsistent",
        differences: [{ table: "log" }],
      });
    },
  );

  test("an audit finds an entry that moved into a gap between ids, and the entry behind it that moved up", () => {
    for (const change of ["place + 2 WHERE log = 9", "place - 2 WHERE log = 11"]) {
      const ledger = variedLedger();
      ledger.sql.all(`UPDATE tx SET place = ${change}`);
      const { differences } = audited(ledger);
      expect(differences).toContainEqual(expect.objectContaining({ table: "tx", column: "seal" }));
    }
  });

  test("an audit finds an entry that cannot be read, and ends there", () => {
    const ledger = variedLedger();
    ledger.sql.all("UPDATE tx SET payload = '[' WHERE log = 3");
    expect(audited(ledger)).toMatchObject({
      status: "inconsistent",
      differences: [{ table: "log", key: "3" }],
    });
  });
});
