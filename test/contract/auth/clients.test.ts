import type { SDK } from "@formance/formance-sdk";
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import { CLIENT_BYTES_MAX, CLIENT_SECRETS_MAX } from "#modules/auth/core/client.ts";
import type { ErrorBody } from "#platform/errors.ts";
import { api, bodyOf, freshName, send, token } from "#test/support/platform/api.ts";
import { sdk } from "#test/support/platform/sdk/sdk.ts";
import { TEST_SETTINGS } from "#test/support/platform/settings.ts";

const FIELDS = {
  public: false,
  redirectUris: ["https://app.example.com/callback"],
  description: "Pays suppliers",
  postLogoutRedirectUris: ["https://app.example.com/bye"],
  metadata: { team: "payments" },
  trusted: true,
  scopes: ["ledger:read", "ledger:write"],
};
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

let stack: SDK;
let writer: string;

beforeAll(async () => {
  stack = sdk();
  writer = await token("auth:write");
});

async function create(fields: { scopes?: string[]; public?: boolean } = {}) {
  const name = freshName();
  const { createClientResponse } = await stack.auth.v1.createClient({ ...FIELDS, ...fields, name });
  const id = createClientResponse?.data?.id;
  if (id === undefined) throw new Error("no client was created");
  return { id, name };
}

async function createSecret(clientId: string): Promise<{ id: string; clear: string }> {
  const { createSecretResponse } = await stack.auth.v1.createSecret({
    clientId,
    secretOptions: { name: "prod" },
  });
  const secret = createSecretResponse?.data;
  if (secret === undefined) throw new Error("no secret was created");
  return secret;
}

async function read(clientId: string) {
  return (await stack.auth.v1.readClient({ clientId })).readClientResponse?.data;
}

const listIds = async () =>
  ((await stack.auth.v1.listClients()).listClientsResponse?.data ?? []).map(({ id }) => id);

const requestToken = (id: string, secret: string) =>
  send("/api/auth/oauth/token", {
    method: "POST",
    body: new URLSearchParams({
      grant_type: "client_credentials",
      client_id: id,
      client_secret: secret,
    }),
  });

