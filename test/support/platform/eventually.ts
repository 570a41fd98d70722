import { vi } from "vitest";
import { WAIT_MS_MAX } from "#test/support/runner/patience.ts";

/** Repeats an assertion until it holds; returns its result. */
export const eventually = async <T>(assertion: () => T | Promise<T>): Promise<T> =>
  vi.waitFor(assertion, { timeout: WAIT_MS_MAX });
