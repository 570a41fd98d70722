import type { V2Log } from "@formance/formance-sdk/sdk/models/ledger";
import { beforeAll, describe, expect, test } from "vitest";
import { present } from "#platform/assert.ts";
import { freshLedger, inLedger } from "#test/support/ledger/api.ts";
import { v2, at, writtenLedger } from "#test/support/ledger/written-ledger.ts";
import { codeOf } from "#test/support/platform/sdk/sdk.ts";

const UNKNOWN = "no-such-ledger";

let ledger: string;

beforeAll(async () => {
  ledger = await writtenLedger();
});

describe("logs", () => {
  const list = async (request: object, name = ledger): Promise<V2Log[]> => {
    const answer = await v2.listLogs({ ledger: name, ...request });
    return present(answer.v2LogsCursorResponse, "a success has a body").cursor.data;
  };
  const idsOf = async (query: object) => (await list({ query })).map(({ id }) => Number(id));

  test("logs are listed, newest first, with what they say", async () => {
    const logs = await list({});
    expect(logs.map(({ id, type }) => `${id} ${type}`)).toEqual([
      "5 SET_METADATA",
      "4 REVERTED_TRANSACTION",
      "3 NEW_TRANSACTION",
      "2 NEW_TRANSACTION",
      "1 NEW_TRANSACTION",
    ]);
    expect(logs.every(({ hash }) => hash.length === 44)).toBe(true);
    expect(logs[0]?.data).toMatchObject({
      targetType: "ACCOUNT",
      targetId: "users:2",
      metadata: { tier: "silver" },
    });
    expect(logs[1]?.data).toMatchObject({
      revertedTransaction: { id: 2n },
      transaction: { id: 4n },
    });
    expect(logs[4]?.data).toMatchObject({
      transaction: { id: 1n, metadata: { kind: "deposit" } },
      accountMetadata: { "users:1": { tier: "gold" } },
    });
  });

  test("logs are filtered by id, type and date", async () => {
    expect(await idsOf({ $match: { type: "NEW_TRANSACTION" } })).toEqual([3, 2, 1]);
    expect(await idsOf({ $lte: { id: 2 } })).toEqual([2, 1]);
    expect(await idsOf({ $lt: { date: at("12:00").toISOString() } })).toEqual([]);
    expect(await idsOf({ $gte: { date: at("12:00").toISOString() } })).toEqual([5, 4, 3, 2, 1]);
  });

  test("logs are walked", async () => {
    const query = { $match: { type: "NEW_TRANSACTION" } };
    const first = await v2.listLogs({ ledger, query, pageSize: 2, sort: "id:asc" });
    const page = present(first.v2LogsCursorResponse, "a success has a body").cursor;
    expect(page.data.map(({ id }) => id)).toEqual([1n, 2n]);
    const second = await v2.listLogs({ ledger, cursor: present(page.next, "more") });
    expect(second.v2LogsCursorResponse?.cursor.data.map(({ id }) => id)).toEqual([3n]);
  });

  test("logs are exported, and imported into another ledger, which is then the same", async () => {
    const own = await writtenLedger();
    const exported = await v2.exportLogs({ ledger: own });
    expect(exported).toMatchObject({
      statusCode: 200,
      contentType: "application/octet-stream",
    });
    // The SDK reads the body but does not return it.
    const lines = await (await inLedger(own, "/logs/export", { method: "POST" })).text();
    expect(lines.trim().split("\n")).toHaveLength(5);
    const copy = await freshLedger();
    const [half = "", rest = ""] = lines.split(/(?<="id":3,.*\n)/);
    for (const part of [half, rest]) {
      const imported = await v2.importLogs({
        ledger: copy,
        v2ImportLogsRequest: new TextEncoder().encode(part),
      });
      expect(imported.statusCode).toBe(204);
    }
    expect(await list({}, copy)).toEqual(await list({}, own));
    const all = async (name: string) => [
      (await v2.listTransactions({ ledger: name, expand: "volumes" })).v2TransactionsCursorResponse
        ?.cursor.data,
      (await v2.listAccounts({ ledger: name, expand: "volumes" })).v2AccountsCursorResponse?.cursor
        .data,
      (await v2.readStats({ ledger: name })).v2StatsResponse?.data,
    ];
    expect(await all(copy)).toEqual(await all(own));
  });

  test("logs end in the declared errors", async () => {
    expect(await codeOf(v2.listLogs({ ledger, query: { $match: { type: "nope" } } }))).toBe(
      "VALIDATION",
    );
    expect(await codeOf(v2.listLogs({ ledger: UNKNOWN }))).toBe("LEDGER_NOT_FOUND");
    const line = (await (await inLedger(ledger, "/logs/export", { method: "POST" })).text()).split(
      "\n",
    )[0];
    const importInto = (name: string, text: string) =>
      v2.importLogs({ ledger: name, v2ImportLogsRequest: new TextEncoder().encode(text) });
    expect(await codeOf(importInto(ledger, `${line}\n`))).toBe("IMPORT");
    expect(await codeOf(importInto(UNKNOWN, `${line}\n`))).toBe("LEDGER_NOT_FOUND");
    await expect(v2.exportLogs({ ledger: UNKNOWN })).rejects.toMatchObject({ statusCode: 404 });
  });
});
