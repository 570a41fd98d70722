import { cursorOf, stepsWith } from "./made-up-step.ts";
import { LedgerEngine } from "#ledger-engine/engine.ts";
import { migrate, migrateSlice } from "#ledger-engine/storage/migrations.ts";
import { systemClock } from "#platform/clock.ts";
import { stringifyJson } from "#platform/json.ts";
import { NodeSql } from "#platform/sql/node-sql.ts";
import { create, posting, WITH_VOLUMES } from "#test/support/ledger-engine/fixtures.ts";

/** The report of a slice, which the process prints as a line of JSON. */
export interface SliceReport {
  readonly isDone: boolean;
  /** The cursor of the next slice. */
  readonly cursor: number;
  /** The milliseconds that each call took, by the name of the call. */
  readonly timesMs: Readonly<Record<string, number>>;
}

/** An account whose balance counts the writes of all migrating processes. */
export const WRITTEN = "migration:written";

/**
 * Opens the ledger of a file and works on the made-up step slice by slice, with a write and a read in between. It runs
 * in a process of its own, so that a test can kill it.
 */
function work(file: string, rowsPerSlice: number): void {
  const steps = stepsWith({ rowsPerSlice, isServedMeanwhile: true });
  let timesMs: Record<string, number> = {};
  const timed = <T>(call: string, run: () => T): T => {
    const startMs = performance.now();
    const result = run();
    timesMs[call] = Math.ceil(performance.now() - startMs);
    return result;
  };
  const sql = new NodeSql(file);
  const tell = (isDone: boolean): void => {
    process.stdout.write(`${stringifyJson({ isDone, cursor: Number(cursorOf(sql)), timesMs })}\n`);
    timesMs = {};
  };
  let state = timed("migrate", () => migrate(sql, steps));
  const engine = timed("open", () => new LedgerEngine(sql, systemClock));
  tell(false);
  while (state !== "current") {
    state = timed("slice", () => migrateSlice(sql, steps));
    engine.forgetRows();
    const command = create([posting(`world -> ${WRITTEN}`, 1)]);
    timed("write", () => engine.execute(command, { idempotencyKey: "", dryRun: false }));
    timed("read", () => engine.reads.findAccount(WRITTEN, WITH_VOLUMES));
    tell(state === "current");
  }
}

const [, script, file, rows] = process.argv;
if (script === import.meta.filename && file !== undefined) work(file, Number(rows));
