import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { compareMigrations, MIGRATIONS, whyRefused } from "#platform/upgrade/migrations.ts";
import { inProject } from "#scripts/lib/project.ts";

const KNOWN = ["0000_first.sql", "0001_second.sql"];

test("the code knows the migrations that are in the folder, in order", () => {
  const files = readdirSync(inProject("migrations")).filter((name) => name.endsWith(".sql"));
  expect(MIGRATIONS).toEqual(files.toSorted());
});

test("a database with all migrations is current", () => {
  expect(compareMigrations({ applied: KNOWN }, KNOWN)).toEqual({ kind: "current" });
  expect(whyRefused({ kind: "current" })).toBeUndefined();
});

test.each([
  ["none", [], KNOWN],
  ["some", KNOWN.slice(0, 1), KNOWN.slice(1)],
])(
  "a database with %s of the migrations is behind, and a Worker says which it lacks",
  (...[, applied, missing]) => {
    const state = compareMigrations({ applied }, KNOWN);
    expect(state).toEqual({ kind: "behind", missing });
    expect(whyRefused(state)).toContain(missing.join(", "));
    expect(whyRefused(state)).toContain("npm run deploy");
  },
);

test("a database of a later version is refused by the name of the migration that is not known", () => {
  const state = compareMigrations({ applied: [...KNOWN, "0002_later.sql"] }, KNOWN);
  expect(whyRefused(state)).toBe(
    "The database was written by a later version of Florin: this version does not know its migration 0002_later.sql. Run the later version again, or one after it.",
  );
});

test("a database that a version before 0.2.0 has made is refused, and the sentence says how to carry ledgers over", () => {
  const reason = whyRefused(compareMigrations({ applied: ["0000_init.sql"] }, KNOWN));
  expect(reason).toContain("made by a version of Florin before 0.2.0");
  expect(reason).toContain("export the log of each ledger");
});

describe("a database to which a later version has added", () => {
  const applied = [...KNOWN, "0002_later.sql", "0003_later.sql"];
  const kindOf = (names: readonly string[], required: string | undefined) =>
    compareMigrations({ applied: names, required }, KNOWN).kind;

  test("a database to which a later version has added is served by code that knows the required migration", () => {
    const later = ["0002_later.sql", "0003_later.sql"];
    const state = compareMigrations({ applied, required: "0001_second.sql" }, KNOWN);
    expect(state).toEqual({ kind: "ahead", later });
    expect(whyRefused(state)).toBeUndefined();
  });

  test("a database to which a later version has added is refused by code that does not know the required migration, or of which some are missing", () => {
    expect(kindOf(applied, "0002_later.sql")).toBe("refused");
    expect(kindOf(applied, undefined)).toBe("refused");
    expect(kindOf(applied.slice(1), "0000_first.sql")).toBe("refused");
  });
});

/** Statements that only add: code of before works on, and what it writes fits the new tables. */
const ADDITIONS: readonly RegExp[] = [
  /^CREATE TABLE /,
  /^CREATE INDEX /,
  /^CREATE UNIQUE INDEX .* ON `(\w+)`/s,
  /^ALTER TABLE `\w+` ADD (?:COLUMN )?`\w+` \w+(?: DEFAULT [^ ]+)?(?: NOT NULL)?$/,
  /^(?:INSERT INTO|UPDATE|DELETE FROM) `(\w+)`/,
];

/** Sets the migration that code has to know. */
const REQUIRES = /^UPDATE `required_migration` SET `name` = '(\w+\.sql)'/;

/** Why code of before would not work on after a statement; undefined if it would. */
function whyNotAnAddition(statement: string, made: ReadonlySet<string>): string | undefined {
  if (statement.includes(";")) return "it may be several statements";
  if (!ADDITIONS.some((pattern) => pattern.test(statement))) return "it does more than add";
  const changed = ADDITIONS.at(-1)?.exec(statement)?.[1];
  if (changed !== undefined && !made.has(changed)) return "it changes rows of an older table";
  const referred = /REFERENCES `(\w+)`/.exec(statement)?.[1];
  if (referred !== undefined && !made.has(referred))
    return "older code may delete what it refers to";
  const unique = ADDITIONS[2]?.exec(statement)?.[1];
  if (unique !== undefined && !made.has(unique)) return "older code may write what it refuses";
  const isColumn = statement.startsWith("ALTER TABLE");
  const isStrict = statement.includes("NOT NULL") && !statement.includes("DEFAULT");
  return isColumn && isStrict ? "older code leaves the column out" : undefined;
}

test("a migration that does more than add says which migration code has to know", () => {
  const wrong: string[] = [];
  let needed = 0;
  for (const name of MIGRATIONS.slice(1)) {
    const text = readFileSync(inProject("migrations", name), "utf8");
    const statements = text
      .split("--> statement-breakpoint")
      .map((statement) => statement.trim().replace(/;$/, ""));
    const made = new Set(
      statements.flatMap((statement) => /^CREATE TABLE `(\w+)`/.exec(statement)?.[1] ?? []),
    );
    const required = statements.flatMap((statement) => REQUIRES.exec(statement)?.[1] ?? []);
    for (const one of required) {
      // Code that a migration has needed once is needed by all later ones, and no migration needs a later one.
      const index = MIGRATIONS.indexOf(one);
      expect(index).toBeGreaterThanOrEqual(needed);
      expect(index).toBeLessThanOrEqual(MIGRATIONS.indexOf(name));
      needed = index;
    }
    const reasons = statements.flatMap((statement) => {
      const reason = whyNotAnAddition(statement, made);
      return reason === undefined ? [] : [`${name}: ${reason}: ${statement}`];
    });
    if (required.length === 0) wrong.push(...reasons);
  }
  expect(wrong).toEqual([]);
});
