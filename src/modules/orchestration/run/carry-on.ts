import { executeRun, INLINE_MS_MAX } from "./execute-run.ts";
import { startRun } from "./platform.ts";
import { RunSlots } from "./run-slots.ts";
import { wakeRunner } from "./runner.ts";
import type { FlowInstance } from "#modules/orchestration/instances/instance.ts";
import { stringifyJson } from "#platform/json.ts";
import { memoByEnv } from "#platform/memo.ts";

/**
 * How many instances one isolate executes at once beside its requests, in all and of one client and subject. Further instances wait for the
 * runner, so that many starts at a time do not delay requests.
 */
const PLACES = { total: 16, ofOne: 8, leaseMs: 90_000 };

const placesOf = memoByEnv((_env: Env) => new RunSlots(PLACES));

/** A run, and the principal that its instance acts for. */
type OwnedRun = Pick<FlowInstance, "id" | "run" | "principal">;

/**
 * Executes an instance in the isolate that has started it, until it ends or waits, or until `untilMs`. Never throws, and may be cut off
 * anywhere: the sweep finds an instance that does not move. The way of an instance:
 *
 *     start, retry, trigger ─► this function, some seconds at most
 *                                │ the instance waits for a time,   │ its time here is over
 *                                │ or all places are taken          │
 *                                ▼                                  ▼
 *     event is sent ─────────► runner object, at the time ──────► Workflow on the platform,
 *                              of the instance and for 5 s ◄───── until the instance waits for a time
 *                                                                   ▲       │
 *     sweep: an instance is overdue ────────────────────────────────┤       │ after 400 steps
 *                                                                   └───────┘ begins the next run
 *
 * All of these call `advance`. An instance that waits for an event is executed by none of them until the event is sent.
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
