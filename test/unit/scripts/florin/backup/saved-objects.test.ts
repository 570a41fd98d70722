import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { FileWriter } from "#scripts/florin/backup/file-writer.ts";
import { problemOfClass, type SavedClass } from "#scripts/florin/backup/saved-objects.ts";

const folder = mkdtempSync(join(tmpdir(), "florin-saved-objects-"));

/** The first line of an object with two tables of two and three columns. */
const objectLine = (name: string, pairs: number, triples: number): string =>
  JSON.stringify({
    object: name,
    endedAt: "2026-03-01T09:30:00.000Z",
    tables: [
      { name: "pairs", columns: ["a", "b"], key: ["a"], rows: pairs },
      { name: "triples", columns: ["a", "b", "c"], key: ["a"], rows: triples },
    ],
    counters: { pairs: 12 },
  });

async function saved(objects: number, lines: readonly string[]): Promise<SavedClass> {
  const writer = new FileWriter(folder, "partial");
  for (const line of lines) await writer.write(`${line}\n`);
  return { class: "X", objects, ...(await writer.close(`${crypto.randomUUID()}.jsonl.gz`)) };
}

const WHOLE = [
  objectLine("one", 2, 1),
  "[1,9007199254740993]",
  '[2,{"hex":"00ff"}]',
  "[1,2,null]",
  objectLine("empty", 0, 0),
  objectLine("two", 0, 1),
  "[1,2,3]",
];

test("objects with all their rows are complete, also those without rows", async () => {
  expect(await problemOfClass(folder, await saved(3, WHOLE))).toBeUndefined();
  expect(await problemOfClass(folder, await saved(0, []))).toBeUndefined();
});

test.each([
  { what: "a row less at the end", objects: 3, lines: WHOLE.slice(0, -1), problem: "lacks 1 rows" },
  {
    what: "a row less in the middle",
    objects: 3,
    lines: WHOLE.toSpliced(1, 1),
    problem: "line 3 is no row",
  },
  {
    what: "a row with another number of values",
    objects: 3,
    lines: WHOLE.with(1, "[1]"),
    problem: "line 2 is no row",
  },
  {
    what: "an object less",
    objects: 3,
    lines: WHOLE.slice(0, 5),
    problem: "2 objects instead of 3",
  },
  {
    what: "no object at its beginning",
    objects: 1,
    lines: ["[1,2]"],
    problem: "line 1 begins no object",
  },
])("a file with $what is found", async ({ objects, lines, problem }) => {
  expect(await problemOfClass(folder, await saved(objects, lines))).toContain(problem);
});

test("a file with other bytes than the manifest says is found", async () => {
  const described = await saved(3, WHOLE);
  writeFileSync(join(folder, described.file), "x", { flag: "a" });
  expect(await problemOfClass(folder, described)).toContain("bytes instead of");
});
