import type { LedgerInfo } from "#ledger-engine/rules/types.ts";
import {
  at,
  create,
  deleteMetadata,
  insertSchema,
  posting,
  revert,
  script,
  setMetadata,
  template,
  TestLedger,
} from "#test/support/ledger-engine/fixtures.ts";

/** A ledger with an entry of every type, dates in the past, keys, scripts, references and large amounts. */
export function variedLedger(features: Partial<LedgerInfo["features"]> = {}): TestLedger {
  const ledger = new TestLedger({ features });
  ledger.commit(
    create([posting("world -> a", 10n ** 30n), posting("a -> b", 7)], {
      reference: "r1",
      metadata: { k: "v" },
      accountMetadata: { a: { tier: "gold" }, only: { x: "y" } },
    }),
    { key: "k1" },
  );
  ledger.commit(create(posting("world -> b", 5, "EUR/2"), { timestamp: at("08:00") }));
  ledger.commit(create(posting("b -> c", 3), { timestamp: at("09:00"), force: true }));
  ledger.run(setMetadata(1, { more: "m" }), { key: "k2" });
  ledger.run(setMetadata("a", { tier: "silver" }));
  ledger.run(deleteMetadata("only", "x"));
  ledger.run(deleteMetadata(1, "k"));
  ledger.commit(create([posting("a -> zero", 0), posting("world -> b", 0)]));
  ledger.commit(script("send [USD 2] (\n  source = @world\n  destination = @c\n)"));
  ledger.run(create(posting("world -> x", 1)), { dryRun: true });
  ledger.commit(revert(2, { atEffectiveDate: true }));
  ledger.commit(revert(1, { metadata: { why: "w" }, force: true }));
  ledger.commit(create(posting("world -> d", 1), { timestamp: at("07:00") }));
  writeBySchemas(ledger);
  return ledger;
}

/** Inserts two schemas, and writes an entry of every type that names a schema. */
function writeBySchemas(ledger: TestLedger): void {
  const user = { ".metadata": { tier: { default: "basic" } } };
  const chart = { world: {}, users: { $id: { ".pattern": "^[0-9]+$", ...user } } };
  const script =
    "vars {\n  account $to\n}\nsend [USD 1] (\n  source = @world\n  destination = $to\n)";
  ledger.run(insertSchema("v1", { chart }));
  ledger.run(insertSchema("v2", { chart, transactions: { pay: { script } } }), { schema: "v1" });
  ledger.run(template("pay", { to: "users:1" }), { schema: "v2" });
  ledger.run(setMetadata("users:2", { k: "v" }), { schema: "v1" });
  ledger.run(deleteMetadata("users:2", "k"), { schema: "v1" });
  ledger.run(revert(8), { schema: "v1" });
}
