import { DurableObject } from "cloudflare:workers";
import { callOwnApiOf } from "./app.ts";
import { deploymentSettings } from "#modules/deployment/index.ts";
import { failureOf } from "#platform/backup/saving/calls.ts";
import type { BackupCall, BackupReads } from "#platform/backup/saving/calls.ts";
import {
  BackupKeeper,
  type BackupState,
  countOperation,
} from "#platform/backup/scheduled/backup-keeper.ts";
import { KEEPER_TABLES } from "#platform/backup/scheduled/keeper-tables.ts";
import { backupBucketOf } from "#platform/backup/scheduled/r2-bucket.ts";
import type { Principal } from "#platform/context.ts";
import { newId } from "#platform/ids.ts";
import { parseJson } from "#platform/json.ts";
import { logError } from "#platform/log.ts";
import { setAlarm } from "#platform/objects/set-alarm.ts";
import { platformSettings } from "#platform/platform-settings.ts";
import { durableSql } from "#platform/sql/durable-sql.ts";
import { Cause, runCaused } from "#platform/tracing/cause.ts";
import { isPutOff } from "#platform/upgrade/put-off.ts";

/** Wait before an alarm that has failed as a whole rings again, in milliseconds. */
const RETRY_MS = 60_000;

/** Who reads for a backup, as the audit has it. */
const READER: Principal = {
  issuer: "florin",
  subject: "scheduled-backup",
  clientId: "florin",
  scopes: new Set(["florin:operate"]),
  ledgers: [],
};

/**
 * Makes the backups of the deployment into its bucket (`BackupKeeper`). There is one, which the sweep `backups` wakes. It reads by the operations
 * by which a command reads, without leaving the process.
 */
export class BackupObject extends DurableObject<Env> {
  readonly #keeper: BackupKeeper | undefined;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#keeper = keeperOf(ctx.storage, env);
  }

  /** Begins the run of a slot, in milliseconds since the epoch, unless there was one. */
  async wake(slotMs: number): Promise<void> {
    if (this.#keeper?.wake(slotMs) === true) await this.#ring();
  }

  /** Begins a run now; returns false if one is under way, or there is no bucket. A run whose alarm was lost goes on. */
  async begin(): Promise<boolean> {
    const begins = this.#keeper?.begin() === true;
    if (this.#keeper?.state.run !== undefined) await this.#ring();
    return begins;
  }

  async state(): Promise<BackupState | undefined> {
    return this.#keeper?.state;
  }

  override async alarm(): Promise<void> {
    const { storage } = this.ctx;
    const keeper = this.#keeper;
    if (keeper === undefined || (await isPutOff(storage, this.env))) return;
    // The platform gives up on an alarm that fails repeatedly, so that the next alarm is set before any work can fail.
    await setAlarm(storage, Date.now() + RETRY_MS);
    try {
      const nextMs = await runCaused(Cause.ofJob(newId()), () => keeper.work());
      await (nextMs === undefined ? storage.deleteAlarm() : setAlarm(storage, nextMs));
    } catch (error) {
      logError("a backup into the bucket does not go on; it is tried again", error, {});
    }
  }

  /** Rings at once, where no alarm is set: a run that waits after a failure goes on waiting. */
  async #ring(): Promise<void> {
    const { storage } = this.ctx;
    if ((await storage.getAlarm()) === null) await setAlarm(storage, Date.now());
  }
}

function keeperOf(storage: DurableObjectStorage, env: Env): BackupKeeper | undefined {
  const bucket = backupBucketOf(env, (charged) => countOperation(storage.kv, charged));
  if (bucket === undefined) return undefined;
  const sql = durableSql(storage);
  KEEPER_TABLES.migrateToEnd(sql);
  const { FLORIN_BACKUP_KEEP: kept, FLORIN_BACKUP_PUBLIC_KEY: publicKey } =
    deploymentSettings.of(env);
  const { FLORIN_SECRET_KEY, FLORIN_PREVIOUS_SECRET_KEYS } = platformSettings.of(env);
  const keys = { FLORIN_SECRET_KEY, FLORIN_PREVIOUS_SECRET_KEYS };
  return new BackupKeeper({
    sql,
    kv: storage.kv,
    bucket,
    reads: readsOf(env),
    nowMs: () => Date.now(),
    keys:
      publicKey === undefined
        ? undefined
        : { keys, publicKey: publicKey.replaceAll(String.raw`\n`, "\n") },
    kept,
  });
}

/** The operations of the deployment, called in the process. */
function readsOf(env: Env): BackupReads {
  const send = async ({ method, path, query = {} }: BackupCall): Promise<Response> => {
    const url = new URL(path, "http://localhost");
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) url.searchParams.set(name, value);
    }
    const response = await callOwnApiOf(env)(method, `${url.pathname}${url.search}`, READER);
    if (response.ok) return response;
    throw failureOf(response.status, await response.text());
  };
  return {
    send,
    call: async ({ answer, ...call }) => {
      const text = await (await send(call)).text();
      return answer.parse(text === "" ? undefined : parseJson(text));
    },
  };
}
