import { describe, expect, test } from "vitest";
import { openLedger } from "#library/index.ts";
import { errorOf, ledgerInMemory, pay, refusalOf } from "#test/support/library/library.ts";

const NOWHERE = { input: 0n, output: 0n, balance: 0n };

describe("a transaction", () => {
  test("a transaction of the library is answered as the HTTP API shows it, with amounts as bigint", () => {
    const ledger = ledgerInMemory();
    const made = ledger.createTransaction({
      postings: [pay("world -> shops:42", 1500)],
      metadata: { channel: "web" },
      reference: "inv-7",
      timestamp: "2026-03-01T10:30:00+01:00",
    });
    const after = { input: 1500n, output: 0n, balance: 1500n };
    expect(made).toMatchObject({
      id: 1,
      postings: [pay("world -> shops:42", 1500n)],
      metadata: { channel: "web" },
      reference: "inv-7",
      timestamp: "2026-03-01T09:30:00Z",
      insertedAt: "2026-03-01T10:00:00Z",
      updatedAt: "2026-03-01T10:00:00Z",
      reverted: false,
      preCommitVolumes: { "shops:42": { "USD/2": NOWHERE } },
      postCommitVolumes: { "shops:42": { "USD/2": after } },
    });
    expect(ledger.getTransaction(1)).toEqual(made);
  });

  test("a transaction of the library comes from a script, with variables or without", () => {
    const ledger = ledgerInMemory();
    ledger.createTransaction({
      script: "send [USD/2 100] (\n source = @world\n destination = @a\n)",
    });
    const plain =
      "vars {\n account $to\n monetary $price\n}\nsend $price (\n source = @a\n destination = $to\n)";
    const vars = { to: "b", price: { asset: "USD/2", amount: 40n } };
    ledger.createTransaction({ script: { plain, vars } });
    expect([ledger.balance("a", "USD/2"), ledger.balance("b", "USD/2")]).toEqual([60n, 40n]);
  });

  test("a transaction of the library reports where a script is wrong", () => {
    const ledger = ledgerInMemory();
    const script = "send [USD/2 100] (\n source = @world\n)";
    const { code, details } = errorOf(() => ledger.createTransaction({ script }));
    expect(code).toBe("COMPILATION_FAILED");
    expect(details).toMatch(/^3:1/);
  });

  test("a transaction of the library runs in the runtime that the ledger was opened with", () => {
    const script = "send [USD/2 1] (\n source = oneof { @world }\n destination = @a\n)";
    expect(refusalOf(() => ledgerInMemory().createTransaction({ script }))).toMatch(
      /^COMPILATION_FAILED/,
    );
    const ledger = ledgerInMemory({
      runtime: "experimental-interpreter",
      featureFlags: ["experimental-oneof"],
    });
    expect(ledger.createTransaction({ script }).postings).toEqual([pay("world -> a", 1n)]);
  });

  test("a transaction of the library is refused without funds, and goes below zero by force", () => {
    const ledger = ledgerInMemory();
    const postings = [pay("a -> b", 1)];
    expect(refusalOf(() => ledger.createTransaction({ postings }))).toMatch(/^INSUFFICIENT_FUND: /);
    expect([...ledger.logs()]).toEqual([]);
    ledger.createTransaction({ postings, force: true });
    expect(ledger.balance("a", "USD/2")).toBe(-1n);
  });

  test("a transaction of the library leaves no trace when it is a dry run", () => {
    const ledger = ledgerInMemory();
    const transaction = { postings: [pay("world -> a", 5)], accountMetadata: { b: { k: "v" } } };
    const tried = ledger.createTransaction(transaction, { dryRun: true });
    expect(tried.postCommitVolumes?.["a"]?.["USD/2"]?.balance).toBe(5n);
    expect([...ledger.transactions(), ...ledger.accounts(), ...ledger.logs()]).toEqual([]);
  });

  test("a transaction of the library happens once for an idempotency key", () => {
    const ledger = ledgerInMemory();
    const transaction = { postings: [pay("world -> a", 5)] };
    const first = ledger.createTransaction(transaction, { idempotencyKey: "k" });
    expect(ledger.createTransaction(transaction, { idempotencyKey: "k" })).toEqual(first);
    const other = { postings: [pay("world -> a", 6)] };
    expect(refusalOf(() => ledger.createTransaction(other, { idempotencyKey: "k" }))).toBe(
      "VALIDATION: the idempotency key 'k' was used before with another request",
    );
    expect(ledger.balance("a", "USD/2")).toBe(5n);
  });

  test("a transaction of the library may have a reference that no other one has", () => {
    const ledger = ledgerInMemory();
    const transaction = { postings: [pay("world -> a", 5)], reference: "inv-7" };
    ledger.createTransaction(transaction);
    expect(refusalOf(() => ledger.createTransaction(transaction))).toMatch(/^CONFLICT: /);
  });
});

