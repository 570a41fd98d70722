import { describe, expect, test } from "vitest";
import { toMemento } from "#ledger-engine/rules/log/memento.ts";
import { at, posting } from "#test/support/ledger-engine/fixtures.ts";
import { chainHash, recordedLog } from "#test/support/ledger-engine/recorded.ts";

describe("the hash chain", () => {
  const log = recordedLog();
  const previousOf = (index: number) => log[index - 1]?.hash;

  test.each(log.flatMap(({ entry, ...rest }, index) => (entry ? [{ entry, index, ...rest }] : [])))(
    "the hash chain reproduces the recorded hash of entry $id, $type",
    ({ entry, index, hash }) => {
      expect(chainHash(toMemento(entry), previousOf(index))).toBe(hash);
    },
  );

  test("the hash chain covers every type of entry that this version writes", () => {
    const types = log.flatMap(({ entry }) => (entry === undefined ? [] : [entry.data.type]));
    expect(new Set(types)).toEqual(
      new Set(["NEW_TRANSACTION", "SET_METADATA", "DELETE_METADATA", "REVERTED_TRANSACTION"]),
    );
  });

  test("the hash chain has the hashes of the reference's worked example", () => {
    const first = chainHash(
      toMemento({
        date: at("2026-03-01T09:30:00.25Z"),
        idempotencyKey: "order-1",
        data: {
          type: "NEW_TRANSACTION",
          transaction: transaction(1, "world -> shops:42", {
            metadata: { note: "café <A&B>" },
            timestamp: at("09:30"),
          }),
          accountMetadata: {},
        },
      }),
      undefined,
    );
    expect(first).toBe("PSHu1cJuBJdgqD5c0slvGIijPpLuUs/MgRhPq3r+g6c=");
    const second = chainHash(
      toMemento({
        date: at("2026-03-01T09:31:00.123456Z"),
        idempotencyKey: "",
        data: {
          type: "SET_METADATA",
          target: { type: "ACCOUNT", id: posting("shops:42 -> x", 0).source },
          metadata: { tier: "gold" },
        },
      }),
      first,
    );
    expect(second).toBe("zwn2BprZuFnEni5Z5dOV/zai9M0XGiqWcy4p+pDlZNI=");
    const third = chainHash(
      toMemento({
        date: at("09:32"),
        idempotencyKey: "",
        data: {
          type: "REVERTED_TRANSACTION",
          revertedTransaction: transaction(1, "world -> shops:42"),
          transaction: transaction(2, "shops:42 -> world", {
            metadata: { "com.formance.spec/state/reverts": "1" },
            timestamp: at("09:32"),
          }),
        },
      }),
      second,
    );
    expect(third).toBe("RWn12kiQS9YISX2dNkvGycT/tk7VSjcGsbZwofr63wc=");
  });
});

describe("the text of an entry", () => {
  test("the text of an entry sorts keys by their bytes, even digits and __proto__, and escapes HTML's characters", () => {
    const metadata = JSON.parse('{"z":"1","10":"2","__proto__":"3","9":"4","é":"<>&\u2028"}') as {
      [key: string]: string;
    };
    const text = toMemento({
      date: at("09:30"),
      idempotencyKey: 'raw "<key>"',
      data: { type: "SET_METADATA", target: { type: "TRANSACTION", id: 12 }, metadata },
    });
    expect(text).toBe(
      String.raw`{"type":"SET_METADATA","data":{"targetType":"TRANSACTION","targetId":12,"metadata":{"10":"2","9":"4","__proto__":"3","z":"1","é":"\u003c\u003e\u0026\u2028"}},"date":"2026-03-01T09:30:00Z","idempotencyKey":"raw "<key>"","id":0,"hash":null}`,
    );
  });

  test("the text of an entry leaves volumes, dates of change and the schema out", () => {
    const data = {
      type: "NEW_TRANSACTION" as const,
      transaction: transaction(1, "world -> a"),
      accountMetadata: {},
    };
    const entry = { date: at("09:30"), idempotencyKey: "", data };
    const changed = { ...data.transaction, updatedAt: at("11:00"), volumes: [] };
    expect(toMemento({ ...entry, data: { ...data, transaction: changed } })).toBe(toMemento(entry));
  });
});

const transaction = (id: number, way: string, fields: object = {}) => ({
  id,
  postings: [posting(way, 1500, "EUR/2")],
  metadata: {},
  timestamp: at("09:30"),
  insertedAt: at("09:30"),
  updatedAt: at("09:30"),
  ...fields,
});
