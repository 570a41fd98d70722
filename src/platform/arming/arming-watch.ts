import { sql } from "drizzle-orm";
import type { DisarmReason } from "./tables.ts";
import { databaseOf } from "#platform/db/database.ts";
import { AppError, DISARMED_DETAILS } from "#platform/errors.ts";
import { logError } from "#platform/log.ts";
import { armingSettings } from "#platform/platform-settings.ts";
import { formatTimestamp, type Timestamp, toMillis } from "#platform/time.ts";

/** Longest time for which an isolate goes by what it has read, in milliseconds. A call that begins later than this after the change knows it. */
export const ARMING_KNOWN_MS = 2000;
/** How long before that one caller reads again, while the others go on by what is known, in milliseconds. */
const AHEAD_MS = 1000;
/** Longest time that a read may take, in milliseconds. It ends before the answer would be too old. */
const READ_MS_MAX = 1500;
/** How soon after a read ahead that has failed another caller reads again, in milliseconds. */
const AGAIN_MS = 250;

/** How long work that waits for the deployment to be armed waits until it looks again, in milliseconds. Alarms wait longer later on (`heldMs`). */
export const HELD_MS = 15_000;
/** Longest wait of an alarm, in milliseconds, and the part of the time since the disarming that it waits. Each wait writes a row of its object. */
const HELD_MS_MAX = 120_000;
const HELD_PART = 1 / 20;

/** Time after which a refused client may try again, in seconds. An operator has to act first. */
const RETRY_AFTER_SECONDS = 30;

/** Whether the deployment may call other servers. */
export type ArmingState =
  | { readonly kind: "armed" }
  | {
      readonly kind: "disarmed";
      /** Undefined where the setting `FLORIN_DISARMED` has disarmed it. */
      readonly since: Timestamp | undefined;
      readonly reason: DisarmReason;
      /** The references of the connectors that are armed nevertheless. */
      readonly connectors: ReadonlySet<string>;
    };

const ARMED: ArmingState = { kind: "armed" };
const NOBODY: ReadonlySet<string> = new Set();

/** Why the setting `FLORIN_DISARMED` disarms the deployment; undefined if it does not. */
export function disarmedBySetting(env: object): DisarmReason | undefined {
  const { FLORIN_DISARMED: reason } = armingSettings.of(env);
  return reason === "none" ? undefined : reason;
}

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

/** What an isolate has read. */
interface Known {
  readonly state: ArmingState;
  /** When the read began, in milliseconds since the epoch. The state is as old as that. */
  readonly readMs: number;
}

/**
 * Knows whether the deployment is disarmed. If its setting does not say so already, D1 does; an isolate that makes calls reads it every
 * second or two, and one that makes none never:
 *
 *     a call ─► read less than 1 s ago? ── yes ─────────────────────────► go by it
 *                 │ no
 *                 ├─ less than 2 s ago, and another caller is reading ──► go by it
 *                 └─ otherwise read D1 ─┬─ no row ──────────────────────► armed
 *                                       ├─ a row ───────────────────────► disarmed, but for some connectors
 *                                       └─ no answer within 1.5 s, or ──► go by what was read less than 2 s ago;
 *                                          an error                       otherwise unknown: nothing is called
 *
 * Each caller reads for itself: a caller that waited for the read of another request would hang if the other request were cancelled. So
 * calls that begin at once while nothing is known read once each.
 *
 * The machine's clock only says how old a read is. A read that seems to lie in the future is forgotten, and reads are ordered by a counter,
 * so that a step of the clock brings no earlier state back.
 */
export class ArmingWatch {
  readonly #env: Pick<Env, "DB">;
  #known: Known | undefined;
  /** The number of reads that have begun. */
  #begun = 0;
  /** The number of the read that began last of those whose answers have come. */
  #newest = 0;
  /** Until when one caller reads for all others, in milliseconds since the epoch. */
  #readsUntilMs = 0;

  constructor(env: Pick<Env, "DB">) {
    this.#env = env;
  }

