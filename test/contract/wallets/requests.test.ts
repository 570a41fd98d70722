import { describe, expect, test } from "vitest";
import { clientWith } from "#test/support/auth/clients.ts";
import { inLedger, okBodyOf, refusalOf } from "#test/support/ledger/api.ts";
import { api, freshName, token } from "#test/support/platform/api.ts";
import { freshWallet, heldIn, inWallets, succeeded, usd } from "#test/support/wallets/wallets.ts";

const VALIDATION = { status: 400, code: "VALIDATION" };
const UNKNOWN = "00000000-0000-4000-8000-000000000000";

interface Cursor<T> {
  cursor: { pageSize: number; hasMore: boolean; next: string; data: T[] };
}

describe("requests", () => {
  test("requests for wallets need a token with the scope, the service endpoints excepted", async () => {
    for (const path of ["/_info", "/_healthcheck"]) {
      expect(await succeeded(inWallets(path, { token: null }))).toBe(200);
    }
    expect((await inWallets("/wallets", { token: null })).status).toBe(401);
    const foreign = await token("ledger:write");
    expect((await inWallets("/wallets", { token: foreign })).status).toBe(401);
    const reader = await token("wallets:read");
    expect((await inWallets("/wallets", { token: reader })).status).toBe(200);
    expect((await inWallets("/wallets", { token: reader, method: "POST" })).status).toBe(401);
    const writer = await token("wallets:write");
    expect((await inWallets("/wallets", { token: writer, method: "POST" })).status).toBe(201);
    expect((await inWallets("/wallets", { token: writer })).status).toBe(200);
  });

  test("the service says which ledger has the wallets, which decides what tokens with ledgers reach", async () => {
    const { ledger } = await okBodyOf<{ ledger: string }>(await inWallets("/_info"));
    for (const [ledgers, status] of [
      [ledger, 200],
      ["eu-*", 401],
    ] as const) {
      const bound = await clientWith({ scopes: ["wallets:read"], metadata: { ledgers } });
      expect((await inWallets("/wallets", { token: bound.token })).status).toBe(status);
    }
  });

  test("requests for wallets without a body create a wallet without a name", async () => {
    const response = await inWallets("/wallets", { method: "POST" });
    const { data } = await okBodyOf<{ data: object }>(response);
    expect(response.status).toBe(201);
    expect(data).toMatchObject({
      name: "",
      metadata: {},
      balances: { main: { expiresAt: null, priority: 0, assets: {} } },
    });
  });

  test.each([
    ["is no JSON", "{"],
    ["has a name that is no text", { name: 1 }],
    ["has metadata that are no texts", { name: "a", metadata: { a: 1 } }],
  ])("requests for wallets whose body %s create no wallet", async (_, body) => {
    const headers = { "content-type": "application/json" };
    expect(await refusalOf(inWallets("/wallets", { body, headers }))).toMatchObject(VALIDATION);
  });

  test("requests for wallets above a megabyte are too large", async () => {
    const body = { name: "a", metadata: { a: "x".repeat(1024 * 1024) } };
    const refusal = await refusalOf(inWallets("/wallets", { body }));
    expect(refusal).toMatchObject({ status: 413, code: "VALIDATION" });
  });

  test("requests for wallets for what does not exist get an error with a code that clients know", async () => {
    const { path } = await freshWallet();
    for (const unknown of [
      `/wallets/${UNKNOWN}`,
      "/wallets/holds",
      "/wallets/a:b",
      "/wallets/-",
      `${path}/balances/none`,
      `${path}/balances/a%20b`,
      `/holds/${UNKNOWN}`,
      "/holds/a:b",
      "/none",
    ]) {
      const refusal = await refusalOf(inWallets(unknown));
      expect([unknown, refusal]).toMatchObject([unknown, { status: 404, code: "VALIDATION" }]);
    }
    const init = { method: "PATCH", body: { metadata: { a: "b" } } };
    expect((await refusalOf(inWallets(`/wallets/${UNKNOWN}`, init))).status).toBe(404);
  });

  test.each([
    ["", 15],
    ["20", 20],
    ["100", 100],
    ["100000", 100],
  ])("requests for wallets for pages of the size '%s' get pages of %i", async (size, pageSize) => {
    for (const list of ["/wallets", "/holds", "/transactions", `/wallets/${UNKNOWN}/balances`]) {
      const { cursor } = await okBodyOf<Cursor<object>>(inWallets(`${list}?pageSize=${size}`));
      expect(cursor.pageSize).toBe(pageSize);
    }
  });

  test.each(["abc", "0", "-5", "2147483648"])(
    "requests for wallets for pages of the size %s are refused",
    async (size) => {
      expect(await refusalOf(inWallets(`/wallets?pageSize=${size}`))).toMatchObject(VALIDATION);
    },
  );

  test("requests for wallets with the cursor of another list are refused", async () => {
    await Promise.all([freshWallet(), freshWallet()]);
    const { cursor } = await okBodyOf<Cursor<object>>(inWallets("/wallets?pageSize=1"));
    const path = `?cursor=${cursor.next}`;
    expect((await inWallets(`/wallets${path}`)).status).toBe(200);
    expect(await refusalOf(inWallets(`/holds${path}`))).toMatchObject(VALIDATION);
    expect(await refusalOf(inWallets(`/wallets?cursor=eyJ`))).toMatchObject(VALIDATION);
  });
});

