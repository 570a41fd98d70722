import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from "jose";
import { beforeAll, describe, expect, test } from "vitest";
import {
  answerDevice,
  beginDevice,
  claimsOf,
  exchange,
  loginFctl,
  membership,
  MEMBERSHIP_ISSUER,
  type MembershipTokens,
  passInterval,
  poll,
  STACK,
} from "#test/support/auth/fctl.ts";
import { freshPerson, ISSUER, type TestPerson } from "#test/support/auth/logins.ts";
import { PageVisitor } from "#test/support/auth/pages.ts";
import { ask } from "#test/support/auth/token-requests.ts";
import { api, freshName, send } from "#test/support/platform/api.ts";

const SCOPES = ["ledger", "payments", "webhooks", "wallets", "orchestration", "reconciliation"];

let ada: TestPerson;
let root: MembershipTokens;

beforeAll(async () => {
  ada = await freshPerson(...SCOPES.map((name) => `${name}:write`), "auth:read");
  root = await loginFctl(ada);
});

interface Directory {
  readonly org: readonly { readonly id: string; readonly stacks: readonly { uri: string }[] }[];
}

/** Verifies an ID token as `fctl` does. */
async function verified(idToken: string): Promise<Directory & Record<string, unknown>> {
  const discovery = await send("/.well-known/openid-configuration");
  const { issuer, jwks_uri: uri } = await discovery.json<{ issuer: string; jwks_uri: string }>();
  expect(issuer).toBe(MEMBERSHIP_ISSUER);
  const keys = await (await send(new URL(uri).pathname)).json<JSONWebKeySet>();
  const { payload } = await jwtVerify<Directory>(idToken, createLocalJWKSet(keys), {
    issuer,
    audience: "fctl",
  });
  return payload;
}

test("the client of fctl is built in, and is neither listed, made, changed nor deleted", async () => {
  const clients = "/api/auth/clients";
  const { data } = await (await api(clients)).json<{ data: { id: string }[] }>();
  expect(data.map(({ id }) => id)).not.toContain("fctl");
  const body = { name: "mine", redirectUris: ["https://evil.example/callback"] };
  const answers = await Promise.all([
    api(clients, { body: { id: "fctl", ...body } }),
    api(`${clients}/fctl`, { method: "PUT", body }),
    api(`${clients}/fctl`, { method: "DELETE" }),
    api(`${clients}/fctl/secrets`, { body: { name: "mine" } }),
  ]);
  expect(answers.map(({ status }) => status)).toEqual([409, 400, 400, 400]);
  const form = { grant_type: "client_credentials", client_id: "fctl", client_secret: "x" };
  expect(await ask(form)).toMatchObject({ status: 401, error: "invalid_client" });
});

describe("fctl login", () => {
  test("fctl login polls until the person has allowed it, and finds the stack in the ID token", async () => {
    const device = await beginDevice({
      scope: "openid offline_access accesses on_behalf",
      prompt: "no-org",
    });
    expect(await poll(device.device_code)).toMatchObject({ error: "authorization_pending" });
    await answerDevice(new PageVisitor(), { device, person: ada });
    await passInterval(device.device_code);
    const tokens = await poll(device.device_code);
    expect(tokens).toMatchObject({ status: 200, token_type: "Bearer", expires_in: 604_800 });
    expect(claimsOf(tokens.access_token)).toMatchObject({ scope: "openid offline_access" });
    const claims = await verified(tokens.id_token ?? "");
    expect(claims).toMatchObject({ sub: ada.id, azp: "fctl" });
    expect(claims.org).toEqual([
      {
        id: "florin",
        displayName: "Florin",
        stacks: [
          {
            id: "main",
            displayName: "Main",
            uri: MEMBERSHIP_ISSUER,
            scopes: ["stack:Read", "stack:Write"],
          },
        ],
        applications: [],
      },
    ]);
  });

  test("fctl login shows somebody who may only read a stack to read, and nobody else any access", async () => {
    const [reader, nobody] = await Promise.all([freshPerson("ledger:read"), freshPerson()]);
    const accesses = await Promise.all(
      [reader, nobody].map(async (person) => {
        const { id_token: idToken } = await loginFctl(person);
        return (await verified(idToken)).org[0]?.stacks[0];
      }),
    );
    expect(accesses).toMatchObject([{ scopes: ["stack:Read"] }, { scopes: [] }]);
  });

  test("fctl login refuses an organisation and a stack that do not exist with an empty code", async () => {
    const organization = beginDevice({ scope: "openid", organization_id: "other" });
    await expect(organization).rejects.toThrow("invalid_target");
    const stack = beginDevice({ scope: "openid", resource: "stack://florin/other|stack:Read" });
    await expect(stack).rejects.toThrow("invalid_target");
    expect(await poll("")).toMatchObject({ status: 400, error: "invalid_request" });
  });
});

