/**
 * The longest time of a test, and of a wait in a test. Both are far above real durations, so that they end tests that hang, but
 * are not reached on a machine that is ten times slower.
 */
export const TEST_MS_MAX = 900_000;
export const WAIT_MS_MAX = 300_000;
