import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { describe, expect, test } from "vitest";

const ROOT = resolve(import.meta.dirname, "../../..");
const SUFFIX = ".test.ts";

/** The cells of the table rows that name tests. The last cell has the references. */
const ROWS = readFileSync(join(ROOT, "docs/auth-conformance.md"), "utf8")
  .split("\n")
  .filter((line) => line.startsWith("| ") && !/^\| (?:---|Case|Section|Attack) /.test(line))
  .map((line) => line.split("|").map((cell) => cell.trim()));

/** The paths of the module's contract tests by their file names. */
const FILES = new Map(
  readdirSync(join(ROOT, "test/contract/auth"), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(SUFFIX))
    .map((path) => [basename(path, SUFFIX), join(ROOT, "test/contract/auth", path)]),
);

const REFERENCE = /^`([^`]+)`: (.+)$/;

/** What is wrong with a reference to a test; undefined for a test that exists. */
function problemOf(reference: string): string | undefined {
  const [, name = "", words = ""] = REFERENCE.exec(reference) ?? [];
  const path = name.endsWith(SUFFIX) ? join(ROOT, name) : FILES.get(name);
  if (path === undefined || !existsSync(path)) return `${reference}: there is no such file`;
  const isThere = titlesOf(readFileSync(path, "utf8")).some((title) => title.includes(words));
  return isThere ? undefined : `${reference}: no test has these words in its title`;
}

/** The titles of tests and of groups of tests, also those that a table makes. */
const titlesOf = (source: string): string[] =>
  [...source.matchAll(/(?:\b(?:test|describe)|\]|\))\(\s*(["`])((?:(?!\1).)+)\1,/g)].map(
    ([, , title = ""]) => title,
  );

describe("the tables of tests", () => {
  test("the tables of tests have rows", () => {
    expect(ROWS?.length).toBeGreaterThan(60);
  });

  test.each((ROWS ?? []).map((cells) => [cells.slice(1, -2).join(" "), cells.at(-2) ?? ""]))(
    "the tables of tests name tests that are there for: %s",
    (_promise, references) => {
      const problems = references.split("; ").map(problemOf);
      expect(problems.filter((problem) => problem !== undefined)).toEqual([]);
    },
  );

  test("the tables of tests would not name one that is not there", () => {
    expect(problemOf("`tokens`: does what nobody has written")).toMatch(/no test has/);
    expect(problemOf("`nothing`: is refused")).toMatch(/no such file/);
    expect(problemOf("`tokens`")).toMatch(/no such file/);
  });
});
