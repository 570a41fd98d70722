import { compareMigrations, whyRefused } from "./migrations.ts";
import { AppError } from "#platform/errors.ts";
import { log, logError } from "#platform/log.ts";
import { memoByEnv } from "#platform/memo.ts";

/** How long a refusal, or a database that does not answer, is remembered, so that requests do not ask the database each. */
const REMEMBERED_MS = 5000;
/** When a client that was refused may come again: an operator has to do something first. */
const RETRY_AFTER_SECONDS = 30;

/**
 * Keeps code from working on tables that are not its own:
 *
 *     a request, a queue message, an alarm
 *        │
 *        ▼                  no                     the same migrations
 *     has the guard seen ──────▶ read d1_migrations ──────────────────▶ it fits, for as long as the isolate lives
 *     that the state fits?                │  │ D1 does not answer
 *        │ yes                            │  └───▶ go on, and look again later: D1 itself refuses what needs it
 *        ▼                                ▼ others, or fewer
 *     work                       503 with a sentence; looked at again after a few seconds
 *
 * Each caller reads for itself: one that waited for the reading of another request would hang when that one is cancelled.
 */
export class StateGuard {
  readonly #env: Pick<Env, "DB">;
  #fits = false;
  /** What the last reading has said, and until when it is believed. */
  #refusal: string | undefined;
  #lookAgainMs = 0;

  constructor(env: Pick<Env, "DB">) {
    this.#env = env;
  }

  /** Whether the state is known to fit, after which nothing is read any more. */
  get fits(): boolean {
    return this.#fits;
  }

  /** Why this code must not work on the database; undefined where it may, or where the database does not answer. */
  async refusal(): Promise<string | undefined> {
    if (!this.#fits && Date.now() >= this.#lookAgainMs) await this.#look();
    return this.#refusal;
  }

  /** Throws `OVERLOADED` where the migrations of the database are not those of this code. */
  async assertFits(): Promise<void> {
    const refusal = await this.refusal();
    if (refusal === undefined) return;
    throw new AppError("OVERLOADED", refusal, { retryAfterSeconds: RETRY_AFTER_SECONDS });
  }

  async #look(): Promise<void> {
    try {
      const state = compareMigrations(await readApplied(this.#env));
      this.#fits = state.kind === "current";
      this.#refusal = whyRefused(state);
    } catch (error) {
      logError("the migrations of the database could not be read", error);
    }
    if (this.#refusal !== undefined) {
      log("error", "the state does not fit this code", { reason: this.#refusal });
    }
    if (!this.#fits) this.#lookAgainMs = Date.now() + REMEMBERED_MS;
  }
}

/** The guard of an environment. */
export const stateGuardOf = memoByEnv((env: Pick<Env, "DB">) => new StateGuard(env));

/** The names of the migrations that were applied, in order; none where no migration ever was. */
async function readApplied({ DB }: Pick<Env, "DB">): Promise<string[]> {
  try {
    const query = "SELECT name FROM d1_migrations ORDER BY id";
    const { results } = await DB.prepare(query).all<{ name: string }>();
    return results.map(({ name }) => name);
  } catch (error) {
    if (String(error).includes("no such table: d1_migrations")) return [];
    throw error;
  }
}
