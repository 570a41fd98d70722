import { describe, expect, test } from "vitest";
import {
  at,
  create,
  posting,
  TestLedger,
  volumeTexts,
} from "#test/support/ledger-engine/fixtures.ts";

const effectiveOf = (ledger: TestLedger, id: number): string[] =>
  volumeTexts(ledger.transaction(id).effectiveVolumes);

describe("effective volumes", () => {
  test("effective volumes follow the reference's worked example", () => {
    const ledger = new TestLedger({ now: at("13:00") });
    const t1 = ledger.commit(create(posting("world -> a", 100), { timestamp: at("10:00") }));
    expect(volumeTexts(t1.effectiveVolumes)).toContain("a USD 100/0");
    const t2 = ledger.commit(create(posting("a -> b", 30), { timestamp: at("12:00") }));
    expect(volumeTexts(t2.effectiveVolumes)).toContain("a USD 100/30");
    const t3 = ledger.commit(create(posting("world -> a", 5), { timestamp: at("11:00") }));
    expect(volumeTexts(t3.volumes)).toContain("a USD 105/30");
    expect(volumeTexts(t3.effectiveVolumes)).toContain("a USD 105/0");
    expect(effectiveOf(ledger, 1)).toContain("a USD 100/0");
    expect(effectiveOf(ledger, 2)).toContain("a USD 105/30");
    expect(effectiveOf(ledger, 3)).toContain("a USD 105/0");
  });

  test("effective volumes leave the volumes at commit alone, in the transaction and in the log", () => {
    const ledger = new TestLedger({ now: at("13:00") });
    ledger.commit(create(posting("world -> a", 100)));
    const volumes = ledger.transaction(1).volumes;
    const [entry] = ledger.logs();
    ledger.commit(create(posting("world -> a", 5), { timestamp: at("11:00") }));
    expect(effectiveOf(ledger, 1)).toContain("a USD 105/0");
    expect(ledger.transaction(1).volumes).toEqual(volumes);
    expect(ledger.logs()[0]).toEqual(entry);
  });

  test("effective volumes order equal dates by insertion", () => {
    const ledger = new TestLedger({ now: at("13:00") });
    for (const amount of [1, 2, 4]) {
      ledger.commit(create(posting("world -> a", amount), { timestamp: at("11:00") }));
    }
    ledger.commit(create(posting("world -> a", 8), { timestamp: at("10:59:59.999999") }));
    expect([1, 2, 3, 4].map((id) => effectiveOf(ledger, id)[1])).toEqual([
      "a USD 9/0",
      "a USD 11/0",
      "a USD 15/0",
      "a USD 8/0",
    ]);
  });

  test("effective volumes have a future date after all others until that date has come", () => {
    const ledger = new TestLedger();
    ledger.commit(create(posting("world -> a", 1), { timestamp: at("10:30") }));
    ledger.commit(create(posting("world -> a", 2)));
    expect(effectiveOf(ledger, 1)[1]).toBe("a USD 3/0");
    ledger.now = at("10:30");
    ledger.commit(create(posting("world -> a", 4)));
    expect([1, 2, 3].map((id) => effectiveOf(ledger, id)[1])).toEqual([
      "a USD 3/0",
      "a USD 2/0",
      "a USD 7/0",
    ]);
  });

  test("effective volumes include the same account and asset only", () => {
    const ledger = new TestLedger({ now: at("13:00") });
    ledger.commit(create([posting("world -> a", 1), posting("world -> a", 1, "EUR")]));
    ledger.commit(create(posting("world -> b", 1)));
    ledger.commit(create(posting("other -> a", 5), { timestamp: at("11:00"), force: true }));
    expect(effectiveOf(ledger, 1)).toEqual([
      "world USD 0/1",
      "a USD 6/0",
      "world EUR 0/1",
      "a EUR 1/0",
    ]);
    expect(effectiveOf(ledger, 2)).toEqual(["world USD 0/2", "b USD 1/0"]);
  });

  test("effective volumes are right for transactions of one bulk that are dated before each other", () => {
    const ledger = new TestLedger({ now: at("13:00") });
    const dates = ["11:00", "10:00", "12:00", "10:30"];
    ledger.bulk(
      dates.map((date, index) =>
        create(posting("world -> a", 10 ** index), { timestamp: at(date) }),
      ),
    );
    expect([1, 2, 3, 4].map((id) => effectiveOf(ledger, id)[1])).toEqual([
      "a USD 1011/0",
      "a USD 10/0",
      "a USD 1111/0",
      "a USD 1010/0",
    ]);
  });

  test("effective volumes are right after an eviction", () => {
    const ledger = new TestLedger({ now: at("13:00") });
    ledger.commit(create(posting("world -> a", 1), { timestamp: at("23:00") }));
    ledger.open();
    ledger.commit(create(posting("world -> a", 2)));
    ledger.open();
    ledger.commit(create(posting("world -> a", 4), { timestamp: at("12:00") }));
    expect([1, 2, 3].map((id) => effectiveOf(ledger, id)[1])).toEqual([
      "a USD 7/0",
      "a USD 6/0",
      "a USD 4/0",
    ]);
  });

  test("effective volumes keep amounts above 2^53 exact when they are rewritten", () => {
    const ledger = new TestLedger({ now: at("13:00") });
    const huge = 10n ** 40n + 1n;
    ledger.commit(create(posting("world -> a", huge)));
    ledger.commit(create(posting("world -> a", 2n ** 53n - 1n), { timestamp: at("12:00") }));
    ledger.commit(create(posting("world -> a", 1), { timestamp: at("11:00") }));
    expect(effectiveOf(ledger, 1)[1]).toBe(`a USD ${huge + 2n ** 53n}/0`);
    expect(effectiveOf(ledger, 2)[1]).toBe(`a USD ${2n ** 53n}/0`);
  });

  test("effective volumes are absent where the ledger does not keep them", () => {
    const ledger = new TestLedger({
      now: at("13:00"),
      features: { MOVES_HISTORY_POST_COMMIT_EFFECTIVE_VOLUMES: "DISABLED" },
    });
    const first = ledger.commit(create(posting("world -> a", 1)));
    expect(first.effectiveVolumes).toBeUndefined();
    expect(volumeTexts(first.volumes)).toEqual(["world USD 0/1", "a USD 1/0"]);
  });
});
