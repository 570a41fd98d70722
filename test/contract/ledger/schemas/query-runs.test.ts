import { Buffer } from "node:buffer";
import { beforeAll, describe, expect, test } from "vitest";
import { inLedger, logIdsOf, okBodyOf, refusalOf } from "#test/support/ledger/api.ts";
import { ODD, LARGE, QUERIES, bank } from "#test/support/ledger/query-bank.ts";
import {
  type Cursor,
  insertedSchema,
  ledgerWith,
  pageOf,
  runQuery,
} from "#test/support/ledger/schema-api.ts";
import { token } from "#test/support/platform/api.ts";

let ledger: string;

beforeAll(async () => {
  ledger = await bank();
});

interface Item {
  readonly id?: number;
  readonly address?: string;
  readonly account?: string;
  readonly asset?: string;
  readonly type?: string;
}

const run = (id: string, body: unknown = {}): Promise<Cursor<Item>> =>
  pageOf<Item>(runQuery(ledger, id, { body }));

const idsOf = async (id: string, body: unknown = {}) =>
  (await run(id, body)).data.map((it) => it.id);

const addressesOf = async (id: string, body: unknown = {}) =>
  (await run(id, body)).data.map(({ address }) => address);

const refused = async (id: string, body: unknown, query?: string) =>
  refusalOf(runQuery(ledger, id, { body, ...(query === undefined ? {} : { query }) }));

