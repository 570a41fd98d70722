import { expect, test } from "vitest";
import { api, bodyOf, freshName } from "#test/support/platform/api.ts";

const WALLETS = "/api/wallets/wallets";
const JSON_TYPE = { "content-type": "application/json; charset=utf-8" };

async function newWallet(): Promise<string> {
  const answer = await api(WALLETS, { body: { name: freshName("wallet"), metadata: {} } });
  const { data } = (await bodyOf(answer)) as { data: { id: string } };
  return data.id;
}

const balanceOf = async (id: string): Promise<unknown> => {
  const { data } = (await bodyOf(await api(`${WALLETS}/${id}`))) as {
    data: { balances: { main: { assets: unknown } } };
  };
  return data.balances.main.assets;
};

test("a body of another content type is refused with 415 before it is read, and changes nothing", async () => {
  const id = await newWallet();
  const credit = '{"amount":{"amount":5,"asset":"USD/2"}}';
  for (const type of ["text/plain", "application/x-www-form-urlencoded", "text/json"]) {
    const headers = { "content-type": type };
    for (const [method, path] of [
      ["POST", WALLETS],
      ["PATCH", `${WALLETS}/${id}`],
      ["POST", `${WALLETS}/${id}/credit`],
      ["POST", `${WALLETS}/${id}/debit`],
      ["POST", `${WALLETS}/${id}/balances`],
      ["POST", "/api/wallets/holds/none/confirm"],
    ] as const) {
      const refused = await api(path, { method, headers, body: credit });
      expect([path, refused.status, await bodyOf(refused)]).toMatchObject([
        path,
        415,
        { errorCode: "VALIDATION" },
      ]);
    }
  }
  expect(await balanceOf(id)).toEqual({});
  const headers = { "content-type": "Application/JSON; charset=utf-8" };
  expect((await api(`${WALLETS}/${id}/credit`, { headers, body: credit })).status).toBe(204);
  expect(await balanceOf(id)).toEqual({ "USD/2": 5 });
  expect((await api(WALLETS, { method: "POST" })).status).toBe(201);
});

test("members have their names in letters of any size, but for those of metadata", async () => {
  const created = await api(WALLETS, {
    headers: JSON_TYPE,
    body: '{"NAME":"first","Name":"cased","METADATA":{"Tier":"gold","NAME":"kept"}}',
  });
  const { data } = (await bodyOf(created)) as { data: { id: string } };
  expect(data).toMatchObject({ name: "cased", metadata: { Tier: "gold", NAME: "kept" } });
  const path = `${WALLETS}/${data.id}`;
  const credit = { AMOUNT: { Amount: 500, ASSET: "USD/2" }, Sources: [{ IDENTIFIER: "world" }] };
  expect((await api(`${path}/credit`, { body: credit })).status).toBe(204);
  const debit = {
    Amount: { AMOUNT: 200, Asset: "USD/2" },
    Pending: true,
    DESTINATION: { Type: "WALLET", Identifier: data.id, BALANCE: "main" },
  };
  const held = await api(`${path}/debit`, { body: debit });
  expect(held.status).toBe(201);
  expect(await balanceOf(data.id)).toEqual({ "USD/2": 300 });
  const balance = { NAME: "coupon", ExpiresAT: "2100-01-01T00:00:00Z", Priority: 7 };
  expect(await bodyOf(await api(`${path}/balances`, { body: balance }))).toMatchObject({
    data: { name: "coupon", expiresAt: "2100-01-01T00:00:00Z", priority: 7 },
  });
});
