import { expect, test } from "vitest";
import { assertAllAnswered } from "#test/support/expr/answers.ts";

const RUNS = 2000;

test("any text gets a value or a diagnostic with its place, never an exception", () => {
  const endings = assertAllAnswered({ runs: RUNS });

  expect(endings.refused + endings.failed + endings.evaluated).toBe(RUNS);
  expect(endings.evaluated).toBeGreaterThan(RUNS / 20);
});