describe("clients", () => {
  test("the API of clients shows on every read what was created, in the order of creation", async () => {
    const first = await create();
    const second = await create();
    expect(await read(first.id)).toEqual({ ...FIELDS, ...first, secrets: [] });
    const ids = await listIds();
    expect(ids.indexOf(first.id)).toBeGreaterThanOrEqual(0);
    expect(ids.indexOf(second.id)).toBeGreaterThan(ids.indexOf(first.id));
  });

  test("the API of clients answers the creation of a client with all fields, in the reference's order", async () => {
    const id = freshName();
    const response = await api("/api/auth/clients", {
      token: writer,
      body: { id, name: "billing" },
    });
    expect(response.status).toBe(201);
    expect(response.headers.get("content-type")).toBe("application/json");
    expect(await response.text()).toBe(
      `{"data":{"public":false,"redirectUris":[],"description":"","name":"billing","postLogoutRedirectUris":[],"metadata":{},"trusted":false,"scopes":[],"id":"${id}","secrets":[]}}`,
    );
  });

  test("the API of clients makes an id where none or an empty one is sent, and takes null for an absent field", async () => {
    const body = {
      id: "",
      name: null,
      public: null,
      redirectUris: null,
      metadata: null,
      scopes: null,
    };
    const response = await api("/api/auth/clients", { token: writer, body });
    const { data } = await response.json<{ data: Record<string, unknown> }>();
    expect(data["id"]).toMatch(UUID);
    expect(data).toMatchObject({
      name: "",
      public: false,
      redirectUris: [],
      metadata: {},
      scopes: [],
    });
  });

  test("the API of clients ignores unknown fields, also those that only an answer has", async () => {
    const body = { name: "x", color: "red", secrets: [{ id: "1" }] };
    const response = await api("/api/auth/clients", { token: writer, body });
    expect(response.status).toBe(201);
    expect(await response.json()).toMatchObject({ data: { secrets: [] } });
  });

  test("the API of clients replaces all fields on update and keeps the id and the secrets", async () => {
    const { id } = await create();
    const secret = await createSecret(id);
    const { createClientResponse: updated } = await stack.auth.v1.updateClient({
      clientId: id,
      clientOptions: { name: "renamed", scopes: ["auth:read"] },
    });
    const expected = {
      public: false,
      redirectUris: [],
      description: "",
      name: "renamed",
      postLogoutRedirectUris: [],
      metadata: {},
      trusted: false,
      scopes: ["auth:read"],
      id,
      secrets: [{ id: secret.id, lastDigits: secret.clear.slice(-4), name: "prod", metadata: {} }],
    };
    expect(updated?.data).toEqual(expected);
    expect(await read(id)).toEqual(expected);
  });

  test("the API of clients ignores an id in the body of an update", async () => {
    const { id } = await create();
    const body = { id: freshName(), name: "same" };
    const response = await api(`/api/auth/clients/${id}`, { method: "PUT", token: writer, body });
    expect(await response.json()).toMatchObject({ data: { id, name: "same" } });
  });

  test("the API of clients deletes a client, and answers the same when it is deleted again", async () => {
    const { id } = await create();
    expect((await stack.auth.v1.deleteClient({ clientId: id })).statusCode).toBe(204);
    expect((await stack.auth.v1.deleteClient({ clientId: id })).statusCode).toBe(204);
    expect(await listIds()).not.toContain(id);
  });

  test("the API of clients answers 404 with a JSON error for an unknown client", async () => {
    const id = freshName();
    const name = { name: "x" };
    const answers = [
      await api(`/api/auth/clients/${id}`, { token: writer }),
      await api(`/api/auth/clients/${id}`, { method: "PUT", token: writer, body: name }),
      await api(`/api/auth/clients/${id}/secrets`, { token: writer, body: name }),
    ];
    for (const answer of answers) {
      expect(answer.status).toBe(404);
      expect(await bodyOf(answer)).toEqual({
        errorCode: "NOT_FOUND",
        errorMessage: `[NOT_FOUND] there is no client '${id}'`,
      });
    }
  });

  test("the API of clients refuses an id that is taken and changes nothing", async () => {
    const { id, name } = await create();
    const answer = await api("/api/auth/clients", { token: writer, body: { id, name: "other" } });
    expect(answer.status).toBe(409);
    expect(await bodyOf(answer)).toMatchObject({ errorCode: "CONFLICT" });
    expect(await read(id)).toMatchObject({ name });
  });

  test("the API of clients neither shows nor changes the client of the settings", async () => {
    const id = TEST_SETTINGS.FLORIN_CLIENT_ID;
    expect(await listIds()).not.toContain(id);
    const body = { id, name: "mine" };
    const path = `/api/auth/clients/${id}`;
    expect((await api("/api/auth/clients", { token: writer, body })).status).toBe(409);
    expect((await api(path, { token: writer })).status).toBe(404);
    expect((await api(path, { method: "PUT", token: writer, body })).status).toBe(404);
    expect((await api(path, { method: "DELETE", token: writer })).status).toBe(204);
    expect((await requestToken(id, TEST_SETTINGS.FLORIN_CLIENT_SECRET)).status).toBe(200);
  });

  test("the API of clients keeps any metadata key", async () => {
    const id = freshName();
    const metadata = '{"b":"1","a":"","10":"x","9":"y","__proto__":"kept"}';
    const body = `{"id":"${id}","metadata":${metadata}}`;
    await api("/api/auth/clients", { method: "POST", token: writer, body });
    const answer = await api(`/api/auth/clients/${id}`, { token: writer });
    expect(await answer.text()).toContain(
      '"metadata":{"9":"y","10":"x","b":"1","a":"","__proto__":"kept"}',
    );
  });

  test("the API of clients answers under /clients/ too", async () => {
    const created = await api("/api/auth/clients/", { token: writer, body: { name: "slash" } });
    expect(created.status).toBe(201);
    const { data } = await created.json<{ data: { id: string } }>();
    const list = await api("/api/auth/clients/", { token: writer });
    expect(await list.text()).toContain(data.id);
  });

  test("the API of clients takes ids that need escaping in a path", async () => {
    const id = `${freshName()}/a:b%?#+`;
    await api("/api/auth/clients", { token: writer, body: { id, name: "odd" } });
    expect(await read(id)).toMatchObject({ id, name: "odd" });
  });
});

