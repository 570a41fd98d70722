import type { FlowInstance } from "./instance.ts";
import { getInstance } from "./store.ts";
import { untilEnd } from "#modules/orchestration/run/runner.ts";
import type { Principal, ServiceContext } from "#platform/context.ts";
import { AppError } from "#platform/errors.ts";
import { stringifyJson } from "#platform/json.ts";
import { logError } from "#platform/log.ts";
import { memoByEnv } from "#platform/memo.ts";

/** Longest time that a request waits for the end of an instance: clients wait a minute for an answer. */
const WAIT_MS_MAX = 50_000;
/** Most requests of one principal that wait at once in an isolate. */
export const WAITS_PER_PRINCIPAL_MAX = 64;
/** When a principal with too many that wait may try again, in seconds. */
const RETRY_AFTER_SECONDS = 5;

/**
 * The instance at its end, or as it is after the longest time that a request waits. A request that waits looks before and after it
 * waits, and does nothing meanwhile.
 */
export async function waitForEnd(context: ServiceContext, id: string): Promise<FlowInstance> {
  const instance = await getInstance(context, id);
  if (instance.terminatedAt !== undefined) return instance;
  try {
    await untilEnd(context, id, WAIT_MS_MAX);
  } catch (error) {
    // The runner was restarted, say: the client learns how the instance is.
    logError("a request does not wait for the end of an instance any longer", error, {
      instance: id,
    });
  }
  return getInstance(context, id);
}

/** When the waits of each principal count as over, in milliseconds since the epoch. */
const waitsOf = memoByEnv((_env: Env) => new Map<string, Map<symbol, number>>());

/**
 * Counts a request that is going to wait, before it starts anything; returns what it calls when it waits no longer. One that was cut off
 * counts until it would have ended. Throws `RATE_LIMITED` where too many of the principal wait.
 */
export function takeWait({ env, principal }: ServiceContext): () => void {
  const waits = waitsOf(env);
  const key = keyOf(principal);
  const own = waits.get(key) ?? new Map<symbol, number>();
  const nowMs = Date.now();
  for (const [wait, untilMs] of own) if (untilMs < nowMs) own.delete(wait);
  if (own.size >= WAITS_PER_PRINCIPAL_MAX) {
    throw new AppError(
      "RATE_LIMITED",
      `${WAITS_PER_PRINCIPAL_MAX} requests of this client wait for the end of an instance already; start the instance without wait`,
      { retryAfterSeconds: RETRY_AFTER_SECONDS },
    );
  }
  const wait = Symbol("wait");
  own.set(wait, nowMs + 2 * WAIT_MS_MAX);
  waits.set(key, own);
  return () => {
    own.delete(wait);
    if (own.size === 0 && waits.get(key) === own) waits.delete(key);
  };
}

const keyOf = ({ issuer, clientId, subject }: Principal): string =>
  stringifyJson([issuer, clientId, subject]);
