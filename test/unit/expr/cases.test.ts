import { describe, expect, test } from "vitest";
import { ARITIES, PREDICATE_ARITIES } from "#expr/syntax/signatures.ts";
import { CASE_FILES, loadCases } from "#test/support/expr/cases.ts";
import { resultOf } from "#test/support/expr/evaluate.ts";

const ALL = CASE_FILES.flatMap((name) => loadCases(name));

describe.each(CASE_FILES)("%s", (name) => {
  test.each(loadCases(name))("$source yields $expected", ({ source, expected }) => {
    const [first] = resultOf(source).split("\n");

    expect(first).toBe(expected);
  });
});

test.each([...Object.keys(ARITIES), ...Object.keys(PREDICATE_ARITIES)])(
  "%s has a case with a value and a case with an error",
  (name) => {
    const calls = ALL.filter(({ source }) => source.startsWith(`${name}(`));
    const isError = ({ expected }: { expected: string }) => /^(?:failed|refused):/.test(expected);

    expect(calls.some((it) => !isError(it))).toBe(true);
    expect(calls.some(isError) || FUNCTIONS_WITHOUT_ERRORS.has(name)).toBe(true);
  },
);

/** Functions that accept any value. Every value has a type and a text, and a missing member is nil. */
const FUNCTIONS_WITHOUT_ERRORS = new Set(["string", "type", "get"]);
