import { describe, expect, test } from "vitest";
import type { Features, Transaction } from "#ledger-engine/rules/types.ts";
import { parseJson } from "#platform/json.ts";
import { NodeSql } from "#platform/sql/node-sql.ts";
import { toMicros, fromMicros } from "#platform/time.ts";
import { FaultySql, StorageFault } from "#test/support/ledger-engine/faults.ts";
import {
  ALL,
  at,
  BARE,
  create,
  deleteMetadata,
  posting,
  refusalOf,
  revert,
  script,
  setMetadata,
  TestLedger,
} from "#test/support/ledger-engine/fixtures.ts";
import { audited } from "#test/support/ledger-engine/in-node.ts";
import {
  changed,
  copyOf,
  exportOf,
  importInto,
  linesOf,
} from "#test/support/ledger-engine/logs.ts";
import { recordedLines } from "#test/support/ledger-engine/recorded.ts";

const KEYED = create(posting("world -> b", 5, "EUR/2"), { timestamp: at("08:00") });

/** A ledger with entries of all types, back-dated ones, scripts, keys, large numbers and gaps. */
function variedLedger(features: Partial<Features> = {}): TestLedger {
  const ledger = new TestLedger({ features });
  ledger.commit(
    create([posting("world -> a", 10n ** 30n), posting("a -> b", 7)], {
      reference: "r1",
      metadata: { k: "v", "10": "ten" },
      accountMetadata: { only: { x: "y" }, a: { tier: "gold" } },
    }),
    { key: "k1" },
  );
  ledger.commit(KEYED, { key: "k2" });
  ledger.commit(create(posting("b -> c", 3), { timestamp: at("09:00"), force: true }));
  ledger.run(setMetadata(1, { more: "m" }), { key: "k3" });
  ledger.run(setMetadata("a", { tier: "silver" }));
  ledger.run(deleteMetadata("only", "x"));
  ledger.run(deleteMetadata(1, "k"));
  ledger.commit(script("send [A//B 2] (\n  source = @world\n  destination = @c\n)"));
  ledger.run(create(posting("world -> x", 1)), { dryRun: true });
  ledger.commit(revert(2, { atEffectiveDate: true }));
  ledger.commit(revert(1, { metadata: { why: "w" }, force: true }), { key: "k4" });
  ledger.bulk(
    [create(posting("world -> d", 1)), create(posting("d -> e", 1)), setMetadata(2, {})],
    {
      atomic: true,
    },
  );
  ledger.commit(create(posting("world -> d", 1), { timestamp: at("07:00") }));
  ledger.commit(revert(6, { force: true }));
  return ledger;
}

/** An entry in the form that earlier versions of the reference server export. */
function toOldForm(line: string): string {
  const { data } = parseJson(line) as {
    data: { transaction?: Transaction; revertedTransaction?: { id: number } };
  }; // `line` is an exported entry
  const changes: Record<string, unknown> = { idempotencyHash: undefined };
  if (data.revertedTransaction !== undefined) {
    changes["data.revertedTransactionID"] = data.revertedTransaction.id;
    changes["data.revertedTransaction"] = undefined;
  }
  if (data.transaction !== undefined) {
    const { id, postings, metadata, timestamp, reference } = data.transaction;
    changes["data.transaction"] = { id, postings, metadata, timestamp, reference };
  }
  return changed(line, changes);
}

const isServed = ({ engine }: TestLedger): boolean => engine.info.features.MOVES_HISTORY === "ON";

/** Contents of a ledger that clients see. */
const stateOf = (ledger: TestLedger) => ({
  log: exportOf(ledger),
  transactions: ledger.transactions(),
  accounts: isServed(ledger)
    ? ledger.accounts()
    : ledger.engine.reads.listAccounts({ ...ALL, column: "address" }, BARE).data,
  counts: ledger.engine.counts(),
});

