import { backupHourOf, readOwnBackups } from "./own-backups.ts";
import type { BackupState } from "#platform/backup/scheduled/backup-keeper.ts";
import { hasBackupBucket } from "#platform/backup/scheduled/r2-bucket.ts";
import type { ServiceContext } from "#platform/context.ts";
import { FAMILIES } from "#platform/status/families.ts";
import {
  ageSeconds,
  type Observation,
  type Problem,
  sample,
  type StatusSection,
  type StuckWork,
} from "#platform/status/section.ts";
import { toMillis } from "#platform/time.ts";

/** The age of the last complete backup from which on it is late, in milliseconds: a day, and two hours for the run. */
const LATE_MS = 26 * 3_600_000;

const WHAT_TO_DO =
  "see why, and repair it; npm run florin -- backup create --to r2 begins a backup at once, and the next run goes on in any case";

/** The backups that the deployment makes into its bucket. */
export const backupsSection: StatusSection = {
  name: "backups",
  description: "Backups that the deployment makes into its bucket",
  read: observeBackups,
  stuck: async (context) => {
    const late = await lateBackup(context);
    return late === undefined ? [] : [late];
  },
};

async function observeBackups(context: ServiceContext): Promise<Observation> {
  const { env } = context;
  if (backupHourOf(env) === undefined) return { samples: [], problems: [] };
  if (!hasBackupBucket(env)) return { samples: [], problems: [NO_BUCKET] };
  const state = await readOwnBackups(env);
  const late = lateOf(state, toMillis(context.clock()));
  const lacking = lackingOf(state);
  const sinceMs = state?.last?.endedMs ?? state?.sinceMs;
  const samples =
    sinceMs === undefined
      ? []
      : [sample(FAMILIES.backupAge, ageSeconds(sinceMs, toMillis(context.clock())), {})];
  return {
    samples,
    problems: [late, lacking, fillingOf(state)].filter((problem) => problem !== undefined),
  };
}

const NO_BUCKET: Problem = {
  severity: "critical",
  what: "the deployment's own backups",
  sinceMs: undefined,
  why: "FLORIN_BACKUP_HOUR is set, and no bucket is bound as FLORIN_BACKUPS",
  whatToDo: "bind a bucket, or take the setting away; see docs/operations/scheduled-backups.md",
};

async function lateBackup(context: ServiceContext): Promise<StuckWork | undefined> {
  if (backupHourOf(context.env) === undefined) return undefined;
  return lateOf(await readOwnBackups(context.env), toMillis(context.clock()));
}

/** The problem that the last complete backup is too old; undefined if it is not. */
function lateOf(state: BackupState | undefined, nowMs: number): StuckWork | undefined {
  const sinceMs = state?.last?.endedMs ?? state?.sinceMs;
  if (state === undefined || sinceMs === undefined || nowMs - sinceMs < LATE_MS) return undefined;
  return {
    severity: "critical",
    work: "backups",
    what: "the deployment's own backups",
    path: "/api/florin/v1/backup/bucket",
    sinceMs,
    why: `${state.last === undefined ? "no backup is complete yet" : "the last complete backup is more than 26 hours old"}: ${reasonOf(state)}`,
    whatToDo: WHAT_TO_DO,
  };
}

function reasonOf({ run, failure }: BackupState): string {
  if (run?.trouble !== undefined) return withoutStop(run.trouble.reason);
  if (run !== undefined) return `the run under way is at '${run.stage}'`;
  return failure === undefined ? "no run has begun" : withoutStop(failure.reason);
}

/** A sentence as part of another one. */
const withoutStop = (sentence: string): string => sentence.replace(/\.$/, "");

/** The problem that the last backup lacks ledgers or other objects; undefined if it lacks none. */
function lackingOf(state: BackupState | undefined): Problem | undefined {
  const last = state?.last;
  if (last === undefined || last.lacks === 0) return undefined;
  return {
    severity: "critical",
    what: `the backup ${last.snapshot}`,
    sinceMs: last.endedMs,
    why: `${last.lacks} ledgers or other objects could not be saved, so that no older backup is removed; 'failed' of its manifest names them and the reasons`,
    whatToDo: WHAT_TO_DO,
  };
}

/** The problem that older backups stay in the bucket; undefined if they do not. */
function fillingOf(state: BackupState | undefined): Problem | undefined {
  const pruning = state?.pruning;
  if (pruning === undefined) return undefined;
  return {
    severity: "warning",
    what: "older backups in the deployment's bucket",
    sinceMs: pruning.atMs,
    why: `they could not be removed: ${withoutStop(pruning.reason)}`,
    whatToDo: "let the deployment delete files of its bucket; the next run removes what is older",
  };
}
