import { executeRun, INLINE_MS_MAX } from "./execute-run.ts";
import { RunPlaces } from "./places.ts";
import { startRun } from "./platform.ts";
import { wakeRunner } from "./runner.ts";
import type { FlowInstance } from "#modules/orchestration/instances/instance.ts";
import { stringifyJson } from "#platform/json.ts";
import { memoByEnv } from "#platform/memo.ts";

/**
 * How many instances one isolate executes at once beside its requests, and how many of one client and subject. What is more waits for a
 * lane of the runner, so that instances that start together do not hold up those who write.
 */
const PLACES = { total: 16, ofOne: 8, leaseMs: 90_000 };

const placesOf = memoByEnv((_env: Env) => new RunPlaces(PLACES));

/** What is executed, and for whom. */
type OwnedRun = Pick<FlowInstance, "id" | "run" | "principal">;

/**
 * Executes an instance where it was started, as far as it goes without waiting. Where it waits for a time, the runner goes on with it
 * then; where it waits for an event, whoever sends the event sees to it; and the platform gets it where it takes longer than until
 * `untilMs`. Never throws, and may be cut off anywhere: the sweep finds an instance that does not move.
 */
export async function carryOn(
  env: Env,
  { id, run: number, principal }: OwnedRun,
  untilMs: number = Date.now() + INLINE_MS_MAX,
): Promise<void> {
  const run = { id, run: number };
  const { issuer, clientId, subject } = principal;
  const leave = placesOf(env).take(stringifyJson([issuer, clientId, subject]));
  if (leave === undefined) return wakeRunner({ env }, run, Date.now());
  try {
    const next = await executeRun(env, run, untilMs);
    if (next.kind === "wait") await wakeRunner({ env }, run, Date.now() + next.waitMs);
    if (next.kind === "go-on") await startRun({ env }, run);
  } finally {
    leave();
  }
}
