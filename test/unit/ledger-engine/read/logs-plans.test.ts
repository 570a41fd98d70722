import { expect, test } from "vitest";
import type { LogEntry } from "#ledger-engine/rules/types.ts";
import type { PageQuery } from "#platform/paging/query.ts";
import { NodeSql } from "#platform/sql/node-sql.ts";
import type { Sql, SqlRow, SqlValue } from "#platform/sql/sql.ts";
import {
  ALL,
  create,
  posting,
  revert,
  setMetadata,
  TestLedger,
} from "#test/support/ledger-engine/fixtures.ts";
import { changed, exportOf, importInto, linesOf } from "#test/support/ledger-engine/logs.ts";

/** Records the plan of each reading statement. */
class PlannedSql implements Sql {
  readonly #sql = new NodeSql();
  readonly plans = new Map<string, string[]>();
  reads = 0;

  all<Row extends SqlRow>(statement: string, ...bindings: readonly SqlValue[]): Row[] {
    if (statement.startsWith("SELECT")) this.#note(statement, bindings);
    return this.#sql.all<Row>(statement, ...bindings);
  }

  transaction<T>(work: () => T): T {
    return this.#sql.transaction(work);
  }

  #note(statement: string, bindings: readonly SqlValue[]): void {
    this.reads++;
    if (this.plans.has(statement)) return;
    const plan = this.#sql.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${statement}`, ...bindings);
    this.plans.set(
      statement,
      plan.map(({ detail }) => detail),
    );
  }
}

/** The distance between two ids of entries, and of transactions. */
const [LOG_STEP, TX_STEP] = [1_000_000_007, 31];
const FEATURES = { HASH_LOGS: "DISABLED" } as const;

/** An imported ledger with wide gaps between ids, and with entries of other types between its transactions. */
function wideLedger(sql: Sql): TestLedger {
  const source = new TestLedger({ features: FEATURES });
  for (let count = 0; count < 100; count++) {
    source.run(count % 5 === 4 ? revert(count - 3) : create(posting("world -> a", 1)));
    if (count % 10 === 0) source.run(setMetadata("a", { k: `${count}` }));
    if (count === 50) source.bulk(Array.from({ length: 200 }, () => setMetadata("a", { k: "v" })));
  }
  const ledger = new TestLedger({ sql, features: FEATURES });
  const lines = linesOf(exportOf(source)).map((line) => {
    const { id, data } = JSON.parse(line) as { id: number; data: Record<string, { id: number }> };
    const ids = ["transaction", "revertedTransaction"].flatMap((name) =>
      data[name] === undefined ? [] : [[`data.${name}.id`, data[name].id * TX_STEP] as const],
    );
    return changed(line, { id: id * LOG_STEP, ...Object.fromEntries(ids) });
  });
  expect(importInto(ledger, lines)).toMatchObject({ taken: lines.length });
  ledger.now = source.now;
  return ledger;
}

/** Filters by ids, by dates and by types, alone and together. */
function filtersOf(logs: readonly LogEntry[]): object[] {
  const places = [7, 61, 150, 300].flatMap((index) => logs[index] ?? []);
  const bounds = places.flatMap(({ id, date }) =>
    ["$match", "$lt", "$gte"].flatMap((operator) => [
      { [operator]: { id } },
      { [operator]: { id: id + 1000 } },
      { [operator]: { date } },
    ]),
  );
  const types = [...new Set(logs.map(({ data }) => data.type))].map((type) => ({
    $match: { type },
  }));
  const both = types.flatMap((type) => bounds.map((bound) => ({ $and: [bound, type] })));
  return [...bounds, ...types, ...both];
}

test("pages of the log scan no table and take few steps, whatever the filter and the gaps", () => {
  const sql = new PlannedSql();
  const ledger = wideLedger(sql);
  const logs = ledger.logs();
  sql.plans.clear();
  const reads: number[] = [];
  for (const where of filtersOf(logs)) {
    for (const order of ["asc", "desc"] as const) {
      sql.reads = 0;
      const query: PageQuery = { ...ALL, order, pageSize: 15, where: JSON.stringify(where) };
      ledger.engine.reads.listLogs(query);
      reads.push(sql.reads);
    }
  }
  expect(reads.length).toBeGreaterThan(200);
  expect(Math.max(...reads)).toBeLessThan(200);
  ledger.engine.reads.exportLogs(logs[100]?.id ?? 0);
  const scans = [...sql.plans].filter(([statement, plan]) => {
    const isFirstRow = /ORDER BY \S*id (?:DESC )?LIMIT 1\b/.test(statement);
    return !isFirstRow && plan.some((step) => /^SCAN (?:tx|entry|move|account)\b/.test(step));
  });
  expect(sql.plans.size).toBeGreaterThan(10);
  expect(scans).toEqual([]);
});
