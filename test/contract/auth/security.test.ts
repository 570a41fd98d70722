import { describe, expect, test } from "vitest";
import { ATTEMPT_RULES } from "#modules/auth/limits/attempt-rules.ts";
import { makeClient } from "#test/support/auth/clients.ts";
import { freshApp } from "#test/support/auth/logins.ts";
import {
  CHALLENGE,
  codeFor,
  freshPersonClient,
  REDIRECT_URI,
  VERIFIER,
} from "#test/support/auth/person-clients.ts";
import { ask, basic, type Form, post } from "#test/support/auth/token-requests.ts";

/** An attack on the token endpoint: the parameters that replace those of a good request. */
type Attack = readonly [
  what: string,
  changes: Form,
  refusal: { readonly status: number; readonly error: string },
];

const INVALID_GRANT = { status: 400, error: "invalid_grant" };
const INVALID_CLIENT = { status: 401, error: "invalid_client" };
const INVALID_REQUEST = { status: 400, error: "invalid_request" };

const ATTACKS: readonly Attack[] = [
  ["an invented code", { code: "invented" }, INVALID_GRANT],
  ["no code", { code: "" }, INVALID_REQUEST],
  ["another path in the redirect URI", { redirect_uri: `${REDIRECT_URI}/x` }, INVALID_GRANT],
  ["a slash behind the redirect URI", { redirect_uri: `${REDIRECT_URI}/` }, INVALID_GRANT],
  ["a query in the redirect URI", { redirect_uri: `${REDIRECT_URI}?a=b` }, INVALID_GRANT],
  ["a redirect URI in capitals", { redirect_uri: REDIRECT_URI.toUpperCase() }, INVALID_GRANT],
  ["no redirect URI", { redirect_uri: "" }, INVALID_GRANT],
  ["no verifier", { code_verifier: "" }, INVALID_REQUEST],
  ["another verifier", { code_verifier: VERIFIER.replace("d", "e") }, INVALID_GRANT],
  ["the challenge itself", { code_verifier: CHALLENGE }, INVALID_GRANT],
  ["an unknown client", { client_id: "nobody" }, INVALID_CLIENT],
  ["a wrong secret", { client_secret: "wrong" }, INVALID_CLIENT],
  [
    "another grant type",
    { grant_type: "password" },
    { status: 400, error: "unsupported_grant_type" },
  ],
  [
    "the implicit grant",
    { grant_type: "implicit" },
    { status: 400, error: "unsupported_grant_type" },
  ],
  [
    "an assertion that is no token",
    { grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer", assertion: "a.b.c" },
    { status: 400, error: "invalid_grant" },
  ],
];

describe("a good code is refused with", () => {
  test.each(ATTACKS)("a good code is refused with %s", async (...[, changes, refusal]) => {
    const client = await freshPersonClient();
    const good = {
      grant_type: "authorization_code",
      code: await codeFor(client),
      redirect_uri: REDIRECT_URI,
      code_verifier: VERIFIER,
      ...client.credentials,
    };
    expect(await ask({ ...good, ...changes })).toMatchObject(refusal);
    // The attack has not used up the code.
    expect((await ask(good)).status).toBe(200);
  });

  test("a good code is refused with another client's credentials, be they right", async () => {
    const client = await freshPersonClient();
    const thief = await freshPersonClient({ isPublic: false });
    const stolen = {
      grant_type: "authorization_code",
      code: await codeFor(client),
      redirect_uri: REDIRECT_URI,
      code_verifier: VERIFIER,
    };
    expect(await ask({ ...stolen, ...thief.credentials })).toMatchObject(INVALID_GRANT);
    expect((await ask({ ...stolen, ...client.credentials })).status).toBe(200);
  });

  test("a good code is refused with a verifier that the authorization request had no challenge for", async () => {
    const client = await freshPersonClient({ isPublic: false });
    const code = await codeFor(client, { codeChallenge: undefined });
    const form = { grant_type: "authorization_code", code, redirect_uri: REDIRECT_URI };
    const downgraded = { ...form, code_verifier: VERIFIER, ...client.credentials };
    expect(await ask(downgraded)).toMatchObject(INVALID_GRANT);
  });
});

describe("a client that tries secrets", () => {
  const { failuresMax } = ATTEMPT_RULES.clientAtAddress;

  test("a client that tries secrets learns of ten in a minute whether they are right, however many it sends at once", async () => {
    const { id, secret } = await makeClient({});
    const guess = (clientSecret: string) =>
      post("/oauth/token", {
        grant_type: "client_credentials",
        client_id: id,
        client_secret: clientSecret,
      });
    const answers = await Promise.all(Array.from({ length: 60 }, (_, at) => guess(`wrong ${at}`)));
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 401)).toHaveLength(failuresMax);
    expect(statuses.filter((status) => status === 429)).toHaveLength(60 - failuresMax);
    const right = await guess(secret);
    expect(right.status).toBe(429);
    expect(Number(right.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(await right.json()).toMatchObject({ error: "temporarily_unavailable" });
    // The limit also holds for introspection and revocation of tokens.
    const header = basic(id, secret);
    expect((await post("/oauth/introspect", { token: "x" }, header)).status).toBe(429);
    expect((await post("/revoke", { token: "x" }, header)).status).toBe(429);
  });

  test("a client that tries secrets does not keep other clients out", async () => {
    const { id, secret } = await makeClient({});
    const form = { grant_type: "client_credentials", client_id: id, client_secret: secret };
    expect((await ask(form)).status).toBe(200);
  });

  test.each([
    ["codes", { grant_type: "authorization_code", code: "x", redirect_uri: REDIRECT_URI }],
    ["refresh tokens", { grant_type: "refresh_token", refresh_token: "x" }],
    ["secrets", { grant_type: "refresh_token", refresh_token: "x", client_secret: "x" }],
  ])(
    "a client that tries secrets takes nothing from the others by wrong %s of a public client",
    async (_, form) => {
      const app = await freshApp();
      const { failuresMax: max } = ATTEMPT_RULES.publicClientAtAddress;
      const count = max + 5;
      expect(count).toBeGreaterThan(ATTEMPT_RULES.tokenAddress.failuresMax);
      const answers = await Promise.all(
        Array.from({ length: count }, () => ask({ ...form, client_id: app.id })),
      );
      expect(answers.filter(({ status }) => status === 429)).toHaveLength(5);
      const { id, secret } = await makeClient({});
      const right = { grant_type: "client_credentials", client_id: id, client_secret: secret };
      expect((await ask(right)).status).toBe(200);
    },
  );

  test("a client that tries secrets takes nothing from a client that hands on the wrong codes of strangers", async () => {
    const { id, secret } = await makeClient({});
    const client = { client_id: id, client_secret: secret };
    const code = { grant_type: "authorization_code", code: "x", redirect_uri: REDIRECT_URI };
    const count = ATTEMPT_RULES.tokenAddress.failuresMax + 5;
    for (const { status } of await Promise.all(
      Array.from({ length: count }, () => ask({ ...code, ...client })),
    ))
      expect(status).toBe(400);
    expect((await ask({ grant_type: "client_credentials", ...client })).status).toBe(200);
  });
});
