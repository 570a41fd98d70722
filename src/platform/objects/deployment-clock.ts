/** A deployment has one clock object. */
export const CLOCK_NAME = "clock";

/** The alarm of a deployment; see `ClockObject`. */
export const deploymentClock = (env: Pick<Env, "CLOCK">) => env.CLOCK.getByName(CLOCK_NAME);
