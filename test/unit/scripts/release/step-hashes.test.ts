import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { inProject } from "#scripts/lib/project.ts";
import { OBJECT_STEPS } from "#scripts/lib/stored/object-steps.ts";
import { currentHashes, findChanges, readHashes } from "#scripts/lib/stored/step-hashes.ts";

test("no migration, step or class migration that is recorded has changed, and each is recorded", () => {
  expect(findChanges(readHashes().hashes, currentHashes())).toEqual([]);
});

test("the steps of every class of objects that wrangler.toml binds are known", () => {
  const text = readFileSync(inProject("wrangler.toml"), "utf8");
  const bound = [...text.matchAll(/\[\[durable_objects\.bindings\]\]\n.+\nclass_name = "(.+)"/g)];
  expect(bound.map(([, name = ""]) => name).toSorted()).toEqual(
    Object.keys(OBJECT_STEPS).toSorted(),
  );
});

test("each block of class migrations of wrangler.toml has a hash", () => {
  const text = readFileSync(inProject("wrangler.toml"), "utf8");
  const tags = [...text.matchAll(/^tag = "(.+)"$/gm)].map(([, tag]) => `class migration ${tag}`);
  const names = Object.keys(currentHashes());
  expect(tags.length).toBeGreaterThan(0);
  expect(names.filter((name) => name.startsWith("class migration"))).toEqual(tags);
});

describe("findChanges", () => {
  const RECORDED = { "step 1 of LedgerObject": "a", "step 2 of LedgerObject": "b" };

  test("findChanges finds nothing where all is as it was", () => {
    expect(findChanges(RECORDED, RECORDED)).toEqual([]);
  });

  test("findChanges says for a changed step that it stays, and that a new step is added", () => {
    expect(findChanges(RECORDED, { ...RECORDED, "step 2 of LedgerObject": "c" })).toEqual([
      "The step 2 of LedgerObject has changed. Existing states were made with the recorded text, and a change of it would not reach them: restore it, and add a new step after the last one.",
    ]);
  });

  test("findChanges says so for a step that was removed", () => {
    expect(findChanges(RECORDED, { "step 1 of LedgerObject": "a" })).toEqual([
      expect.stringContaining("The step 2 of LedgerObject is gone."),
    ]);
  });

  test("findChanges says for a new step how it is recorded", () => {
    expect(findChanges(RECORDED, { ...RECORDED, "step 3 of LedgerObject": "d" })).toEqual([
      "The step 3 of LedgerObject is not recorded. Record it: npm run release -- hashes",
    ]);
  });
});
