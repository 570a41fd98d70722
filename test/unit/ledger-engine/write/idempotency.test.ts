import { describe, expect, test } from "vitest";
import type { Command } from "#ledger-engine/rules/types.ts";
import {
  at,
  create,
  deleteMetadata,
  element,
  posting,
  refusalOf,
  revert,
  setMetadata,
  TestLedger,
} from "#test/support/ledger-engine/fixtures.ts";
import { changed, exportOf, importInto, linesOf } from "#test/support/ledger-engine/logs.ts";

/** A ledger with a transaction that has metadata, so that every command can succeed. */
function ledgerWithTransaction(): TestLedger {
  const ledger = new TestLedger();
  ledger.commit(create(posting("world -> a", 10), { metadata: { k: "v" } }));
  return ledger;
}

const COMMANDS: Record<string, Command> = {
  create: create(posting("world -> a", 1), { reference: "r" }),
  revert: revert(1),
  "set transaction metadata": setMetadata(1, { l: "w" }),
  "delete transaction metadata": deleteMetadata(1, "k"),
  "set account metadata": setMetadata("a", { l: "w" }),
  "delete account metadata": deleteMetadata("a", "k"),
};

describe("an idempotency key", () => {
  test.each(Object.entries(COMMANDS))(
    "an idempotency key makes a repeated command return the same: %s",
    (_, command) => {
      const ledger = ledgerWithTransaction();
      const first = ledger.run(command, { key: "k1" });
      const before = ledger.dump();
      for (const evict of [false, true]) {
        if (evict) ledger.open();
        const second = ledger.run(command, { key: "k1" });
        expect(second).toEqual({ ...first, isReplay: true });
        expect(first.isReplay).toBe(false);
      }
      expect(ledger.dump()).toBe(before);
    },
  );

  test.each(Object.entries(COMMANDS))(
    "an idempotency key is refused with anything but the same command: %s",
    (_, command) => {
      const ledger = ledgerWithTransaction();
      ledger.run(command, { key: "k1" });
      const before = ledger.dump();
      const others = [
        ...Object.values(COMMANDS).filter((other) => other !== command),
        create(posting("world -> a", 2)),
        revert(2),
        setMetadata("b", { l: "w" }),
      ];
      for (const other of others) {
        expect(refusalOf(() => ledger.run(other, { key: "k1" }))).toBe("VALIDATION");
      }
      expect(ledger.dump()).toBe(before);
    },
  );

  test("an idempotency key replays the values of the commit, whatever happened since", () => {
    const ledger = new TestLedger({ now: at("13:00") });
    const command = create(posting("world -> a", 10), { metadata: { k: "v" } });
    const first = ledger.commit(command, { key: "k1" });
    const reversal = ledger.commit(revert(1), { key: "k2" });
    ledger.run(setMetadata(1, { k: "changed" }));
    ledger.run(setMetadata(2, { k: "changed" }));
    ledger.commit(create(posting("world -> a", 5), { timestamp: at("11:00") }));
    expect(ledger.commit(command, { key: "k1" })).toEqual(first);
    expect(ledger.commit(revert(1), { key: "k2" })).toEqual(reversal);
  });

  test("an idempotency key replays effective volumes of a back-dated commit", () => {
    const ledger = new TestLedger({ now: at("13:00") });
    ledger.commit(create(posting("world -> a", 10)));
    const command = create([posting("world -> a", 5), posting("world -> b", 1)], {
      timestamp: at("11:00"),
    });
    const first = ledger.commit(command, { key: "k1" });
    expect(first.effectiveVolumes).not.toEqual(first.volumes);
    ledger.commit(create(posting("world -> a", 1), { timestamp: at("10:00") }));
    ledger.open();
    expect(ledger.commit(command, { key: "k1" })).toEqual(first);
  });

  test("an idempotency key of a refused command stays usable", () => {
    const ledger = new TestLedger();
    expect(refusalOf(() => ledger.run(create(posting("a -> b", 1)), { key: "k1" }))).toBe(
      "INSUFFICIENT_FUND",
    );
    expect(ledger.run(create(posting("world -> b", 1)), { key: "k1" }).isReplay).toBe(false);
  });

  test("an idempotency key of a dry run stays usable; a dry run with a used key returns what is stored", () => {
    const ledger = new TestLedger();
    const command = create(posting("world -> b", 1));
    expect(ledger.run(command, { key: "k1", dryRun: true }).isReplay).toBe(false);
    const first = ledger.run(command, { key: "k1" });
    expect(first.isReplay).toBe(false);
    expect(ledger.run(command, { key: "k1", dryRun: true })).toEqual({ ...first, isReplay: true });
    const other = create(posting("world -> b", 2));
    expect(refusalOf(() => ledger.run(other, { key: "k1", dryRun: true }))).toBe("VALIDATION");
  });

  test("an idempotency key returns the same after the funds that it needed are gone", () => {
    const ledger = new TestLedger();
    ledger.commit(create(posting("world -> a", 10)));
    const command = create(posting("a -> b", 10));
    ledger.run(command, { key: "k1" });
    expect(ledger.run(command, { key: "k1" }).isReplay).toBe(true);
    expect(refusalOf(() => ledger.run(command))).toBe("INSUFFICIENT_FUND");
  });

  test("an idempotency key uses up no id when it is replayed", () => {
    const ledger = new TestLedger();
    const command = create(posting("world -> b", 1));
    ledger.run(command, { key: "k1" });
    ledger.run(command, { key: "k1" });
    const next = ledger.run(command);
    expect([next.transaction?.id, next.logId]).toEqual([2, 2]);
  });

  test("an idempotency key may be any text", () => {
    const ledger = new TestLedger();
    const keys = ["__proto__", 'quote " backslash \\', "é 日", " ", "0", "null"];
    const first = keys.map((key) => ledger.run(setMetadata("a", { k: key }), { key }));
    ledger.open();
    const second = keys.map((key) => ledger.run(setMetadata("a", { k: key }), { key }));
    expect(second).toEqual(first.map((outcome) => ({ ...outcome, isReplay: true })));
    expect(ledger.logs().map(({ idempotencyKey }) => idempotencyKey)).toEqual(keys);
  });

  test("an idempotency key without a stored hash, as in some imported logs, replays for any command", () => {
    const ledger = new TestLedger();
    ledger.run(setMetadata("a", { k: "v" }), { key: "k1" });
    ledger.sql.all("UPDATE entry SET key_hash = NULL");
    expect(ledger.run(setMetadata("b", {}), { key: "k1" })).toMatchObject({
      logId: 1,
      isReplay: true,
    });
  });

  test("an idempotency key is used once, whether its entry made a transaction or not", () => {
    const ledger = new TestLedger();
    ledger.run(setMetadata("a", { k: "v" }), { key: "k1" });
    const results = ledger.bulk(
      [
        element(create(posting("world -> a", 1)), "k1"),
        element(create(posting("world -> a", 1)), "k2"),
        element(setMetadata("a", { k: "v" }), "k2"),
        element(create(posting("world -> a", 1)), "k2"),
      ],
      { continueOnFailure: true },
    );
    const outcome = { logId: 2, transaction: { id: 1 } };
    expect(results).toMatchObject([
      "VALIDATION",
      { ...outcome, isReplay: false },
      "VALIDATION",
      { ...outcome, isReplay: true },
    ]);
    const [first = "", second = ""] = linesOf(exportOf(ledger));
    const copy = new TestLedger({ features: { HASH_LOGS: "DISABLED" } });
    const again = changed(second, { idempotencyKey: "k1" });
    const failure = { kind: "IMPORT" };
    expect(importInto(copy, [first, again])).toMatchObject({ taken: 1, failure });
    expect(importInto(copy, [again])).toMatchObject({ taken: 0, failure });
  });
});
