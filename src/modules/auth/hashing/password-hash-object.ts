import { DurableObject } from "cloudflare:workers";
import { AppError, type FailureKind } from "#platform/errors.ts";
import { boundFetch, type Fetch } from "#platform/http/outbound.ts";
import { stringifyJson } from "#platform/json.ts";
import { asResult, type Result } from "#platform/result.ts";
import {
  derivePasswordKey,
  PASSWORD_THREADS_BINDING,
  type PasswordWork,
} from "#platform/secrets/password-key.ts";
import { type LaneLimits, Lanes, LanesFullError, LaneTimeoutError } from "#platform/work/lanes.ts";

/** A caller that waits for a hash. */
export interface HashCaller {
  /** The address, browser or person of the caller. Callers with one key wait in one line. */
  readonly key: string;
  /** Whether the caller has shown something that only the person has: a device cookie, a session or a link. */
  readonly isKnown: boolean;
}

/** Longest time of one hash, in milliseconds. A line whose hash hangs loses its turn then. */
const HASH_TIMEOUT_MS = 10_000;

/** One hash at a time in each of the two lanes, and a few that wait, so that the last one waits for seconds and not for minutes. */
const LANE: LaneLimits = {
  total: 1,
  perKey: 1,
  waiting: 48,
  waitingPerKey: 4,
  timeoutMs: HASH_TIMEOUT_MS,
};

/**
 * Hashes passwords, two at a time, outside of the isolate that needs them:
 *
 *     address A ──┐
 *     address B ──┼── in turns ──► lane of strangers ──┐
 *     address C ──┘                                    ├──► threads of Node (npm start)
 *     device, session, link ─────► lane of the known ──┘    or this object's own thread
 *
 * However many strangers guess, they never hold the lane of people who have logged in before. The lines are in the object and not
 * in the isolates that call it, so they hold for all isolates together, and a client that goes away leaves no turn without an
 * end.
 */
export class PasswordHashObject extends DurableObject<Env> {
  readonly #strangers = new Lanes(LANE);
  readonly #known = new Lanes(LANE);

  /**
   * Derives the key of a password, as base64url. Fails with `RATE_LIMITED` if too many callers wait, and with `OVERLOADED` if the
   * hash takes too long.
   */
  derive(work: PasswordWork, { key, isKnown }: HashCaller): Promise<Result<string>> {
    const lanes = isKnown ? this.#known : this.#strangers;
    return asResult(
      lanes.run({ key, run: (signal) => this.#derive(work, signal) }).catch(toAppError),
    );
  }

  #derive(work: PasswordWork, signal: AbortSignal): Promise<string> {
    const threads = boundFetch(this.env, PASSWORD_THREADS_BINDING);
    return threads === undefined ? derivePasswordKey(work) : askThreads(threads, work, signal);
  }
}

async function askThreads(
  threads: Fetch,
  work: PasswordWork,
  signal: AbortSignal,
): Promise<string> {
  const response = await threads("http://threads/password-key", {
    method: "POST",
    body: stringifyJson(work),
    signal,
  });
  const text = await response.text();
  if (response.ok) return text;
  throw new Error(`a thread of Node made no key of a password: ${text}`);
}

const WAIT_SECONDS = 5;

function toAppError(error: unknown): never {
  const [kind, message] = describe(error);
  if (kind === undefined) throw error;
  throw new AppError(kind, message, { cause: error, retryAfterSeconds: WAIT_SECONDS });
}

function describe(error: unknown): [FailureKind | undefined, string] {
  if (error instanceof LanesFullError)
    return ["RATE_LIMITED", "too many logins are under way; try again in a few seconds"];
  if (error instanceof LaneTimeoutError)
    return ["OVERLOADED", "passwords cannot be checked now; try again in a few seconds"];
  return [undefined, ""];
}
