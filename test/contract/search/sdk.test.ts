import { expect, test } from "vitest";
import { token } from "#test/support/platform/api.ts";
import { eventually } from "#test/support/platform/eventually.ts";
import { refusalOf, sdk } from "#test/support/platform/sdk/sdk.ts";
import { newLedger, pay } from "#test/support/reconciliation/books.ts";

const client = sdk({ bearer: await token("search:read", "ledger:read") }).search.v1;

test("the official client reads the version, searches, and reads pages", async () => {
  const info = await client.getServerInfoSearch();
  expect(info.serverInfo?.version).toMatch(/^v\d+\.\d+\.\d+$/);
  const ledger = await newLedger();
  for (const amount of [1, 2, 3]) await pay(ledger, { to: "users:1", amount });
  const query = { target: "TRANSACTION", ledgers: [ledger], terms: ["users"], pageSize: 2 };
  const first = await eventually(async () => {
    const { response } = await client.search({ ...query, policy: "AND", raw: {} });
    expect(response?.cursor?.total).toEqual({ value: 3, relation: "gte" });
    return response?.cursor;
  });
  expect(first?.data?.map(({ id }) => id as unknown)).toEqual([3, 2]);
  const { response } = await client.search({ cursor: first?.next ?? "" });
  expect(response?.cursor).toMatchObject({
    hasMore: false,
    next: "",
    pageSize: 2,
    total: { value: 3, relation: "eq" },
    data: [{ id: 1, kind: "TRANSACTION", ledger }],
  });
  const all = await client.search({ ledgers: [ledger], terms: ["users"] });
  expect(Object.keys(all.response?.data ?? {})).toEqual(["TRANSACTION", "ACCOUNT"]);
});

test("the official client gets the code of a search that is refused, and of one without the scope", async () => {
  expect(await refusalOf(client.search({ target: "PERSON" }))).toEqual({
    statusCode: 400,
    errorCode: "VALIDATION",
  });
  const unscoped = sdk({ bearer: await token("ledger:read") }).search.v1;
  expect(await refusalOf(unscoped.search({}))).toEqual({
    statusCode: 401,
    errorCode: "VALIDATION",
  });
});
