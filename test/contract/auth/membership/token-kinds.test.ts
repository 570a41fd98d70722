import { env } from "cloudflare:workers";
import { SignJWT } from "jose";
import { beforeAll, describe, expect, test } from "vitest";
import { SigningKeys } from "#modules/auth/keys/signing-keys.ts";
import { makeClient } from "#test/support/auth/clients.ts";
import {
  BEARER_GRANT,
  claimsOf,
  exchange,
  loginFctl,
  membership,
  type MembershipTokens,
  STACK,
} from "#test/support/auth/fctl.ts";
import { freshPerson, ISSUER, type TestPerson } from "#test/support/auth/logins.ts";
import { ask, basic, post, type TokenAnswer } from "#test/support/auth/token-requests.ts";
import { api, BASE_URL, token } from "#test/support/platform/api.ts";

/** A read of each module, which answers 200 to a token with all scopes. */
const READS = [
  "/api/ledger/v2",
  "/api/auth/clients",
  "/api/payments/v3/connectors",
  "/api/webhooks/configs",
  "/api/wallets/wallets",
  "/api/orchestration/v2/workflows",
  "/api/reconciliation/policies",
  "/api/florin/v1/users",
  "/api/auth/userinfo",
];

let ada: TestPerson;
let root: MembershipTokens;
let organization: MembershipTokens;
let stack: MembershipTokens;
let client: { id: string; secret: string };
let stackOfClient: TokenAnswer;

const clientStack = async (credentials: { id: string; secret: string }): Promise<TokenAnswer> => {
  const form = { grant_type: "client_credentials", scope: "organization:Read", resource: STACK };
  const headers = basic(`organization_${credentials.id}`, credentials.secret);
  const response = await post("/oauth/token", form, headers);
  if (response.status !== 200) throw new Error(await response.text());
  return response.json<TokenAnswer>();
};

beforeAll(async () => {
  ada = await freshPerson("ledger:write", "payments:read");
  [root, organization, stack] = await Promise.all([
    loginFctl(ada),
    loginFctl(ada, { form: { organization_id: "florin", scope: "openid offline_access" } }),
    loginFctl(ada, { resource: STACK }),
  ]);
  client = await makeClient({ scopes: ["ledger:write"] });
  stackOfClient = await clientStack(client);
});

