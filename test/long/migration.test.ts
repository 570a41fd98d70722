import { spawn } from "node:child_process";
import { resolve } from "node:path";
import { createInterface } from "node:readline";
import { expect, test } from "vitest";
import { fillLedger } from "#bench/reads/fill.ts";
import { LedgerEngine } from "#ledger-engine/engine.ts";
import { isCurrent } from "#ledger-engine/storage/migrations.ts";
import { systemClock } from "#platform/clock.ts";
import { parseJson } from "#platform/json.ts";
import { NodeSql } from "#platform/sql/node-sql.ts";
import { WITH_VOLUMES } from "#test/support/ledger-engine/fixtures.ts";
import {
  missed,
  stepsWith,
  UNDO_MADE_UP,
} from "#test/support/ledger-engine/migration/made-up-step.ts";
import {
  type SliceReport,
  WRITTEN,
} from "#test/support/ledger-engine/migration/migrating-process.ts";
import { freshFolder } from "#test/support/platform/server.ts";

const SIZE = Number(process.env["MIGRATION_SIZE"] ?? 1_000_000);
const ROWS = 10_000;
/** Numbers of slices after which a process is killed and the next one is started. */
const KILLS = [10, 25, 40];
/** The longest time for which a call may block others. */
const CALL_MS_MAX = 1000;

const SCRIPT = resolve(
  import.meta.dirname,
  "../support/ledger-engine/migration/migrating-process.ts",
);

test(
  "a ledger of a million transactions goes through a step that is killed three times",
  { timeout: 1_800_000 },
  async () => {
    const file = resolve(freshFolder(), "ledger.sqlite");
    fill(file);
    const reports: SliceReport[] = [];
    for (const slices of [...KILLS, Infinity]) {
      const before = reports.at(-1)?.cursor ?? 0;
      const [start, ...rest] = await run(file, slices);
      // Reported slices are not repeated. The slice in which the process was killed may or may not be stored.
      expect([before, before + ROWS]).toContain(start?.cursor);
      reports.push(...rest);
      for (const { timesMs } of [start, ...rest].filter((report) => report !== undefined)) {
        expect(Math.max(...Object.values(timesMs))).toBeLessThan(CALL_MS_MAX);
      }
    }
    expect(reports.map(({ isDone }) => isDone)).toEqual([
      ...reports.slice(1).map(() => false),
      true,
    ]);
    expect(reports.length).toBeGreaterThanOrEqual(Math.floor(SIZE / ROWS) - KILLS.length);
    assertComplete(file, reports.length);
  },
);

function fill(file: string): void {
  const sql = new NodeSql(file);
  fillLedger(sql, SIZE);
  sql.close();
}

/** Runs a process, kills it after `slices` slices, and returns its reports. */
async function run(file: string, slices: number): Promise<SliceReport[]> {
  const child = spawn(process.execPath, [SCRIPT, file, `${ROWS}`], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const reports: SliceReport[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    reports.push(parseJson(line) as SliceReport); // the process prints reports
    if (reports.length > slices) child.kill("SIGKILL");
  }
  return reports;
}

function assertComplete(file: string, writesTold: number): void {
  const sql = new NodeSql(file);
  expect(isCurrent(sql, stepsWith({ rowsPerSlice: ROWS, isServedMeanwhile: true }))).toBe(true);
  expect(missed(sql)).toBe(0);
  const { reads } = new LedgerEngine(sql, systemClock);
  const [volumes] = reads.findAccount(WRITTEN, WITH_VOLUMES)?.volumes ?? [];
  // Each killed process may have stored one more write than it reported.
  expect(Number(volumes?.input)).toBeGreaterThanOrEqual(writesTold);
  expect(Number(volumes?.input)).toBeLessThanOrEqual(writesTold + KILLS.length);
  for (const statement of UNDO_MADE_UP) sql.all(statement);
  expect(isCurrent(sql)).toBe(true);
  sql.close();
}
