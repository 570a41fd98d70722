import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { listGaps, noteGap } from "#modules/search/follow/gaps.ts";
import { searchListener } from "#modules/search/follow/listener.ts";
import { sweepSearch } from "#modules/search/follow/sweep.ts";
import { systemContext } from "#platform/context.ts";
import { readOwnApiOf } from "#src/app.ts";
import { api, bodyOf, freshName, token } from "#test/support/platform/api.ts";
import { eventually } from "#test/support/platform/eventually.ts";
import { newLedger, pay } from "#test/support/reconciliation/books.ts";
import { page } from "#test/support/search/searches.ts";

const STATE = "/api/florin/v1/search";

interface IndexState {
  readonly generation: number;
  readonly behindCount: number;
}
interface State {
  readonly enabled: boolean;
  readonly shards: readonly { readonly serving?: IndexState; readonly building?: IndexState }[];
  readonly gaps: readonly { readonly origin: string; readonly reason: string }[];
}

const context = { ...systemContext(env, "test"), readOwnApi: readOwnApiOf(env) };

async function stateOf(): Promise<State> {
  const response = await api(STATE);
  expect(response.status).toBe(200);
  return ((await bodyOf(response)) as { data: State }).data;
}

const countOf = async (ledger: string): Promise<number> =>
  (await page({ target: "TRANSACTION", ledgers: [ledger], pageSize: 100 })).data.length;

describe("the index", () => {
  test("is built anew while it serves, with what is written meanwhile", async () => {
    const [ledger, pool] = [await newLedger(), freshName("pool")];
    await pay(ledger, { to: "users:1", amount: 1 });
    const made = await api("/api/payments/v3/pools", { body: { name: pool, accountIDs: [] } });
    expect(made.status).toBe(201);
    const findPool = async () => (await page({ target: "POOL", terms: [pool] })).data.length;
    await eventually(async () => expect([await countOf(ledger), await findPool()]).toEqual([1, 1]));
    await sweepSearch(context);
    const before = await stateOf();
    expect(before).toMatchObject({ enabled: true, gaps: [] });
    const [{ next }] = [await page({ target: "ACCOUNT", ledgers: [ledger], pageSize: 1 })];
    expect((await api(`${STATE}/rebuild`, { method: "POST" })).status).toBe(202);
    expect([await countOf(ledger), await findPool()]).toEqual([1, 1]);
    await pay(ledger, { to: "users:2", amount: 2 });
    await eventually(async () => {
      await sweepSearch(context);
      const { shards } = await stateOf();
      expect(shards.filter(({ building }) => building !== undefined)).toEqual([]);
      shards.forEach(({ serving }, shard) => {
        expect(serving?.generation).toBeGreaterThan(before.shards[shard]?.serving?.generation ?? 0);
      });
    });
    await eventually(async () => expect([await countOf(ledger), await findPool()]).toEqual([2, 1]));
    const stale = await api("/api/search/", { body: { cursor: next } });
    expect([stale.status, await stale.text()]).toEqual([400, expect.stringContaining("rebuilt")]);
  });

  test("gets what happened while FLORIN_SEARCH was off, once it is on again", async () => {
    const ledger = await newLedger();
    const { data } = (await bodyOf(await api(`/api/ledger/v2/${ledger}/_info`))) as {
      data: { name: string };
    };
    expect(data.name).toBe(ledger);
    const off = { ...context, env: { ...env, FLORIN_SEARCH: "off" as const } };
    const message = { source: "ledger", ledger, uuid: freshName(), from: 1, to: 1 } as const;
    expect(await searchListener.open([message], off)).toBeUndefined();
    expect(await searchListener.wants?.({ name: "payments.saved_pool", rawType: "" }, off)).toBe(
      false,
    );
    expect(await sweepSearch(off)).toBeUndefined();
    const gap = (await listGaps(context)).find(({ origin }) => origin === message.uuid);
    expect(gap).toMatchObject({ ledger, reason: "FLORIN_SEARCH was off", revision: 1 });
    await noteGap(context, { origin: "POOL", ledger: "", reason: "a test" });
    await noteGap(context, { origin: "POOL", ledger: "", reason: "a test" });
    expect((await stateOf()).gaps).toEqual(
      expect.arrayContaining([expect.objectContaining({ origin: "POOL", reason: "a test" })]),
    );
    await eventually(async () => {
      await sweepSearch(context);
      expect(await listGaps(context)).toEqual([]);
    });
  });

  test("reads lists of objects that were stored before it followed them", async () => {
    const name = freshName("early");
    await api("/api/payments/v3/pools", { body: { name, accountIDs: [] } });
    await noteGap(context, { origin: "POOL", ledger: "", reason: "a test" });
    await sweepSearch(context);
    await sweepSearch(context);
    expect((await page({ target: "POOL", terms: [name] })).data).toMatchObject([{ name }]);
  });

  test("follows ledgers of which no event has told", async () => {
    const ledger = await newLedger();
    await pay(ledger, { to: "users:9", amount: 9 });
    await eventually(async () => {
      await sweepSearch(context);
      expect(await countOf(ledger)).toBe(1);
    });
    const { shards } = await stateOf();
    expect(shards).toHaveLength(8);
  });

  test("is shown and rebuilt only for those who may", async () => {
    const bearer = await token("search:write");
    expect((await api(STATE, { token: bearer })).status).toBe(401);
    const reader = await token("search:read", "florin:operate");
    expect((await api(`${STATE}/rebuild`, { method: "POST", token: reader })).status).toBe(401);
  });
});
