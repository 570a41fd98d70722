import { beforeAll, describe, expect, test } from "vitest";
import { freshLedger, inLedger, okBodyOf, pay, post, refusalOf } from "#test/support/ledger/api.ts";
import { COUNT, listedLedger, type PageBody } from "#test/support/ledger/listed-ledger.ts";
import { token } from "#test/support/platform/api.ts";
import { isolate } from "#test/support/runner/isolate.ts";

let ledger: string;

beforeAll(async () => {
  ledger = await listedLedger();
});

const page = async (query: string, list = "transactions"): Promise<PageBody["cursor"]> =>
  (await okBodyOf<PageBody>(inLedger(ledger, `/${list}?${query}`))).cursor;

const idsOf = ({ data }: PageBody["cursor"]): number[] => data.map(({ id }) => id);

const range = (from: number, to: number): number[] =>
  Array.from({ length: Math.abs(to - from) + 1 }, (_, index) =>
    from < to ? from + index : from - index,
  );

const encode = (value: unknown): string =>
  btoa(JSON.stringify(value)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");

const decode = (cursor: string): unknown =>
  JSON.parse(atob(cursor.replaceAll("-", "+").replaceAll("_", "/")));

describe("a page", () => {
  test("a page of a list has the envelope of the specification, member by member", async () => {
    const text = await (await inLedger(ledger, "/transactions?pageSize=1")).text();
    expect(text).toMatch(
      /^\{"cursor":\{"pageSize":1,"hasMore":true,"next":"[\w-]+","data":\[\{"postings":/,
    );
    const empty = await freshLedger();
    for (const list of ["transactions", "accounts"]) {
      expect(await (await inLedger(empty, `/${list}`)).text()).toBe(
        '{"cursor":{"pageSize":15,"hasMore":false,"next":"","data":[]}}',
      );
    }
  });

  test("a page of a list has 15 items, newest first; the next ones follow, and the way back gives the same", async () => {
    const first = await page("");
    expect([first.pageSize, first.hasMore, first.previous, idsOf(first)]).toEqual([
      15,
      true,
      undefined,
      range(34, 20),
    ]);
    const second = await page(`cursor=${first.next}`);
    const third = await page(`cursor=${second.next}`);
    expect(idsOf(second)).toEqual(range(19, 5));
    expect([third.hasMore, third.next, idsOf(third)]).toEqual([false, "", range(4, 1)]);
    const back = await page(`cursor=${third.previous}`);
    expect([back.hasMore, idsOf(back)]).toEqual([true, idsOf(second)]);
    const start = await page(`cursor=${back.previous}`);
    expect([start.previous, idsOf(start)]).toEqual([undefined, idsOf(first)]);
    expect(idsOf(await page(`cursor=${start.next}`))).toEqual(idsOf(second));
  });

  test("a page of a list keeps its place while new transactions come", async () => {
    const own = await freshLedger();
    for (let count = 0; count < 4; count++) await okBodyOf(post(own, pay("world -> a", 1)));
    const read = async (query: string) =>
      (await okBodyOf<PageBody>(inLedger(own, `/transactions?${query}`))).cursor;
    const first = await read("pageSize=2");
    await okBodyOf(post(own, pay("world -> a", 1)));
    const second = await read(`cursor=${first.next}`);
    expect([idsOf(first), idsOf(second)]).toEqual([
      [4, 3],
      [2, 1],
    ]);
    expect(idsOf(await read(`cursor=${second.previous}`))).toEqual([4, 3]);
  });

  test.each([
    ["pageSize=0", 15],
    ["pageSize=", 15],
    ["pageSize=7", 7],
    ["pageSize=1000", 1000],
    ["pageSize=1001", 1000],
    ["pageSize=9999999999", 1000],
    ["cursor=&pageSize=3", 3],
  ])("%s gives pages of %i", async (query, size) => {
    expect((await page(query)).pageSize).toBe(size);
  });

  test.each(["pageSize=-1", "pageSize=x", "pageSize=1.5", "pageSize=1e3", "pageSize=%2B5"])(
    "a page with %s is refused",
    async (query) => {
      const refusal = await refusalOf(inLedger(ledger, `/transactions?${query}`));
      expect(refusal).toMatchObject({ status: 400, code: "VALIDATION" });
      expect(refusal.message).toContain("pageSize");
    },
  );

  test("size next to a cursor counts up to 15, or up to the size of the walk if that is larger", async () => {
    const [small, large] = [await page("pageSize=5"), await page("pageSize=20")];
    const sizeOf = async (cursor: string, query = "") =>
      (await page(`cursor=${cursor}${query}`)).pageSize;
    expect(await sizeOf(small.next)).toBe(5);
    expect(await sizeOf(small.next, "&pageSize=10")).toBe(10);
    expect(await sizeOf(small.next, "&pageSize=100")).toBe(15);
    expect(await sizeOf(small.next, "&pageSize=0")).toBe(5);
    expect(await sizeOf(large.next, "&pageSize=100")).toBe(20);
    expect(await sizeOf(large.next, "&pageSize=2")).toBe(2);
  });

  test("sizes are those of the settings", async () => {
    const server = isolate({ FLORIN_DEFAULT_PAGE_SIZE: "4", FLORIN_MAX_PAGE_SIZE: "6" });
    const headers = { authorization: `Bearer ${await token()}` };
    const sizeOf = async (query: string) => {
      const response = await server(`/api/ledger/v2/${ledger}/transactions?${query}`, { headers });
      return (await response.json<PageBody>()).cursor.data.length;
    };
    const wide = await page("pageSize=20");
    expect([
      await sizeOf(""),
      await sizeOf("pageSize=100"),
      await sizeOf(`cursor=${wide.next}`),
    ]).toEqual([4, 6, 6]);
  });
});

describe("the order of transactions", () => {
  const early = range(1, COUNT).filter((id) => id % 3 === 0);
  const late = range(1, COUNT).filter((id) => id % 3 !== 0);

  test.each([
    ["sort=id:asc", range(1, 34)],
    ["sort=id:DESC", range(34, 1)],
    ["sort=id", range(34, 1)],
    ["reverse=true", range(1, 34)],
    ["reverse=true&sort=id:desc", range(34, 1)],
    ["sort=timestamp:asc", [...early, ...late]],
    ["sort=timestamp:desc", [...late.toReversed(), ...early.toReversed()]],
    ["order=effective", [...late.toReversed(), ...early.toReversed()]],
    ["order=effective&reverse=true", [...early, ...late]],
    ["order=effective&sort=id:asc", range(1, 34)],
    ["sort=inserted_at:asc", range(1, 34)],
    ["sort=insertedAt:desc", range(34, 1)],
    ["sort=updatedAt:asc", range(1, 34)],
  ])("the order of transactions follows %s", async (query, ids) => {
    let current = await page(`${query}&pageSize=10`);
    const walked = idsOf(current);
    while (current.next !== "") {
      current = await page(`cursor=${current.next}`);
      walked.push(...idsOf(current));
    }
    expect(walked).toEqual(ids);
  });

  test.each([
    "sort=color",
    "sort=metadata",
    "sort=id:up",
    "sort=id:asc:x",
    "sort=:asc",
    "sort=toString",
  ])("the order %s of transactions is refused", async (query) => {
    expect(await refusalOf(inLedger(ledger, `/transactions?${query}`))).toMatchObject({
      status: 400,
      code: "VALIDATION",
    });
  });
});

describe("a cursor", () => {
  test("a cursor has the form of the reference's: base64url of the whole query", async () => {
    const { next } = await page("pageSize=2&expand=volumes");
    expect(decode(next)).toEqual({
      column: "id",
      order: 1,
      pageSize: 2,
      filters: { pit: null, oot: null, qb: null, expand: ["volumes"], opts: null },
      bottom: 34,
      paginationID: 32,
      reverse: false,
      list: `${ledger}/transactions`,
    });
  });

  test("a cursor of another ledger, or of another list, is refused", async () => {
    const other = await freshLedger();
    const { next } = await page("pageSize=2");
    const accounts = await page("pageSize=2", "accounts");
    for (const response of [
      inLedger(other, `/transactions?cursor=${next}`),
      inLedger(ledger, `/accounts?cursor=${next}`),
      inLedger(ledger, `/transactions?cursor=${accounts.next}`),
    ]) {
      expect(await refusalOf(response)).toMatchObject({ status: 400, code: "VALIDATION" });
    }
  });

  test("a cursor of the reference server is accepted", async () => {
    const cursor = encode({
      column: "id",
      order: 1,
      pageSize: 3,
      filters: { pit: null, oot: null, qb: null, opts: null },
      bottom: 34,
      paginationID: 20,
      reverse: false,
    });
    expect(idsOf(await page(`cursor=${cursor}`))).toEqual([20, 19, 18]);
  });

  test("a cursor holds everything: other parameters next to it change nothing", async () => {
    const first = await page("sort=timestamp:asc&pageSize=5&expand=volumes");
    const wanted = await page(`cursor=${first.next}`);
    expect(
      await page(`cursor=${first.next}&sort=id:desc&order=x&reverse=true&expand=effectiveVolumes`),
    ).toEqual(wanted);
    const filter = encodeURIComponent('{"$match":{"id":1}}');
    expect(await page(`cursor=${first.next}&pit=2026-03-01T09:30:00Z&query=${filter}`)).toEqual(
      wanted,
    );
    expect(await page(`cursor=${first.next}&pit=yesterday&query=nonsense&sort=up`)).toEqual(wanted);
    expect(wanted.data[0]).toHaveProperty("postCommitVolumes");
    expect(wanted.data[0]).not.toHaveProperty("postCommitEffectiveVolumes");
  });

  const valid = {
    column: "id",
    order: 1,
    pageSize: 3,
    filters: { pit: null, oot: null, qb: null, opts: null },
    bottom: 34,
    paginationID: 20,
    reverse: false,
  };
  test.each([
    ["no base64", "!"],
    ["no JSON", btoa("hello").replaceAll("=", "")],
    ["an empty object", "e30"],
    ["null", "bnVsbA"],
    ["another list's column", encode({ ...valid, column: "address" })],
    ["no known column", encode({ ...valid, column: "__proto__" })],
    ["an invalid order", encode({ ...valid, order: 2 })],
    ["a size of zero", encode({ ...valid, pageSize: 0 })],
    ["a size that is no integer", encode({ ...valid, pageSize: 1.5 })],
    ["a place that is no integer", encode({ ...valid, paginationID: "20" })],
    ["a place that is a fraction", encode({ ...valid, paginationID: 1.5 })],
    ["a date without the row", encode({ ...valid, column: "timestamp" })],
    [
      "a date beyond all dates",
      encode({ ...valid, column: "timestamp", paginationID: 1e20, ties: [1, 1] }),
    ],
    ["a negative offset", encode({ ...valid, offset: -1 })],
    ["no filters", encode({ ...valid, filters: null })],
    [
      "a filter of another list",
      encode({ ...valid, filters: { qb: { $match: { address: "a" } } } }),
    ],
    ["an invalid filter", encode({ ...valid, filters: { qb: "id" } })],
    ["an invalid point in time", encode({ ...valid, filters: { pit: "yesterday" } })],
    ["options", encode({ ...valid, filters: { opts: { groupBy: 1 } } })],
    ["an offset", encode({ ...valid, offset: 2_000_000_000 })],
    ["too many characters", "a".repeat(100_001)],
  ])("a cursor with %s is refused", async (_, cursor) => {
    expect(await refusalOf(inLedger(ledger, `/transactions?cursor=${cursor}`))).toMatchObject({
      status: 400,
      code: "VALIDATION",
    });
  });

  test.each([
    ["a place before the first", { paginationID: -5 }],
    ["a place after the last", { paginationID: 10_000 }],
    ["a place far out", { paginationID: 9_007_199_254_740_991 }],
    ["no bottom", { bottom: null }],
    ["no place", { paginationID: null }],
    ["a size above the maximum", { pageSize: 100_000 }],
    ["a reverse first page", { paginationID: null, reverse: true }],
  ])("a cursor with %s reads a page", async (_, members) => {
    for (const order of [0, 1]) {
      const response = await inLedger(
        ledger,
        `/transactions?cursor=${encode({ ...valid, ...members, order })}`,
      );
      expect(response.status).toBe(200);
    }
  });
});

describe("parameters of a list", () => {
  test.each(["null", "{}", '{"$and":[]}', ""])(
    "a list with the empty filter %j is not filtered",
    async (filter) => {
      const list = await page(`query=${encodeURIComponent(filter)}`);
      expect(list.data).toHaveLength(15);
    },
  );

  test.each(["{", "[]", '{"$x":{}}', '{"$match":{"a":1,"b":2}}', '{"$match":{"id":1.5}}'])(
    "a list with the broken filter %s is refused",
    async (filter) => {
      const response = inLedger(ledger, `/transactions?query=${encodeURIComponent(filter)}`);
      expect(await refusalOf(response)).toMatchObject({ status: 400, code: "VALIDATION" });
    },
  );

  test("expand may be repeated or separated by commas; on one item only repeated", async () => {
    const names = ["postCommitVolumes", "postCommitEffectiveVolumes"];
    const shown = (item: object | undefined) => names.filter((name) => name in (item ?? {}));
    const itemOf = async (query: string) =>
      (await okBodyOf<{ data: object }>(inLedger(ledger, `/transactions/1?${query}`))).data;
    expect(shown((await page("expand=volumes,effectiveVolumes")).data[0])).toEqual(names);
    expect(shown((await page("expand=volumes&expand=effectiveVolumes")).data[0])).toEqual(names);
    expect(shown((await page("expand=unknown")).data[0])).toEqual([]);
    expect(shown(await itemOf("expand=volumes&expand=effectiveVolumes"))).toEqual(names);
    expect(shown(await itemOf("expand=volumes,effectiveVolumes"))).toEqual([]);
  });
});

describe("a single transaction", () => {
  test.each([
    ["01", 200],
    ["0", 404],
    ["99", 404],
    ["-1", 404],
    ["9223372036854775807", 404],
    ["9223372036854775808", 400],
    ["x", 400],
    ["1.0", 400],
  ])("a request for a transaction of the id %s is answered with %i", async (id, status) => {
    expect((await inLedger(ledger, `/transactions/${id}`)).status).toBe(status);
  });
});

describe("a write to one transaction", () => {
  test.each([
    ["99", 404],
    ["9223372036854775808", 404],
    ["18446744073709551615", 404],
    ["18446744073709551616", 400],
    ["-1", 400],
  ])("a write to a transaction of the id %s is answered with %i", async (id, status) => {
    const metadata = { method: "POST", body: { k: "v" } };
    expect((await inLedger(ledger, `/transactions/${id}/revert`, { method: "POST" })).status).toBe(
      status,
    );
    expect((await inLedger(ledger, `/transactions/${id}/metadata`, metadata)).status).toBe(status);
  });
});

describe("methods", () => {
  test.each([
    ["HEAD", "/volumes", "GET"],
    ["HEAD", "/aggregate/balances", "GET"],
    ["DELETE", "/transactions", "GET, HEAD, POST"],
    ["PUT", "/transactions/1", "GET"],
    ["GET", "/_bulk", "POST"],
    ["GET", "/transactions/1/revert", "POST"],
    ["PUT", "/accounts/a/metadata", "POST"],
  ])("%s %s is refused and says what is allowed: %s", async (method, path, allowed) => {
    const response = await inLedger(ledger, path, { method });
    expect(response.status).toBe(405);
    const methods = (response.headers.get("allow") ?? "").split(", ");
    expect(
      methods
        .filter((name) => name !== "OPTIONS")
        .toSorted((a, b) => (a < b ? -1 : 1))
        .join(", "),
    ).toBe(allowed);
  });
});
