import { expect, test } from "vitest";
import { api, freshName } from "#test/support/platform/api.ts";

const PATH = "/api/ledger/v2";

const create = (ledger: string, location: string): Promise<Response> =>
  api(`${PATH}/${ledger}`, { method: "POST", headers: { "x-florin-location": location } });

async function dataOf(ledger: string): Promise<Record<string, unknown>> {
  const response = await api(`${PATH}/${ledger}`);
  return (await response.json<{ data: Record<string, unknown> }>()).data;
}

test("a ledger keeps the location hint of its creation", async () => {
  const ledger = freshName("ledger");
  expect((await create(ledger, "weur")).status).toBe(204);
  expect(await dataOf(ledger)).toMatchObject({ name: ledger, location: "weur" });
  const again = await create(ledger, "oc");
  expect(await again.json()).toMatchObject({ errorCode: "LEDGER_ALREADY_EXISTS" });
  expect(await dataOf(ledger)).toMatchObject({ location: "weur" });
  const list = await api(`${PATH}?pageSize=1000`);
  const { cursor } = await list.json<{ cursor: { data: unknown[] } }>();
  expect(cursor.data).toContainEqual(expect.objectContaining({ name: ledger, location: "weur" }));
});

test("a ledger that was created without a hint shows none", async () => {
  const ledger = freshName("ledger");
  expect((await api(`${PATH}/${ledger}`, { method: "POST" })).status).toBe(204);
  expect(await dataOf(ledger)).not.toHaveProperty("location");
});

test("an unknown location is refused, and no ledger is made", async () => {
  const ledger = freshName("ledger");
  const response = await create(ledger, "mars");
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({
    errorCode: "VALIDATION",
    errorMessage: expect.stringContaining("expected one of wnam, enam") as string,
  });
  expect((await api(`${PATH}/${ledger}`)).status).toBe(404);
});