describe("an import", () => {
  test.each<Partial<Features>>([
    {},
    { HASH_LOGS: "DISABLED" },
    { HASH_LOGS: "ASYNC" },
    { MOVES_HISTORY: "OFF" },
    { MOVES_HISTORY_POST_COMMIT_EFFECTIVE_VOLUMES: "DISABLED" },
    { ACCOUNT_METADATA_HISTORY: "DISABLED", TRANSACTION_METADATA_HISTORY: "DISABLED" },
  ])("an import makes the same ledger: %j", (features) => {
    const ledger = variedLedger(features);
    const copy = copyOf(ledger);
    expect(stateOf(copy)).toEqual(stateOf(ledger));
    expect(audited(copy)).toMatchObject({ status: "consistent", differences: [] });
    copy.open();
    expect(stateOf(copy)).toEqual(stateOf(ledger));
  });

  test("an import accepts the log of the reference server, computes the same hashes, and exports it byte for byte", () => {
    const ledger = new TestLedger({ now: at("2026-12-01T00:00:00Z") });
    const lines = recordedLines();
    expect(importInto(ledger, lines)).toEqual({ taken: lines.length });
    expect(linesOf(exportOf(ledger))).toEqual(lines);
    expect(ledger.account("users:77")?.metadata).toEqual({ kind: "user" });
    expect(ledger.account("users:78")?.metadata).toEqual({ kind: "user", a: "b" });
    expect(audited(ledger).differences).toEqual([]);
  });

  test("an import may come in several parts, even after an eviction", () => {
    const ledger = variedLedger();
    const lines = linesOf(exportOf(ledger));
    const copy = new TestLedger();
    for (const [index, line] of lines.entries()) {
      expect(importInto(copy, [line])).toEqual({ taken: 1 });
      if (index % 3 === 0) copy.open();
    }
    expect(importInto(copy, [])).toEqual({ taken: 0 });
    expect(stateOf(copy)).toEqual(stateOf(ledger));
    expect(audited(copy).differences).toEqual([]);
  });

  test("an import accepts older exports without volumes, dates of insertion and hashes of inputs", () => {
    const ledger = variedLedger();
    const old = linesOf(exportOf(ledger)).map(toOldForm);
    const copy = new TestLedger();
    expect(importInto(copy, old)).toEqual({ taken: old.length });
    expect(copy.transactions()).toEqual(ledger.transactions());
    expect(copy.accounts()).toEqual(ledger.accounts());
    expect(audited(copy).differences).toEqual([]);
  });

  test("an import accepts ids from 0, and gaps", () => {
    const ledger = new TestLedger({ features: { HASH_LOGS: "DISABLED" } });
    ledger.run(create(posting("world -> a", 1)));
    ledger.run(create(posting("world -> a", 2)));
    const [first = "", second = ""] = linesOf(exportOf(ledger));
    const copy = new TestLedger({ features: { HASH_LOGS: "DISABLED" } });
    const zero = changed(first, { id: 0, "data.transaction.id": 0 });
    const later = changed(second, { id: 1000, "data.transaction.id": 500 });
    expect(importInto(copy, [zero, later])).toEqual({ taken: 2 });
    expect(linesOf(exportOf(copy))).toEqual([zero, later]);
    expect(copy.transactions().map(({ id }) => id)).toEqual([0, 500]);
    expect(audited(copy).differences).toEqual([]);
    copy.open();
    expect(copy.run(create(posting("world -> a", 1)))).toMatchObject({
      logId: 1001,
      transaction: { id: 501 },
    });
  });

  test("an import of entry 0 alone can be continued", () => {
    const ledger = new TestLedger({ features: { HASH_LOGS: "DISABLED" } });
    ledger.run(setMetadata("a", {}));
    ledger.run(setMetadata("b", {}));
    const [first = "", second = ""] = linesOf(exportOf(ledger));
    const copy = new TestLedger({ features: { HASH_LOGS: "DISABLED" } });
    const zero = changed(first, { id: 0 });
    importInto(copy, [zero]);
    copy.open();
    expect(importInto(copy, [zero]).failure?.message).toBe("importing logs: log 0 already exists");
    expect(importInto(copy, [second])).toEqual({ taken: 1 });
    expect(audited(copy).differences).toEqual([]);
  });

  test("an import keeps the hash of the inputs as it is given, even if it is empty", () => {
    const ledger = new TestLedger();
    ledger.run(setMetadata("a", { k: "v" }));
    ledger.run(setMetadata("b", { k: "v" }), { key: "k" });
    const given = linesOf(exportOf(ledger)).map((line) => changed(line, { idempotencyHash: "" }));
    const copy = new TestLedger();
    expect(importInto(copy, given)).toEqual({ taken: 2 });
    expect(linesOf(exportOf(copy))).toEqual(given);
    expect(audited(copy).differences).toEqual([]);
    // An entry without a hash of its input lets any command with its key be a replay.
    expect(copy.run(setMetadata("c", {}), { key: "k" })).toMatchObject({ isReplay: true });
  });

  test("an import ignores the template of a revert, which no replay knows", () => {
    const ledger = new TestLedger();
    ledger.commit(create(posting("world -> a", 1)));
    ledger.commit(revert(1));
    const named = linesOf(exportOf(ledger)).map((line, index) =>
      index === 1 ? changed(line, { "data.transaction.template": "pay" }) : line,
    );
    const copy = new TestLedger();
    expect(importInto(copy, named)).toEqual({ taken: 2 });
    expect(exportOf(copy)).toBe(exportOf(ledger));
    expect(audited(copy).differences).toEqual([]);
  });

  test("an import ignores hashes if logs are not chained", () => {
    const ledger = new TestLedger();
    ledger.run(setMetadata("a", { k: "v" }));
    const [line = ""] = linesOf(exportOf(ledger));
    for (const hash of ["nonsense", null, undefined]) {
      const copy = new TestLedger({ features: { HASH_LOGS: "DISABLED" } });
      const entry = changed(line, { hash });
      expect(importInto(copy, [entry])).toEqual({ taken: 1 });
      expect(exportOf(copy)).toContain('"hash":""');
    }
  });

  test("an import ignores effective volumes if the ledger keeps none", () => {
    const ledger = variedLedger();
    const copy = copyOf(ledger, { features: { MOVES_HISTORY: "OFF" } });
    expect(linesOf(exportOf(copy))).toHaveLength(linesOf(exportOf(ledger)).length);
    expect(exportOf(copy)).not.toContain("Effective");
  });
});

