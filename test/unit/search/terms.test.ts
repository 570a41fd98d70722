import { describe, expect, test } from "vitest";
import { tokensOf } from "#modules/search/core/document.ts";
import { objectsOfLedgerEvent } from "#modules/search/core/indexed.ts";
import { objectOfEvent } from "#modules/search/core/module-events.ts";
import { documentOf } from "#modules/search/core/objects.ts";
import { clauseOf, fitsTokens, matches, parseTerm } from "#modules/search/core/terms.ts";
import { storedValue, wordsOf } from "#modules/search/core/words.ts";

const TRANSACTION = {
  id: 7,
  reference: "Order-1789",
  postings: [
    { source: "world", destination: "users:42:main", amount: 1500n, asset: "EUR/2" },
    { source: "users:42:main", destination: "fees", amount: 15, asset: "EUR/2" },
  ],
  metadata: { invoice: "INV-2026/17 for ACME, Ltd." },
};

const found = (text: string): boolean =>
  matches(documentOf("TRANSACTION", TRANSACTION), [parseTerm(text)], "AND");
const indexed = (text: string): boolean =>
  fitsTokens(tokensOf(documentOf("TRANSACTION", TRANSACTION)), [clauseOf(parseTerm(text))], "AND");

describe("terms", () => {
  test.for([
    "order-1789",
    "reference=Order-1789",
    "id=7",
    "7",
    "1500",
    "amount=15",
    "users:42:main",
    "42",
    "address=fees",
    "source=users:42:main",
    "destination=users:42:main",
    "eur/2",
    "asset=EUR/2",
    "inv-2026",
    "acme ltd",
    "metadata.invoice=INV-2026/17 for ACME, Ltd.",
  ])("%s is found, in the index and in the object", (term) => {
    expect([indexed(term), found(term)]).toEqual([true, true]);
  });

  test.for([
    "order-178",
    "150",
    "users:42",
    "4",
    "source=fees",
    "cme",
    "status=OK",
    "provider=x",
    "=",
  ])("%s is not found", (term) => {
    expect(found(term)).toBe(false);
  });

  test.for([
    ["a=b", { kind: "text", text: "a=b" }],
    ["=x", { kind: "text", text: "=x" }],
    ["metadata.=x", { kind: "text", text: "metadata.=x" }],
    ["metadata.a.b=c=d", { kind: "metadata", key: "a.b", value: "c=d" }],
    ["reference=", { kind: "field", field: "reference", value: "" }],
  ] as const)("%s is read as what it says", ([text, term]) => {
    expect(parseTerm(text)).toEqual(term);
  });

  test("a metadata value without words fits every object of the index, and is compared in the object", () => {
    const object = { metadata: { mark: "!" } };
    const [clause] = [clauseOf(parseTerm("metadata.mark=!"))];
    expect(clause).toEqual([[]]);
    const document = documentOf("ACCOUNT", object);
    expect(matches(document, [parseTerm("metadata.mark=!")], "AND")).toBe(true);
    expect(matches(document, [parseTerm("metadata.mark=?")], "AND")).toBe(false);
  });
});

describe("words and values", () => {
  test("a text has its words, folded, with identifiers in one piece", () => {
    expect(wordsOf("Größe: INV-2026/17, a@b.example; (x) -y- ﬁn")).toEqual([
      "größe",
      "inv-2026/17",
      "a@b.example",
      "x",
      "y",
      "fin",
    ]);
    expect(wordsOf("  \u0000\n")).toEqual([]);
    expect(wordsOf("a ".repeat(1000))).toHaveLength(64);
  });

  test("long values that begin alike stay apart, and all are text that the index can hold", () => {
    const [one, other] = [storedValue(`${"x".repeat(500)}1`), storedValue(`${"x".repeat(500)}2`)];
    expect(one).not.toBe(other);
    expect(one).toHaveLength(33);
    expect(storedValue(`a"b c'd\\e\ud800`)).toBe("a_b_c_d_e\ufffd");
  });
});

describe("events", () => {
  test("a transaction tells of itself, its accounts and its assets", () => {
    const objects = objectsOfLedgerEvent({
      type: "COMMITTED_TRANSACTIONS",
      payload: {
        ledger: "shop",
        transactions: [TRANSACTION],
        accountMetadata: { "users:42:main": { name: "Ada" } },
      },
    });
    expect(objects.map(({ kind, key, isNamed }) => [kind, key, isNamed ?? false])).toEqual([
      ["TRANSACTION", "7", false],
      ["ACCOUNT", "world", true],
      ["ACCOUNT", "users:42:main", true],
      ["ACCOUNT", "fees", true],
      ["ASSET", "EUR/2", true],
      ["ACCOUNT", "users:42:main", false],
    ]);
  });

  test("the main account of a wallet tells of the wallet, and the account of a hold does not", () => {
    const metadata = { "wallets/name": "Purse", "wallets/id": "0d3c2f2e-8a1b" };
    const event = (targetId: string) =>
      objectsOfLedgerEvent({
        type: "SAVED_METADATA",
        payload: { targetType: "ACCOUNT", targetId, metadata },
      }).map(({ kind, key }) => [kind, key]);
    expect(event("wallets:0d3c2f2e8a1b:main")).toEqual([
      ["ACCOUNT", "wallets:0d3c2f2e8a1b:main"],
      ["WALLET", "0d3c2f2e8a1b"],
    ]);
    expect(event("wallets:holds:main")).toEqual([["ACCOUNT", "wallets:holds:main"]]);
  });

  test("an event about an instance has the instance's id, and the workflow's under its own name", () => {
    const object = objectOfEvent("orchestration.failed_workflow", {
      payload: { id: "workflow-1", instanceID: "instance-1", error: "negative amount" },
    });
    expect(object).toMatchObject({ kind: "INSTANCE", key: "instance-1" });
    expect(object?.tokens).toEqual(
      expect.arrayContaining(["=instance-1", "=workflow-1", ".negative"]),
    );
    expect(objectOfEvent("ledger.saved_metadata", { payload: {} })).toBeUndefined();
    expect(objectOfEvent("payments.saved_payment", { payload: {} })).toBeUndefined();
  });
});
