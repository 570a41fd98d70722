/**
 * What the isolates of a deployment know of its arming. Contract tests, which run in one isolate, replace this file by
 * `test/support/deployment/one-isolate.ts`.
 */
import { ARMING_KNOWN_MS, ArmingWatch } from "./arming-watch.ts";
import { memoByEnv } from "#platform/memo.ts";

/** The watch of this isolate. */
export const armingOf = memoByEnv((env: Pick<Env, "DB">) => new ArmingWatch(env));

/** Waits until no isolate goes by a state that it has read before. */
export async function untilAllIsolatesKnow(): Promise<void> {
  await new Promise((resolve) => {
    setTimeout(resolve, ARMING_KNOWN_MS);
  });
}
