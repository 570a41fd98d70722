import { beforeAll, describe, expect, test } from "vitest";
import { present } from "#platform/assert.ts";
import { freshLedger, okBodyOf, pay, refusalOf } from "#test/support/ledger/api.ts";
import {
  codeOf,
  countOf,
  INVALID_NAME,
  inV1,
  v1,
  v2,
  writtenLedger,
} from "#test/support/ledger/v1.ts";
import { type ApiInit, api, bodyOf, freshName, token } from "#test/support/platform/api.ts";

let ledger: string;
beforeAll(async () => {
  ledger = await writtenLedger();
});

async function addressesOf(query: string): Promise<string[]> {
  const body = await okBodyOf<{ cursor: { data: { address: string }[] } }>(
    inV1(ledger, `/accounts?${query}`),
  );
  return body.cursor.data.map(({ address }) => address);
}

describe("accounts of version 1", () => {
  test("accounts of version 1 are read with volumes and balances, or without where nothing has happened", async () => {
    const { accountResponse } = await v1.getAccountLedger({ ledger, address: "users:1" });
    expect(accountResponse?.data).toEqual({
      address: "users:1",
      metadata: { tier: "gold" },
      volumes: { USD: { input: 130n, output: 30n, balance: 100n } },
      balances: { USD: 100n },
    });
    expect(await bodyOf(await inV1(ledger, "/accounts/nobody"))).toEqual({
      data: {
        address: "nobody",
        metadata: {},
        firstUsage: "0001-01-01T00:00:00Z",
        insertionDate: "0001-01-01T00:00:00Z",
        updatedAt: "0001-01-01T00:00:00Z",
        balances: {},
      },
    });
    const past = await okBodyOf(inV1(ledger, "/accounts/bank?pit=2025-01-01T12:00:00Z"));
    expect(past).toMatchObject({ data: { address: "bank", balances: {} } });
  });

  test("accounts of version 1 are listed by address, with a cursor or behind one of them", async () => {
    const { accountsCursorResponse } = await v1.listAccountsLedger({ ledger, pageSize: 1 });
    const cursor = present(accountsCursorResponse, "a success has a body").cursor;
    expect(cursor).toMatchObject({ hasMore: true, data: [{ address: "bank", metadata: {} }] });
    const next = present(cursor.next, "there are more");
    const second = await v1.listAccountsLedger({ ledger, cursor: next });
    expect(second.accountsCursorResponse?.cursor.data).toMatchObject([{ address: "users:1" }]);
    expect(await addressesOf(`pagination_token=${next}`)).toEqual(["users:1"]);
    expect(await addressesOf("page_size=2")).toEqual(["bank", "users:1"]);
    expect(await addressesOf("after=bank")).toEqual(["users:1", "world"]);
    expect(await addressesOf("after=users")).toEqual(["users:1", "world"]);
    expect(await addressesOf("after=world")).toEqual([]);
    expect(await addressesOf("after=bank&address=users:...")).toEqual(["users:1"]);
    expect(await addressesOf("after=users:1&address=users:...")).toEqual([]);
    expect(await addressesOf("after=bank&balance=-100&pageSize=1")).toEqual(["users:1"]);
    expect(await addressesOf("after=users:1&metadata[tier]=gold")).toEqual([]);
  });

  test.each([
    ["address=users:", ["users:1"]],
    ["metadata[tier]=gold", ["users:1"]],
    ["metadata[tier]=silver", []],
    ["balance=100", ["users:1"]],
    ["balance=1", ["users:1"]],
    ["balance=0&balanceOperator=gt", ["users:1"]],
    ["balance=0&balanceOperator=e", ["bank", "world"]],
    ["balance=0&balanceOperator=ne", ["users:1"]],
    ["balance=0&balanceOperator=lt", ["world"]],
    ["balance=-100&balanceOperator=lte", ["world"]],
    ["balance=-100&address=world", ["world"]],
    ["balance=1000000000000000000000000&balanceOperator=lt", ["bank", "users:1", "world"]],
  ])("accounts of version 1 are listed and counted by %s", async (query, addresses) => {
    expect(await addressesOf(query)).toEqual(addresses);
    expect(await countOf(ledger, `/accounts?${query}`)).toEqual([204, `${addresses.length}`]);
  });

  test("accounts of version 1 are counted by the SDK", async () => {
    const { statusCode, headers } = await v1.countAccounts({
      ledger,
      metadata: { tier: "gold" },
      address: "users:...",
    });
    expect([statusCode, headers["count"]]).toEqual([204, ["1"]]);
  });

  test("accounts of version 1 have balances, with one object per account", async () => {
    const { balancesCursorResponse } = await v1.getBalances({ ledger });
    expect(balancesCursorResponse?.cursor.data).toEqual([
      { bank: { EUR: 0, USD: 0 } },
      { "users:1": { USD: 100 } },
      { world: { EUR: 0, USD: -100 } },
    ]);
    const of = async (request: { address?: string; after?: string }) =>
      (await v1.getBalances({ ledger, ...request })).balancesCursorResponse?.cursor.data;
    expect(await of({ address: "users:" })).toEqual([{ "users:1": { USD: 100 } }]);
    expect(await of({ after: "bank" })).toHaveLength(2);
    const page = await v1.getBalances({ ledger, pageSize: 1 });
    const next = present(page.balancesCursorResponse?.cursor.next, "there are more");
    const second = await v1.getBalances({ ledger, cursor: next });
    expect(second.balancesCursorResponse?.cursor.data).toEqual([{ "users:1": { USD: 100 } }]);
    // A cursor of another list is refused.
    expect(await codeOf(v1.listAccountsLedger({ ledger, cursor: next }))).toBe("VALIDATION");
  });

  test("accounts of version 1 are listed with the volumes that are asked for", async () => {
    for (const query of [
      "expand=volumes,effectiveVolumes",
      "expand=volumes&expand=effectiveVolumes",
    ]) {
      const path = `/accounts?address=users:1&${query}`;
      const { cursor } = await okBodyOf<{ cursor: { data: unknown[] } }>(inV1(ledger, path));
      const volumes = { USD: { input: 130, output: 30, balance: 100 } };
      expect(cursor.data).toMatchObject([{ volumes, effectiveVolumes: volumes }]);
    }
  });

  test("accounts of version 1 have current volumes and balances also where moves have no history", async () => {
    const own = freshName();
    const features = { MOVES_HISTORY: "OFF" };
    await v2.createLedger({ ledger: own, v2CreateLedgerRequest: { features } });
    await okBodyOf(inV1(own, "/transactions", { body: pay("world -> a", 7) }));
    const { accountResponse } = await v1.getAccountLedger({ ledger: own, address: "a" });
    expect(accountResponse?.data).toMatchObject({
      volumes: { USD: { input: 7n, output: 0n, balance: 7n } },
      balances: { USD: 7n },
    });
    const nobody = await v1.getAccountLedger({ ledger: own, address: "nobody" });
    expect(nobody.accountResponse?.data).toMatchObject({ address: "nobody", balances: {} });
    const { balancesCursorResponse } = await v1.getBalances({ ledger: own });
    expect(balancesCursorResponse?.cursor.data).toEqual([
      { a: { USD: 7 } },
      { world: { USD: -7 } },
    ]);
    // Version 1, like version 2, refuses volumes that are asked for by name, and volumes of the past.
    const past = "pit=2025-01-01T00:00:00Z";
    for (const path of ["/accounts?expand=volumes", `/accounts/a?${past}`, `/balances?${past}`]) {
      const refusal = await refusalOf(inV1(own, path));
      expect([path, refusal.status, refusal.code]).toEqual([path, 400, "VALIDATION"]);
    }
  });

  test("accounts of version 1 have their balances summed", async () => {
    const sumOf = async (address?: string) =>
      (await v1.getBalancesAggregated({ ledger, ...(address === undefined ? {} : { address }) }))
        .aggregateBalancesResponse?.data;
    expect(await sumOf()).toEqual({ EUR: 0, USD: 0 });
    expect(await sumOf("users:")).toEqual({ USD: 100 });
    expect(await sumOf("nobody")).toEqual({});
  });

  test("accounts of version 1 are summed by the date of insertion, or by the effective one", async () => {
    const path = "/aggregate/balances?address=users:1&pit=2025-01-01T12:00:00Z";
    expect(await okBodyOf(inV1(ledger, path))).toEqual({ data: {} });
    const effective = await okBodyOf(inV1(ledger, `${path}&useInsertionDate=false`));
    expect(effective).toEqual({ data: { USD: 100 } });
  });

  test("accounts of version 1 get metadata, and lose it", async () => {
    const own = await freshLedger();
    const add = (address: string, requestBody: Record<string, unknown>) =>
      v1.addMetadataToAccount({ ledger: own, address, requestBody });
    expect((await add("a", { k: "v" })).statusCode).toBe(204);
    const metadataOf = async () =>
      (await v1.getAccountLedger({ ledger: own, address: "a" })).accountResponse?.data.metadata;
    expect(await metadataOf()).toEqual({ k: "v" });
    const removed = await inV1(own, "/accounts/a/metadata/k", { method: "DELETE" });
    expect(removed.status).toBe(204);
    expect(await metadataOf()).toEqual({});
    expect(await codeOf(add("bad one", { k: "v" }))).toBe("VALIDATION");
    expect(await codeOf(add("a", { k: 1 }))).toBe("VALIDATION");
  });

  test("accounts of version 1 end in the declared errors", async () => {
    expect(await codeOf(v1.getAccountLedger({ ledger, address: "bad one" }))).toBe("VALIDATION");
    expect(await codeOf(v1.listAccountsLedger({ ledger, cursor: "!" }))).toBe("VALIDATION");
    expect(await codeOf(v1.listAccountsLedger({ ledger, after: "bad one" }))).toBe("VALIDATION");
    expect(await codeOf(v1.getBalances({ ledger, cursor: "!" }))).toBe("VALIDATION");
    expect(await codeOf(v1.getBalancesAggregated({ ledger: INVALID_NAME }))).toBe("VALIDATION");
    expect(await countOf(INVALID_NAME, "/accounts")).toEqual([400, null]);
    for (const query of [
      "balance=x",
      "balance=1&balanceOperator=eq",
      "metadata=x",
      "metadata[]=x",
      "pit=x",
    ]) {
      const refusal = await refusalOf(inV1(ledger, `/accounts?${query}`));
      expect([query, refusal.status, refusal.code]).toEqual([query, 400, "VALIDATION"]);
    }
  });
});

