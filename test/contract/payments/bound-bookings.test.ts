import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import { encodeConnectorId, encodeOwnedId } from "#modules/payments/core/ids.ts";
import { type InstalledConnector, findConnector } from "#modules/payments/installs/store.ts";
import { paymentConnectors } from "#modules/payments/installs/tables.ts";
import { present } from "#platform/assert.ts";
import { systemContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { scopesOf } from "#platform/modules/module.ts";
import { MODULES } from "#src/modules.ts";
import { clientWith } from "#test/support/auth/clients.ts";
import { insertSchema } from "#test/support/ledger/schema-api.ts";
import { MIRROR_SCHEMA } from "#test/support/payments/mirror.ts";
import { at } from "#test/support/payments/provider-objects.ts";
import { api, freshName, token } from "#test/support/platform/api.ts";

const PATH = "/api/florin/v1/payments/bookings";
const NOBODY = "11111111-2222-4333-8444-555555555555";
const prefix = freshName("eu");
const [mine, spare, other] = [`${prefix}-1`, `${prefix}-2`, freshName("us")];

/** A token that is bound to the ledgers with the prefix. */
let bound: string;
/** The bookings of a connector and of a pool in a ledger outside of the token's ledgers; `own` is in one of its ledgers. */
let hidden: { connector: string; pool: string };
let own: string;
let connectorID: string;
let poolID: string;

async function install(): Promise<InstalledConnector> {
  const id = { provider: "generic", reference: crypto.randomUUID() };
  const fields = { name: freshName("connector"), config: "", pollingPeriodMs: 1_000_000 };
  await databaseOf(env)
    .insert(paymentConnectors)
    .values({ ...id, ...fields, createdAt: at(0) });
  return present(await findConnector(systemContext(env, "test"), id), "it was just inserted");
}

async function makeLedger(name: string): Promise<void> {
  await api(`/api/ledger/v2/${name}`, { method: "POST" });
  await insertSchema(name, "v1", { body: MIRROR_SCHEMA });
}

const book = (ledger: string, of: object, token?: string): Promise<Response> =>
  api(PATH, {
    body: { ...of, ledger, schemaVersion: "v1", template: "mirror" },
    ...(token === undefined ? {} : { token }),
  });

async function made(response: Promise<Response>): Promise<string> {
  const answer = await response;
  if (!answer.ok) throw new Error(await answer.text());
  return (await answer.json<{ data: { id: string } }>()).data.id;
}

beforeAll(async () => {
  const scopes = Object.keys(scopesOf(MODULES));
  ({ token: bound } = await clientWith({ scopes, metadata: { ledgers: `${prefix}-*` } }));
  for (const ledger of [mine, spare, other]) await makeLedger(ledger);
  connectorID = encodeConnectorId((await install()).id);
  const pool = await api("/api/payments/v3/pools", { body: { name: "p", accountIDs: [] } });
  poolID = (await pool.json<{ data: string }>()).data;
  hidden = {
    connector: await made(book(other, { connectorID })),
    pool: await made(book(other, { poolID })),
  };
  own = await made(book(mine, { connectorID }, bound));
});

const call = async (method: string, path: string, body?: object): Promise<number> =>
  (await api(path, { method, token: bound, ...(body === undefined ? {} : { body }) })).status;

/** All bookings, as a token without bounds sees them. */
async function all(): Promise<unknown> {
  const { cursor } = await (
    await api(`${PATH}?pageSize=100`)
  ).json<{ cursor: { data: object[] } }>();
  return cursor.data;
}

describe("a token that is bound to ledgers", () => {
  test("a token that is bound to ledgers lists, and finds by filters, no booking in another one", async () => {
    for (const query of [
      "",
      `?query=${encodeURIComponent(JSON.stringify({ $match: { ledger: other } }))}`,
    ]) {
      const answer = await api(PATH + query, { token: bound });
      const text = await answer.text();
      expect(answer.status).toBe(200);
      for (const id of Object.values(hidden)) expect(text).not.toContain(id);
      expect(text).not.toContain(other);
      expect(text.includes(own)).toBe(query === "");
    }
  });

  const calls = (id: string): [method: string, path: string, body?: object][] => [
    ["GET", `${PATH}/${id}`],
    ["GET", `${PATH}/${id}/failures`],
    ["POST", `${PATH}/${id}/pause`],
    ["POST", `${PATH}/${id}/resume`],
    ["POST", `${PATH}/${id}/rebuild`, { ledger: spare }],
    ["DELETE", `${PATH}/${id}`],
  ];

  test("a token that is bound to ledgers neither reads, pauses, resumes, rebuilds nor ends a booking in another one", async () => {
    const before = await all();
    for (const id of Object.values(hidden)) {
      for (const [method, path, body] of calls(id)) {
        expect([method, path, await call(method, path, body)]).toEqual([method, path, 404]);
      }
    }
    // An unknown booking gets the same answer as a hidden one.
    for (const [method, path, body] of calls(NOBODY)) {
      expect(await call(method, path, body)).toBe(404);
    }
    expect(await all()).toEqual(before);
  });

  test("a token that is bound to ledgers makes no booking in another one, nor moves one there, be it there or not", async () => {
    const before = await all();
    for (const ledger of [other, freshName("none"), prefix]) {
      for (const of of [{ connectorID }, { poolID }]) {
        const answer = await book(ledger, of, bound);
        expect(answer.status).toBe(401);
        expect(answer.headers.get("www-authenticate")).toContain("insufficient_scope");
      }
      expect(await call("POST", `${PATH}/${own}/rebuild`, { ledger })).toBe(401);
    }
    expect(await all()).toEqual(before);
  });

  test("a token that is bound to ledgers ends and changes no booking in another one by its pool or its connector", async () => {
    const before = await all();
    const accounts = `/api/payments/v3/pools/${poolID}/accounts`;
    const attempts: [method: string, path: string, body?: object][] = [
      ["DELETE", `/api/payments/v3/pools/${poolID}`],
      ["DELETE", `/api/payments/pools/${poolID}`],
      ["PATCH", `/api/payments/v3/pools/${poolID}/query`, { query: { $match: { id: "x" } } }],
      ["DELETE", `${accounts}/${ACCOUNT}`],
      ["DELETE", `/api/payments/v3/connectors/${connectorID}`],
      ["POST", `/api/payments/v3/connectors/${connectorID}/reset`],
      ["DELETE", `/api/payments/connectors/generic/${connectorID}`],
      ["POST", `/api/payments/connectors/generic/${connectorID}/reset`],
    ];
    // A token without ledger:write changes and ends no booking either.
    for (const bearer of [bound, await token("payments:write")]) {
      for (const [method, path, body] of attempts) {
        const { status } = await api(path, { method, token: bearer, body });
        expect([method, path, status]).toEqual([method, path, 401]);
      }
    }
    expect(await all()).toEqual(before);
    const connectors = await api("/api/payments/v3/connectors?pageSize=1000");
    expect(await connectors.text()).toContain(connectorID);
  });

  test("a token that is bound to ledgers uses the bookings of its own ledgers", async () => {
    expect(await call("POST", `${PATH}/${own}/pause`)).toBe(200);
    expect(await call("POST", `${PATH}/${own}/resume`)).toBe(200);
    expect(await call("GET", `${PATH}/${own}/failures`)).toBe(200);
    const mineOnly = await api("/api/payments/v3/pools", { body: { name: "q", accountIDs: [] } });
    const { data: free } = await mineOnly.json<{ data: string }>();
    const ofPool = await made(book(mine, { poolID: free }, bound));
    expect(await call("DELETE", `/api/payments/v3/pools/${free}`)).toBe(204);
    expect(await call("GET", `${PATH}/${ofPool}`)).toBe(404);
    expect(await call("DELETE", `${PATH}/${own}`)).toBe(204);
  });
});

/** The id of an account that does not exist. */
const ACCOUNT = encodeOwnedId({
  connector: { provider: "generic", reference: NOBODY },
  reference: "a",
});
