import { slotsAt } from "./slot.ts";
import { deploymentSettings } from "#modules/deployment/settings.ts";
import { disarmedBySetting, readArming } from "#platform/arming/arming-watch.ts";
import { AuditedChange } from "#platform/audit/audited-change.ts";
import type { BackupState } from "#platform/backup/scheduled/backup-keeper.ts";
import { hasBackupBucket } from "#platform/backup/scheduled/r2-bucket.ts";
import { systemClock } from "#platform/clock.ts";
import type { ServiceContext } from "#platform/context.ts";
import { AppError } from "#platform/errors.ts";
import type { Sweep } from "#platform/modules/module.ts";
import { objectAt } from "#platform/objects/address.ts";
import { type ObjectCall, reachObject } from "#platform/objects/call.ts";
import { toMillis } from "#platform/time.ts";

/** The name of the object that makes the backups. */
const NAME = "backups";

/** All of its calls may be repeated. */
const TO_KEEPER: ObjectCall = {
  object: "keeper of backups",
  isRepeatable: true,
  timeoutMs: 10_000,
};

const keeperOf = (env: Env) => objectAt(env, env.BACKUPS, NAME);

/** The hour of the day at which the deployment saves itself; undefined if it does not. */
export function backupHourOf(env: Env): number | undefined {
  const { FLORIN_BACKUP_HOUR: hour } = deploymentSettings.of(env);
  return hour === undefined ? undefined : Number(hour);
}

/** Begins the backup of the day. It waits while the deployment is disarmed: a copy of another one must not write into the bucket of that one. */
export const beginBackups: Sweep = {
  name: "backups",
  waitsForArming: true,
  run: async ({ env }) => {
    const hour = backupHourOf(env);
    if (hour === undefined || !hasBackupBucket(env)) return undefined;
    const { last, next } = slotsAt(toMillis(systemClock()), hour);
    await reachObject(keeperOf(env).wake(last), TO_KEEPER);
    return next;
  },
};

/** What is known of the deployment's own backups; undefined where it has no bucket for them. */
export async function readOwnBackups(env: Env): Promise<BackupState | undefined> {
  if (!hasBackupBucket(env)) return undefined;
  return reachObject(keeperOf(env).state(), TO_KEEPER);
}

/** Begins a backup into the bucket now. Throws `CONFLICT` while one is under way and in a restored copy that is disarmed, and `VALIDATION` where there is no bucket. */
export async function beginOwnBackup(context: ServiceContext): Promise<BackupState> {
  const { env } = context;
  assertBucket(env);
  await assertNoCopy(env);
  const { run } = await stateOf(env);
  if (run === undefined) {
    const action = "deployment.bucket-backup.begin";
    await new AuditedChange(context, { action, object: "bucket-backups" }).record();
  }
  // A run that is under way is not begun, and goes on if its alarm was lost.
  const begins = await reachObject(keeperOf(env).begin(), TO_KEEPER);
  if (!begins) {
    throw new AppError("CONFLICT", "a backup is under way already; its state shows how far it is");
  }
  return stateOf(env);
}

/** Throws `CONFLICT` for a restored copy that is disarmed: its settings may name the bucket of its original. */
async function assertNoCopy(env: Env): Promise<void> {
  const state = await readArming(env);
  const isCopy = state.kind === "disarmed" && state.reason === "restored";
  if (!isCopy && disarmedBySetting(env) !== "restored") return;
  throw new AppError(
    "CONFLICT",
    "this deployment is a restored copy that is disarmed, and its bucket may be that of the original; save it into a folder, or bind a bucket of its own and arm it",
  );
}

/** The state of the backups in the bucket. Throws `VALIDATION` where there is no bucket. */
export async function stateOf(env: Env): Promise<BackupState> {
  assertBucket(env);
  const state = await readOwnBackups(env);
  if (state === undefined) throw new Error("a deployment with a bucket has a state of its backups");
  return state;
}

/** Throws `VALIDATION` where there is no bucket. */
export function assertBucket(env: Env): void {
  if (hasBackupBucket(env)) return;
  throw new AppError(
    "VALIDATION",
    "this deployment has no bucket for backups: bind one as FLORIN_BACKUPS, see docs/operations/scheduled-backups.md",
  );
}