describe("a run of a query", () => {
  test("a run of a query answers as the list of its resource does, and says which that is", async () => {
    for (const [id, path] of [
      ["all", "/accounts"],
      ["every", "/volumes?pageSize=1"],
    ] as const) {
      const listed = await (await inLedger(ledger, path)).text();
      const { resource } = QUERIES[id as "all"];
      const answer = await runQuery(ledger, id);
      expect([answer.status, answer.headers.get("content-type")]).toEqual([
        200,
        "application/json",
      ]);
      expect(await answer.text()).toBe(`${listed.slice(0, -1)},"resource":"${resource}"}`);
    }
  });

  test("a run of a query puts values in the place of variables of all types", async () => {
    expect(await idsOf("by_user", { vars: { who: "3" } })).toEqual([3]);
    expect(await idsOf("since", { vars: { moment: "2020-01-01T00:00:00+02:00" } })).toEqual([
      4, 3, 2, 1,
    ]);
    expect(await idsOf("since", { vars: { moment: "2999-01-01T00:00:00Z" } })).toEqual([]);
    expect(
      await idsOf("since", { vars: { moment: "2020-01-01T00:00:00Z", reverted: true } }),
    ).toEqual([]);
    expect(await addressesOf("tiers", { vars: { one: "gold" } })).toEqual(["users:1", "users:2"]);
    expect(await addressesOf("tiers", { vars: { one: "x", two: "y" } })).toEqual([]);
    const { data } = await run("changes", { vars: { kind: "INSERTED_SCHEMA" } });
    expect(data.map(({ type }) => type)).toEqual(["INSERTED_SCHEMA"]);
  });

  test("a run of a query compares integers of any size exactly, and answers with exact ones", async () => {
    expect(await addressesOf("rich")).toEqual(["users:1", "users:2"]);
    const rich = (least: string) =>
      runQuery(ledger, "rich", { body: `{"vars":{"least":${least}}}` });
    for (const [least, addresses] of [
      [`${ODD + 1n}`, ["users:2"]],
      [`${ODD}`, ["users:1", "users:2"]],
      [`${LARGE}`, ["users:2"]],
      [`${LARGE + 1n}`, []],
      [`-${LARGE + ODD + 3n}`, ["users:1", "users:2", "users:3", "world"]],
      [`-${LARGE + ODD + 2n}`, ["users:1", "users:2", "users:3"]],
    ] as const) {
      const { data } = await pageOf<Item>(rich(least));
      expect([least, data.map(({ address }) => address)]).toEqual([least, addresses]);
    }
    const text = await (await runQuery(ledger, "rich")).text();
    expect(text).toContain(`{"USD":{"input":${ODD},"output":0,"balance":${ODD}}}`);
    expect(text).toContain(`{"USD":{"input":${LARGE + 3n},"output":3,"balance":${LARGE}}}`);
  });

  test("a run of a query prints amounts as texts where the client asks for it, and ids as numbers", async () => {
    const headers = { "formance-bigint-as-string": "true" };
    const rich = await (await runQuery(ledger, "rich", { body: {}, headers })).text();
    expect(rich).toContain(`"balance":"${LARGE}"`);
    const sent = await runQuery(ledger, "by_user", { body: { vars: { who: "1" } }, headers });
    expect(await sent.json()).toMatchObject({
      cursor: { data: [{ id: 1, postings: [{ amount: `${ODD}` }] }] },
    });
    const totals = await runQuery(ledger, "totals", { body: {}, headers });
    expect(await totals.json()).toMatchObject({
      cursor: { pageSize: 1, data: [{ output: "3", balance: `${ODD + LARGE + 3n}` }] },
    });
  });

  test("a run of a query lists as its template says, unless the request says otherwise", async () => {
    expect(await run("by_user", { vars: { who: "2" } })).toMatchObject({
      pageSize: 2,
      hasMore: true,
      data: [{ id: 2 }, { id: 3 }],
    });
    const params = { sort: "id:desc", pageSize: 1, resource: "transactions" };
    expect(await run("by_user", { vars: { who: "2" }, params })).toMatchObject({
      pageSize: 1,
      data: [{ id: 4 }],
    });
    // Members that the request leaves out come from the template.
    expect(await run("by_user", { vars: { who: "2" }, params: { pageSize: 1 } })).toMatchObject({
      data: [{ id: 2 }],
    });
    expect(await run("rich", { params: { expand: "" } })).toMatchObject({
      data: [{ volumes: expect.anything() as unknown }, { volumes: expect.anything() as unknown }],
    });
    const expanded = await run("all", { params: { expand: "volumes,effectiveVolumes" } });
    expect(expanded.data[0]).toMatchObject({
      volumes: expect.anything() as unknown,
      effectiveVolumes: expect.anything() as unknown,
    });
    expect((await run("totals", { params: { groupBy: 2 } })).data).toMatchObject([
      { account: "users:1" },
    ]);
    const past = { endTime: "2020-01-01T00:00:00Z" };
    expect((await run("totals", { params: past })).data).toEqual([]);
    expect((await run("all", { params: past })).data).toEqual([]);
    expect((await run("by_user", { vars: { who: "2" }, params: past })).data).toEqual([]);
  });

  test("a run of a query takes a point in time under the name that the official client uses, too", async () => {
    expect(await addressesOf("all", { params: { pit: "2020-01-01T00:00:00Z" } })).toEqual([]);
    expect(await addressesOf("all", { params: { pit: "2999-01-01T00:00:00Z" } })).toHaveLength(4);
    expect(await refused("all", { params: { pit: "yesterday" } })).toMatchObject({ status: 400 });
  });

  test("a run of a query takes pages up to the largest one of the deployment", async () => {
    expect(await run("all", { params: { pageSize: 2_000_000_000 } })).toMatchObject({
      pageSize: 1000,
    });
    expect(await run("by_user", { vars: { who: "2" }, params: { pageSize: 0 } })).toMatchObject({
      pageSize: 2,
    });
  });

  test("a run of a query ignores parameters and variables that it does not know, and those of its URL", async () => {
    const body = { params: { nope: { a: [1.5] } }, vars: { nope: 1 }, other: 1 };
    expect(await addressesOf("rich", body)).toEqual(["users:1", "users:2"]);
    const query = "?schemaVersion=v1&pageSize=1&sort=address:desc&cursor=e30&pit=x";
    const page = await pageOf<Item>(runQuery(ledger, "all", { body: {}, query }));
    expect(page.data.map(({ address }) => address)).toEqual([
      "users:1",
      "users:2",
      "users:3",
      "world",
    ]);
  });

  test("a run of a query takes null and empty texts for what is not given", async () => {
    const body = { vars: null, params: null, cursor: null };
    expect(await addressesOf("rich", body)).toHaveLength(2);
    expect(
      await addressesOf("rich", { cursor: "", params: { sort: "", pageSize: null } }),
    ).toHaveLength(2);
    expect(await addressesOf("rich", { vars: { least: null } })).toHaveLength(2);
  });

  test("a run of a query needs a token that may read", async () => {
    const read = await runQuery(ledger, "all", { body: {}, token: await token("ledger:read") });
    expect(read.status).toBe(200);
    const other = await runQuery(ledger, "all", { body: {}, token: await token("webhooks:read") });
    expect(other.status).toBe(401);
    expect((await runQuery(ledger, "all", { body: {}, token: null })).status).toBe(401);
  });

  test("a run of a query writes nothing", async () => {
    const own = await ledgerWith({ chart: {}, queries: QUERIES });
    const headers = { "idempotency-key": "k" };
    await okBodyOf(runQuery(own, "all", { body: {}, headers }));
    await okBodyOf(runQuery(own, "every", { body: {}, headers }));
    expect(await logIdsOf(own)).toEqual([1]);
  });

  test("a run of a query uses the version that is named", async () => {
    const own = await ledgerWith({ chart: {}, queries: { q: { resource: "accounts" } } });
    await insertedSchema(own, "v2", { chart: {}, queries: { q: { resource: "logs" } } });
    for (const [version, resource] of [
      ["v1", "accounts"],
      ["v2", "logs"],
    ]) {
      const answer = await runQuery(own, "q", { body: {}, query: `?schemaVersion=${version}` });
      expect(await answer.json()).toMatchObject({ resource });
    }
  });

  test("a run of a query may have an id of any characters", async () => {
    const id = 'a/b%2Fc "d" é?#';
    const own = await ledgerWith({ chart: {}, queries: { [id]: { resource: "accounts" } } });
    expect((await runQuery(own, id)).status).toBe(200);
  });
});

