import type { V2Transaction } from "@formance/formance-sdk/sdk/models/ledger";
import { beforeAll, describe, expect, test } from "vitest";
import { present } from "#platform/assert.ts";
import { inLedger } from "#test/support/ledger/api.ts";
import { v2, USD, at, writtenLedger } from "#test/support/ledger/written-ledger.ts";
import { codeOf } from "#test/support/platform/sdk/sdk.ts";

const UNKNOWN = "no-such-ledger";

let ledger: string;

beforeAll(async () => {
  ledger = await writtenLedger();
});

/** The status of a count. The SDK fails on a refused count, because an answer to `HEAD` has no body. */
const countStatus = async (name: string, list: string, query: unknown = {}): Promise<number> => {
  const filter = encodeURIComponent(JSON.stringify(query));
  return (await inLedger(name, `/${list}?query=${filter}`, { method: "HEAD" })).status;
};

const unknownKey = { $match: { nope: 1 } };

describe("transactions", () => {
  type Request = Omit<Parameters<typeof v2.listTransactions>[0], "ledger">;
  const list = async (request: Request): Promise<V2Transaction[]> => {
    const answer = await v2.listTransactions({ ledger, ...request });
    return present(answer.v2TransactionsCursorResponse, "a success has a body").cursor.data;
  };
  const idsOf = async (request: Request) => (await list(request)).map(({ id }) => Number(id));
  const countOf = async (request: Omit<Parameters<typeof v2.countTransactions>[0], "ledger">) => {
    const answer = await v2.countTransactions({ ledger, ...request });
    expect(answer.statusCode).toBe(204);
    return answer.headers["count"]?.[0];
  };

  test.each<[object, number[]]>([
    [{}, [4, 3, 2, 1]],
    [{ $match: { "metadata[kind]": "order" } }, [2]],
    [{ $exists: { metadata: "kind" } }, [2, 1]],
    [{ $not: { $exists: { metadata: "kind" } } }, [4, 3]],
    [{ $match: { account: "shops:..." } }, [4, 2]],
    [{ $match: { destination: "users:" } }, [4, 3, 1]],
    [{ $match: { source: "world" } }, [3, 1]],
    [{ $like: { reference: "order-%" } }, [2]],
    [{ $match: { reverted: true } }, [2]],
    [{ $gte: { id: 3 } }, [4, 3]],
    [{ $lt: { timestamp: at("12:00").toISOString() } }, [3, 1]],
    [{ $and: [{ $match: { account: "users:1" } }, { $or: [{ $lt: { id: 2 } }] }] }, [1]],
  ])("transactions are listed and counted with the filter %j", async (query, ids) => {
    expect(await idsOf({ query })).toEqual(ids);
    expect(await countOf({ query })).toBe(`${ids.length}`);
  });

  test("transactions are listed and counted as of a point in time", async () => {
    const pit = at("11:30");
    expect(await idsOf({ pit })).toEqual([3, 1]);
    expect(await countOf({ pit })).toBe("2");
    expect(await countOf({ pit, query: { $match: { "metadata[kind]": "deposit" } } })).toBe("1");
    const [second] = await list({ pit: at("12:30"), query: { $match: { id: 2 } } });
    expect(second).toMatchObject({ id: 2n, reverted: false });
    expect(second?.revertedAt).toBeUndefined();
  });

  test("transactions are walked with their filter, order and volumes, both ways", async () => {
    const first = await v2.listTransactions({
      ledger,
      query: { $match: { account: "users:1" } },
      sort: "timestamp:asc",
      expand: "volumes",
      pageSize: 2,
    });
    const page = present(first.v2TransactionsCursorResponse, "a success has a body").cursor;
    expect(page.data.map(({ id }) => id)).toEqual([1n, 3n]);
    expect(page.data[1]?.postCommitVolumes?.["users:1"]?.[USD]).toEqual({
      input: 105n,
      output: 30n,
      balance: 75n,
    });
    const second = await v2.listTransactions({ ledger, cursor: present(page.next, "more") });
    const rest = present(second.v2TransactionsCursorResponse, "a success has a body").cursor;
    expect(rest.data.map(({ id }) => id)).toEqual([2n, 4n]);
    expect(rest.data[0]?.postCommitVolumes?.["users:1"]?.[USD]).toEqual({
      input: 100n,
      output: 30n,
      balance: 70n,
    });
    const back = await v2.listTransactions({ ledger, cursor: present(rest.previous, "a page") });
    expect(back.v2TransactionsCursorResponse?.cursor.data).toEqual(page.data);
  });

  test("transactions show the volumes in the order of their dates", async () => {
    const [first, third] = await list({ sort: "timestamp:asc", expand: "effectiveVolumes" });
    const volumesOf = (transaction: V2Transaction | undefined) =>
      transaction?.postCommitEffectiveVolumes?.["users:1"]?.[USD];
    expect(volumesOf(first)).toMatchObject({ input: 100n, output: 0n });
    expect(volumesOf(third)).toMatchObject({ input: 105n, output: 0n });
  });

  test("transactions are read as of a point in time", async () => {
    const get = async (id: bigint, pit: Date) =>
      (await v2.getTransaction({ ledger, id, pit, expand: "volumes" })).v2GetTransactionResponse
        ?.data;
    expect(await get(2n, at("12:00"))).toMatchObject({
      reverted: false,
      metadata: { kind: "order" },
    });
    expect(await codeOf(get(2n, at("11:59")))).toBe("NOT_FOUND");
  });

  test("transactions end in the declared errors", async () => {
    expect(await codeOf(v2.listTransactions({ ledger, query: unknownKey }))).toBe("VALIDATION");
    expect(await codeOf(v2.listTransactions({ ledger, cursor: "e30" }))).toBe("VALIDATION");
    expect(await codeOf(v2.listTransactions({ ledger: UNKNOWN, query: {} }))).toBe(
      "LEDGER_NOT_FOUND",
    );
    expect(await countStatus(ledger, "transactions", unknownKey)).toBe(400);
    expect(await countStatus(UNKNOWN, "transactions")).toBe(404);
  });
});

