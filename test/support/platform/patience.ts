/**
 * How long a test may take, and within it how long it may wait for something that comes about by itself. Both are far
 * more than anything takes: they end what hangs, and a machine that is ten times slower must not reach them.
 */
export const TEST_MS_MAX = 900_000;
export const WAIT_MS_MAX = 300_000;
