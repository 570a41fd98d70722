import { runInDurableObject } from "cloudflare:test";
import { beforeAll, describe, expect, test } from "vitest";
import { durableSql } from "#platform/sql/durable-sql.ts";
import { addressesOf } from "#test/support/ledger-engine/account-reads.ts";
import { at, create, posting, TestLedger } from "#test/support/ledger-engine/fixtures.ts";
import { datedVolumes, volumeRows } from "#test/support/ledger-engine/volume-reads.ts";
import {
  freshLedger,
  inLedger,
  objectOf,
  okBodyOf,
  pay,
  post,
  refusalOf,
} from "#test/support/ledger/api.ts";
import { CountingSql } from "#test/support/ledger/counting-sql.ts";
import { freshName } from "#test/support/platform/api.ts";

interface PageBody {
  readonly cursor: {
    readonly hasMore: boolean;
    readonly previous?: string;
    readonly next: string;
    readonly data: readonly {
      readonly account: string;
      readonly asset: string;
      readonly input: number;
      readonly output: number;
    }[];
  };
}

const LARGE = 123_456_789_012_345_678_901_234_567_890n;
let ledger: string;

/** The ledger gets three transactions dated in January 2025, of which the second is inserted last. */
beforeAll(async () => {
  ledger = await freshLedger();
  const dates = { first: "2025-01-01T00:00:00Z", second: "2025-01-02T00:00:00Z" };
  await okBodyOf(post(ledger, pay("world -> users:1", 100, { timestamp: dates.first })));
  await okBodyOf(
    post(ledger, pay("world -> users:2", LARGE, { timestamp: "2025-01-03T00:00:00Z" })),
  );
  await okBodyOf(post(ledger, pay("users:1 -> bank", 30, { timestamp: dates.second })));
  await inLedger(ledger, "/accounts/users:1/metadata", { body: { vip: "yes" } });
});

const read = (query: string) => inLedger(ledger, `/volumes?${query}`);
const rows = async (query: string): Promise<string[]> =>
  (await okBodyOf<PageBody>(read(query))).cursor.data.map(
    ({ account, asset, input, output }) => `${account} ${asset} ${input}/${output}`,
  );
const balances = async (query: string): Promise<string> =>
  (await inLedger(ledger, `/aggregate/balances?${query}`)).text();
const filter = (where: object): string => `query=${encodeURIComponent(JSON.stringify(where))}`;
const decode = (cursor: string) =>
  JSON.parse(atob(cursor.replaceAll("-", "+").replaceAll("_", "/"))) as Record<
    "bottom" | "paginationID",
    string
  >;