describe("accounts", () => {
  type Request = Omit<Parameters<typeof v2.listAccounts>[0], "ledger">;
  const list = async (request: Request) => {
    const answer = await v2.listAccounts({ ledger, ...request });
    return present(answer.v2AccountsCursorResponse, "a success has a body").cursor.data;
  };
  const countOf = async (request: Omit<Parameters<typeof v2.countAccounts>[0], "ledger">) => {
    const answer = await v2.countAccounts({ ledger, ...request });
    expect(answer.statusCode).toBe(204);
    return answer.headers["count"]?.[0];
  };

  test.each<[object, string[]]>([
    [{}, ["shops:42:main", "users:1", "users:2", "world"]],
    [{ $match: { address: "users:" } }, ["users:1", "users:2"]],
    [{ $match: { address: "shops:..." } }, ["shops:42:main"]],
    [{ $in: { address: ["world", "nobody"] } }, ["world"]],
    [{ $match: { "metadata[tier]": "gold" } }, ["users:1"]],
    [{ $not: { $exists: { metadata: "tier" } } }, ["shops:42:main", "world"]],
    [{ $lt: { [`balance[${USD}]`]: 0 } }, ["world"]],
    [{ $match: { [`balance[${USD}]`]: 105 } }, ["users:1"]],
    [{ $lte: { first_usage: at("12:00").toISOString() } }, ["shops:42:main", "users:1", "world"]],
  ])("accounts are listed and counted with the filter %j", async (query, addresses) => {
    expect((await list({ query })).map(({ address }) => address)).toEqual(addresses);
    expect(await countOf({ query })).toBe(`${addresses.length}`);
  });

  test("accounts are listed, counted and read as of a point in time", async () => {
    const pit = at("11:30");
    const found = await list({ pit, expand: "effectiveVolumes" });
    expect(found.map(({ address }) => address)).toEqual(["users:1", "world"]);
    expect(found[0]?.effectiveVolumes).toEqual({
      [USD]: { input: 105n, output: 0n, balance: 105n },
    });
    expect(await countOf({ pit })).toBe("2");
    const query = { $match: { [`balance[${USD}]`]: 105 } };
    expect(await countOf({ pit, query })).toBe("1");
    expect(await countOf({ pit: at("10:30"), query })).toBe("0");
    const shop = async (time: string) =>
      (
        await v2.getAccount({
          ledger,
          address: "shops:42:main",
          pit: at(time),
          expand: "effectiveVolumes",
        })
      ).v2AccountResponse?.data;
    expect((await shop("12:00"))?.effectiveVolumes?.[USD]).toMatchObject({ balance: 30n });
    expect(await codeOf(shop("11:59"))).toBe("NOT_FOUND");
  });

  test("accounts are walked with their filter", async () => {
    const query = { $exists: { metadata: "tier" } };
    const first = await v2.listAccounts({ ledger, query, pageSize: 1, sort: "address:desc" });
    const page = present(first.v2AccountsCursorResponse, "a success has a body").cursor;
    expect(page).toMatchObject({ hasMore: true, data: [{ address: "users:2" }] });
    const second = await v2.listAccounts({ ledger, cursor: present(page.next, "more") });
    expect(second.v2AccountsCursorResponse?.cursor).toMatchObject({
      hasMore: false,
      data: [{ address: "users:1" }],
    });
  });

  test("accounts end in the declared errors", async () => {
    expect(await codeOf(v2.listAccounts({ ledger, query: { $match: { account: "a" } } }))).toBe(
      "VALIDATION",
    );
    expect(await codeOf(v2.listAccounts({ ledger: UNKNOWN, query: {} }))).toBe("LEDGER_NOT_FOUND");
    expect(await countStatus(ledger, "accounts", unknownKey)).toBe(400);
    expect(await countStatus(UNKNOWN, "accounts")).toBe(404);
  });
});

