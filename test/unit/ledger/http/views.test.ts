import { describe, expect, test } from "vitest";
import type { Metadata } from "#ledger-engine/rules/types.ts";
import { toAccountView, toTransactionView } from "#ledger-engine/rules/views.ts";
import { toPlatformEvents } from "#modules/ledger/events.ts";
import { present } from "#platform/assert.ts";
import { parseJson, stringifyJson } from "#platform/json.ts";
import {
  EXPANDED,
  BARE,
  at,
  create,
  deleteMetadata,
  INFO,
  posting,
  revert,
  setMetadata,
  TestLedger,
} from "#test/support/ledger-engine/fixtures.ts";

describe("the view of a transaction", () => {
  test("the view of a transaction is that of the reference's example, member by member", () => {
    const ledger = new TestLedger({ now: at("2026-03-01T09:29:59.25Z") });
    const transaction = ledger.commit(
      create(posting("world -> shops:42", 1500, "EUR/2"), {
        timestamp: at("09:30"),
        reference: "inv-7",
      }),
    );
    expect(stringifyJson(toTransactionView(transaction))).toBe(
      `{"postings":[{"source":"world","destination":"shops:42","amount":1500,"asset":"EUR/2"}],"metadata":{},"timestamp":"2026-03-01T09:30:00Z","reference":"inv-7","id":1,"insertedAt":"2026-03-01T09:30:00.25Z","updatedAt":"2026-03-01T09:30:00.25Z","postCommitVolumes":{"shops:42":{"EUR/2":{"input":1500,"output":0,"balance":1500}},"world":{"EUR/2":{"input":0,"output":1500,"balance":-1500}}},"postCommitEffectiveVolumes":{"shops:42":{"EUR/2":{"input":1500,"output":0,"balance":1500}},"world":{"EUR/2":{"input":0,"output":1500,"balance":-1500}}},"reverted":false,"preCommitVolumes":{"shops:42":{"EUR/2":{"input":0,"output":0,"balance":0}},"world":{"EUR/2":{"input":0,"output":0,"balance":0}}},"preCommitEffectiveVolumes":{"shops:42":{"EUR/2":{"input":0,"output":0,"balance":0}},"world":{"EUR/2":{"input":0,"output":0,"balance":0}}}}`,
    );
  });

  test("the view of a transaction leaves out absent fields, and has no null", () => {
    const ledger = new TestLedger();
    ledger.commit(create(posting("world -> a", 1)));
    const bare = ledger.engine.reads.findTransaction(1, BARE);
    expect(Object.keys(toTransactionView(present(bare, "it was made")))).toEqual([
      "postings",
      "metadata",
      "timestamp",
      "id",
      "insertedAt",
      "updatedAt",
      "reverted",
    ]);
  });

  test("the view of a transaction shows when it was reverted", () => {
    const ledger = new TestLedger();
    ledger.commit(create(posting("world -> a", 1)));
    ledger.commit(revert(1));
    expect(toTransactionView(ledger.transaction(1))).toMatchObject({
      reverted: true,
      revertedAt: "2026-03-01T10:00:02Z",
      updatedAt: "2026-03-01T10:00:02Z",
    });
  });

  test("the view of a transaction computes what was before from what was after, posting by posting", () => {
    const ledger = new TestLedger();
    ledger.commit(create(posting("world -> a", 10)));
    const made = ledger.commit(
      create([posting("a -> b", 4), posting("b -> a", 1), posting("a -> a", 7)]),
    );
    const { preCommitVolumes, postCommitVolumes } = toTransactionView(made);
    expect(preCommitVolumes).toEqual({
      a: { USD: { input: 10n, output: 0n, balance: 10n } },
      b: { USD: { input: 0n, output: 0n, balance: 0n } },
    });
    expect(postCommitVolumes).toEqual({
      a: { USD: { input: 18n, output: 11n, balance: 7n } },
      b: { USD: { input: 4n, output: 1n, balance: 3n } },
    });
  });

  test("the view of a transaction sorts keys by their bytes and keeps __proto__ a member", () => {
    const ledger = new TestLedger();
    const metadata = parseJson('{"z":"","__proto__":"p","Z":""}') as Metadata;
    const made = ledger.commit(create(posting("world -> __proto__", 1), { metadata }));
    const text = stringifyJson(toTransactionView(made));
    expect(text).toContain('"metadata":{"Z":"","__proto__":"p","z":""}');
    expect(text).toContain('"postCommitVolumes":{"__proto__":{"USD":{"input":1,');
  });
});

describe("the view of an account", () => {
  test("the view of an account shows volumes as they are asked for, but not if they are empty", () => {
    const ledger = new TestLedger();
    ledger.commit(create(posting("world -> a", 5, "EUR/2")));
    ledger.run(setMetadata("idle", { k: "v" }));
    const view = (address: string, volumes: boolean, effectiveVolumes: boolean) => {
      const account = ledger.engine.reads.findAccount(address, EXPANDED);
      return toAccountView(present(account, "it was used"), { volumes, effectiveVolumes });
    };
    const volumes = { "EUR/2": { input: 5n, output: 0n, balance: 5n } };
    expect(view("a", true, true)).toEqual({
      address: "a",
      metadata: {},
      firstUsage: "2026-03-01T10:00:01Z",
      insertionDate: "2026-03-01T10:00:01Z",
      updatedAt: "2026-03-01T10:00:01Z",
      volumes,
      effectiveVolumes: volumes,
    });
    expect(view("a", false, true)).not.toHaveProperty("volumes");
    expect(view("a", true, false)).not.toHaveProperty("effectiveVolumes");
    expect(Object.keys(view("idle", true, true))).not.toContain("volumes");
  });
});

describe("the events of a log", () => {
  test("the events of a log are one for each entry, named by the ledger's uuid and the entry's id, dated as the entry", () => {
    const ledger = new TestLedger();
    ledger.commit(create(posting("world -> a", 1), { accountMetadata: { a: { tier: "gold" } } }));
    ledger.run(setMetadata(1, { k: "v" }), { key: "k1" });
    ledger.run(setMetadata("a", { k: "v" }));
    ledger.run(deleteMetadata(1, "k"));
    ledger.commit(revert(1));
    const log = ledger.logs();
    const events = toPlatformEvents(INFO, log);
    const common = { app: "ledger", version: "v2", idempotencyKey: "" };
    const metadata = { ledger: "main", metadata: { k: "v" } };
    expect(events).toMatchObject([
      {
        ...common,
        type: "COMMITTED_TRANSACTIONS",
        payload: {
          ledger: "main",
          transactions: [{ id: 1, postCommitVolumes: { a: { USD: { input: 1n } } } }],
          accountMetadata: { a: { tier: "gold" } },
        },
      },
      {
        ...common,
        type: "SAVED_METADATA",
        payload: { ...metadata, targetType: "TRANSACTION", targetId: "1" },
      },
      {
        ...common,
        type: "SAVED_METADATA",
        payload: { ...metadata, targetType: "ACCOUNT", targetId: "a" },
      },
      {
        ...common,
        type: "DELETED_METADATA",
        payload: { ledger: "main", targetType: "TRANSACTION", targetId: "1", key: "k" },
      },
      {
        ...common,
        type: "REVERTED_TRANSACTION",
        payload: {
          ledger: "main",
          revertedTransaction: { id: 1, reverted: true },
          revertTransaction: { id: 2, reverted: false },
        },
      },
    ]);
    expect(events.map(({ id, date }) => [id, date])).toEqual(
      log.map(({ id, date }) => [`${INFO.uuid}:${id}`, date]),
    );
  });
});