describe("a ledger of version 1", () => {
  test("a ledger of version 1 shows its log entries, without those that the clients refuse", async () => {
    const { logsCursorResponse } = await v1.listLogs({ ledger });
    const cursor = present(logsCursorResponse, "a success has a body").cursor;
    expect(cursor.data.map(({ id, type }) => [id, type])).toEqual([
      [4, "SET_METADATA"],
      [2, "NEW_TRANSACTION"],
      [1, "NEW_TRANSACTION"],
    ]);
    const idsOfLogs = async (request: Omit<Parameters<typeof v1.listLogs>[0], "ledger">) =>
      (await v1.listLogs({ ledger, ...request })).logsCursorResponse?.cursor.data.map(
        ({ id }) => id,
      );
    expect(await idsOfLogs({ after: "4" })).toEqual([2, 1]);
    expect(await idsOfLogs({ startTime: new Date("2020-01-01T00:00:00Z") })).toEqual([4, 2, 1]);
    expect(await idsOfLogs({ endTime: new Date("2020-01-01T00:00:00Z") })).toEqual([]);
    const page = await v1.listLogs({ ledger, pageSize: 2 });
    const next = present(page.logsCursorResponse?.cursor.next, "there are more");
    expect(await idsOfLogs({ cursor: next })).toEqual([1]);
    expect(await codeOf(v1.listLogs({ ledger, cursor: "!" }))).toBe("VALIDATION");
  });

  test("a ledger of version 1 shows its log to the SDK also where nothing is hashed", async () => {
    const own = freshName();
    await v2.createLedger({
      ledger: own,
      v2CreateLedgerRequest: { features: { HASH_LOGS: "DISABLED" } },
    });
    await okBodyOf(inV1(own, "/transactions", { body: pay("world -> a", 1) }));
    const { logsCursorResponse } = await v1.listLogs({ ledger: own });
    expect(logsCursorResponse?.cursor.data).toMatchObject([{ id: 1, hash: "" }]);
  });

  test("a ledger of version 1 shows its counts and its storage", async () => {
    const { statsResponse } = await v1.readStats({ ledger });
    expect(statsResponse?.data).toEqual({ transactions: 3, accounts: 3 });
    const { ledgerInfoResponse } = await v1.getLedgerInfo({ ledger });
    expect(ledgerInfoResponse?.data).toMatchObject({ name: ledger });
    const migrations = ledgerInfoResponse?.data?.storage?.migrations ?? [];
    expect(migrations.length).toBeGreaterThan(0);
    expect(new Set(migrations.map(({ state }) => state))).toEqual(new Set(["DONE"]));
    expect(await codeOf(v1.readStats({ ledger: INVALID_NAME }))).toBe("VALIDATION");
    expect(await codeOf(v1.getLedgerInfo({ ledger: INVALID_NAME }))).toBe("VALIDATION");
  });

  test("a ledger of version 1 has no mapping", async () => {
    expect(await codeOf(v1.getMapping({ ledger }))).toBe("NOT_FOUND");
    const mapping = { contracts: [] };
    expect(await codeOf(v1.updateMapping({ ledger, mapping }))).toBe("NOT_FOUND");
  });

  test("a ledger of version 1 belongs to a server that tells about itself", async () => {
    const { statusCode, configInfoResponse } = await v1.getInfo();
    expect(statusCode).toBe(200);
    expect(configInfoResponse?.data).toMatchObject({ server: "ledger" });
    const { object } = await v2.getMetrics();
    const { v2LedgerListResponse } = await v2.listLedgers({ pageSize: 1000 });
    const ids = v2LedgerListResponse?.cursor.data.map(({ id }) => Number(id)) ?? [];
    expect(object).toEqual({ latestLedgerId: Math.max(...ids) });
  });
});

