import { executeRun, INLINE_MS_MAX } from "./execute-run.ts";
import { type RunParams, startRun } from "./platform.ts";
import { wakeRunner } from "./runner.ts";
import { memoByEnv } from "#platform/memo.ts";

/**
 * Most instances that one isolate executes at once beside its requests. What is more waits for a lane of the runner, so that
 * instances that start together do not hold up those who write.
 */
const AT_ONCE_MAX = 16;
/** A request that was cut off gives its place back after this time, in milliseconds. */
const CUT_OFF_MS = 90_000;

/** When the executions that this isolate has begun count as over, in milliseconds since the epoch. */
const placesOf = memoByEnv((_env: Env) => new Map<symbol, number>());

/**
 * Executes an instance where it was started, as far as it goes without waiting. Where it waits for a time, the runner goes on with it
 * then; where it waits for an event, whoever sends the event sees to it; and the platform gets it where it takes longer than until
 * `untilMs`. Never throws, and may be cut off anywhere: the sweep finds an instance that does not move.
 */
export async function carryOn(
  env: Env,
  run: RunParams,
  untilMs: number = Date.now() + INLINE_MS_MAX,
): Promise<void> {
  const place = takePlace(env);
  if (place === undefined) return wakeRunner({ env }, run, Date.now());
  try {
    const next = await executeRun(env, run, untilMs);
    if (next.kind === "wait") await wakeRunner({ env }, run, Date.now() + next.waitMs);
    if (next.kind === "go-on") await startRun({ env }, run);
  } finally {
    placesOf(env).delete(place);
  }
}

function takePlace(env: Env): symbol | undefined {
  const places = placesOf(env);
  const nowMs = Date.now();
  for (const [place, untilMs] of places) if (untilMs < nowMs) places.delete(place);
  if (places.size >= AT_ONCE_MAX) return undefined;
  const place = Symbol("place");
  places.set(place, nowMs + CUT_OFF_MS);
  return place;
}
