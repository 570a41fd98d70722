import { beforeAll, describe, expect, test } from "vitest";
import { freshLedger, okBodyOf, pay, post, refusalOf } from "#test/support/ledger/api.ts";
import { api, freshName, token } from "#test/support/platform/api.ts";
import { eventually } from "#test/support/platform/eventually.ts";

interface Segment {
  readonly segment: string;
  readonly address: string;
  readonly prefix: string;
  readonly isAccount: boolean;
  readonly hasChildren: boolean;
  readonly accounts?: number;
}
interface PageBody {
  readonly cursor: {
    readonly hasMore: boolean;
    readonly next: string;
    readonly previous?: string;
    readonly data: readonly Segment[];
  };
}
interface SumBody {
  readonly data: { readonly complete: boolean; readonly balances: Record<string, number | bigint> };
}

const HUGE = 10n ** 30n;
let ledger: string;

beforeAll(async () => {
  ledger = await freshLedger();
  const paid = (way: string, amount: bigint | number, timestamp: string) =>
    okBodyOf(post(ledger, pay(way, amount, { timestamp })));
  await paid("world -> users:1:main", HUGE, "2024-02-01T00:00:00Z");
  await paid("world -> users:1", 7, "2024-02-02T00:00:00Z");
  await paid("users:1:main -> users-old:5", 12, "2024-02-03T00:00:00Z");
  await paid("world -> users1", 3, "2024-02-04T00:00:00Z");
  const metadata = { method: "POST", body: { kind: "quiet" } };
  await api(`/api/ledger/v2/${ledger}/accounts/users:2:quiet/metadata`, metadata);
});

const query = (parameters: Record<string, string>): string =>
  new URLSearchParams(parameters).toString();
const tree = (parameters: Record<string, string> = {}, init = {}, name = ledger) =>
  api(`/api/florin/v1/ledgers/${name}/accounts/tree?${query(parameters)}`, init);
const sums = (parameters: Record<string, string>, init = {}, name = ledger) =>
  api(`/api/florin/v1/ledgers/${name}/accounts/tree/sums?${query(parameters)}`, init);
const pageOf = async (parameters: Record<string, string> = {}): Promise<PageBody["cursor"]> =>
  (await okBodyOf<PageBody>(tree(parameters))).cursor;
const segmentsOf = async (parameters: Record<string, string> = {}): Promise<string[]> =>
  (await pageOf(parameters)).data.map(({ segment }) => segment);
/** The complete sum. A slow machine needs more than one request for it, as many accounts do. */
const sumOf = (parameters: Record<string, string>, name = ledger): Promise<SumBody["data"]> =>
  eventually(async () => {
    const { data } = await okBodyOf<SumBody>(sums(parameters, {}, name));
    expect(data.complete).toBe(true);
    return data;
  });
const cursorOf = (content: object): string =>
  btoa(JSON.stringify(content)).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");

