import { sql } from "drizzle-orm";
import { FAMILIES } from "./families.ts";
import {
  ageSeconds,
  firstProblems,
  type Problem,
  sample,
  type StatusSection,
  type StuckWork,
} from "./section.ts";
import { sweepRuns } from "./tables.ts";
import type { ServiceContext } from "#platform/context.ts";
import { type Database, databaseOf } from "#platform/db/database.ts";
import { storeWithReserve } from "#platform/db/reserve.ts";
import { toMillis } from "#platform/time.ts";

/** A run of a sweep that has ended. Times are in milliseconds since the epoch. */
export interface SweepRun {
  readonly name: string;
  readonly endedMs: number;
  /** When the clock rings again at the latest. */
  readonly nextMs: number;
  /** Why the run has failed; undefined for one that has succeeded or was put off. */
  readonly error: string | undefined;
  /** Whether the clock has rung and the sweep has not run, because the deployment is disarmed: neither a success nor a failure. */
  readonly wasPutOff?: boolean;
}

/** Time in which runs that succeed one after the other are recorded once, in milliseconds. */
const RECORD_MS = 30_000;
/** How late a clock may ring until its sweep counts as overdue: a run may take a minute. */
const LATE_MS = 90_000;
/** Failed runs in a row from which a sweep has a problem: one may have met a moment without a database. */
const FAILURES_MIN = 2;
/** Longest error that is stored, in characters. */
const ERROR_LENGTH_MAX = 500;

/** Whether a run has to be recorded after the one that was recorded last. A clock that watches rings every few seconds. */
export function isToBeRecorded(run: SweepRun, last: SweepRun | undefined): boolean {
  if (last === undefined || run.error !== undefined || last.error !== undefined) return true;
  if (run.wasPutOff !== last.wasPutOff) return true;
  const sinceMs = run.endedMs - last.endedMs;
  return sinceMs < 0 || sinceMs >= RECORD_MS || run.nextMs > last.nextMs + RECORD_MS;
}

/** Records a run. An operator is told of sweeps in a full database, too, so that the row finds room there. */
export async function recordSweepRun(db: Database, run: SweepRun): Promise<void> {
  const { name, endedMs, nextMs, error, wasPutOff = false } = run;
  const hasFailed = error !== undefined;
  const ran = { ranMs: endedMs, nextMs };
  const succeeded = wasPutOff ? {} : { succeededMs: endedMs };
  const ended = hasFailed
    ? { failedMs: endedMs, error: error.slice(0, ERROR_LENGTH_MAX) }
    : succeeded;
  await storeWithReserve(db, [
    db
      .insert(sweepRuns)
      .values({
        name,
        ...ran,
        ...ended,
        failures: Number(hasFailed),
        failuresTotal: Number(hasFailed),
      })
      .onConflictDoUpdate({
        target: sweepRuns.name,
        set: {
          ...ran,
          ...ended,
          failures: hasFailed ? sql`failures + 1` : wasPutOff ? sql`failures` : 0,
          failuresTotal: sql`failures_total + ${Number(hasFailed)}`,
        },
      }),
  ]);
}

export type RecordedRun = typeof sweepRuns.$inferSelect;

/** The recorded runs of sweeps, by the names of the sweeps. */
export async function listSweepRuns(db: Database): Promise<ReadonlyMap<string, RecordedRun>> {
  const rows = await db.select().from(sweepRuns).orderBy(sweepRuns.name).limit(SWEEPS_MAX);
  return new Map(rows.map((row) => [row.name, row]));
}

/** The section of sweeps. Sweeps that are no longer part of the code are left out, and those that have never run have no row. */
export const sweepsSection = (names: readonly string[]): StatusSection => ({
  name: "sweeps",
  description: "Sweeps, which complete what a crash has left undone",
  read: async ({ env, clock }) => {
    const nowMs = toMillis(clock());
    const known = new Set(names);
    const recorded = await listSweepRuns(databaseOf(env));
    const runs = [...recorded.values()].filter(({ name }) => known.has(name));
    return {
      samples: runs.flatMap(({ name: sweep, ...run }) => {
        const { succeededMs, nextMs, failures, failuresTotal } = run;
        const labels = { sweep };
        return [
          ...(succeededMs === null
            ? []
            : [sample(FAMILIES.sweepAge, ageSeconds(succeededMs, nowMs), labels)]),
          sample(FAMILIES.sweepOverdue, overdueSeconds(nextMs, nowMs), labels),
          sample(FAMILIES.sweepFailures, failures, labels),
          sample(FAMILIES.sweepFailed, failuresTotal, labels),
        ];
      }),
      problems: firstProblems(runs.flatMap((run) => problemsOf(run, nowMs))),
    };
  },
  stuck: async (context, max) => (await stuckSweeps(context, names)).slice(0, max),
});

/** The sweeps that are overdue or fail. */
async function stuckSweeps(
  { env, clock }: ServiceContext,
  names: readonly string[],
): Promise<StuckWork[]> {
  const nowMs = toMillis(clock());
  const known = new Set(names);
  const recorded = await listSweepRuns(databaseOf(env));
  return [...recorded.values()]
    .filter(({ name }) => known.has(name))
    .flatMap((run) => problemsOf(run, nowMs))
    .map((problem) => ({ ...problem, work: "sweeps", path: "/api/florin/v1/sweeps" }));
}

/** Most rows of sweeps that are read; a deployment has some thirty sweeps. */
const SWEEPS_MAX = 200;

/** How long a sweep has been overdue, in seconds. */
const overdueSeconds = (nextMs: number, nowMs: number): number =>
  nowMs - nextMs > LATE_MS ? (nowMs - nextMs) / 1000 : 0;

function problemsOf(run: RecordedRun, nowMs: number): Problem[] {
  const { name: what, nextMs, failures, succeededMs, error } = run;
  const problems: Problem[] = [];
  if (failures >= FAILURES_MIN) {
    problems.push({
      severity: "critical",
      what,
      sinceMs: succeededMs ?? undefined,
      why: `${failures} runs in a row have failed, the last one with: ${error ?? "no message"}`,
      whatToDo:
        "look at the log, where each run has its whole error; the sweep is repeated by itself",
    });
  }
  if (overdueSeconds(nextMs, nowMs) > 0) {
    problems.push({
      severity: "critical",
      what,
      sinceMs: nextMs,
      why: "the clock of the sweep has not rung",
      whatToDo:
        "run the sweep (npm run florin -- sweeps run), which starts the clock again, and look at the log",
    });
  }
  return problems;
}