describe("a membership token", () => {
  test("no module takes an ID, root, organisation or stack token", async () => {
    const four = [root.id_token, root.access_token, organization.access_token, stack.access_token];
    for (const bearer of [...four, stackOfClient.access_token]) {
      for (const path of READS) {
        const { status } = await api(path, { token: bearer });
        expect([path, status]).toEqual([path, 401]);
      }
    }
  });

  test("the jwt-bearer grant takes a stack token only", async () => {
    const person = await exchange(stack.access_token);
    expect(person).toMatchObject({ status: 200, expires_in: 300 });
    expect(claimsOf(person.access_token)).toMatchObject({
      iss: ISSUER,
      sub: ada.id,
      client_id: "fctl",
      scope: "openid offline_access ledger:read ledger:write payments:read",
    });
    const ofApi = await token("ledger:read");
    const others = [root.id_token, root.access_token, organization.access_token, ofApi];
    for (const assertion of [...others, person.access_token, stack.id_token]) {
      expect(await exchange(assertion)).toMatchObject({ status: 400, error: "invalid_grant" });
    }
    const listed = await api("/api/ledger/v2", { token: person.access_token });
    expect(listed.status).toBe(200);
    expect((await api("/api/auth/clients", { token: person.access_token })).status).toBe(401);
  });

  test("the membership service takes a root token for the person, and an organisation token for the stacks", async () => {
    const user = await membership("/userinfo", root.access_token);
    expect(await user.json()).toEqual({ sub: ada.id, email: ada.email });
    const stacks = "/organizations/florin/stacks";
    expect((await membership(stacks, organization.access_token)).status).toBe(200);
    const refused = [
      ["/userinfo", organization.access_token],
      ["/userinfo", stack.access_token],
      ["/userinfo", root.id_token],
      ["/organizations", organization.access_token],
      [stacks, root.access_token],
      [stacks, stack.access_token],
      [stacks, stackOfClient.access_token],
      [stacks, await token()],
    ] as const;
    for (const [path, bearer] of refused) {
      expect([path, (await membership(path, bearer)).status]).toEqual([path, 401]);
    }
  });

  test("a token that claims to be of another kind, server, audience or resource is refused", async () => {
    const { kid, privateKey } = await SigningKeys.from(env).current();
    const claims = claimsOf(stack.access_token);
    const typ = "florin-stack+jwt";
    const sign = (changes: object, header: object = {}) =>
      new SignJWT({ ...claims, ...changes })
        .setProtectedHeader({ alg: "RS256", kid, typ, ...header })
        .sign(privateKey);
    expect(await exchange(await sign({}))).toMatchObject({ status: 200 });
    const forged = [
      sign({ iss: ISSUER }),
      sign({ iss: "https://other.example.com" }),
      sign({ aud: [`${BASE_URL}/organizations`] }),
      sign({ aud: [BASE_URL, "fctl"] }),
      sign({ resource: "stack://florin/other" }),
      sign({ resource: undefined }),
      sign({ exp: 1 }),
      sign({ grant_id: undefined }),
      sign({ sub: "somebody" }),
      sign({ client_id: client.id }),
      sign({}, { typ: "JWT" }),
      sign({}, { typ: "florin-root+jwt" }),
    ];
    for (const assertion of await Promise.all(forged)) {
      expect(await exchange(assertion)).toMatchObject({ status: 400, error: "invalid_grant" });
    }
    // A token of the API under the name of a membership token, and a membership token under that of the API.
    const api1 = await sign({ iss: ISSUER, aud: ["fctl", BASE_URL] });
    const api2 = await sign({ aud: ["fctl", BASE_URL] }, { typ: "JWT" });
    for (const bearer of [api1, api2]) {
      expect((await api("/api/ledger/v2", { token: bearer })).status).toBe(401);
    }
  });
});

describe("the revocation of a membership token", () => {
  const revoke = (bearer: string) => post("/revoke", { token: bearer, client_id: "fctl" });

  test("the revocation of a root, organisation or stack token ends its login", async () => {
    const tokens = await Promise.all([
      loginFctl(ada),
      loginFctl(ada, { form: { organization_id: "florin", scope: "openid offline_access" } }),
      loginFctl(ada, { resource: STACK }),
    ]);
    for (const { access_token: bearer, refresh_token: refresh } of tokens) {
      expect((await revoke(bearer)).status).toBe(200);
      const next = { grant_type: "refresh_token", client_id: "fctl", refresh_token: refresh };
      expect(await ask(next)).toMatchObject({ status: 400 });
    }
    const [ofRoot, ofOrganization, ofStack] = tokens;
    expect((await membership("/userinfo", ofRoot.access_token)).status).toBe(401);
    const stacks = await membership("/organizations/florin/stacks", ofOrganization.access_token);
    expect(stacks.status).toBe(401);
    expect(await exchange(ofStack.access_token)).toMatchObject({ error: "invalid_grant" });
  });

  test("the revocation of a client's stack token ends this token, and is refused to other clients", async () => {
    const { access_token: bearer } = await clientStack(client);
    expect(await (await revoke(bearer)).json()).toMatchObject({ error: "invalid_client" });
    expect(await exchange(bearer)).toMatchObject({ status: 200 });
    const own = await post("/revoke", { token: bearer }, basic(client.id, client.secret));
    expect(own.status).toBe(200);
    expect(await exchange(bearer)).toMatchObject({ error: "invalid_grant" });
    expect(await exchange(stackOfClient.access_token)).toMatchObject({ status: 200 });
  });
});

