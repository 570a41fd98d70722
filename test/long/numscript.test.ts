import { expect, test } from "vitest";
import { assertAllAnswered } from "#test/support/numscript/answers.ts";

/** The number of attempts, each in both runtimes. */
const RUNS = Number(process.env["NUMSCRIPT_RUNS"] ?? 200_000);
/** A limit ten times the duration of the attempts. */
const TIMEOUT_MS = 900_000;

test(
  "any text gets a result or diagnostics in time, never an exception",
  () => {
    const endings = assertAllAnswered({ runs: RUNS });

    expect(endings.refused + endings.failed + endings.run).toBe(2 * RUNS);
    expect(endings.run).toBeGreaterThan(RUNS / 20);
  },
  TIMEOUT_MS,
);
