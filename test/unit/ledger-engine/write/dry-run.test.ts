import { describe, expect, test } from "vitest";
import type { Command } from "#ledger-engine/rules/types.ts";
import {
  WITH_VOLUMES,
  at,
  create,
  deleteMetadata,
  posting,
  refusalOf,
  revert,
  setMetadata,
  TestLedger,
} from "#test/support/ledger-engine/fixtures.ts";

function ledgerWithHistory(): TestLedger {
  const ledger = new TestLedger({ now: at("13:00") });
  ledger.commit(create(posting("world -> a", 10), { metadata: { k: "v" }, reference: "r1" }));
  ledger.commit(create(posting("a -> b", 3)));
  return ledger;
}

const COMMANDS: Record<string, Command> = {
  create: create(posting("a -> b", 1), { reference: "r2", metadata: { k: "v" } }),
  "create in new accounts and assets": create(posting("world -> new", 1, "GBP")),
  "create in the past": create(posting("world -> a", 1), { timestamp: at("08:00") }),
  "create with account metadata": create(posting("world -> a", 1), {
    accountMetadata: { a: { k: "v" }, other: { k: "v" } },
  }),
  revert: revert(2),
  "set transaction metadata": setMetadata(1, { l: "w" }),
  "delete transaction metadata": deleteMetadata(1, "k"),
  "set account metadata": setMetadata("a", { k: "v" }),
  "set metadata of a new account": setMetadata("new", { k: "v" }),
  "delete account metadata": deleteMetadata("a", "k"),
};

describe("a dry run", () => {
  test.each(Object.entries(COMMANDS))(
    "a dry run answers as the command would and stores nothing: %s",
    (_, command) => {
      const [dry, real] = [ledgerWithHistory(), ledgerWithHistory()];
      const before = dry.dump();
      const account = dry.engine.reads.findAccount("a", WITH_VOLUMES);
      const outcome = dry.run(command, { dryRun: true, key: "k1" });
      expect(outcome).toEqual(real.run(command, { key: "k1" }));
      expect(dry.dump()).toBe(before);
      expect(dry.engine.reads.findAccount("a", WITH_VOLUMES)).toEqual(account);
      expect(dry.engine.reads.findAccount("new", WITH_VOLUMES)).toBeUndefined();
    },
  );

  test.each(Object.entries(COMMANDS))("a dry run leaves nothing in memory: %s", (_, command) => {
    const [tried, plain] = [ledgerWithHistory(), ledgerWithHistory()];
    tried.run(command, { dryRun: true });
    plain.tick();
    tried.open(); // A new engine gives the ids that the dry run used up once more, so that both ledgers can be compared.
    const [afterTry] = [tried.run(command)];
    expect(afterTry).toEqual(plain.run(command));
    expect(tried.dump()).toBe(plain.dump());
  });

  test("a dry run is refused for the same reasons", () => {
    const ledger = ledgerWithHistory();
    const refused: [Command, string][] = [
      [create(posting("b -> c", 4)), "INSUFFICIENT_FUND"],
      [create(posting("world -> c", 4), { reference: "r1" }), "CONFLICT"],
      [revert(9), "NOT_FOUND"],
      [revert(1), "INSUFFICIENT_FUND"],
      [deleteMetadata(1, "absent"), "NOT_FOUND"],
    ];
    const before = ledger.dump();
    for (const [command, kind] of refused) {
      expect(refusalOf(() => ledger.run(command, { dryRun: true }))).toBe(kind);
    }
    expect(ledger.dump()).toBe(before);
  });

  test("a dry run uses up ids: after transaction 2 a dry run shows 3 and the next transaction is 4", () => {
    const ledger = ledgerWithHistory();
    const dry = ledger.run(create(posting("world -> a", 1)), { dryRun: true });
    const real = ledger.run(create(posting("world -> a", 1)));
    expect([dry.transaction?.id, dry.logId]).toEqual([3, 3]);
    expect([real.transaction?.id, real.logId]).toEqual([4, 4]);
    ledger.run(setMetadata("a", {}), { dryRun: true });
    expect(ledger.run(setMetadata("a", {})).logId).toBe(6);
  });

  test("a dry run does not break the hash chain or the dates of what follows", () => {
    const ledger = ledgerWithHistory();
    ledger.run(create(posting("world -> a", 1)), { dryRun: true });
    ledger.now = at("12:00");
    ledger.run(create(posting("world -> a", 1)));
    expect(ledger.logs().at(-1)?.date).toBe(at("13:00:02"));
  });
});
