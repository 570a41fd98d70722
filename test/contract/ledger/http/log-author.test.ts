import { beforeAll, describe, expect, test } from "vitest";
import { type TestClient, freshClient } from "#test/support/auth/clients.ts";
import {
  freshLedger,
  inLedger,
  logIdsOf,
  okBodyOf,
  pay,
  post,
  refusalOf,
} from "#test/support/ledger/api.ts";
import { api, freshName, token } from "#test/support/platform/api.ts";
import { TEST_SETTINGS } from "#test/support/platform/settings.ts";

interface Author {
  readonly issuer: string;
  readonly subject: string;
  readonly clientId: string;
}

const authorPath = (ledger: string, id: number | string) =>
  `/api/florin/v1/ledgers/${ledger}/logs/${id}/author`;

async function authorOf(ledger: string, id: number): Promise<Author> {
  return (await okBodyOf<{ data: Author }>(api(authorPath(ledger, id)))).data;
}

/** The ids of the clients that wrote the entries of a ledger. */
async function clientsOf(ledger: string): Promise<string[]> {
  const ids = await logIdsOf(ledger);
  return Promise.all(ids.map(async (id) => (await authorOf(ledger, id)).clientId));
}

let shop: TestClient;

beforeAll(async () => {
  shop = await freshClient("ledger:read", "ledger:write");
});

describe("the author of a log entry", () => {
  test("the author of a log entry is what the token says", async () => {
    const ledger = await freshLedger();
    await okBodyOf(post(ledger, pay("world -> a", 1), { token: shop.token }));
    await okBodyOf(post(ledger, pay("world -> a", 1)));
    expect(await authorOf(ledger, 1)).toEqual({
      issuer: "http://localhost:8787/api/auth",
      subject: shop.id,
      clientId: shop.id,
    });
    expect(await clientsOf(ledger)).toEqual([shop.id, TEST_SETTINGS.FLORIN_CLIENT_ID]);
  });

  test.each([
    ["a bulk", "application/json", (elements: unknown[]) => JSON.stringify(elements)],
    [
      "a stream",
      "application/vnd.formance.ledger.api.v2.bulk+json-stream",
      (elements: unknown[]) => elements.map((element) => JSON.stringify(element)).join("\n"),
    ],
  ])("the author of a log entry is that of %s", async (_, type, toBody) => {
    const ledger = await freshLedger();
    const element = { action: "CREATE_TRANSACTION", data: pay("world -> a", 1) };
    const headers = { "content-type": type };
    for (const atomic of [false, true]) {
      await okBodyOf(
        inLedger(ledger, `/_bulk?atomic=${atomic}`, {
          method: "POST",
          headers,
          body: toBody([element, element]),
          token: shop.token,
        }),
      );
    }
    expect(await clientsOf(ledger)).toEqual([shop.id, shop.id, shop.id, shop.id]);
  });

  test("the author of a log entry is that of a write through version 1, which makes the ledger", async () => {
    const ledger = freshName("ledger");
    const path = `/api/ledger/${ledger}/transactions`;
    await okBodyOf(api(path, { body: pay("world -> a", 1), token: shop.token }));
    await okBodyOf(
      api(`${path}/batch`, {
        body: { transactions: [pay("world -> a", 1)] },
        token: shop.token,
      }),
    );
    expect(await clientsOf(ledger)).toEqual([shop.id, shop.id]);
  });

  test("the author of a log entry is that of a schema, of metadata and of a revert", async () => {
    const ledger = await freshLedger();
    const schema = { chart: { world: {}, a: {} } };
    const send = async (path: string, body: unknown) => {
      const response = await inLedger(ledger, path, { method: "POST", body, token: shop.token });
      expect(response.ok).toBe(true);
    };
    await send("/schemas/v1", schema);
    await send("/transactions", pay("world -> a", 1));
    await send("/accounts/a/metadata", { k: "v" });
    await send("/transactions/1/revert", undefined);
    expect(await clientsOf(ledger)).toEqual([shop.id, shop.id, shop.id, shop.id]);
  });

  test("the author of a log entry is whoever imports an entry", async () => {
    const source = await freshLedger();
    await okBodyOf(post(source, pay("world -> a", 1)));
    const exported = await inLedger(source, "/logs/export", { method: "POST" });
    const log = new TextDecoder().decode(await exported.arrayBuffer());
    const copy = await freshLedger();
    const imported = await inLedger(copy, "/logs/import", {
      method: "POST",
      headers: { "content-type": "application/octet-stream" },
      body: log,
      token: shop.token,
    });
    expect(imported.status).toBe(204);
    expect(await clientsOf(copy)).toEqual([shop.id]);
  });
});

describe("the author is refused", () => {
  test("the author of an entry or a ledger that does not exist is refused", async () => {
    const ledger = await freshLedger();
    for (const id of [1, -1]) {
      expect(await refusalOf(api(authorPath(ledger, id)))).toEqual({
        status: 404,
        code: "NOT_FOUND",
        message: `[NOT_FOUND] log ${id} not found`,
      });
    }
    expect(await refusalOf(api(authorPath(freshName("nobody"), 1)))).toMatchObject({ status: 404 });
    expect(await refusalOf(api(authorPath(ledger, "x")))).toMatchObject({ status: 400 });
  });

  test("the author of a log entry is refused to a token without ledger:read", async () => {
    const ledger = await freshLedger();
    await okBodyOf(post(ledger, pay("world -> a", 1)));
    const path = authorPath(ledger, 1);
    expect((await api(path, { token: await token("ledger:read") })).status).toBe(200);
    for (const bearer of [null, await token("auth:read")]) {
      expect((await api(path, { token: bearer })).status).toBe(401);
    }
  });
});
