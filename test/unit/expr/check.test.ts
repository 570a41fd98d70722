import { expect, test } from "vitest";
import { checkExpression, type ExpressionUse, lspRanges } from "#expr";

const check = (source: string, use: ExpressionUse = "filter") =>
  checkExpression(source, { use, names: new Set(["event"]), functions: new Set(["link"]) });

test("the check names the paths and functions of an expression with their ranges", () => {
  const source = "event.a.b == 1 and any(event.list, .x == event.a.b) and event?.c[0] != nil";
  const { diagnostics, paths, functions } = check(source);

  expect(diagnostics).toEqual([]);
  expect(paths.map(({ path }) => path)).toEqual(["event.a.b", "event.c[0]", "event.list"]);
  expect(paths[0]?.ranges.map(({ start, end }) => source.slice(start, end))).toEqual([
    "event.a.b",
    "event.a.b",
  ]);
  expect(functions).toEqual([{ name: "any", ranges: [{ start: 19, end: 22 }] }]);
});

test.each([
  ["event.a +", "filter", "unexpected-token", "error"],
  ['event.a matches "("', "filter", "invalid-pattern", "error"],
  ["trim()", "filter", "wrong-arity", "error"],
  ["#", "filter", "invalid-pointer", "error"],
  ["a ?? b or c", "filter", "mixed-coalescing", "error"],
  ["evnt.a == 1", "filter", "unknown-name", "warning"],
  ["f(event) == 1", "filter", "unknown-function", "warning"],
  ['"a"', "filter", "not-boolean", "warning"],
  ["event.a * 2", "filter", "not-boolean", "warning"],
  ["let x = 1; [x]", "filter", "not-boolean", "warning"],
  [`"${"a".repeat(30_000)}"`, "variable", "limit-exceeded", "error"],
] as const)("%s as a %s is reported as %s, %s", (...row) => {
  const [source, use, code, severity] = row;
  const { diagnostics } = check(source, use);

  expect(diagnostics).toHaveLength(1);
  expect(diagnostics[0]).toMatchObject({ code, severity });
  expect(diagnostics[0]?.range.end).toBeLessThanOrEqual(source.length);
});

test("a variable may be anything", () => {
  expect(check('"a" + event.b', "variable").diagnostics).toEqual([]);
});

test("ranges are told as lines and characters", () => {
  const at = lspRanges("a\n  + é😀b\n");

  expect(at({ start: 4, end: 10 })).toEqual({
    start: { line: 1, character: 2 },
    end: { line: 1, character: 8 },
  });
  expect(at({ start: 0, end: 11 })).toEqual({
    start: { line: 0, character: 0 },
    end: { line: 2, character: 0 },
  });
});
