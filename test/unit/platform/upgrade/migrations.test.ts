import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { compareMigrations, MIGRATIONS, whyRefused } from "#platform/upgrade/migrations.ts";
import { inProject } from "#scripts/lib/project.ts";

const KNOWN = ["0000_first.sql", "0001_second.sql"];

test("the code knows the migrations that are in the folder, in order", () => {
  const files = readdirSync(inProject("migrations")).filter((name) => name.endsWith(".sql"));
  expect(MIGRATIONS).toEqual(files.toSorted());
});

test("a database with all migrations is current", () => {
  expect(compareMigrations(KNOWN, KNOWN)).toEqual({ kind: "current" });
  expect(whyRefused({ kind: "current" })).toBeUndefined();
});

test.each([
  ["none", [], KNOWN],
  ["some", KNOWN.slice(0, 1), KNOWN.slice(1)],
])(
  "a database with %s of the migrations is behind, and a Worker says which it lacks",
  (...[, applied, missing]) => {
    const state = compareMigrations(applied, KNOWN);
    expect(state).toEqual({ kind: "behind", missing });
    expect(whyRefused(state)).toContain(missing.join(", "));
    expect(whyRefused(state)).toContain("npm run deploy");
  },
);

test("a database of a later version is refused by the name of the migration that is not known", () => {
  const state = compareMigrations([...KNOWN, "0002_later.sql"], KNOWN);
  expect(whyRefused(state)).toBe(
    "The database was written by a later version of Florin: this version does not know its migration 0002_later.sql. Run the later version again, or one after it.",
  );
});

test("a database that a version before 0.2.0 has made is refused, and the sentence says how to carry ledgers over", () => {
  const reason = whyRefused(compareMigrations(["0000_init.sql"], KNOWN));
  expect(reason).toContain("made by a version of Florin before 0.2.0");
  expect(reason).toContain("export the log of each ledger");
});