describe("a wallet", () => {
  test("a wallet has the same account with and without the dashes of its id", async () => {
    const { id, path } = await freshWallet(5);
    const bare = id.replaceAll("-", "");
    expect(await heldIn(`/wallets/${bare}`)).toBe(5);
    const account = await okBodyOf<{ data: { metadata: object } }>(
      inLedger("wallets-002", `/accounts/wallets:${bare}:main`),
    );
    expect(account.data.metadata).toMatchObject({
      "wallets/spec/type": "wallets.primary",
      "wallets/id": id,
      "wallets/balances": "true",
      "wallets/balances/name": "main",
    });
    expect(await heldIn(path)).toBe(5);
  });

  test("a wallet keeps metadata of any key, and merges them once by a key", async () => {
    const { path } = await freshWallet();
    const metadata = { __proto__x: "1", 'a"]b': "2", "10": "3", "": "4" };
    const init = {
      method: "PATCH",
      body: { metadata },
      headers: { "Idempotency-Key": freshName() },
    };
    expect(await succeeded(inWallets(path, init))).toBe(204);
    await succeeded(inWallets(path, { method: "PATCH", body: { metadata: { "10": "5" } } }));
    expect(await succeeded(inWallets(path, init))).toBe(204);
    expect(await succeeded(inWallets(path, { method: "PATCH", body: { metadata: null } }))).toBe(
      204,
    );
    const { data } = await okBodyOf<{ data: { metadata: object } }>(inWallets(path));
    expect(data.metadata).toEqual({ ...metadata, "10": "5" });
    const found = await okBodyOf<Cursor<object>>(
      inWallets(`/wallets?metadata[${encodeURIComponent('a"]b')}]=2`),
    );
    expect(found.cursor.data).toEqual([data]);
  });

  test("a wallet whose metadata somebody damaged in the ledger breaks no list", async () => {
    const { id, path } = await freshWallet();
    const account = `/accounts/wallets:${id.replaceAll("-", "")}:main/metadata`;
    const body = { "wallets/createdAt": "yesterday", "wallets/name": "damaged" };
    await succeeded(inLedger("wallets-002", account, { body }));
    const { data } = await okBodyOf<{ data: { createdAt: string } }>(inWallets(path));
    expect(data.createdAt).toMatch(/^\d{4}-/);
    expect((await inWallets("/wallets?name=damaged&expand=balances")).status).toBe(200);
  });

  test("a wallet whose key belongs to an account that is none is not created", async () => {
    const key = freshName("key");
    const headers = { "Idempotency-Key": key };
    const { data } = await okBodyOf<{ data: { id: string } }>(
      inWallets("/wallets", { method: "POST", headers }),
    );
    const account = `/accounts/wallets:${data.id.replaceAll("-", "")}:main/metadata`;
    await succeeded(
      inLedger("wallets-002", `${account}/wallets%2Fspec%2Ftype`, { method: "DELETE" }),
    );
    const refusal = await refusalOf(inWallets("/wallets", { method: "POST", headers }));
    expect(refusal).toMatchObject({ status: 409, code: "VALIDATION" });
  });
});

describe("a balance", () => {
  test("a wallet's balance that is repeated with its key gets its first answer, and no other request does", async () => {
    const { path } = await freshWallet();
    const create = (body: object, key = "first") =>
      inWallets(`${path}/balances`, { body, headers: { "Idempotency-Key": key } });
    const body = {
      name: "promo",
      priority: 9_007_199_254_740_993n,
      expiresAt: "2040-01-01T02:00:00+02:00",
    };
    const first = await (await create(body)).text();
    expect(first).toBe(
      '{"data":{"name":"promo","expiresAt":"2040-01-01T00:00:00Z","priority":9007199254740993}}',
    );
    expect(await (await create(body)).text()).toBe(first);
    expect(await refusalOf(create({ name: "promo" }))).toMatchObject({ status: 409 });
    expect(await refusalOf(create(body, "second"))).toMatchObject(VALIDATION);
  });

  test("a balance of an account that has received money already is created, and has it", async () => {
    const { id, path } = await freshWallet();
    const address = `wallets:${id.replaceAll("-", "")}:gift`;
    const posting = { source: "world", destination: address, amount: 3, asset: "USD/2" };
    await succeeded(inLedger("wallets-002", "/transactions", { body: { postings: [posting] } }));
    expect((await inWallets(`${path}/balances/gift`)).status).toBe(404);
    await succeeded(inWallets(`${path}/balances`, { body: { name: "gift", expiresAt: "" } }));
    expect(await heldIn(path, "gift")).toBe(3);
  });

  test.each([
    { name: "a", priority: 2n ** 63n },
    { name: "a", priority: 1.5 },
    { name: "a", expiresAt: "tomorrow" },
    { priority: 1 },
  ])("a wallet's balance of %o is refused", async (body) => {
    const { path } = await freshWallet();
    expect(await refusalOf(inWallets(`${path}/balances`, { body }))).toMatchObject(VALIDATION);
  });
});

const DELETED = {
  status: 409,
  code: "VALIDATION",
  message:
    "[VALIDATION] the ledger of the wallets is deleted with its bucket; the wallets are there again when the bucket is restored",
};

// The last test of the file, because all others need the ledger.
test("wallets whose ledger is deleted with its bucket say so until it is restored", async () => {
  const { path } = await freshWallet(5);
  const bucket = "/api/ledger/v2/_/buckets/wallets-002";
  await succeeded(api(bucket, { method: "DELETE" }));
  const calls = [
    inWallets(path),
    inWallets("/wallets"),
    inWallets("/wallets", { method: "POST" }),
    inWallets(`${path}/credit`, { body: { amount: usd(1) } }),
    inWallets(`${path}/summary`),
  ];
  for (const call of calls) {
    expect(await refusalOf(call)).toMatchObject(DELETED);
  }
  await succeeded(api(`${bucket}/restore`, { method: "POST" }));
  expect(await heldIn(path)).toBe(5);
});