describe("a refusal", () => {
  test("a refusal has a trace that starts where the ledger was called", () => {
    const ledger = ledgerInMemory();
    const traces = [
      () => openLedger({ name: "a b" }),
      () => ledger.createTransaction({}),
      () => ledger.getAccount("a"),
    ].map((work) => errorOf(work).stack?.split("\n")[1]);
    expect(traces).toHaveLength(3);
    for (const trace of traces) expect(trace).toMatch(/ledger\.test\.ts/);
  });
});

describe("a revert", () => {
  test("a revert of the library undoes a transaction, and marks it as reverted", () => {
    const ledger = ledgerInMemory();
    const timestamp = "2026-02-01T00:00:00Z";
    ledger.createTransaction({ postings: [pay("world -> a", 5)], timestamp });
    const revert = ledger.revertTransaction(1, { atEffectiveDate: true, metadata: { why: "x" } });
    expect(revert).toMatchObject({ timestamp, metadata: { why: "x" } });
    expect(revert.postings).toEqual([pay("a -> world", 5n)]);
    expect(ledger.getTransaction(1).reverted).toBe(true);
    expect(refusalOf(() => ledger.revertTransaction(1))).toMatch(/^ALREADY_REVERT: /);
    expect(refusalOf(() => ledger.revertTransaction(9))).toMatch(/^NOT_FOUND: /);
  });

  test("a revert of the library takes back spent money only by force", () => {
    const ledger = ledgerInMemory();
    ledger.createTransaction({ postings: [pay("world -> a", 5), pay("a -> b", 5)] });
    ledger.createTransaction({ postings: [pay("b -> c", 5)] });
    expect(refusalOf(() => ledger.revertTransaction(1))).toMatch(/^INSUFFICIENT_FUND: /);
    ledger.revertTransaction(1, { force: true });
    expect(ledger.balance("b", "USD/2")).toBe(-5n);
  });
});

describe("metadata", () => {
  test("metadata is added to accounts and transactions, and deleted", () => {
    const ledger = ledgerInMemory();
    ledger.createTransaction({ postings: [pay("world -> a", 5)] });
    ledger.addAccountMetadata("a", { tier: "gold", since: "2026" });
    ledger.deleteAccountMetadata("a", "since");
    ledger.addTransactionMetadata(1, { seen: "yes", by: "me" });
    ledger.deleteTransactionMetadata(1, "by");
    expect(ledger.getAccount("a").metadata).toEqual({ tier: "gold" });
    expect(ledger.getTransaction(1).metadata).toEqual({ seen: "yes" });
    expect(refusalOf(() => ledger.addTransactionMetadata(2, {}))).toMatch(/^NOT_FOUND: /);
  });

  test("metadata is not changed by a dry run", () => {
    const ledger = ledgerInMemory();
    ledger.addAccountMetadata("a", { tier: "gold" }, { dryRun: true });
    expect(refusalOf(() => ledger.getAccount("a"))).toBe("NOT_FOUND: account 'a' not found");
  });

  test("metadata may have any key", () => {
    const ledger = ledgerInMemory();
    const metadata = JSON.parse('{"__proto__":"x","":"y"}') as Record<string, string>;
    ledger.addAccountMetadata("a", metadata);
    expect(JSON.stringify(ledger.getAccount("a").metadata)).toBe('{"":"y","__proto__":"x"}');
  });
});

describe("what is read", () => {
  test("an account that the library reads has its volumes by asset", () => {
    const ledger = ledgerInMemory();
    ledger.createTransaction({ postings: [pay("world -> a", 5), pay("world -> a", 7, "EUR/2")] });
    ledger.createTransaction({ postings: [pay("a -> b", 2)] });
    expect(ledger.getAccount("a").volumes).toEqual({
      "EUR/2": { input: 7n, output: 0n, balance: 7n },
      "USD/2": { input: 5n, output: 2n, balance: 3n },
    });
    expect(ledger.balance("world", "USD/2")).toBe(-5n);
    expect(ledger.balance("nobody", "USD/2")).toBe(0n);
    expect(ledger.balance("a", "JPY")).toBe(0n);
  });

  test("an item that the library reads exists or is NOT_FOUND", () => {
    const ledger = ledgerInMemory();
    expect(refusalOf(() => ledger.getTransaction(1))).toBe("NOT_FOUND: transaction 1 not found");
    expect(refusalOf(() => ledger.getAccount("a"))).toBe("NOT_FOUND: account 'a' not found");
  });

  test("a list of the library is walked in either order, over several pages, with each item once", () => {
    const ledger = ledgerInMemory();
    const ids = Array.from({ length: 250 }, (_, index) => index + 1);
    for (const id of ids) ledger.createTransaction({ postings: [pay(`world -> a:${id}`, id)] });
    const addresses = ["world", ...ids.map((id) => `a:${id}`)].toSorted();
    expect([...ledger.transactions()].map(({ id }) => id)).toEqual(ids);
    expect([...ledger.transactions({ order: "desc" })].map(({ id }) => id)).toEqual(
      ids.toReversed(),
    );
    expect([...ledger.accounts()].map(({ address }) => address)).toEqual(addresses);
    expect([...ledger.accounts({ order: "desc" })].map(({ address }) => address)).toEqual(
      addresses.toReversed(),
    );
    expect([...ledger.logs()].map(({ id }) => id)).toEqual(ids);
    expect([...ledger.logs({ after: 248 })].map(({ id }) => id)).toEqual([249, 250]);
  });

  test("a list of the library may change while it is walked", () => {
    const ledger = ledgerInMemory();
    ledger.createTransaction({ postings: [pay("world -> a", 1)] });
    const seen: number[] = [];
    for (const { id } of ledger.logs()) {
      seen.push(id);
      if (id < 5) ledger.createTransaction({ postings: [pay("world -> a", 1)] });
    }
    expect(seen).toEqual([1, 2, 3, 4, 5]);
  });
});

