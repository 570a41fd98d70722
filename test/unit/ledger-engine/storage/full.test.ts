import { describe, expect, test } from "vitest";
import { EmbeddedLedger } from "#library/embedded-ledger.ts";
import { PositionalSql } from "#library/positional-sql.ts";
import { verifyLedger } from "#library/verification.ts";
import { NodeSql } from "#platform/sql/node-sql.ts";
import { isStorageFull } from "#platform/storage-full.ts";
import { expectSound } from "#test/support/ledger-engine/audit.ts";
import { create, posting, TestLedger } from "#test/support/ledger-engine/fixtures.ts";
import { refusalOf } from "#test/support/library/library.ts";

/** A payment to a new account, with large metadata. */
const payment = (index: number) =>
  create(posting(`world -> users:${index}`, 5), { metadata: { note: "x".repeat(2000) } });

/** The number that a pragma of SQLite returns. */
const ask = (sql: NodeSql, pragma: string): number =>
  Number(Object.values(sql.all(`PRAGMA ${pragma}`)[0] ?? {})[0]);

/** Writes until the storage is full; returns the error that the last write has thrown. */
function fill(ledger: TestLedger): unknown {
  for (let index = 0; index < 1000; index++) {
    try {
      ledger.run(payment(index), { key: `k${index}` });
    } catch (error) {
      return error;
    }
  }
  throw new Error("the storage did not become full");
}

/** A ledger with room for only a few more pages. */
function almostFull(sql: NodeSql): TestLedger {
  const ledger = new TestLedger({ sql });
  ledger.run(payment(1000));
  ask(sql, `max_page_count = ${ask(sql, "page_count") + 20}`);
  return ledger;
}

describe("a ledger whose storage is full", () => {
  test("a ledger whose storage is full keeps what it has, and goes on when there is room again", () => {
    const sql = new NodeSql();
    const ledger = almostFull(sql);
    expect(isStorageFull(fill(ledger))).toBe(true);
    const { transactions } = ledger.engine.counts();
    expect(transactions).toBeGreaterThan(1);
    const before = ledger.dump();
    expect(() => ledger.run(payment(1001))).toThrow("database or disk is full");
    expect(ledger.dump()).toBe(before);
    expectSound(ledger);
    ask(sql, "max_page_count = 1000000");
    ledger.run(payment(1001));
    expect(ledger.engine.counts().transactions).toBe(transactions + 1);
    expectSound(ledger);
  });

  test("a ledger whose storage is full is refused in a sentence where it is embedded", () => {
    const sql = new PositionalSql();
    const { engine } = new TestLedger({ sql });
    const ledger = new EmbeddedLedger(engine, {
      runtime: "machine",
      violations: [],
      onViolation: () => undefined,
      verify: () => verifyLedger(sql, engine.info),
      closeStorage: () => sql.close(),
    });
    const pay = () =>
      ledger.createTransaction({
        postings: [{ source: "world", destination: "a", amount: 5n, asset: "USD" }],
        metadata: { note: "x".repeat(60_000) },
      });
    pay();
    const [pages] = sql.all<{ page_count: number }>("PRAGMA page_count");
    sql.all(`PRAGMA max_page_count = ${(pages?.page_count ?? 0) + 5}`);
    expect(refusalOf(pay)).toBe("INTERNAL: storage is full; nothing was written");
    expect(ledger.balance("a", "USD")).toBe(5n);
    sql.all("PRAGMA max_page_count = 1000000");
    pay();
    expect(ledger.balance("a", "USD")).toBe(10n);
  });
});