  /** The present state. Throws `HeldError` if it cannot be read. */
  async state(): Promise<ArmingState> {
    const reason = disarmedBySetting(this.#env);
    if (reason !== undefined) {
      return { kind: "disarmed", since: undefined, reason, connectors: NOBODY };
    }
    const known = this.#recent();
    const nowMs = Date.now();
    if (known !== undefined) {
      const isYoung = nowMs - known.readMs < ARMING_KNOWN_MS - AHEAD_MS;
      if (isYoung || nowMs < this.#readsUntilMs) return known.state;
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

  /**
   * How long an alarm waits until it looks again, in milliseconds: a twentieth of the time since the deployment was disarmed, from fifteen seconds
   * to two minutes. So a day costs an object some 750 rows instead of 5,760, and the work of a short stop goes on at once.
   */
  async heldMs(): Promise<number> {
    const state = await this.state().catch(() => ARMED);
    if (state.kind === "armed" || state.since === undefined) return HELD_MS;
    const partMs = (Date.now() - toMillis(state.since)) * HELD_PART;
    return Math.min(HELD_MS_MAX, Math.max(HELD_MS, Math.round(partMs)));
  }

  /** Throws `DISARMED` if calls must not be made: those of a connector, or all others. */
  async assertMayCall(connector?: string): Promise<void> {
    const state = await this.state();
    if (state.kind === "disarmed" && !isArmedFor(state, connector)) throw disarmedError(state);
  }

  /** What was read less than `ARMING_KNOWN_MS` ago. */
  #recent(): Known | undefined {
    const known = this.#known;
    if (known === undefined || isRecent(known.readMs)) return known;
    this.#known = undefined;
    this.#readsUntilMs = 0;
    return undefined;
  }

  async #read(nowMs: number): Promise<ArmingState> {
    const order = ++this.#begun;
    this.#readsUntilMs = nowMs + AHEAD_MS;
    try {
      const state = await withinRead(readArming(this.#env));
      // Time has passed, or the clock has stepped: the answer may be older than a state may be by which a call is made.
      if (!isRecent(nowMs)) throw new Error("the answer came too late");
      if (order > this.#newest) {
        this.#newest = order;
        this.#known = { state, readMs: nowMs };
      }
      this.#readsUntilMs = 0;
      return state;
    } catch (error) {
      const known = this.#recent();
      // While something is known, the next caller tries again, but not all at once.
      this.#readsUntilMs = known === undefined ? 0 : Date.now() + AGAIN_MS;
      logError("it could not be read whether the deployment is disarmed", error, {
        isKnown: known !== undefined,
      });
      if (known !== undefined) return known.state;
      throw unknownState(error);
    }
  }
}

/** Whether a read that began at a time is recent enough to go by it. A time in the future, before a step back of the clock, is not. */
function isRecent(readMs: number): boolean {
  const ageMs = Date.now() - readMs;
  return ageMs >= 0 && ageMs < ARMING_KNOWN_MS;
}

/**
 * The result of a read, or an error when it takes too long. The timer is not cleared: the runtime keeps cleared timers of an object in
 * memory, and a timer that rings late rejects a promise that is settled.
 */
function withinRead<T>(read: Promise<T>): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  read.then(resolve, reject);
  setTimeout(
    () => reject(new Error(`the database has not answered within ${READ_MS_MAX} ms`)),
    READ_MS_MAX,
  );
  return promise;
}

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
    since === undefined
      ? "the deployment has been disarmed by the setting FLORIN_DISARMED: it calls no other server until an operator takes the setting away"
      : `the deployment has been disarmed since ${formatTimestamp(since)}: it calls no other server until an operator arms it (npm run florin -- arm)`,
    { details: DISARMED_DETAILS, retryAfterSeconds: RETRY_AFTER_SECONDS },
  );

const unknownState = (cause: unknown): HeldError =>
  new HeldError(
    "OVERLOADED",
    "the database does not say whether the deployment is disarmed; try again",
    { cause },
  );