test("an import whose storage fails anywhere leaves nothing of its batch, and can be repeated", () => {
  const lines = linesOf(exportOf(variedLedger()));
  const [first, rest] = [lines.slice(0, 4), lines.slice(4)];
  for (let n = 1; ; n++) {
    const sql = new FaultySql(new NodeSql());
    const ledger = new TestLedger({ sql });
    importInto(ledger, first);
    const before = ledger.dump();
    sql.arm(n);
    try {
      importInto(ledger, rest);
      expect(n).toBeGreaterThan(50);
      return;
    } catch (error) {
      expect(error).toBeInstanceOf(StorageFault);
    }
    expect(ledger.dump()).toBe(before);
    expect(importInto(ledger, rest)).toEqual({ taken: rest.length });
    expect(linesOf(exportOf(ledger))).toEqual(lines);
    expect(audited(ledger).differences).toEqual([]);
  }
});

describe("a ledger after an import", () => {
  test("ids after an import go on after the highest ones, and dates are never before the last one", () => {
    const ledger = variedLedger();
    // The copy's clock is an hour behind, as the clocks of two servers may be.
    const copy = copyOf(ledger, { now: at("2026-02-28T23:00:00Z") });
    const outcome = copy.run(create(posting("world -> z", 1)));
    expect(outcome.logId).toBe(ledger.engine.lastLogId + 1);
    expect(outcome.transaction?.id).toBe(
      Math.max(...ledger.transactions().map(({ id }) => id)) + 1,
    );
    expect(outcome.transaction?.insertedAt).toBe(ledger.logs().at(-1)?.date);
    expect(audited(copy).differences).toEqual([]);
  });

  test("keys of an import replay, and are refused with other inputs", () => {
    const ledger = variedLedger();
    const copy = copyOf(ledger);
    const original = ledger.commit(KEYED, { key: "k2" });
    const before = copy.dump();
    const replayed = copy.run(KEYED, { key: "k2" });
    expect(replayed).toMatchObject({ isReplay: true, logId: 2 });
    expect(replayed.transaction).toEqual(original);
    expect(
      copy.run(revert(1, { metadata: { why: "w" }, force: true }), { key: "k4" }).isReplay,
    ).toBe(true);
    expect(refusalOf(() => copy.run(setMetadata("a", {}), { key: "k2" }))).toBe("VALIDATION");
    expect(copy.dump()).toBe(before);
  });

  test("references and reverts after an import are those of the original", () => {
    const copy = copyOf(variedLedger());
    const again = create(posting("world -> a", 1), { reference: "r1" });
    expect(refusalOf(() => copy.run(again))).toBe("CONFLICT");
    expect(refusalOf(() => copy.run(revert(1)))).toBe("ALREADY_REVERT");
  });

  test("events after an import are published only for what follows", () => {
    const copy = copyOf(variedLedger());
    expect(copy.engine.publishedLogId).toBe(copy.engine.lastLogId);
    copy.open();
    expect(copy.engine.publishedLogId).toBe(copy.engine.lastLogId);
    copy.run(setMetadata("a", {}));
    expect(copy.engine.publishedLogId).toBe(copy.engine.lastLogId - 1);
  });

  test("a ledger goes on after an import as if it had been written here", () => {
    const ledger = variedLedger();
    const copy = copyOf(ledger);
    copy.now = ledger.now;
    for (const it of [ledger, copy]) {
      it.now = fromMicros(toMicros(it.now) + 5_000_000n);
      it.run(create([posting("world -> a", 5), posting("a -> q", 2)], { timestamp: at("08:30") }));
      it.run(setMetadata(1, { later: "1" }));
      it.run(revert(3, { force: true }));
    }
    expect(copy.transactions()).toEqual(ledger.transactions());
    expect(copy.accounts()).toEqual(ledger.accounts());
    expect(audited(copy).differences).toEqual([]);
  });
});

