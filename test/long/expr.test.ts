import { expect, test } from "vitest";
import { assertAllAnswered } from "#test/support/expr/answers.ts";

const RUNS = Number(process.env["EXPR_RUNS"] ?? 100_000);
/** A limit many times the duration of the test. */
const TIMEOUT_MS = 900_000;

test(
  "any text gets a value or a diagnostic with its place, never an exception",
  () => {
    const endings = assertAllAnswered({ runs: RUNS });

    expect(endings.refused + endings.failed + endings.evaluated).toBe(RUNS);
    expect(endings.evaluated).toBeGreaterThan(RUNS / 20);
  },
  TIMEOUT_MS,
);
