import { expect, test } from "vitest";
import { statementLines } from "#scripts/florin/backup/restore/verbs.ts";

const LIST = { file: "files.jsonl.gz", bytes: 100, sha256: "00", files: 5, gone: 0 };
const SOURCES = {
  file: "objects/StatementSourceObject.jsonl.gz",
  bytes: 100,
  sha256: "00",
  class: "StatementSourceObject",
  objects: 2,
};
const FAILED = { class: "StatementSourceObject", object: "a", file: "b", reason: "It hangs." };

test.each([
  ["without sources of statements", { objects: [] }, []],
  ["with all files", { objects: [SOURCES], files: LIST }, []],
  [
    "of an earlier version",
    { objects: [SOURCES] },
    [expect.stringContaining("an earlier version made the backup without them")],
  ],
  [
    "that lacks files",
    { objects: [SOURCES], files: { ...LIST, gone: 2, failed: [FAILED] } },
    [expect.stringContaining("3 files")],
  ],
])("whoever restores a backup %s hears what is missing of statements", (_kind, of, lines) => {
  expect(statementLines(of)).toEqual(lines);
});
