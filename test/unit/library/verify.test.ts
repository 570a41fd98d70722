import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openLedger } from "#library/index.ts";
import { PositionalSql } from "#library/positional-sql.ts";
import { verifyLedger } from "#library/verification.ts";
import { create, posting, revert, TestLedger } from "#test/support/ledger-engine/fixtures.ts";
import { ledgerInMemory, pay, refusalOf } from "#test/support/library/library.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "florin-verify-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

describe("the verification of an embedded ledger", () => {
  test("the verification of an embedded ledger compares every row, and the ledger goes on", () => {
    const ledger = ledgerInMemory();
    expect(ledger.verify()).toMatchObject({ isConsistent: true, lastLogId: 0, totals: [] });
    ledger.createTransaction({ postings: [pay("world -> a", 2n ** 70n), pay("a -> b", 7n)] });
    ledger.createTransaction({ postings: [pay("b -> c", 3n, "EUR")], force: true });
    ledger.addAccountMetadata("a", { tier: "gold" });
    const { rows, ...found } = ledger.verify();
    expect(found).toEqual({
      isConsistent: true,
      lastLogId: 3,
      totals: [
        { asset: "USD/2", input: 2n ** 70n + 7n, output: 2n ** 70n + 7n },
        { asset: "EUR", input: 3n, output: 3n },
      ],
      differences: [],
    });
    expect(rows).toMatchObject({ tx: 2, entry: 1, move: 5, account: 4, metadata_index: 1 });
    expect(ledger.createTransaction({ postings: [pay("world -> a", 1n)] }).id).toBe(3);
    expect(ledger.verify().lastLogId).toBe(4);
  });

  test("the verification of an embedded ledger tells which rows of a damaged file are not what the log says", () => {
    const file = join(folder, "books.sqlite");
    const first = openLedger({ file });
    first.createTransaction({ postings: [pay("world -> a", 5n)] });
    first.close();
    const database = new DatabaseSync(file);
    database.exec("UPDATE move SET input = 6 WHERE input = 5");
    database.close();
    const second = openLedger({ file });
    const { isConsistent, differences } = second.verify();
    second.close();
    expect(isConsistent).toBe(false);
    expect(differences).toEqual([
      {
        table: "move",
        key: "2,1,1",
        problem: "the row is not what the log says",
        column: "input",
        stored: "6",
        expected: "5",
      },
    ]);
    expect(readdirSync(folder)).toEqual(["books.sqlite"]);
  });

  test("the verification of an embedded ledger says where there is no room for the copy", () => {
    const ledger = new TestLedger();
    const { sql, engine } = ledger;
    for (let index = 0; index < 500; index++)
      ledger.run(create(posting(`world -> users:${index % 50}`, 5)));
    // Pending entries are written before a revert is replayed.
    ledger.run(revert(500));
    const copy = new PositionalSql();
    copy.all("PRAGMA max_page_count = 40");
    expect(() => verifyLedger(sql, engine.info, copy)).toThrow(
      "the folder for temporary files has no room for a copy",
    );
    expect(verifyLedger(sql, engine.info).isConsistent).toBe(true);
  });

  test("the verification of an embedded ledger is refused where the ledger is closed", () => {
    const ledger = ledgerInMemory();
    ledger.close();
    expect(refusalOf(() => ledger.verify())).toBe("LEDGER_NOT_FOUND: the ledger is closed");
  });
});
