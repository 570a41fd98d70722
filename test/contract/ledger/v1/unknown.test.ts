import { describe, expect, test } from "vitest";
import { freshLedger, okBodyOf, pay, refusalOf, tablesIn } from "#test/support/ledger/api.ts";
import { codeOf, countOf, INVALID_NAME, inV1, v1, v2 } from "#test/support/ledger/v1.ts";
import { type ApiInit, freshName, token } from "#test/support/platform/api.ts";

describe("a ledger that does not exist", () => {
  const infoOf = async (name: string) =>
    (await v2.getLedger({ ledger: name })).v2GetLedgerResponse?.data;

  test("a ledger that does not exist is created by any write, in a bucket of its name and with the default features", async () => {
    const writes: readonly [string, ApiInit][] = [
      ["/transactions", { body: pay("world -> a", 1) }],
      ["/transactions?preview=yes", { body: pay("world -> a", 1) }],
      ["/transactions/batch", { body: { transactions: [pay("world -> a", 1)] } }],
      ["/accounts/a/metadata", { body: { k: "v" } }],
      ["/accounts/a/metadata/k", { method: "DELETE" }],
    ];
    for (const [path, init] of writes) {
      const own = freshName();
      expect([path, (await inV1(own, path, init)).ok]).toEqual([path, true]);
      expect(await infoOf(own)).toMatchObject({
        bucket: own,
        metadata: {},
        features: { HASH_LOGS: "SYNC", MOVES_HISTORY: "ON" },
      });
    }
  });

  test("a ledger that does not exist is read as an empty one, and is not created by that", async () => {
    const [own, empty] = [freshName(), await freshLedger()];
    const answerOf = async (ledger: string, path: string, method: "GET" | "HEAD" = "GET") => {
      const answer = await inV1(ledger, path, { method });
      const { status, headers } = answer;
      return { path, status, count: headers.get("count"), text: await answer.text() };
    };
    const cursor = Buffer.from('{"offset":1,"pageSize":2}').toString("base64url");
    for (const path of [
      "/stats",
      "/logs",
      "/transactions",
      "/transactions?pageSize=3&account=users:",
      `/transactions?cursor=${cursor}`,
      "/transactions/1",
      "/transactions/1?pit=x",
      "/accounts",
      "/accounts?expand=volumes,effectiveVolumes&pit=2025-01-01T00:00:00Z",
      "/accounts?balance=1&balanceOperator=ne",
      "/accounts?metadata=x",
      "/accounts/a",
      "/accounts/bad one",
      "/balances",
      "/aggregate/balances",
      "/aggregate/balances?pit=2025-01-01T00:00:00Z",
    ]) {
      expect(await answerOf(own, path)).toEqual(await answerOf(empty, path));
    }
    for (const path of [
      "/transactions",
      "/transactions?source=a",
      "/accounts",
      "/accounts?pit=x",
    ]) {
      expect(await answerOf(own, path, "HEAD")).toEqual(await answerOf(empty, path, "HEAD"));
    }
    const info = await okBodyOf(inV1(own, "/_info"));
    expect(info).toEqual({ data: { name: own, storage: { migrations: [] } } });
    await expect(infoOf(own)).rejects.toMatchObject({ errorCode: "NOT_FOUND" });
    expect(await tablesIn(own)).toEqual([]);
  });

  test("a ledger that does not exist is created with the scope for writing only", async () => {
    const own = freshName();
    const reader = { token: await token("ledger:read") };
    expect((await inV1(own, "/stats", reader)).status).toBe(200);
    const write = { ...reader, body: pay("world -> a", 1) };
    expect((await inV1(own, "/transactions", write)).status).toBe(401);
    await expect(infoOf(own)).rejects.toMatchObject({ errorCode: "NOT_FOUND" });
    const writer = { token: await token("ledger:write"), body: pay("world -> a", 1) };
    expect((await inV1(own, "/transactions", writer)).status).toBe(200);
    expect(await infoOf(own)).toMatchObject({ bucket: own });
  });

  test("a ledger that does not exist is created once by many writes at the same time", async () => {
    const own = freshName();
    const answers = await Promise.all(
      Array.from({ length: 12 }, () => inV1(own, "/transactions", { body: pay("world -> a", 1) })),
    );
    const bodies = await Promise.all(answers.map((it) => okBodyOf<{ data: { id: number }[] }>(it)));
    const ids = bodies.map(({ data }) => data[0]?.id ?? 0).toSorted((a, b) => a - b);
    expect(ids).toEqual(Array.from({ length: 12 }, (_, index) => index + 1));
    expect(await infoOf(own)).toMatchObject({ bucket: own });
  });

  test("a ledger that does not exist is not created without a token, nor under a name that no ledger can have", async () => {
    const own = freshName();
    const unknown = { token: null, body: pay("world -> a", 1) };
    expect((await inV1(own, "/transactions", unknown)).status).toBe(401);
    await expect(infoOf(own)).rejects.toMatchObject({ errorCode: "NOT_FOUND" });
    const write = { body: pay("world -> a", 1) };
    for (const name of [INVALID_NAME, "_info", "_healthcheck", "x".repeat(64)]) {
      for (const request of [inV1(name, "/stats"), inV1(name, "/transactions", write)]) {
        const { status, code } = await refusalOf(request);
        expect([name, status, code]).toEqual([name, 400, "VALIDATION"]);
      }
    }
  });

  test("a ledger that does not exist is neither shown nor created again after its deletion, until it is restored", async () => {
    const own = freshName();
    const create = { body: pay("world -> a", 1) };
    await okBodyOf(inV1(own, "/transactions", create));
    await v2.deleteBucket({ bucket: own });
    const refused = [
      inV1(own, "/stats"),
      inV1(own, "/accounts"),
      inV1(own, "/accounts/a"),
      inV1(own, "/transactions", create),
      inV1(own, "/transactions/batch", { body: { transactions: [create.body] } }),
      inV1(own, "/transactions/1/revert", { method: "POST" }),
      inV1(own, "/accounts/a/metadata", { body: { k: "v" } }),
    ];
    for (const answer of refused) {
      expect(await refusalOf(answer)).toMatchObject({ status: 404, code: "NOT_FOUND" });
    }
    // The types of the SDK for version 1 have no error code for unknown ledgers.
    expect(await codeOf(v1.getAccountLedger({ ledger: own, address: "a" }))).toBe("NOT_FOUND");
    const { errorResponse } = await v1.listAccountsLedger({ ledger: own });
    expect(errorResponse?.errorCode).toBe("NOT_FOUND");
    const plain = "send [USD 1] (\n  source = @world\n  destination = @a\n)";
    const { scriptResponse } = await v1.runScript({ ledger: own, script: { plain } });
    expect(scriptResponse?.errorCode).toBe("NOT_FOUND");
    expect(await countOf(own, "/transactions")).toEqual([404, null]);
    await v2.restoreBucket({ bucket: own });
    const { statsResponse } = await v1.readStats({ ledger: own });
    expect(statsResponse?.data).toEqual({ transactions: 1, accounts: 2 });
  });
});
