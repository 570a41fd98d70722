import { platformSettings } from "#platform/platform-settings.ts";

/** Objects of one machine share its thread and its disk, on which each of them waits for its own writes. */
const OF_ONE_MACHINE = 4;

/**
 * How many objects are called at once for one message or sweep, of the `most` that are called where each has a machine of its own. Under
 * `npm start`, more of them at once finish no sooner, and each request of others waits for a write of each.
 */
export const objectsAtOnce = (env: Env, most: number): number =>
  platformSettings.of(env).FLORIN_DIRECT ? Math.min(most, OF_ONE_MACHINE) : most;
