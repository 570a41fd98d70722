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

/** Who waits for a hash. */
export interface HashCaller {
  /** Callers of one key wait in one line: an address, a browser, a person. */
  readonly key: string;
  /** Whether the caller has shown something that only the person has: a device cookie, a session, a link. */
  readonly isKnown: boolean;
}

/** A line gives up its turn after this time, in milliseconds: whoever does the work hangs. */
const HASH_TIMEOUT_MS = 10_000;

/** One hash at a time in each of the two lanes, and a few that wait, so that the last of them waits for seconds and not for minutes. */
const LANE: LaneLimits = {
  total: 1,
  perKey: 1,
  waiting: 48,
  waitingPerKey: 4,
  timeoutMs: HASH_TIMEOUT_MS,
};

/**
 * Hashes passwords, two at a time, outside of the isolate that asks for it:
 *
 *     address A ──┐
 *     address B ──┼── in turns ──► lane of strangers ──┐
 *     address C ──┘                                    ├──► threads of Node (npm start)
 *     device, session, link ─────► lane of the known ──┘    or this object's own thread
 *
 * However many strangers guess, they never hold the lane of whoever has logged in before. The lines are in the object, and not in the
 * isolates that ask, so that they hold for all of them, and so that a client that goes away leaves no turn behind that nobody ends.
 */
export class PasswordHashObject extends DurableObject<Env> {
  readonly #strangers = new Lanes(LANE);
  readonly #known = new Lanes(LANE);

  /** The key of a password, as a base64url text. Fails with `RATE_LIMITED` where too many wait, with `OVERLOADED` where the work takes too long. */
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