describe("GET /volumes", () => {
  test("GET /volumes answers with a page of volumes, its integers exact", async () => {
    const response = await read("");
    expect(response.status).toBe(200);
    expect(await response.text()).toBe(
      `{"cursor":{"pageSize":15,"hasMore":false,"next":"","data":[` +
        `{"account":"bank","asset":"USD","input":30,"output":0,"balance":30},` +
        `{"account":"users:1","asset":"USD","input":100,"output":30,"balance":70},` +
        `{"account":"users:2","asset":"USD","input":${LARGE},"output":0,"balance":${LARGE}},` +
        `{"account":"world","asset":"USD","input":0,"output":${LARGE + 100n},"balance":${-LARGE - 100n}}]}}`,
    );
  });

  test("GET /volumes writes integers as texts for clients that ask for it", async () => {
    const headers = { "formance-bigint-as-string": "true" };
    const response = await inLedger(ledger, "/volumes?pageSize=1", { headers });
    expect(await response.text()).toContain('"input":"30","output":"0","balance":"30"');
    const sums = await inLedger(ledger, "/aggregate/balances", { headers });
    expect(await sums.text()).toBe('{"data":{"USD":"0"}}');
  });

  test.each([
    ["endTime=2025-01-02T00:00:00Z", ["bank USD 30/0", "users:1 USD 100/30", "world USD 0/100"]],
    ["pit=2025-01-01T00:00:00Z", ["users:1 USD 100/0", "world USD 0/100"]],
    [
      "pit=2025-01-03T00:00:00Z&endTime=2025-01-01T00:00:00Z",
      ["users:1 USD 100/0", "world USD 0/100"],
    ],
    [
      "startTime=2025-01-02T00:00:00Z&endTime=2025-01-02T00:00:00Z",
      ["bank USD 30/0", "users:1 USD 0/30"],
    ],
    [
      "oot=2025-01-01T00:00:00Z&startTime=2025-01-02T00:00:00Z&endTime=2025-01-02T00:00:00Z",
      ["bank USD 30/0", "users:1 USD 0/30"],
    ],
    ["endTime=2025-06-01T00:00:00Z&insertionDate=true", []],
    ["endTime=&startTime=&insertionDate=yes&expand=volumes&pageSize=1", ["bank USD 30/0"]],
    [filter({ $match: { account: "users:1" } }), ["users:1 USD 100/30"]],
    ["groupBy=1&pageSize=1&sort=account:asc", ["bank USD 30/0"]],
    [`groupBy=1&${filter({ $match: { "metadata[vip]": "yes" } })}`, ["users USD 100/30"]],
  ])("GET /volumes answers %s", async (query, expected) => {
    expect(await rows(query)).toEqual(expected);
  });

  test("GET /volumes is walked by cursors that hold its whole query", async () => {
    const query =
      "groupBy=2&sort=account:desc&pageSize=2&insertionDate=true&startTime=2025-06-01T00:00:00Z";
    const { cursor: first } = await okBodyOf<PageBody>(read(query));
    const decoded = decode(first.next);
    expect([decoded.bottom, decoded.paginationID].map((key) => key.split(" ")[0])).toEqual([
      "world",
      "users:1",
    ]);
    expect(decoded).toEqual({
      column: "account",
      order: 1,
      pageSize: 2,
      filters: {
        pit: null,
        oot: "2025-06-01T00:00:00Z",
        qb: null,
        opts: { insertionDate: true, groupBy: 2 },
      },
      bottom: decoded.bottom,
      paginationID: decoded.paginationID,
      reverse: false,
      list: `${ledger}/volumes`,
    });
    const { cursor: second } = await okBodyOf<PageBody>(
      read(`cursor=${first.next}&groupBy=1&endTime=2020-01-01T00:00:00Z`),
    );
    expect([first, second].map(({ data }) => data.map(({ account }) => account))).toEqual([
      ["world", "users:2"],
      ["users:1", "bank"],
    ]);
    const { cursor: back } = await okBodyOf<PageBody>(read(`cursor=${second.previous}`));
    expect(back.data).toEqual(first.data);
  });

  test.each([
    "groupBy=x",
    "groupBy=1.5",
    "endTime=x",
    "startTime=2025-01-01",
    "sort=balance:desc",
    "sort=account:up",
    "pageSize=x",
    "cursor=e30",
    "query=bad",
    filter({ $match: { nope: 1 } }),
    filter({ $match: { account: 1 } }),
    filter({ $gt: { insertion_date: "2025-01-01T00:00:00Z" } }),
  ])("GET /volumes with %s is refused", async (query) => {
    expect(await refusalOf(read(query))).toMatchObject({ status: 400, code: "VALIDATION" });
  });

  test("GET /volumes of an unknown ledger is not found, and a slash at the end of the path means nothing", async () => {
    expect(await refusalOf(inLedger(freshName("none"), "/volumes"))).toMatchObject({ status: 404 });
    expect(await okBodyOf(inLedger(ledger, "/volumes/"))).toEqual(
      await okBodyOf(inLedger(ledger, "/volumes")),
    );
  });
});

test("balances that fit 64 bits add up to more than that, in the object's own storage", async () => {
  const large = await freshLedger();
  const most = 2n ** 63n - 1n;
  await okBodyOf(post(large, pay("world -> users:1", most)));
  await okBodyOf(post(large, pay("world -> users:2", most)));
  const query = `query=${encodeURIComponent(JSON.stringify({ $match: { address: "users:" } }))}`;
  const response = await inLedger(large, `/aggregate/balances?${query}`);
  expect(await response.text()).toBe(`{"data":{"USD":${2n * most}}}`);
});

describe("GET /aggregate/balances", () => {
  test.each([
    ["", '{"data":{"USD":0}}'],
    [filter({ $match: { address: "users:" } }), `{"data":{"USD":${LARGE + 70n}}}`],
    [filter({ $match: { address: "nobody" } }), '{"data":{}}'],
    [
      "pit=2025-01-02T00:00:00Z&" + filter({ $match: { address: "users:1" } }),
      '{"data":{"USD":70}}',
    ],
    ["pit=2025-01-02T00:00:00Z&useInsertionDate=true", '{"data":{}}'],
    ["pit=2025-01-02T00:00:00Z&use_insertion_date=1", '{"data":{}}'],
    ["useInsertionDate=true", '{"data":{"USD":0}}'],
  ])("GET /aggregate/balances answers %s", async (query, expected) => {
    expect(await balances(query)).toBe(expected);
  });

  test.each(["pit=bad", "query=bad", filter({ $match: { account: "a" } })])(
    "GET /aggregate/balances with %s is refused",
    async (query) => {
      expect(await refusalOf(inLedger(ledger, `/aggregate/balances?${query}`))).toMatchObject({
        status: 400,
        code: "VALIDATION",
      });
    },
  );

  test("GET /aggregate/balances of an unknown ledger is not found", async () => {
    expect(await refusalOf(inLedger(freshName("none"), "/aggregate/balances"))).toMatchObject({
      status: 404,
    });
  });
});