describe("secrets", () => {
  test("a client's secret is shown in clear once, by its last four characters later, and never as a hash", async () => {
    const { id } = await create();
    const response = await api(`/api/auth/clients/${id}/secrets`, {
      token: writer,
      body: { name: "prod", metadata: { env: "eu" } },
    });
    expect(response.status).toBe(200);
    const text = await response.text();
    const { data } = JSON.parse(text) as { data: { id: string; clear: string } };
    const lastDigits = data.clear.slice(-4);
    expect(data.clear).toMatch(UUID);
    expect(text).toBe(
      `{"data":{"id":"${data.id}","lastDigits":"${lastDigits}","name":"prod","clear":"${data.clear}"}}`,
    );
    const later = await (await api(`/api/auth/clients/${id}`, { token: writer })).text();
    expect(later).toContain(
      `"secrets":[{"id":"${data.id}","lastDigits":"${lastDigits}","name":"prod","metadata":{"env":"eu"}}]`,
    );
    const { results } = await env.DB.prepare("SELECT * FROM auth_client_secrets").all();
    expect(JSON.stringify(results)).not.toContain(data.clear);
  });

  test("every secret of a client lets it in until the secret is deleted", async () => {
    const { id } = await create();
    const [one, two] = [await createSecret(id), await createSecret(id)];
    expect((await requestToken(id, one.clear)).status).toBe(200);
    expect((await requestToken(id, two.clear)).status).toBe(200);
    const gone = await stack.auth.v1.deleteSecret({ clientId: id, secretId: one.id });
    expect(gone.statusCode).toBe(204);
    expect((await requestToken(id, one.clear)).status).toBe(401);
    expect((await requestToken(id, two.clear)).status).toBe(200);
  });

  test("the deletion of a secret that the client does not have answers 404, and deletes nothing", async () => {
    const [owner, other] = [await create(), await create()];
    const secret = await createSecret(owner.id);
    const path = `/api/auth/clients/${other.id}/secrets/${secret.id}`;
    const answer = await api(path, { method: "DELETE", token: writer });
    expect(answer.status).toBe(404);
    expect(await bodyOf(answer)).toMatchObject({ errorCode: "NOT_FOUND" });
    expect((await requestToken(owner.id, secret.clear)).status).toBe(200);
  });

  test("a client's secrets go with their client", async () => {
    const { id } = await create();
    const { clear } = await createSecret(id);
    await stack.auth.v1.deleteClient({ clientId: id });
    expect((await requestToken(id, clear)).status).toBe(401);
    const left = await env.DB.prepare(
      "SELECT count(*) AS n FROM auth_client_secrets WHERE client_id = ?",
    )
      .bind(id)
      .first("n");
    expect(left).toBe(0);
  });

  test(`a client has at most ${CLIENT_SECRETS_MAX} secrets`, async () => {
    const { id } = await create();
    for (let made = 0; made < CLIENT_SECRETS_MAX; made++) await createSecret(id);
    const answer = await api(`/api/auth/clients/${id}/secrets`, { token: writer, body: {} });
    expect(answer.status).toBe(400);
    expect(await bodyOf(answer)).toMatchObject({ errorCode: "VALIDATION" });
    expect((await read(id))?.secrets).toHaveLength(CLIENT_SECRETS_MAX);
  });
});