describe("the log", () => {
  test("the log shows every write as the HTTP API does", () => {
    const ledger = ledgerInMemory();
    const accountMetadata = { a: { tier: "gold" } };
    ledger.createTransaction(
      { postings: [pay("world -> a", 5)], accountMetadata },
      { idempotencyKey: "k" },
    );
    ledger.addTransactionMetadata(1, { seen: "yes" });
    ledger.deleteAccountMetadata("a", "tier");
    ledger.revertTransaction(1);
    expect([...ledger.logs()]).toMatchObject([
      {
        id: 1,
        type: "NEW_TRANSACTION",
        date: "2026-03-01T10:00:00Z",
        idempotencyKey: "k",
        data: { transaction: { id: 1, metadata: {} }, accountMetadata },
      },
      {
        id: 2,
        type: "SET_METADATA",
        idempotencyKey: "",
        data: { targetType: "TRANSACTION", targetId: 1, metadata: { seen: "yes" } },
      },
      {
        id: 3,
        type: "DELETE_METADATA",
        data: { targetType: "ACCOUNT", targetId: "a", key: "tier" },
      },
      {
        id: 4,
        type: "REVERTED_TRANSACTION",
        data: { revertedTransaction: { id: 1, reverted: true }, transaction: { id: 2 } },
      },
    ]);
  });
});

describe("a ledger", () => {
  test("an embedded ledger has a name and features, the defaults unless given", () => {
    const ledger = openLedger();
    expect([ledger.name, ledger.features.HASH_LOGS]).toEqual(["default", "SYNC"]);
    const other = openLedger({ name: "books", features: { HASH_LOGS: "DISABLED" } });
    expect([other.name, other.features.HASH_LOGS]).toEqual(["books", "DISABLED"]);
    expect(other.features.MOVES_HISTORY).toBe("ON");
  });

  test("an embedded ledger shows accounts without volumes if it keeps no moves", () => {
    const ledger = ledgerInMemory({ features: { MOVES_HISTORY: "OFF" } });
    ledger.createTransaction({ postings: [pay("world -> a", 5)] });
    expect(ledger.getAccount("a").volumes).toEqual({});
    expect([...ledger.accounts()]).toHaveLength(2);
    expect(refusalOf(() => ledger.balance("a", "USD/2"))).toMatch(/^VALIDATION: /);
  });

  test("an embedded ledger takes the time from its clock, to the microsecond, and never back", () => {
    const times = ["2026-03-01T10:00:00.123456Z", "2026-03-01T09:00:00Z"];
    const ledger = openLedger({ clock: () => times.shift() ?? "" });
    const dates = [1, 2].map(
      () => ledger.createTransaction({ postings: [pay("world -> a", 5)] }).insertedAt,
    );
    expect(dates).toEqual(["2026-03-01T10:00:00.123456Z", "2026-03-01T10:00:00.123456Z"]);
    expect(refusalOf(() => ledger.createTransaction({ postings: [pay("world -> a", 5)] }))).toMatch(
      /^VALIDATION: clock: expected an RFC 3339 timestamp/,
    );
    expect([...ledger.logs()]).toHaveLength(2);
  });

  test("an embedded ledger cannot be used after it is closed", () => {
    const ledger = openLedger();
    ledger.createTransaction({ postings: [pay("world -> a", 5)] });
    const walk = ledger.transactions();
    ledger.close();
    ledger.close();
    expect(refusalOf(() => ledger.balance("a", "USD/2"))).toBe(
      "LEDGER_NOT_FOUND: the ledger is closed",
    );
    expect(refusalOf(() => walk.next())).toBe("LEDGER_NOT_FOUND: the ledger is closed");
  });

  test("an embedded ledger is refused with options that it can't have", () => {
    expect(refusalOf(() => openLedger({ name: "a b" }))).toMatch(
      /^VALIDATION: invalid ledger name/,
    );
    const features = { HASH_LOGS: "NO" } as unknown as { HASH_LOGS: "SYNC" }; // a value that plain JavaScript can pass
    expect(refusalOf(() => openLedger({ features }))).toMatch(/^VALIDATION: feature HASH_LOGS/);
    const runtime = "quantum" as "machine"; // a value that plain JavaScript can pass
    expect(refusalOf(() => openLedger({ runtime }))).toMatch(/^VALIDATION: runtime: /);
  });
});