test("an account at a point in time shows the volumes of both orders by themselves", async () => {
  const shown = async (pit: string) => {
    const expand = "expand=volumes&expand=effectiveVolumes";
    const path = `/accounts/users:1?pit=${pit}&${expand}`;
    const { data } = await okBodyOf<{ data: Record<string, unknown> }>(inLedger(ledger, path));
    return [data["volumes"], data["effectiveVolumes"]];
  };
  expect(await shown("2025-01-01T00:00:00Z")).toEqual([
    undefined,
    { USD: { input: 100, output: 0, balance: 100 } },
  ]);
  const now = { USD: { input: 100, output: 30, balance: 70 } };
  expect(await shown("9999-01-01T00:00:00Z")).toEqual([now, now]);
  expect(
    await refusalOf(inLedger(ledger, "/accounts/users:1?pit=2024-12-31T23:59:59Z")),
  ).toMatchObject({
    status: 404,
    code: "NOT_FOUND",
  });
});

test.each(["SYNC", "DISABLED"] as const)(
  "the statements of all reads run in an object, with effective volumes %s",
  async (kept) => {
    const features = { MOVES_HISTORY_POST_COMMIT_EFFECTIVE_VOLUMES: kept };
    const found = await runInDurableObject(objectOf(freshName("reads")), (_, { storage }) => {
      const dated = datedVolumes({ sql: durableSql(storage), features });
      // Above three assets, balances are not looked up account by account.
      const assets = ["A", "B", "C", "D"];
      dated.commit(create(assets.map((asset) => posting("world -> account:user1", 1, asset))));
      const period = { from: "2025-01-01T12:00:00Z", to: "2025-01-02T00:00:00Z" };
      const options = { insertionDate: true, groupBy: 1 };
      return [
        volumeRows(dated, period),
        volumeRows(dated, { ...period, where: { $gt: { "balance[USD]": 0 } } }),
        volumeRows(dated, { to: "10:00:02", options }),
        addressesOf(dated, { where: { $gt: { balance: 100 } } }),
        addressesOf(dated, { pit: at("10:00:01"), where: { $lt: { "balance[USD]": 0 } } }),
        ...["first_usage", "updated_at", "insertion_date"].map((column) =>
          addressesOf(dated, {
            column,
            where: { $or: [{ $exists: { metadata: "vip" } }, { $match: { address: "bank:" } }] },
          }),
        ),
      ];
    });
    expect(found).toEqual([
      ["account:user1 USD 20/10", "account:user2 USD 0/20", "bank:fees USD 10/0"],
      ["account:user1 USD 20/10", "bank:fees USD 10/0"],
      ["account USD 150/10", "bank USD 10/0", "world USD 0/150"],
      "account:user1",
      "world",
      "account:user1 bank:fees",
      "bank:fees account:user1",
      "account:user1 bank:fees",
    ]);
  },
);

/** Counts the rows that reads of the busiest account take. All of its moves are back-dated. */
async function measurePast(size: number): Promise<number[]> {
  return runInDurableObject(objectOf(freshName("past")), (_, { storage }) => {
    const sql = new CountingSql(storage);
    const past = new TestLedger({ sql });
    for (let done = 0; done < size; done += 100) {
      // Each transaction is dated a second before its insertion.
      past.bulk(
        Array.from({ length: 100 }, () =>
          create(posting("world -> a", 1), { timestamp: past.now }),
        ),
      );
    }
    const { reads } = past.engine;
    const expansion = { volumes: true, effectiveVolumes: true };
    const query = { useInsertionDate: false, where: '{"$match":{"address":"world"}}' };
    return [at("10:00:02"), past.now].flatMap((pit) => [
      sql.measure(() => reads.findAccount("world", { ...expansion, pit })).read,
      sql.measure(() => reads.aggregateBalances({ ...query, pit })).read,
    ]);
  });
}

test("volumes of the past take no more rows in a larger ledger", async () => {
  const [small, large] = [await measurePast(300), await measurePast(3000)];
  // The binary search that finds the id for a date reads a few more rows in a larger ledger.
  expect(large.map((rows, index) => rows <= (small[index] ?? 0) + 40)).toEqual([
    true,
    true,
    true,
    true,
  ]);
});