describe("volumes", () => {
  type Request = Omit<Parameters<typeof v2.getVolumesWithBalances>[0], "ledger">;
  const get = async (request: Request) => {
    const answer = await v2.getVolumesWithBalances({ ledger, ...request });
    return present(answer.v2VolumesWithBalanceCursorResponse, "a success has a body").cursor;
  };
  const linesOf = async (request: Request): Promise<string[]> =>
    (await get(request)).data.map(({ account, asset, input, output, balance }) => {
      expect(balance).toBe(input - output);
      return `${account} ${asset} ${input} ${output}`;
    });

  test("volumes are the totals, or what moved in a period", async () => {
    expect(await linesOf({})).toEqual([
      "shops:42:main USD/2 30 30",
      "users:1 USD/2 135 30",
      "world USD/2 0 105",
    ]);
    expect(await linesOf({ endTime: at("11:00") })).toEqual([
      "users:1 USD/2 105 0",
      "world USD/2 0 105",
    ]);
    expect(await linesOf({ startTime: at("11:00"), endTime: at("12:00") })).toEqual([
      "shops:42:main USD/2 30 0",
      "users:1 USD/2 5 30",
      "world USD/2 0 5",
    ]);
    expect(await linesOf({ endTime: at("12:00"), insertionDate: true })).toEqual([]);
  });

  test("volumes are filtered, summed up in groups and walked", async () => {
    expect(await linesOf({ query: { $match: { "metadata[tier]": "gold" } } })).toEqual([
      "users:1 USD/2 135 30",
    ]);
    expect(await linesOf({ query: { $match: { account: "shops:..." } }, groupBy: 1 })).toEqual([
      "shops USD/2 30 30",
    ]);
    const first = await get({ pageSize: 1, groupBy: 1, endTime: at("12:00") });
    expect(first.data.map(({ account }) => account)).toEqual(["shops"]);
    const second = await get({ cursor: present(first.next, "more") });
    expect(second.data.map(({ account }) => account)).toEqual(["users"]);
    const last = await get({ cursor: present(second.next, "more") });
    expect(last).toMatchObject({ hasMore: false, data: [{ account: "world" }] });
  });

  test("volumes end in the declared errors", async () => {
    const call = (request: Request) => codeOf(v2.getVolumesWithBalances({ ledger, ...request }));
    expect(await call({ query: unknownKey })).toBe("VALIDATION");
    expect(await call({ sort: "balance" })).toBe("VALIDATION");
    expect(await call({ cursor: "e30" })).toBe("VALIDATION");
    expect(await codeOf(v2.getVolumesWithBalances({ ledger: UNKNOWN }))).toBe("LEDGER_NOT_FOUND");
  });
});

describe("aggregated balances", () => {
  type Request = Omit<Parameters<typeof v2.getBalancesAggregated>[0], "ledger">;
  const get = async (request: Request) => {
    const answer = await v2.getBalancesAggregated({ ledger, ...request });
    return present(answer.v2AggregateBalancesResponse, "a success has a body").data;
  };

  test("aggregated balances are sums over the accounts of a filter, now or at a point in time", async () => {
    expect(await get({})).toEqual({ [USD]: 0n });
    const users = { $match: { address: "users:..." } };
    expect(await get({ query: users })).toEqual({ [USD]: 105n });
    expect(await get({ query: users, pit: at("12:00") })).toEqual({ [USD]: 75n });
    expect(await get({ query: users, pit: at("12:00"), useInsertionDate: true })).toEqual({});
    expect(await get({ query: { $match: { "metadata[tier]": "gold" } } })).toEqual({ [USD]: 105n });
    expect(await get({ query: { $match: { address: "nobody" } } })).toEqual({});
  });

  test("aggregated balances end in the declared errors", async () => {
    expect(await codeOf(v2.getBalancesAggregated({ ledger, query: unknownKey }))).toBe(
      "VALIDATION",
    );
    expect(await codeOf(v2.getBalancesAggregated({ ledger: UNKNOWN }))).toBe("LEDGER_NOT_FOUND");
  });
});
