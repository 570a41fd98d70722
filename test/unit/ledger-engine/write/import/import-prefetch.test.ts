import { describe, expect, test } from "vitest";
import { at, create, posting, revert, TestLedger } from "#test/support/ledger-engine/fixtures.ts";
import { changed, exportOf, importInto, linesOf } from "#test/support/ledger-engine/logs.ts";
import { StatementCounts } from "#test/support/ledger-engine/statement-counts.ts";

const UNCHAINED = { HASH_LOGS: "DISABLED" } as const;

/** A ledger with payments from one account to many, with references and keys, some of them back-dated. */
function ledgerOfPayments(count: number): TestLedger {
  const ledger = new TestLedger({ features: UNCHAINED, now: at("12:00") });
  for (let index = 0; index < count; index++) {
    const isBackDated = index % 20 === 19;
    ledger.run(
      create(posting(`shop:${index} -> user:${index % 150}`, index), {
        force: true,
        reference: `r${index}`,
        ...(isBackDated ? { timestamp: at("11:00") } : {}),
      }),
      { key: `k${index}` },
    );
  }
  return ledger;
}

describe("entries that are imported together", () => {
  test("entries that are imported together take few statements, although some are back-dated", () => {
    const lines = linesOf(exportOf(ledgerOfPayments(400)));
    const sql = new StatementCounts();
    const copy = new TestLedger({ sql, features: UNCHAINED });
    sql.counts.clear();
    expect(importInto(copy, lines)).toEqual({ taken: 400 });
    // Each statement inserts eleven rows.
    expect(sql.counts.get("INSERT INTO tx")).toBeLessThan(42);
    // Most statements come from the 20 back-dated entries, which search for their place and for the moves after it.
    expect(sql.total).toBeLessThan(300);
    expect(linesOf(exportOf(copy))).toEqual(lines);
  });

  /** Exported lines: two payments, a revert, before which pending entries are written, and another payment. */
  function fourLines(): string[] {
    const ledger = new TestLedger({ features: UNCHAINED });
    ledger.run(create(posting("world -> a", 5), { reference: "r1" }), { key: "k1" });
    ledger.run(create(posting("world -> b", 5), { reference: "r2" }), { key: "k2" });
    ledger.run(revert(1));
    ledger.run(create(posting("world -> c", 5), { reference: "r3" }), { key: "k3" });
    return linesOf(exportOf(ledger));
  }

  test.each([
    ["data.transaction.reference", "r1", "the reference 'r1' is that of an earlier transaction"],
    ["idempotencyKey", "k2", "the idempotency key 'k2' is that of an earlier log"],
  ])("entries are refused with the %s of one written meanwhile", (path, value, reason) => {
    const lines = fourLines();
    const broken = lines.with(3, changed(lines[3] ?? "", { [path]: value }));
    const copy = new TestLedger({ features: UNCHAINED });
    const { taken, failure } = importInto(copy, broken);
    expect(taken).toBe(3);
    expect(failure?.message).toContain(reason);
    expect(linesOf(exportOf(copy))).toEqual(lines.slice(0, 3));
  });

  test.each([
    ["data.transaction.reference", "r3", "the reference 'r3' is that of an earlier transaction"],
    ["idempotencyKey", "k3", "the idempotency key 'k3' is that of an earlier log"],
  ])("entries are refused with the %s of one not written yet", (path, value, reason) => {
    const ledger = new TestLedger({ features: UNCHAINED });
    for (let index = 1; index <= 120; index++) {
      const payment = create(posting("world -> a", 1), { reference: `r${index}` });
      ledger.run(payment, { key: `k${index}` });
    }
    ledger.run(revert(115)); // pending entries are written before a revert
    ledger.run(create(posting("world -> a", 1), { reference: "r" }), { key: "k" });
    const lines = linesOf(exportOf(ledger));
    // The broken entry is prefetched together with the revert, while the first entries are pending.
    const broken = lines.with(121, changed(lines[121] ?? "", { [path]: value }));
    const copy = new TestLedger({ features: UNCHAINED });
    const { taken, failure } = importInto(copy, broken);
    expect(taken).toBe(121);
    expect(failure?.message).toContain(reason);
    expect(linesOf(exportOf(copy))).toEqual(lines.slice(0, 121));
  });

  test("entries that are imported together are checked against what an earlier call has written", () => {
    const lines = fourLines();
    const copy = new TestLedger({ features: UNCHAINED });
    expect(importInto(copy, lines.slice(0, 2))).toEqual({ taken: 2 });
    const again = changed(lines[3] ?? "", { "data.transaction.reference": "r2" });
    expect(importInto(copy, [...lines.slice(2, 3), again]).failure?.message).toContain(
      "the reference 'r2' is that of an earlier transaction",
    );
    expect(importInto(copy, lines.slice(3))).toEqual({ taken: 1 });
    expect(linesOf(exportOf(copy))).toEqual(lines);
  });

  test("entries that are imported together are imported up to one that is not JSON, whose number is reported", () => {
    const lines = fourLines();
    const copy = new TestLedger({ features: UNCHAINED });
    const { taken, failure } = importInto(copy, lines.with(2, "{"));
    expect(taken).toBe(2);
    expect(failure).toMatchObject({ kind: "VALIDATION", message: "entry 3 is not valid JSON" });
    expect(linesOf(exportOf(copy))).toEqual(lines.slice(0, 2));
  });

  test("entries imported together are imported up to one that is not JSON, also where its last type has no transaction", () => {
    const [line = ""] = fourLines();
    const metadata = '"targetType":"ACCOUNT","targetId":"a","metadata":{}';
    const twoTypes = line
      .replace('"accountMetadata":{}', `"accountMetadata":{},${metadata}`)
      .replace(/\}$/, ',"type":"SET_METADATA"}');
    const copy = () => new TestLedger({ features: UNCHAINED });
    expect(importInto(copy(), [twoTypes])).toEqual({ taken: 1 });
    expect(importInto(copy(), [twoTypes.replace('"insertedAt":', '"insertedAt":?')])).toMatchObject(
      { taken: 0, failure: { kind: "VALIDATION", message: "entry 1 is not valid JSON" } },
    );
  });

  test("entries that are imported together are imported even if they are more than are prefetched together", () => {
    const lines = linesOf(exportOf(ledgerOfPayments(1100)));
    const copy = new TestLedger({ features: UNCHAINED });
    expect(importInto(copy, lines.with(1050, "{"))).toMatchObject({ taken: 1050 });
    expect(importInto(copy, lines.slice(1050))).toEqual({ taken: 50 });
    expect(linesOf(exportOf(copy))).toEqual(lines);
  });
});
