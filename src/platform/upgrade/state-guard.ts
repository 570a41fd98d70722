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

/** Time for which a refusal, or a failure to read, is cached, in milliseconds, so that not every request reads the database. */
const REMEMBERED_MS = 5000;
/** The same for a database that lacks migrations, in milliseconds: most often they are being applied at this moment. */
const LACKING_REMEMBERED_MS = 250;
/** Least time between two lines of the log about the same refusal, in milliseconds. */
const LOG_PAUSE_MS = 5000;
/** Time after which a refused client may try again, in seconds. An operator has to act first. */
const RETRY_AFTER_SECONDS = 30;

/**
 * Keeps code from working on tables on which it does not work:
 *
 *     a request, a queue message, an alarm
 *        │
 *        ▼                  no                     the same migrations, or more that only add
 *     has the guard seen ──────▶ read d1_migrations ────────────────────────────────────────▶ fits, for the isolate's life
 *     that the state fits?                │  │ D1 does not answer
 *        │ yes                            │  └───▶ go on, and read again after 5 s
 *        ▼                                ▼ fewer, or more that take something away
 *     work                       503 with the reason; read again after 5 s, or after 250 ms if there are fewer
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

  /** Throws `OVERLOADED` if the migrations of the database differ from those of this code. */
  async assertFits(): Promise<void> {
    const refusal = await this.refusal();
    if (refusal === undefined) return;
    throw new AppError("OVERLOADED", refusal, { retryAfterSeconds: RETRY_AFTER_SECONDS });
  }

  async #look(): Promise<void> {
    let rememberedMs = REMEMBERED_MS;
    try {
      const state = compareMigrations(await readMigrations(this.#env));
      this.#refusal = whyRefused(state);
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

/** The applied migrations; none in an empty database. */
async function readMigrations({ DB }: Pick<Env, "DB">): Promise<AppliedMigrations> {
  const namesIn = async (query: string, table: string): Promise<string[]> => {
    try {
      const { results } = await DB.prepare(query).all<{ name: string }>();
      return results.map(({ name }) => name);
    } catch (error) {
      if (String(error).includes(`no such table: ${table}`)) return [];
      throw error;
    }
  };
  const applied = await namesIn(APPLIED_QUERY, "d1_migrations");
  if (applied.every((name) => MIGRATIONS.includes(name))) return { applied };
  const [required] = await namesIn(REQUIRED_QUERY, "required_migration");
  return { applied, required };
}
