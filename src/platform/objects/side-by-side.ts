import { platformSettings } from "#platform/platform-settings.ts";

/** Most concurrent calls of objects on one machine. The objects share its thread and its disk, and each waits there for its own writes. */
const OF_ONE_MACHINE = 4;

/**
 * Objects that are called at once for one message or sweep: `most` where each object has a machine of its own. Under `npm start`, more
 * calls at once finish no sooner and delay other requests by a write of each object.
 */
export const objectsAtOnce = (env: Env, most: number): number =>
  platformSettings.of(env).FLORIN_DIRECT ? Math.min(most, OF_ONE_MACHINE) : most;