test("a root token names its person as long as its refresh token lasts, and no longer than the person exists", async () => {
  const person = await freshPerson("ledger:read");
  const { access_token: bearer, expires_in: seconds } = await loginFctl(person);
  expect(seconds).toBe(7 * 86_400);
  const { exp = 0, iat = 0 } = claimsOf(bearer);
  expect(exp - iat).toBe(seconds);
  expect((await membership("/userinfo", bearer)).status).toBe(200);
  await api(`/api/florin/v1/users/${person.id}`, { method: "DELETE" });
  expect((await membership("/userinfo", bearer)).status).toBe(401);
});

describe("the exchange of a stack token", () => {
  test("the exchange of a stack token gives a person what is left of the person's scopes and ledgers", async () => {
    const person = await freshPerson("ledger:write", "payments:write");
    const { access_token: assertion } = await loginFctl(person, { resource: STACK });
    const set = (body: object) => api(`/api/florin/v1/users/${person.id}`, { method: "PUT", body });
    await set({ scopes: ["ledger:read", "webhooks:write"], ledgers: ["eu-*"] });
    const now = claimsOf((await exchange(assertion)).access_token);
    expect(now["scope"]).toBe("openid offline_access ledger:read");
    expect(now["ledgers"]).toEqual(["eu-*"]);
    await api(`/api/florin/v1/users/${person.id}`, { method: "DELETE" });
    expect(await exchange(assertion)).toMatchObject({ status: 400, error: "invalid_grant" });
  });

  test("the exchange of a stack token gives a client what is left of its scopes, and no longer than the token", async () => {
    const shop = await makeClient({ scopes: ["ledger:write", "payments:read"] });
    const { access_token: assertion, expires_in: seconds } = await clientStack(shop);
    expect(seconds).toBe(3600);
    const before = await exchange(assertion);
    expect(claimsOf(before.access_token)).toMatchObject({
      client_id: shop.id,
      scope: "ledger:read ledger:write payments:read",
    });
    const { exp = 0 } = claimsOf(assertion);
    expect(claimsOf(before.access_token).exp).toBeLessThanOrEqual(exp + 1);
    const body = { name: "shop", scopes: ["payments:read"], metadata: { ledgers: "eu-*" } };
    await api(`/api/auth/clients/${shop.id}`, { method: "PUT", body });
    const after = claimsOf((await exchange(assertion)).access_token);
    expect(after["scope"]).toBe("payments:read");
    expect(after["ledgers"]).toEqual(["eu-*"]);
    await api(`/api/auth/clients/${shop.id}`, { method: "DELETE" });
    expect(await exchange(assertion)).toMatchObject({ status: 400, error: "invalid_grant" });
  });

  test("the exchange of a stack token is refused to another client than its own", async () => {
    const other = await makeClient({ scopes: ["ledger:write"] });
    const form = { grant_type: BEARER_GRANT, assertion: stackOfClient.access_token };
    const refused = await post("/oauth/token", form, basic(other.id, other.secret));
    expect(await refused.json()).toMatchObject({ error: "invalid_grant" });
    const own = await post("/oauth/token", form, basic(client.id, client.secret));
    expect(own.status).toBe(200);
  });

  test("the exchange of a stack token ends when its refresh token is revoked", async () => {
    const tokens = await loginFctl(ada, { resource: STACK });
    const revoked = await post("/revoke", { token: tokens.refresh_token, client_id: "fctl" });
    expect(revoked.status).toBe(200);
    const answer = await exchange(tokens.access_token);
    expect(answer).toMatchObject({ status: 400, error: "invalid_grant" });
  });

  test("a client gets no stack token for another resource", async () => {
    for (const resource of ["stack://florin/other|stack:Read", "stack://florin/main|a|b", "x"]) {
      const credentials = { client_id: client.id, client_secret: client.secret };
      const answer = await ask({ grant_type: "client_credentials", ...credentials, resource });
      expect(answer).toMatchObject({ status: 400, error: "invalid_target" });
    }
    const reading = await ask({
      grant_type: "client_credentials",
      client_id: client.id,
      client_secret: client.secret,
      resource: "stack://florin/main|stack:Read",
    });
    expect(reading.scope).toBe("ledger:read");
  });
});
