import { ArmingWatch } from "#platform/arming/arming-watch.ts";

/** The watches of the isolate in which all contract tests run. */
let watches = new WeakMap<object, ArmingWatch>();

export function armingOf(env: Pick<Env, "DB">): ArmingWatch {
  const known = watches.get(env);
  if (known !== undefined) return known;
  const watch = new ArmingWatch(env);
  watches.set(env, watch);
  return watch;
}

/** Forgets what this isolate has read, because there is no other one. */
export async function untilAllIsolatesKnow(): Promise<void> {
  watches = new WeakMap();
}
