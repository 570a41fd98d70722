import { expect, test } from "vitest";
import { ExportedVolumes } from "#ledger-engine/storage/moves/exported-volumes.ts";
import { StoredNames } from "#ledger-engine/storage/names/names.ts";
import { NodeSql } from "#platform/sql/node-sql.ts";

function exportedVolumes(): ExportedVolumes {
  const sql = new NodeSql();
  return new ExportedVolumes(sql, new StoredNames(sql));
}

test("volumes are given once, to the page that begins where they are", () => {
  const exported = exportedVolumes();
  const volumes = exported.take(0);
  exported.giveBack(11, volumes);
  expect(exported.take(12)).not.toBe(volumes);
  expect(exported.take(11)).toBe(volumes);
  expect(exported.take(11)).not.toBe(volumes);
  exported.giveBack(21, volumes);
  exported.reset();
  expect(exported.take(21)).not.toBe(volumes);
});

test("an export keeps its volumes beside others, until it has taken no page for as many as sixteen of theirs", () => {
  const exported = exportedVolumes();
  const first = exported.take(0);
  exported.giveBack(11, first);
  for (let page = 0; page < 15; page++) {
    const others = exported.take(1000 + page);
    exported.giveBack(1001 + page, others);
  }
  expect(exported.take(11)).toBe(first);
  exported.giveBack(21, first);
  for (let page = 0; page < 16; page++) {
    const others = exported.take(1000);
    exported.giveBack(2000, others);
  }
  expect(exported.take(21)).not.toBe(first);
});
