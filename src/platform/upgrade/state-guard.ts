import {
  APPLIED_QUERY,
  type AppliedMigrations,
  compareMigrations,
  MIGRATIONS,
  REQUIRED_QUERY,
  whyRefused,
} from "./migrations.ts";
import { AppError } from "#platform/errors.ts";
import { log, logError } from "#platform/log.ts";
import { memoByEnv } from "#platform/memo.ts";
import { isTakingBackup } from "#platform/restoration/restore-mode.ts";
import type { RestorationStage } from "#platform/restoration/tables.ts";

/** Time for which a refusal, or a failure to read, is cached, in milliseconds, so that not every request reads the database. */
const REMEMBERED_MS = 5000;
/** The same for a database that lacks migrations, in milliseconds: most often they are being applied at this moment. */
const LACKING_REMEMBERED_MS = 250;
/** Least time between two lines of the log about the same refusal, in milliseconds. */
const LOG_PAUSE_MS = 5000;
/** Time after which a refused client may try again, in seconds. An operator has to act first. */
const RETRY_AFTER_SECONDS = 30;

/**
 * Keeps code from working on tables on which it does not work, and on a part of a backup:
 *
 *     a request, a queue message, an alarm
 *        │
 *        ▼                  no                     the same migrations, or more that only add
 *     has the guard seen ──────▶ read d1_migrations ────────────────────────────────────────▶ fits, for the isolate's life
 *     that the state fits?       and `restoration`│ │ D1 does not answer
 *        │ yes                            │       │ └─▶ go on, and read again after 5 s
 *        ▼                                │       ▼ fewer, or more that take something away
 *     work                                │      503 with the reason; read again after 5 s, or after 250 ms if there are fewer
 *                                         ▼ a restoration that has not ended, in a deployment that is not served to take a backup
 *                                        503 with the reason; read again after 5 s
 *
 * One statement reads both, so that the restoration costs nothing. Whether one is under way cannot change in the life of an isolate without
 * `FLORIN_RESTORE`, because only a deployment that is served with it begins one.
 *
 * Each caller reads for itself: a caller that waited for the read of another request would hang if the other request were cancelled.
 */
export class StateGuard {
  readonly #env: Pick<Env, "DB">;
  #fits = false;
  /** The refusal of the last read, and the time until which it is cached. */
  #refusal: string | undefined;
  #lookAgainMs = 0;
  #logged = { refusal: "", atMs: 0 };

  constructor(env: Pick<Env, "DB">) {
    this.#env = env;
  }

  /** Whether the state is known to fit. Then nothing is read any more. */
  get fits(): boolean {
    return this.#fits;
  }

  /** The reason why this code must not work on the database; undefined if it may, or if the database has not answered. */
  async refusal(): Promise<string | undefined> {
    if (!this.#fits && Date.now() >= this.#lookAgainMs) await this.#look();
    return this.#refusal;
  }

  /** Throws `OVERLOADED` if the migrations of the database differ from those of this code, or it has a part of a backup. */
  async assertFits(): Promise<void> {
    const refusal = await this.refusal();
    if (refusal === undefined) return;
    throw new AppError("OVERLOADED", refusal, { retryAfterSeconds: RETRY_AFTER_SECONDS });
  }

  async #look(): Promise<void> {
    let rememberedMs = REMEMBERED_MS;
    try {
      const found = await readState(this.#env);
      const state = compareMigrations(found);
      this.#refusal = whyRefused(state) ?? whyPartial(this.#env, found.restoration);
      this.#fits = this.#refusal === undefined;
      if (state.kind === "behind") rememberedMs = LACKING_REMEMBERED_MS;
    } catch (error) {
      logError("the migrations of the database could not be read", error);
    }
    if (this.#fits) return;
    this.#lookAgainMs = Date.now() + rememberedMs;
    if (this.#refusal !== undefined) this.#log(this.#refusal);
  }

  #log(refusal: string): void {
    const atMs = Date.now();
    if (refusal === this.#logged.refusal && atMs - this.#logged.atMs < LOG_PAUSE_MS) return;
    this.#logged = { refusal, atMs };
    log("error", "the state does not fit this code", { reason: refusal });
  }
}

export const stateGuardOf = memoByEnv((env: Pick<Env, "DB">) => new StateGuard(env));

/** A restoration that has not ended. */
interface OpenRestoration {
  readonly stage: Exclude<RestorationStage, "ended">;
  /** When the saved database was copied. */
  readonly moment: string;
}

/** The reason why the deployment must not work on what a restoration has written; undefined if it may. */
function whyPartial(env: object, open: OpenRestoration | undefined): string | undefined {
  if (open === undefined || isTakingBackup(env)) return undefined;
  const { stage, moment } = open;
  return stage === "abandoned"
    ? `The restoration of a backup of ${moment} was given up when a part of it was written. Make the deployment anew: with an empty state folder, or with npm run deploy -- --destroy`
    : `A backup of ${moment} is not restored to its end. Serve the deployment with FLORIN_RESTORE=true, and go on with npm run florin -- backup restore; or give it up with backup abandon`;
}

type StateSqlRow = { name: string; stage: OpenRestoration["stage"] | null; moment: string };

/** The migrations that were applied, in order, each with the restoration that has not ended, if there is one. */
const STATE_QUERY = `SELECT m.name, r.stage, r.moment FROM d1_migrations AS m
  LEFT JOIN restoration AS r ON r.id = 1 AND r.stage <> 'ended' ORDER BY m.id`;

/** The applied migrations, none in an empty database, and a restoration that has not ended. */
async function readState({
  DB,
}: Pick<Env, "DB">): Promise<AppliedMigrations & { readonly restoration?: OpenRestoration }> {
  const rows = await rowsOf<StateSqlRow>(DB, STATE_QUERY);
  if (rows === undefined) {
    // The database lacks one of the two tables, so that this code does not work on it.
    return appliedOf(DB, (await rowsOf<{ name: string }>(DB, APPLIED_QUERY)) ?? []);
  }
  const applied = await appliedOf(DB, rows);
  const [row] = rows;
  if (row === undefined || row.stage === null) return applied;
  return { ...applied, restoration: { stage: row.stage, moment: row.moment } };
}

async function appliedOf(
  DB: D1Database,
  rows: readonly { readonly name: string }[],
): Promise<AppliedMigrations> {
  const applied = rows.map(({ name }) => name);
  if (applied.every((name) => MIGRATIONS.includes(name))) return { applied };
  const required = await rowsOf<{ name: string }>(DB, REQUIRED_QUERY);
  return { applied, required: required?.[0]?.name };
}

/** The rows of a query; undefined where a table of it is missing. */
async function rowsOf<T>(DB: D1Database, query: string): Promise<T[] | undefined> {
  try {
    return (await DB.prepare(query).all<T>()).results;
  } catch (error) {
    if (String(error).includes("no such table: ")) return undefined;
    throw error;
  }
}