describe("a ledger takes an import", () => {
  const lines = linesOf(exportOf(variedLedger()));
  const STATE = {
    taken: 0,
    failure: { kind: "IMPORT", message: "importing logs: ledger is not in initializing state" },
  };

  test("a ledger takes an import while it has no writes of its own; dry runs and refusals do not count", () => {
    const ledger = new TestLedger();
    ledger.run(create(posting("world -> a", 1)), { dryRun: true });
    refusalOf(() => ledger.run(create(posting("a -> b", 1))));
    expect(importInto(ledger, lines).taken).toBe(lines.length);
  });

  test("a ledger takes no import after a write of its own, neither before the import nor in its middle", () => {
    const ledger = new TestLedger();
    importInto(ledger, lines.slice(0, 3));
    ledger.run(setMetadata("a", {}));
    const before = ledger.dump();
    expect(importInto(ledger, lines.slice(3))).toEqual(STATE);
    expect(importInto(ledger, [])).toEqual(STATE);
    ledger.open();
    expect(importInto(ledger, lines.slice(3))).toEqual(STATE);
    expect(ledger.dump()).toBe(before);
    expect(audited(ledger).differences).toEqual([]);
    const other = new TestLedger();
    other.run(setMetadata("a", {}));
    expect(importInto(other, lines)).toEqual(STATE);
  });

  test("a ledger takes an import in several parts, but no entry of it twice", () => {
    const ledger = new TestLedger();
    importInto(ledger, lines.slice(0, 5));
    expect(importInto(ledger, lines).failure?.message).toBe("importing logs: log 1 already exists");
    expect(importInto(ledger, lines.slice(5)).taken).toBe(lines.length - 5);
  });
});
