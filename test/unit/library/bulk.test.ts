import { describe, expect, test } from "vitest";
import { type BulkElement, LedgerError } from "#library/index.ts";
import { ledgerInMemory, pay, refusalOf } from "#test/support/library/library.ts";

const creating = (way: string, amount: number): BulkElement => ({
  action: "CREATE_TRANSACTION",
  data: { postings: [pay(way, amount)] },
});

const FAILING = creating("nobody -> a", 1);

describe("a bulk", () => {
  test("a bulk of the library executes every kind of element in order", () => {
    const ledger = ledgerInMemory();
    const results = ledger.bulk([
      {
        action: "CREATE_TRANSACTION",
        data: { script: "send [USD/2 5] (\n source = @world\n destination = @a\n)" },
      },
      {
        action: "ADD_METADATA",
        data: { targetType: "ACCOUNT", targetId: "a", metadata: { tier: "gold" } },
      },
      { action: "DELETE_METADATA", data: { targetType: "ACCOUNT", targetId: "a", key: "tier" } },
      { action: "REVERT_TRANSACTION", data: { id: 1 } },
    ]);
    expect(results).toMatchObject([
      { status: "done", logId: 1, transaction: { id: 1 } },
      { status: "done", logId: 2 },
      { status: "done", logId: 3 },
      { status: "done", logId: 4, transaction: { id: 2 } },
    ]);
    expect(ledger.balance("a", "USD/2")).toBe(0n);
  });

  test("a bulk of the library ends at the first failure and keeps what came before", () => {
    const ledger = ledgerInMemory();
    const results = ledger.bulk([creating("world -> a", 1), FAILING, creating("world -> a", 1)]);
    expect(results.map(({ status }) => status)).toEqual(["done", "failed", "skipped"]);
    const error = results[1]?.status === "failed" ? results[1].error : undefined;
    expect(error).toBeInstanceOf(LedgerError);
    expect(error?.code).toBe("INSUFFICIENT_FUND");
    expect(ledger.balance("a", "USD/2")).toBe(1n);
  });

  test("a bulk of the library goes on after a failure if it is told to", () => {
    const ledger = ledgerInMemory();
    const elements = [creating("world -> a", 1), FAILING, creating("world -> a", 1)];
    const results = ledger.bulk(elements, { continueOnFailure: true });
    expect(results.map(({ status }) => status)).toEqual(["done", "failed", "done"]);
    expect(ledger.balance("a", "USD/2")).toBe(2n);
  });

  test("a bulk of the library is done or undone as a whole if it is atomic", () => {
    const ledger = ledgerInMemory();
    const elements = [creating("world -> a", 1), FAILING, creating("world -> a", 1)];
    const statusesOf = (continueOnFailure: boolean): string[] =>
      ledger.bulk(elements, { atomic: true, continueOnFailure }).map(({ status }) => status);
    expect(statusesOf(false)).toEqual(["undone", "failed", "skipped"]);
    expect(statusesOf(true)).toEqual(["undone", "failed", "undone"]);
    expect([...ledger.logs()]).toEqual([]);
    const [done] = ledger.bulk([creating("world -> a", 1)], { atomic: true });
    expect(done?.status).toBe("done");
  });

  test("a bulk of the library honours the idempotency keys of its elements", () => {
    const ledger = ledgerInMemory();
    const element = { ...creating("world -> a", 1), ik: "k" };
    ledger.bulk([element, element]);
    expect(ledger.balance("a", "USD/2")).toBe(1n);
  });

  test("a bulk of the library is refused as a whole if an element is malformed", () => {
    const ledger = ledgerInMemory();
    const malformed = { action: "CREATE_MONEY", data: {} } as unknown as BulkElement; // a value that plain JavaScript can pass
    expect(refusalOf(() => ledger.bulk([creating("world -> a", 1), malformed]))).toMatch(
      /^VALIDATION: element 1 'action': /,
    );
    expect([...ledger.logs()]).toEqual([]);
  });
});
