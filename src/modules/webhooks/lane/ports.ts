import type { LanePorts } from "./lane-ports.ts";
import type { Lane } from "./lane.ts";
import { type BodySources, readBodies } from "./read-bodies.ts";
import { callContextOf, callEndpoint, toCallTarget } from "#modules/webhooks/calls/call.ts";
import { ConfigStore } from "#modules/webhooks/configs/config-store.ts";
import { deactivateFailing } from "#modules/webhooks/configs/deactivation.ts";
import { isHeld } from "#platform/arming/arming-watch.ts";
import { armingOf } from "#platform/arming/isolates.ts";
import { systemContext } from "#platform/context.ts";
import { reachObject } from "#platform/objects/call.ts";
import { runCausedBy } from "#platform/tracing/cause.ts";
import type { StartDeadline } from "#platform/work/deadline.ts";

/** Longest read of a ledger or the database, in milliseconds. After it the read is tried again later, so that no lane hangs with it. */
export const READ_MS_MAX = 5000;

/** Awaits a read that may hang. Error messages call the source of the read `object`. */
type Within = <T>(read: Promise<T>, object: string) => Promise<T>;

export const readsWithin =
  (startDeadline: StartDeadline): Within =>
  (read, object) =>
    reachObject(read, { object, isRepeatable: true, timeoutMs: READ_MS_MAX, startDeadline });

/** The effects of a lane in a deployment. */
export function openPorts(
  env: Env,
  {
    setAlarm,
    startDeadline,
    reread,
  }: Pick<LanePorts, "setAlarm"> &
    Pick<BodySources, "reread"> & { readonly startDeadline: StartDeadline },
): LanePorts {
  const context = systemContext(env, "webhooks");
  const calls = { ...callContextOf(context), nowMs: () => Date.now(), startDeadline };
  const within = readsWithin(startDeadline);
  return {
    wallMs: () => Date.now(),
    open: async ({ configId }) => {
      const found = await within(ConfigStore.from(env).findTarget(configId), "database");
      if (found === undefined) throw new Error(`the webhook config ${configId} is gone`);
      const target = toCallTarget(found, calls);
      return async ({ deliveryId, body, idempotencyKey, cause }) => {
        const call = { target, id: deliveryId, body, idempotencyKey, isTest: false };
        try {
          return await runCausedBy(cause, () => callEndpoint(call, calls));
        } catch (error) {
          if (isHeld(error)) return "held";
          throw error;
        }
      };
    },
    readBodies: (origin, positions) =>
      within(readBodies(origin, positions, { context, reread }), "ledger"),
    setAlarm,
    disable: (spec) => deactivateFailing(spec, context),
  };
}

/**
 * Lets a lane go on whose call was held back, if the deployment was armed meanwhile: what is new does not wait for the alarm of what has waited,
 * which may be two minutes away.
 */
export async function goOnIfArmed(env: Pick<Env, "DB">, lane: Lane): Promise<void> {
  if (!lane.view.isHeld || !(await armingOf(env).mayCall())) return;
  // The alarm may have rung meanwhile.
  if (lane.view.isHeld) lane.wake();
}
