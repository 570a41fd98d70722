import { describe, expect, test } from "vitest";
import { stringifyJson } from "#platform/json.ts";
import { expectSound } from "#test/support/ledger-engine/audit.ts";
import {
  at,
  create,
  deleteMetadata,
  posting,
  revert,
  setMetadata,
  TestLedger,
} from "#test/support/ledger-engine/fixtures.ts";
import { audited } from "#test/support/ledger-engine/in-node.ts";
import {
  changed,
  exportOf,
  importInto,
  linesOf,
  LOG_HASHES,
} from "#test/support/ledger-engine/logs.ts";

/** A ledger with an entry of each type, with back-dated transactions and with large amounts. */
function ledgerWithLog(features: object = {}): TestLedger {
  const ledger = new TestLedger({ now: at("13:00"), features });
  ledger.run(create(posting("world -> a", 10n ** 30n), { metadata: { note: "<é>" } }), {
    key: "k",
  });
  ledger.run(
    create(posting("world -> a", 5), {
      timestamp: at("11:00"),
      accountMetadata: { b: { k: "v" } },
    }),
  );
  ledger.run(create(posting("world -> b", 5), { timestamp: at("23:00"), reference: "r1" }));
  ledger.run(setMetadata(1, { k: "v" }));
  ledger.run(setMetadata("a", { k: "v" }));
  ledger.run(deleteMetadata(1, "k"));
  ledger.run(deleteMetadata("a", "k"));
  ledger.run(revert(2));
  return ledger;
}

describe("the log", () => {
  test("the log of a ledger always reads the same, whatever is written after it", () => {
    const ledger = ledgerWithLog();
    const text = stringifyJson(ledger.logs());
    ledger.run(create([posting("a -> b", 5), posting("b -> c", 1)], { timestamp: at("09:00") }));
    ledger.run(
      create(posting("world -> c", 5), {
        timestamp: at("08:00"),
        accountMetadata: { a: { k: "new" } },
      }),
    );
    for (const id of [1, 2, 3, 4]) ledger.run(setMetadata(id, { k: "later" }));
    ledger.run(deleteMetadata(1, "note"));
    ledger.run(revert(1, { force: true }));
    ledger.run(revert(4, { force: true }));
    const logs = () => stringifyJson(ledger.logs().slice(0, 8));
    expect(logs()).toBe(text);
    ledger.open();
    expect(logs()).toBe(text);
    expectSound(ledger);
  });

  test("the log of a ledger reads a range as it reads each entry, however many postings the transactions have", () => {
    const ledger = new TestLedger({ now: at("13:00") });
    const counts = [1, 90, 101, 1, 193, 1, 192, 1];
    for (const count of counts) {
      const postings = Array.from({ length: count }, (_, index) =>
        posting(`world -> a${index % 60}`, 10n ** 20n + BigInt(index)),
      );
      ledger.run(create(postings));
    }
    ledger.run(revert(2));
    const limits = { countMax: 100, bytesMax: 100_000_000 };
    const ids = [...counts.keys(), counts.length].map((index) => index + 1);
    const each = ids.flatMap((id) => ledger.engine.readLogs(id, id, limits));
    expect(each).toHaveLength(counts.length + 1);
    expect(ledger.engine.readLogs(1, counts.length + 1, limits)).toEqual(each);
  });

  test("the log of a ledger is a chain of hashes over every entry", () => {
    const ledger = ledgerWithLog();
    expectSound(ledger);
    const hashes = ledger.sql.all(
      `SELECT DISTINCT hash FROM ${LOG_HASHES} WHERE length(hash) = 32`,
    );
    expect(hashes).toHaveLength(8);
  });

  test.each(["ASYNC", "DISABLED"])(
    "the log of a ledger has no hashes where they are %s",
    (value) => {
      const ledger = ledgerWithLog({ HASH_LOGS: value });
      ledger.open();
      ledger.run(setMetadata("a", { k: "v" }));
      expect(ledger.sql.all(`SELECT id FROM ${LOG_HASHES} WHERE hash IS NOT NULL`)).toEqual([]);
    },
  );

  test("the log of a ledger has the idempotency keys, or the empty text", () => {
    expect(
      ledgerWithLog()
        .logs()
        .map(({ idempotencyKey }) => idempotencyKey),
    ).toEqual(["k", ...Array.from({ length: 7 }, () => "")]);
  });

  test("the log of a ledger is read in parts: by count, by bytes, and at least one entry", () => {
    const { engine } = ledgerWithLog();
    const idsOf = (from: number, to: number, limits: { countMax: number; bytesMax: number }) =>
      engine.readLogs(from, to, limits).map(({ id }) => id);
    const all = { countMax: 100, bytesMax: 1_000_000 };
    expect(idsOf(1, 100, all)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    expect(idsOf(3, 5, all)).toEqual([3, 4, 5]);
    expect(idsOf(9, 100, all)).toEqual([]);
    expect(idsOf(2, 100, { ...all, countMax: 2 })).toEqual([2, 3]);
    expect(idsOf(2, 100, { ...all, bytesMax: 0 })).toEqual([2]);
    expect(idsOf(1, 100, { ...all, bytesMax: 110 }).length).toBeLessThan(8);
  });

  test("the log of a ledger has gaps where ids were used up", () => {
    const ledger = ledgerWithLog();
    ledger.run(setMetadata("a", {}), { dryRun: true });
    ledger.run(setMetadata("a", {}));
    expect(ledger.logs().map(({ id }) => id)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 10]);
    expectSound(ledger);
  });

  test.each([
    ["id", [2 ** 52, 1]],
    ["data.transaction.id", [1, 2 ** 52]],
  ] as const)(
    "the log of a ledger keeps types and ids where an imported '%s' is as large as it may be",
    (path, ids) => {
      const source = new TestLedger();
      source.commit(create(posting("world -> a", 5)));
      const [line = ""] = linesOf(exportOf(source));
      const features = { HASH_LOGS: "DISABLED" } as const;
      const ledger = new TestLedger({ features });
      expect(importInto(ledger, [changed(line, { [path]: 2 ** 52 })])).toMatchObject({ taken: 1 });
      const [log, tx] = ids;
      ledger.run(setMetadata("a", { k: "v" }));
      ledger.commit(create(posting("world -> a", 1)), { dryRun: true });
      ledger.run(setMetadata("a", { k: "w" }));
      ledger.commit(revert(tx));
      ledger.commit(create(posting("world -> a", 6)));
      ledger.open();
      expect(ledger.logs().map(({ id, data }) => [id - log, data.type])).toEqual([
        [0, "NEW_TRANSACTION"],
        [1, "SET_METADATA"],
        [3, "SET_METADATA"],
        [4, "REVERTED_TRANSACTION"],
        [5, "NEW_TRANSACTION"],
      ]);
      expect(ledger.transactions().map(({ id }) => id - tx)).toEqual([0, 2, 3]);
      expect(audited(ledger).differences).toEqual([]);
    },
  );
});
