import { describe, expect, test } from "vitest";
import { StoredNames } from "#ledger-engine/storage/names/names.ts";
import { NodeSql } from "#platform/sql/node-sql.ts";
import { create, posting, revert, TestLedger } from "#test/support/ledger-engine/fixtures.ts";

function storedNames(accounts: number) {
  const sql = new NodeSql();
  sql.all("CREATE TABLE account (id INTEGER PRIMARY KEY, address TEXT)");
  sql.all("CREATE TABLE asset (id INTEGER PRIMARY KEY, name TEXT)");
  sql.all(
    `WITH RECURSIVE n(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n WHERE id < ?)
      INSERT INTO account SELECT id, 'a:' || id FROM n`,
    accounts,
  );
  sql.all("INSERT INTO asset VALUES (1, 'USD/2')");
  return { sql, names: new StoredNames(sql) };
}

describe("names", () => {
  test("names are read together or one at a time, and then kept", () => {
    const { sql, names } = storedNames(10);
    names.prefetch({ accounts: [1, 2, 2], assets: [1] });
    sql.all("DELETE FROM account WHERE id <> 3");
    sql.all("DELETE FROM asset");
    expect([1, 2, 3].map((id) => names.account(id))).toEqual(["a:1", "a:2", "a:3"]);
    expect(names.asset(1)).toBe("USD/2");
    expect(() => names.account(4)).toThrow("the log names 4, which has no name");
    names.reset();
    expect(() => names.account(1)).toThrow("the log names 1, which has no name");
  });

  test("names are all there, even if one read asks for more than are kept", () => {
    const { names } = storedNames(150_000);
    const ids = Array.from({ length: 150_000 }, (_, index) => index + 1);
    const found = names.prefetch({ accounts: ids });
    expect(ids.every((id) => found.account(id) === `a:${id}`)).toBe(true);
    names.prefetch({ accounts: [1] });
    expect(found.account(149_999)).toBe("a:149999");
  });

  test("names of accounts that were rolled back are given to others", () => {
    const ledger = new TestLedger();
    const short = create(posting("poor -> rich", 1));
    const results = ledger.bulk([create(posting("world -> gone", 1)), revert(1), short], {
      atomic: true,
    });
    expect(results).toHaveLength(3);
    expect(results[2]).toBe("INSUFFICIENT_FUND");
    ledger.run(create(posting("world -> here", 1)));
    const query = {
      kind: "column",
      column: "id",
      order: "desc",
      pageSize: 1,
      reverse: false,
    } as const;
    const expansion = { volumes: false, effectiveVolumes: false };
    const [transaction] = ledger.engine.reads.listTransactions(query, expansion).data;
    expect(transaction?.postings[0]?.destination).toBe("here");
  });
});