describe("bad input", () => {
  const cases: readonly [what: string, body: string, message: RegExp][] = [
    ["an empty body", "", /the body is empty/],
    ["text that is not JSON", "{", /not valid JSON/],
    ["text after the body", "{} {}", /not valid JSON/],
    ["a list", "[]", /^\[VALIDATION\] body/],
    ["a number as name", '{"name":1}', /'name'/],
    ["a text as flag", '{"public":"true"}', /'public'/],
    ["a text as list", '{"redirectUris":"https://a.example"}', /'redirectUris'/],
    ["null in a list", '{"scopes":[null]}', /'scopes.0'/],
    ["a scope with a space", '{"scopes":["a b"]}', /'scopes.0'/],
    ["a number in the metadata", '{"metadata":{"a":1}}', /'metadata.a'/],
    ["an object in the metadata", '{"metadata":{"a":{}}}', /'metadata.a'/],
    ["null in the metadata", '{"metadata":{"a":null}}', /'metadata.a'/],
    ["a list as metadata", '{"metadata":[]}', /'metadata'/],
    ["an id with a space", '{"id":"a b"}', /'id'/],
    ["a name that is too long", `{"name":"${"n".repeat(257)}"}`, /'name'/],
    ["too many URIs", JSON.stringify({ redirectUris: Array(101).fill("x") }), /'redirectUris'/],
  ];
  const post = (body: string) => api("/api/auth/clients", { method: "POST", token: writer, body });

  test.each(cases)("the API refuses %s and creates nothing", async (_what, body, message) => {
    const before = await listIds();
    const answer = await post(body);
    expect(answer.status).toBe(400);
    const { errorCode, errorMessage } = await answer.json<ErrorBody>();
    expect(errorCode).toBe("VALIDATION");
    expect(errorMessage).toMatch(message);
    expect(await listIds()).toEqual(before);
  });

  test("the API of clients refuses a body that is too large and creates nothing", async () => {
    const before = await listIds();
    const answer = await post(`{"description":"${"x".repeat(CLIENT_BYTES_MAX)}"}`);
    expect(answer.status).toBe(413);
    expect(await bodyOf(answer)).toEqual({
      errorCode: "VALIDATION",
      errorMessage: `[VALIDATION] the body is larger than ${CLIENT_BYTES_MAX} bytes`,
    });
    expect(await listIds()).toEqual(before);
  });

  test("the API of clients refuses a bad update and changes nothing", async () => {
    const { id } = await create();
    const before = await read(id);
    const body = { name: "new", metadata: { a: 1 } };
    const answer = await api(`/api/auth/clients/${id}`, { method: "PUT", token: writer, body });
    expect(answer.status).toBe(400);
    expect(await read(id)).toEqual(before);
  });

  test("the API of clients refuses a bad secret and creates none", async () => {
    const { id } = await create();
    const path = `/api/auth/clients/${id}/secrets`;
    for (const body of ["", '{"name":1}', '{"name":"a","metadata":{"b":[]}}']) {
      expect((await api(path, { method: "POST", token: writer, body })).status).toBe(400);
    }
    expect((await read(id))?.secrets).toEqual([]);
  });
});

describe("scopes", () => {
  test("a token with auth:read may read clients and not write them", async () => {
    const reader = await token("auth:read");
    expect((await api("/api/auth/clients", { token: reader })).status).toBe(200);
    const answer = await api("/api/auth/clients", { token: reader, body: { name: "x" } });
    expect(answer.status).toBe(401);
    expect(answer.headers.get("www-authenticate")).toBe(
      'Bearer realm="florin", error="insufficient_scope", scope="auth:write"',
    );
    expect(await bodyOf(answer)).toMatchObject({
      errorCode: "VALIDATION",
      errorMessage: "[VALIDATION] the token lacks the scope auth:write",
    });
  });

  test("scopes of other modules open nothing in auth", async () => {
    const other = await token("ledger:write", "openid");
    expect((await api("/api/auth/clients", { token: other })).status).toBe(401);
  });

  test("scopes are needed on every operation on clients", async () => {
    const none = { token: null };
    expect((await api("/api/auth/clients", none)).status).toBe(401);
    expect((await api("/api/auth/clients/x", none)).status).toBe(401);
    expect((await api("/api/auth/clients", { ...none, body: {} })).status).toBe(401);
    expect((await api("/api/auth/clients/x", { ...none, method: "PUT", body: {} })).status).toBe(
      401,
    );
    expect((await api("/api/auth/clients/x", { ...none, method: "DELETE" })).status).toBe(401);
    expect((await api("/api/auth/clients/x/secrets", { ...none, body: {} })).status).toBe(401);
    const secret = await api("/api/auth/clients/x/secrets/y", { ...none, method: "DELETE" });
    expect(secret.status).toBe(401);
    expect(secret.headers.get("www-authenticate")).toBe('Bearer realm="florin"');
  });
});

describe("probes", () => {
  test("the probes of auth show version and health without a token", async () => {
    const info = await api("/api/auth/_info", { token: null });
    expect(await info.text()).toBe('{"version":"v2.4.0","debug":false}');
    const health = await api("/api/auth/_healthcheck", { token: null });
    expect(await health.text()).toBe('{"Database":"OK"}');
  });
});
