import { sql } from "drizzle-orm";
import type { DisarmReason } from "./tables.ts";
import { databaseOf } from "#platform/db/database.ts";
import { AppError } from "#platform/errors.ts";
import { logError } from "#platform/log.ts";
import { memoByEnv } from "#platform/memo.ts";
import { formatTimestamp, type Timestamp } from "#platform/time.ts";

/** Longest time for which an isolate goes by what it has read, in milliseconds. A call that begins later than this after the change knows it. */
export const ARMING_KNOWN_MS = 2000;
/** How long before that one caller reads again, while the others go on by what is known, in milliseconds. */
const AHEAD_MS = 1000;

/** How long work that waits for the deployment to be armed waits until it looks again, in milliseconds. */
export const HELD_MS = 15_000;

/** Whether the deployment may call other servers. */
export type ArmingState =
  | { readonly kind: "armed" }
  | {
      readonly kind: "disarmed";
      readonly since: Timestamp;
      readonly reason: DisarmReason;
      /** The references of the connectors that are armed nevertheless. */
      readonly connectors: ReadonlySet<string>;
    };

const ARMED: ArmingState = { kind: "armed" };

/**
 * A call or a piece of work that was not begun, because the deployment is disarmed, or because nobody can say whether it is. Nothing has
 * left the deployment, so that the work is done later, and counts as no attempt.
 */
export class HeldError extends AppError {
  override readonly name = "HeldError";
}

/** Whether an error says that nothing was begun, because the deployment is disarmed. */
export const isHeld = (error: unknown): error is AppError =>
  error instanceof HeldError || (error instanceof AppError && error.kind === "DISARMED");

/**
 * Knows whether the deployment is disarmed. D1 says so; an isolate that makes calls reads it every second or two, and one that makes none
 * never:
 *
 *     a call ─► read less than 1 s ago? ── yes ─────────────────────────► go by it
 *                 │ no
 *                 ├─ less than 2 s ago, and another caller is reading ──► go by it
 *                 └─ otherwise read D1 ─┬─ no row ──────────────────────► armed
 *                                       ├─ a row ───────────────────────► disarmed, but for some connectors
 *                                       └─ no answer ───────────────────► unknown: nothing is called
 *
 * Each caller reads for itself: a caller that waited for the read of another request would hang if the other request were cancelled.
 */
export class ArmingWatch {
  readonly #env: Pick<Env, "DB">;
  #known: { readonly state: ArmingState; readonly readMs: number } | undefined;
  /** When the read ends, at the latest, that one caller makes for all others; in milliseconds since the epoch. */
  #readsUntilMs = 0;

  constructor(env: Pick<Env, "DB">) {
    this.#env = env;
  }

  /** The present state. Throws `HeldError` if it cannot be read. */
  async state(): Promise<ArmingState> {
    const nowMs = Date.now();
    const known = this.#known;
    if (known === undefined) return this.#read(nowMs);
    const ageMs = nowMs - known.readMs;
    // The age is negative after a step back of the clock, and then says nothing.
    if (ageMs >= 0 && ageMs < ARMING_KNOWN_MS) {
      if (ageMs < ARMING_KNOWN_MS - AHEAD_MS || nowMs < this.#readsUntilMs) return known.state;
    }
    return this.#read(nowMs);
  }

  /** Whether calls may be made: those of a connector, or all others. */
  async mayCall(connector?: string): Promise<boolean> {
    try {
      return isArmedFor(await this.state(), connector);
    } catch (error) {
      if (isHeld(error)) return false;
      throw error;
    }
  }

  /** Throws `DISARMED` if calls must not be made: those of a connector, or all others. */
  async assertMayCall(connector?: string): Promise<void> {
    const state = await this.state();
    if (state.kind === "disarmed" && !isArmedFor(state, connector)) throw disarmedError(state);
  }

  async #read(nowMs: number): Promise<ArmingState> {
    this.#readsUntilMs = nowMs + AHEAD_MS;
    try {
      const state = await readArming(this.#env);
      // The state is as old as the beginning of its read.
      if (this.#known === undefined || this.#known.readMs <= nowMs) {
        this.#known = { state, readMs: nowMs };
      }
      return state;
    } catch (error) {
      logError("it could not be read whether the deployment is disarmed; nothing is called", error);
      throw unknownState(error);
    } finally {
      this.#readsUntilMs = 0;
    }
  }
}

export const armingOf = memoByEnv((env: Pick<Env, "DB">) => new ArmingWatch(env));

/** Reads from D1 whether the deployment is disarmed. */
export async function readArming(env: Pick<Env, "DB">): Promise<ArmingState> {
  const [row] = await databaseOf(env).all<{
    since: Timestamp;
    reason: DisarmReason;
    connectors: string;
  }>(sql`
    SELECT since, reason,
      (SELECT coalesce(group_concat(reference, ' '), '') FROM armed_connectors) AS connectors
    FROM disarmament WHERE id = 1`);
  if (row === undefined) return ARMED;
  const { since, reason, connectors } = row;
  const references = connectors.split(" ").filter((reference) => reference !== "");
  return { kind: "disarmed", since, reason, connectors: new Set(references) };
}

const isArmedFor = (state: ArmingState, connector: string | undefined): boolean =>
  state.kind === "armed" || (connector !== undefined && state.connectors.has(connector));

const disarmedError = ({ since }: Extract<ArmingState, { kind: "disarmed" }>): HeldError =>
  new HeldError(
    "DISARMED",
    `the deployment has been disarmed since ${formatTimestamp(since)}: it calls no other server until an operator arms it (npm run florin -- arm)`,
  );

const unknownState = (cause: unknown): HeldError =>
  new HeldError(
    "OVERLOADED",
    "the database does not say whether the deployment is disarmed; try again",
    { cause },
  );