describe("a stack command of fctl", () => {
  let stack: MembershipTokens;
  let bearer: string;

  /** Sends what a command sends, and expects an answer of success. */
  const call = async (path: string, init: { method?: string; body?: unknown } = {}) => {
    const response = await api(path, { token: bearer, ...init });
    expect([path, response.status < 300]).toEqual([path, true]);
    return response;
  };

  beforeAll(async () => {
    stack = await loginFctl(ada, { form: { id_token_hint: root.id_token }, resource: STACK });
    ({ access_token: bearer } = await exchange(stack.access_token));
  });

  test("a stack command of fctl finds its organisation in the stack token, also after a refresh", async () => {
    const discovery = await send("/api/auth/.well-known/openid-configuration");
    expect(await discovery.json()).toMatchObject({ token_endpoint: `${ISSUER}/oauth/token` });
    expect(claimsOf(stack.access_token)).toMatchObject({
      organization_id: "florin",
      aud: [ISSUER],
      resource: "stack://florin/main",
    });
    const form = { grant_type: "refresh_token", client_id: "fctl" };
    const next = await ask({ ...form, refresh_token: stack.refresh_token });
    expect(next).toMatchObject({ status: 200, refresh_token: expect.any(String) as unknown });
    expect(claimsOf(next.access_token)).toMatchObject({ organization_id: "florin" });
    expect(await exchange(next.access_token)).toMatchObject({ status: 200 });
    const used = await ask({ ...form, refresh_token: "unknown" });
    // The code for which fctl begins a new login.
    expect(used).toMatchObject({ status: 400, error: "invalid_request" });
  });

  test("ten stack commands of fctl work with the exchanged token", async () => {
    const ledger = freshName("cli");
    const v1 = `/api/ledger/${ledger}`;
    await call("/versions");
    await call("/api/ledger/_info");
    await call(`/api/ledger/v2/${ledger}`, { method: "POST", body: {} });
    await call("/api/ledger/v2?pageSize=15");
    const sent = await call(`${v1}/transactions`, {
      method: "POST",
      body: { postings: [{ source: "world", destination: "bank", amount: 100, asset: "EUR/2" }] },
    });
    expect(await sent.json()).toMatchObject({ data: [{ txid: 1 }] });
    await call(`${v1}/transactions`);
    await call(`${v1}/transactions/1`);
    await call(`${v1}/transactions/1/metadata`, { method: "POST", body: { order: "7" } });
    await call(`${v1}/accounts/bank`);
    await call(`${v1}/accounts/bank/metadata`, { method: "POST", body: { kind: "bank" } });
    await call(`${v1}/stats`);
    await call("/api/payments/_info");
    await call("/api/payments/v3/payments");
    await call("/api/webhooks/configs");
    await call("/api/wallets/wallets");
    await call("/api/orchestration/v2/workflows");
    const chart = { world: {}, bank: { ".self": {} } };
    await call(`/api/ledger/v2/${ledger}/schema/v1`, { method: "POST", body: { chart } });
    const schema = await call(`/api/ledger/v2/${ledger}/schema/v1`);
    expect(await schema.json()).toMatchObject({ data: { version: "v1" } });
  });

  test("a command of fctl beyond the person's scopes is refused", async () => {
    const refused = await api("/api/auth/clients", { token: bearer, body: { name: "x" } });
    expect(refused.status).toBe(401);
  });
});

describe("an organisation command of fctl", () => {
  let bearer: string;

  const get = (path: string) => membership(path, bearer);

  beforeAll(async () => {
    const scope =
      "organization:ReadStack organization:ListRegions organization:Read openid offline_access";
    const form = { scope, organization_id: "florin", id_token_hint: root.id_token };
    ({ access_token: bearer } = await loginFctl(ada, { form }));
  });

  test("an organisation command of fctl gets what it reads", async () => {
    const stack = {
      id: "main",
      organizationId: "florin",
      uri: MEMBERSHIP_ISSUER,
      state: "ACTIVE",
      status: "ACTIVE",
    };
    const list = await get("/organizations/florin/stacks?all=false&deleted=false");
    expect(list.headers.get("content-type")).toBe("application/json");
    expect(await list.json()).toMatchObject({ data: [stack] });
    const shown = await get("/organizations/florin/stacks/main");
    expect(await shown.json()).toMatchObject({ data: stack });
    const unknown = await get("/organizations/florin/stacks/other");
    expect([unknown.status, await unknown.json()]).toEqual([200, {}]);
    for (const path of ["stacks/main/modules", "regions"]) {
      expect(await (await get(`/organizations/florin/${path}`)).json()).toEqual({ data: [] });
    }
    const described = await get("/organizations/florin?expand=false");
    expect(await described.json()).toMatchObject({ data: { id: "florin", name: "Florin" } });
    const info = await send("/_info");
    expect(await info.json()).toMatchObject({ consoleURL: `${MEMBERSHIP_ISSUER}/console` });
    const mine = await membership("/organizations?expand=true", root.access_token);
    expect(await mine.json()).toMatchObject({ data: [{ id: "florin" }] });
  });

  test("an organisation command of fctl about what is not there gets an error that it prints", async () => {
    for (const path of ["/organizations/other/stacks", "/organizations/florin/users"]) {
      const response = await get(path);
      expect([path, response.status]).toEqual([path, 404]);
      expect(await response.json()).toMatchObject({
        errorCode: "NOT_FOUND",
        errorMessage: expect.any(String) as unknown,
      });
    }
  });
});
