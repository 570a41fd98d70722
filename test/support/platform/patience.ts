/**
 * How long a test may take, and below how long it may wait for something to happen. Both are far more than anything
 * takes, so that they end tests that hang but are not reached on a machine that is ten times slower.
 */
export const TEST_MS_MAX = 900_000;
export const WAIT_MS_MAX = 300_000;
