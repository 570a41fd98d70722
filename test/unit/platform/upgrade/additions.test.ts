import { expect, test } from "vitest";
import type { Step } from "#platform/sql/step.ts";
import { OBJECT_STEPS } from "#scripts/lib/stored/object-steps.ts";

const ADDITION = /^(?:CREATE TABLE|CREATE INDEX|ALTER TABLE \w+ ADD COLUMN) [^;]*$/;

/** What of a step with `isAddition` does more than add, so that code of before could not go on. */
const problemsOf = ({ rows, statements, isAddition }: Omit<Step, "name">): string[] =>
  isAddition === true
    ? [
        ...(rows === undefined ? [] : ["rows"]),
        ...statements.filter((text) => !ADDITION.test(text) || text.includes("REFERENCES")),
      ]
    : [];

test.each([
  "DROP TABLE a",
  "CREATE UNIQUE INDEX a_b ON a (b)",
  "CREATE TABLE b (c); DROP TABLE a",
  "CREATE TABLE b (c REFERENCES a)",
  "CREATE TRIGGER t AFTER INSERT ON a BEGIN SELECT 1; END",
])("a step that only adds has no statement %s", (statement) => {
  expect(problemsOf({ statements: [statement], isAddition: true })).toEqual([statement]);
  expect(problemsOf({ statements: [statement] })).toEqual([]);
});

test("no step of an object that only adds does more, or works on rows", () => {
  const rows = { isServedMeanwhile: true, slice: () => undefined };
  const statements = ["ALTER TABLE a ADD COLUMN b INTEGER", "CREATE INDEX a_b ON a (b)"];
  expect(problemsOf({ statements, isAddition: true })).toEqual([]);
  expect(problemsOf({ statements, rows, isAddition: true })).toEqual(["rows"]);
  expect(Object.values(OBJECT_STEPS).flat().flatMap(problemsOf)).toEqual([]);
});