describe("the tree of accounts", () => {
  test("a level of the tree lists its segments in byte order, with the accounts at and below them", async () => {
    expect((await pageOf()).data).toEqual([
      entry("users", { below: "users:", isAccount: false, hasChildren: true, accounts: 3 }),
      entry("users-old", { below: "users-old:", isAccount: false, hasChildren: true, accounts: 1 }),
      entry("users1", { below: "users1:", isAccount: true, hasChildren: false, accounts: 1 }),
      entry("world", { below: "world:", isAccount: true, hasChildren: false, accounts: 1 }),
    ]);
    expect((await pageOf({ prefix: "users:" })).data).toEqual([
      {
        ...entry("1", { below: "users:1:", isAccount: true, hasChildren: true, accounts: 2 }),
        address: "users:1",
      },
      {
        ...entry("2", { below: "users:2:", isAccount: false, hasChildren: true, accounts: 1 }),
        address: "users:2",
      },
    ]);
    for (const prefix of ["users:1", "users:1:"])
      expect(await segmentsOf({ prefix })).toEqual(["main"]);
    for (const prefix of ["nobody", "users:1:main", ":", "é"]) {
      expect(await pageOf({ prefix })).toEqual({
        pageSize: 15,
        hasMore: false,
        next: "",
        data: [],
      });
    }
  });

  test("a level of the tree is read page by page with a cursor alone, forward only", async () => {
    const first = await pageOf({ pageSize: "2" });
    expect(first).toMatchObject({
      hasMore: true,
      data: [{ segment: "users" }, { segment: "users-old" }],
    });
    const second = await pageOf({ cursor: first.next });
    expect(second).toMatchObject({
      hasMore: false,
      next: "",
      data: [{ segment: "users1" }, { segment: "world" }],
    });
    expect(second.previous).toBeUndefined();
    const below = await pageOf({ prefix: "users", pageSize: "1" });
    expect(await segmentsOf({ cursor: below.next })).toEqual(["2"]);
  });

  test("a level of the tree at a point in time lists the accounts that had been used by then", async () => {
    expect(await segmentsOf({ pit: "2024-02-01T00:00:00Z" })).toEqual(["users", "world"]);
    expect(await segmentsOf({ pit: "2024-02-03T00:00:00Z" })).toEqual([
      "users",
      "users-old",
      "world",
    ]);
    expect(await segmentsOf({ pit: "2024-01-31T00:00:00Z" })).toEqual([]);
    const { data } = await pageOf({ pit: "2024-02-01T12:00:00Z", prefix: "users:" });
    expect(data).toEqual([
      { segment: "1", address: "users:1", prefix: "users:1:", isAccount: false, hasChildren: true },
    ]);
    const page = await pageOf({ pit: "2024-02-03T00:00:00Z", pageSize: "1" });
    expect(await segmentsOf({ cursor: page.next })).toEqual(["users-old"]);
  });

  test("the tree and its sums may be read with the scope for reads, and not without a token", async () => {
    const reader = { token: await token("ledger:read") };
    expect((await tree({}, reader)).status).toBe(200);
    expect((await sums({ address: "users" }, reader)).status).toBe(200);
    expect((await tree({}, { token: null })).status).toBe(401);
    expect((await sums({ address: "users" }, { token: null })).status).toBe(401);
    const other = { token: await token("payments:read") };
    expect((await tree({}, other)).status).toBe(401);
  });

  test("the tree of accounts is refused for bad parameters and for cursors of other lists", async () => {
    const { next } = await pageOf({ pageSize: "1" });
    const content = JSON.parse(atob(next.replaceAll("-", "+").replaceAll("_", "/"))) as Record<
      string,
      unknown
    >;
    const filters = { pit: null, oot: null, qb: null, opts: { prefix: "users:" } };
    const forged = [
      { ...content, list: "other/accountTree" },
      { ...content, filters },
      { ...content, order: 1 },
      { ...content, reverse: true },
      { ...content, column: "address" },
      { ...content, paginationID: 5 },
      { ...content, paginationID: "x\u0000" },
      { ...content, paginationID: "x".repeat(9000) },
      { ...content, filters: { ...filters, opts: { prefix: 5 } } },
      { ...content, filters: { ...filters, opts: { prefix: "", other: "" } } },
      {
        ...content,
        filters: { pit: null, oot: null, qb: { $match: { address: "a" } }, opts: { prefix: "" } },
      },
      { column: "segment", order: 0, pageSize: 5, filters: { opts: { prefix: "" } }, offset: 3 },
    ].map((it) => ({ cursor: cursorOf(it) }));
    const bad = [
      { prefix: "\u0000" },
      { prefix: "x".repeat(9000) },
      { pit: "yesterday" },
      { pageSize: "-1" },
    ];
    for (const parameters of [...bad, ...forged, { cursor: "x" }]) {
      expect(await refusalOf(tree(parameters))).toMatchObject({ status: 400, code: "VALIDATION" });
    }
    const large = cursorOf({ ...content, pageSize: 1_000_000 });
    expect(
      (await okBodyOf<{ cursor: { pageSize: number } }>(tree({ cursor: large }))).cursor.pageSize,
    ).toBeLessThanOrEqual(1000);
  });

  test("the tree of an unknown ledger and its sums are not found", async () => {
    for (const name of [freshName(), "dot.dot"]) {
      for (const response of [tree({}, {}, name), sums({ address: "a" }, {}, name)]) {
        expect(await refusalOf(response)).toMatchObject({ status: 404, code: "LEDGER_NOT_FOUND" });
      }
    }
  });
});

describe("the sums of the tree of accounts", () => {
  test("a sum has the account at an address and all accounts below it, exactly", async () => {
    expect(await sumOf({ address: "users" })).toEqual({
      address: "users",
      complete: true,
      balances: { USD: HUGE - 5n },
    });
    expect((await sumOf({ address: "users:2" })).balances).toEqual({});
    expect((await sumOf({ address: "users-old" })).balances).toEqual({ USD: 12 });
    const headers = { "formance-bigint-as-string": "true" };
    expect(await (await sums({ address: "users" }, { headers })).text()).toContain(
      `"USD":"${HUGE - 5n}"`,
    );
  });

  test("a sum at a point in time goes by effective dates, or by dates of insertion where that is asked for", async () => {
    const pit = "2024-02-02T00:00:00Z";
    expect((await sumOf({ address: "users", pit })).balances).toEqual({ USD: HUGE + 7n });
    expect((await sumOf({ address: "users", pit, insertionDate: "true" })).balances).toEqual({});
    const later = { address: "users", pit: "2999-01-01T00:00:00Z", insertionDate: "1" };
    expect((await sumOf(later)).balances).toEqual({ USD: HUGE - 5n });
  });

  test("a sum includes what its client has written before", async () => {
    const own = await freshLedger();
    for (let count = 1; count <= 3; count++) {
      await okBodyOf(post(own, pay(`world -> a:${count}`, 1)));
      expect(await sumOf({ address: "a" }, own)).toMatchObject({
        complete: true,
        balances: { USD: count },
      });
    }
  });

  test.each<Record<string, string>>([
    {},
    { address: "\u0000" },
    { address: "x".repeat(9000) },
    { address: "a", pit: "yesterday" },
  ])("a sum is refused for %j", async (parameters) => {
    expect(await refusalOf(sums(parameters))).toMatchObject({ status: 400, code: "VALIDATION" });
  });

  test("a sum at a point in time is refused where the features of the ledger leave it out", async () => {
    const name = freshName();
    const body = { features: { MOVES_HISTORY: "OFF" } };
    await api(`/api/ledger/v2/${name}`, { method: "POST", body });
    const pit = "2024-02-02T00:00:00Z";
    const refusal = await refusalOf(sums({ address: "a", pit, insertionDate: "true" }, {}, name));
    expect(refusal).toMatchObject({ status: 400, code: "VALIDATION" });
    expect(refusal.message).toContain("MOVES_HISTORY");
  });
});

const entry = (
  segment: string,
  { below, ...more }: { below: string; isAccount: boolean; hasChildren: boolean; accounts: number },
): Segment => ({ segment, address: segment, prefix: below, ...more });
