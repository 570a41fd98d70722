import { describe, expect, test } from "vitest";
import { parseJson } from "#platform/json.ts";
import {
  create,
  deleteMetadata,
  insertSchema,
  posting,
  revert,
  script,
  setMetadata,
  TestLedger,
} from "#test/support/ledger-engine/fixtures.ts";
import { audited } from "#test/support/ledger-engine/in-node.ts";
import {
  refusalTextOf,
  SchemaLedger,
  paidLedger,
} from "#test/support/ledger-engine/schema-ledgers.ts";

const USER = { kind: "user", tier: "basic", ...(parseJson('{"__proto__":"p"}') as object) };
const v1 = { schema: "v1" };

describe("default metadata", () => {
  test("default metadata is given to an account that a posting makes, as a source or as a destination", () => {
    const ledger = paidLedger();
    expect(ledger.account("users:1")).toMatchObject({
      metadata: USER,
      firstUsage: ledger.now,
      insertionDate: ledger.now,
      updatedAt: ledger.now,
    });
    expect(ledger.account("world")?.metadata).toEqual({ kind: "outside" });
    ledger.commit(create(posting("users:1 -> users:1:wallet", 1)), v1);
    expect(ledger.account("users:1:wallet")?.metadata).toEqual({ tier: "wallet" });
    // The entry contains the account metadata of the request, without defaults.
    expect(ledger.logs().at(-1)?.data).toMatchObject({ accountMetadata: {} });
  });

  test("default metadata is given to an account that only the account metadata names, whose values win", () => {
    const ledger = new SchemaLedger();
    const accountMetadata = { "users:1": { tier: "gold", k: "v" }, "users:2": {}, odd: {} };
    ledger.commit(create(posting("world -> users:3", 1), { accountMetadata }), v1);
    expect(ledger.account("users:1")?.metadata).toEqual({ ...USER, tier: "gold", k: "v" });
    expect(ledger.account("users:2")?.metadata).toEqual(USER);
    expect(ledger.account("odd")?.metadata).toEqual({});
    expect(ledger.logs().at(-1)?.data).toMatchObject({ accountMetadata });
  });

  test("default metadata is given to an account that a write of metadata makes", () => {
    const ledger = new SchemaLedger();
    ledger.run(setMetadata("users:1", { tier: "gold" }), v1);
    ledger.run(setMetadata("users:2", {}), v1);
    expect(ledger.account("users:1")?.metadata).toEqual({ ...USER, tier: "gold" });
    expect(ledger.account("users:2")?.metadata).toEqual(USER);
    expect(ledger.logs().at(-1)?.data).toMatchObject({ metadata: {} });
  });

  test("default metadata is given to an account that a script makes, whose values win", () => {
    const ledger = new SchemaLedger();
    const plain =
      'send [USD 1] (\n  source = @world\n  destination = @users:1\n)\nset_account_meta(@users:1, "tier", "gold")\nset_account_meta(@users:2, "k", "v")';
    ledger.commit(script(plain), v1);
    expect(ledger.account("users:1")?.metadata).toEqual({ ...USER, tier: "gold" });
    expect(ledger.account("users:2")?.metadata).toEqual({ ...USER, k: "v" });
  });

  test("default metadata is not given to an account that exists", () => {
    const ledger = new SchemaLedger({ isStrict: false });
    ledger.commit(create(posting("world -> users:1", 1)));
    ledger.run(setMetadata("users:2", { tier: "gold" }));
    const { now } = ledger;
    ledger.commit(
      create([posting("world -> users:1", 1), posting("world -> users:2", 1)], {
        accountMetadata: { "users:2": {} },
      }),
      v1,
    );
    ledger.run(setMetadata("users:1", {}), v1);
    ledger.commit(revert(1), v1);
    expect(ledger.account("users:1")?.metadata).toEqual({});
    expect(ledger.account("users:2")).toMatchObject({ metadata: { tier: "gold" }, updatedAt: now });
  });

  test("default metadata is given only once: a deleted key does not come back", () => {
    const ledger = paidLedger();
    ledger.run(deleteMetadata("users:1", "tier"), v1);
    ledger.commit(create(posting("world -> users:1", 1)), v1);
    expect(ledger.account("users:1")?.metadata).not.toHaveProperty("tier");
  });

  test("default metadata is not given without a schema, or to accounts that the chart does not allow", () => {
    const ledger = new SchemaLedger({ isStrict: false });
    ledger.commit(create(posting("world -> users:1", 1)));
    ledger.commit(create([posting("world -> users:x", 1), posting("world -> bank:main", 1)]), v1);
    for (const address of ["users:1", "users:x", "bank:main"]) {
      expect(ledger.account(address)?.metadata).toEqual({});
    }
  });

  test("default metadata is given by the first element of a bulk that makes the account, and not by a bulk that is undone", () => {
    const ledger = new SchemaLedger();
    const elements = [
      create(posting("world -> users:1", 1), { accountMetadata: { "users:1": { tier: "gold" } } }),
      create(posting("world -> users:1", 1)),
      setMetadata("users:2", { k: "v" }),
    ];
    ledger.bulk([...elements, revert(99)], { atomic: true, ...v1 });
    expect(ledger.accounts()).toEqual([]);
    ledger.bulk(elements, { atomic: true, ...v1 });
    expect(ledger.account("users:1")?.metadata).toEqual({ ...USER, tier: "gold" });
    expect(ledger.account("users:2")?.metadata).toEqual({ ...USER, k: "v" });
    expect(audited(ledger).differences).toEqual([]);
  });

  test("default metadata counts towards the limit of metadata", () => {
    const ledger = new SchemaLedger();
    const chart = { a: { ".metadata": { d: { default: "x".repeat(8000) } } } };
    ledger.run(insertSchema("v3", { chart }));
    const full = setMetadata("a", { k: "x".repeat(60_000) });
    expect(refusalTextOf(() => ledger.run(full, { schema: "v3" }))).toMatch(
      /^VALIDATION: the metadata is larger than 65536 bytes/,
    );
    expect(ledger.account("a")).toBeUndefined();
    ledger.run(full, v1);
  });
});

describe("a transaction with default metadata", () => {
  const chart = { a: { $n: { ".metadata": { d: { default: "x".repeat(8000) } } } } };
  const addresses = Array.from({ length: 200 }, (_, index) => `a:${index}`);
  const postings = addresses.map((address) => posting(`${address} -> ${address}`, 0));

  function largeLedger(): TestLedger {
    const ledger = new TestLedger();
    ledger.run(insertSchema("v1", { chart }));
    return ledger;
  }

  test("a transaction with default metadata is refused if it would be larger than its event may be", () => {
    const ledger = largeLedger();
    const before = ledger.dump();
    expect(refusalTextOf(() => ledger.commit(create(postings), v1))).toMatch(
      /^VALIDATION: the transaction is too large: /,
    );
    expect(ledger.dump()).toBe(before);
    ledger.commit(create(postings.slice(0, 50)), v1);
    ledger.commit(create(postings));
  });

  test("a transaction does not store default metadata that others replace: its row is as small as its event", () => {
    const ledger = largeLedger();
    const accountMetadata = Object.fromEntries(addresses.map((address) => [address, { d: "y" }]));
    ledger.commit(create(postings, { accountMetadata }), v1);
    const [row] = ledger.sql.all<{ size: number }>(
      "SELECT max(octet_length(payload)) AS size FROM tx WHERE type = 0",
    );
    expect(row?.size).toBeLessThan(20_000);
    expect(ledger.account("a:7")?.metadata).toEqual({ d: "y" });
    expect(audited(ledger).differences).toEqual([]);
  });
});
