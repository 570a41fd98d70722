import { describe, expect, test } from "vitest";
import type { Features } from "#ledger-engine/rules/types.ts";
import {
  ALL,
  BARE,
  create,
  posting,
  refusalOf,
  TestLedger,
  WITH_VOLUMES,
} from "#test/support/ledger-engine/fixtures.ts";

const ONLY_EFFECTIVE = { volumes: false, effectiveVolumes: true };

function ledgerWith(features: Partial<Features>): TestLedger {
  const ledger = new TestLedger({ features });
  ledger.commit(create(posting("world -> a", 1)));
  return ledger;
}

/** The refusals of the reads of accounts. */
const refusals = ({ engine }: TestLedger) =>
  [BARE, WITH_VOLUMES, ONLY_EFFECTIVE].map((expansion) => [
    refusalOf(() => engine.reads.findAccount("a", expansion)),
    refusalOf(() => engine.reads.listAccounts({ ...ALL, column: "address" }, expansion)),
  ]);

const OK = ["none", "none"];
const REFUSED = ["VALIDATION", "VALIDATION"];

describe("a ledger", () => {
  test("a ledger with all features shows all volumes", () => {
    const ledger = ledgerWith({});
    expect(refusals(ledger)).toEqual([OK, OK, OK]);
    expect(ledger.engine.reads.findAccount("a", ONLY_EFFECTIVE)?.effectiveVolumes).toMatchObject([
      { input: 1n },
    ]);
    expect(ledger.transaction(1).effectiveVolumes).toHaveLength(2);
  });

  test("a ledger without effective volumes shows none, and refuses them for accounts", () => {
    const ledger = ledgerWith({ MOVES_HISTORY_POST_COMMIT_EFFECTIVE_VOLUMES: "DISABLED" });
    expect(refusals(ledger)).toEqual([OK, OK, REFUSED]);
    expect(ledger.transaction(1).volumes).toHaveLength(2);
    expect(ledger.transaction(1).effectiveVolumes).toBeUndefined();
  });

  test("a ledger without history of moves refuses volumes of accounts; its transactions keep theirs", () => {
    const ledger = ledgerWith({ MOVES_HISTORY: "OFF" });
    expect(refusals(ledger)[1]).toEqual(REFUSED);
    expect(ledger.transaction(1).volumes).toHaveLength(2);
    expect(ledger.transaction(1).effectiveVolumes).toBeUndefined();
    const effective = { timestamp: ledger.now };
    expect(
      ledger.commit(create(posting("world -> a", 1), effective)).effectiveVolumes,
    ).toBeUndefined();
  });
});
