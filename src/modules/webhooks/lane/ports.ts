import type { LanePorts } from "./lane-ports.ts";
import { readAllBodies } from "./read-bodies.ts";
import { callContextOf, callEndpoint } from "#modules/webhooks/call.ts";
import { ConfigStore } from "#modules/webhooks/config-store.ts";
import { deactivateFailing } from "#modules/webhooks/deactivation.ts";
import { systemContext } from "#platform/context.ts";
import { reachObject } from "#platform/objects/call.ts";

/** A ledger, or the database, that does not answer in this time is asked again later: a lane must not hang with it. */
const READ_MS_MAX = 5000;

/** What the lane of an endpoint works with in a deployment. */
export function openPorts(env: Env, setAlarm: (atMs: number) => void): LanePorts {
  const context = systemContext(env, "webhooks");
  const calls = callContextOf(context);
  const within = <T>(read: Promise<T>, object: string): Promise<T> =>
    reachObject(read, { object, isRead: true, timeoutMs: READ_MS_MAX });
  return {
    wallMs: () => Date.now(),
    open: async ({ configId }) => {
      const target = await within(ConfigStore.from(env).findTarget(configId), "database");
      if (target === undefined) throw new Error(`the webhook config ${configId} is gone`);
      return ({ deliveryId, body, idempotencyKey }) =>
        callEndpoint({ target, id: deliveryId, body, idempotencyKey, isTest: false }, calls);
    },
    readBodies: (origin, positions) => within(readAllBodies(origin, positions, context), "ledger"),
    setAlarm,
    disable: (spec) => deactivateFailing(spec, context),
  };
}