describe("the cursor of a run", () => {
  test("the cursor of a run of a query goes on with the query, whatever is next to it", async () => {
    const first = await run("by_user", { vars: { who: "2" } });
    expect(first).toMatchObject({ hasMore: true, data: [{ id: 2 }, { id: 3 }] });
    const next = { cursor: first.next, vars: { who: "1" }, params: { pageSize: 1, sort: "nope" } };
    const second = await run("by_user", next);
    expect(second).toMatchObject({ hasMore: false, next: "", data: [{ id: 4 }] });
    const back = await run("by_user", { cursor: second.previous });
    expect(back.data).toEqual(first.data);
  });

  test("the cursor of a run of a query is one of the plain list, both ways", async () => {
    const first = await run("by_user", { vars: { who: "2" } });
    const plain = await pageOf<Item>(inLedger(ledger, `/transactions?cursor=${first.next}`));
    expect(plain.data.map(({ id }) => id)).toEqual([4]);
    const listed = await pageOf<Item>(inLedger(ledger, "/volumes?pageSize=1"));
    const second = await run("every", { cursor: listed.next });
    expect(second.data).toMatchObject([{ account: "users:2" }]);
  });

  test("the cursor of a run of a query keeps the integers of its filter exact", async () => {
    const vars = { least: -(LARGE + ODD + 2n) };
    const first = await run("rich", { vars, params: { pageSize: 2 } });
    const second = await run("rich", { cursor: first.next });
    expect(second).toMatchObject({ hasMore: false, data: [{ address: "users:3" }] });
    const filter = Buffer.from(first.next, "base64url").toString();
    expect(filter).toContain(`{"$gte":{"balance[USD]":${vars.least}}}`);
  });

  test("the cursor of a run of a query keeps the groups and the filter of volumes", async () => {
    const first = await run("totals", { params: { groupBy: 2 } });
    const second = await run("totals", { cursor: first.next });
    const third = await run("totals", { cursor: second.next });
    const pages = [first, second, third].flatMap(({ data }) => data);
    expect(pages.map(({ account }) => account)).toEqual(["users:1", "users:2", "users:3"]);
    expect(third.hasMore).toBe(false);
  });

  test.each<[string, () => Promise<string>]>([
    ["no cursor", async () => "garbage"],
    ["an empty object", async () => "e30"],
    ["null", async () => "bnVsbA"],
    ["no base64url", async () => "é=/"],
    ["too long", async () => "e".repeat(300_001)],
    ["of the largest length, and nothing", async () => "e".repeat(300_000)],
    ["of another resource", async () => (await run("every")).next],
    [
      "of another ledger",
      async () =>
        (await pageOf<Item>(runQuery(await bank(), "by_user", { body: { vars: { who: "2" } } })))
          .next,
    ],
  ])("the cursor of a run of a query is refused where it is %s", async (_what, cursorOf) => {
    const refusal = await refused("by_user", { cursor: await cursorOf() });
    expect(refusal).toMatchObject({ status: 400, code: "VALIDATION" });
    expect(refusal.message).toContain("invalid 'cursor' query param");
  });

  test("the cursor of a run of a query holds a filter with long values", async () => {
    const vars = { one: "é".repeat(20_000), two: "gold" };
    const first = await run("tiers", { vars, params: { pageSize: 1 } });
    expect(first.next.length).toBeGreaterThan(50_000);
    expect(first.data).toMatchObject([{ address: "users:1" }]);
    const second = await run("tiers", { cursor: first.next });
    expect(second.data).toMatchObject([{ address: "users:2" }]);
  });
});