describe("paths of version 1", () => {
  test("paths of version 1 do not take the prefixes of other routes for ledgers", async () => {
    const paths = ["/v2/accounts/a", "/v2/transactions/1", "/_/stats", "/_/transactions"];
    for (const path of paths) {
      const refusal = await refusalOf(api(`/api/ledger${path}`));
      expect([path, refusal.status, refusal.code]).toEqual([path, 404, "NOT_FOUND"]);
    }
    await okBodyOf(api("/api/ledger/_/info"));
    await okBodyOf(api("/api/ledger/_healthcheck"));
    const ledgers = await v2.listLedgers({ pageSize: 1000 });
    const names = ledgers.v2LedgerListResponse?.cursor.data.map(({ name }) => name);
    expect(names).not.toEqual(expect.arrayContaining(["v2"]));
    expect(names).not.toEqual(expect.arrayContaining(["_"]));
  });

  test("paths of version 1 say which methods they have, as those of version 2 do", async () => {
    const allowed = async (method: string, path: string) => {
      const response = await api(`/api/ledger${path}`, { method });
      await response.text();
      const methods = (response.headers.get("allow") ?? "").split(", ");
      return [response.status, methods.toSorted((a, b) => (a < b ? -1 : 1)).join(" ")];
    };
    expect(await allowed("PUT", `/${ledger}/stats`)).toEqual([405, "GET OPTIONS"]);
    expect(await allowed("PATCH", `/${ledger}/accounts`)).toEqual([405, "GET HEAD OPTIONS"]);
    // In version 2, the path is that of a ledger whose name is the name of a list.
    expect(await allowed("HEAD", "/v2/accounts")).toEqual([405, "GET OPTIONS POST"]);
    expect(await allowed("PUT", "/v2/accounts/a")).toEqual([404, ""]);
  });

  test("paths of version 1 are open to those tokens only that may read, or write", async () => {
    const [reader, writer] = [await token("ledger:read"), await token("ledger:write")];
    const create = { body: pay("world -> a", 1) };
    const statusOf = async (path: string, init: ApiInit) => (await inV1(ledger, path, init)).status;
    expect(await statusOf("/transactions", { ...create, token: reader })).toBe(401);
    expect(await statusOf("/transactions", { token: reader })).toBe(200);
    expect(await statusOf("/transactions", { token: null })).toBe(401);
    expect(await statusOf("/transactions?preview=1", { ...create, token: writer })).toBe(200);
    expect((await api("/api/ledger/_info", { token: null })).status).toBe(200);
  });
});
