import * as oauth from "oauth4webapi";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { IssuerServer } from "#test/support/auth/issuer-server.ts";
import { locationOf, logIn, Visitor } from "#test/support/auth/visitor.ts";
import { freshFolder, LocalServer } from "#test/support/platform/server.ts";

const OPTIONS = { [oauth.allowInsecureRequests]: true };
const REDIRECT_URI = "https://app.example.com/callback";
const BYE = "https://app.example.com/bye";
const ADA = { email: "ada@example.com", password: "correct horse battery" };

let server: LocalServer;
/** A foreign issuer, whose tokens the server accepts as assertions. */
let issuer: IssuerServer;
let as: oauth.AuthorizationServer;
let client: oauth.Client;
let secret: string;

beforeAll(async () => {
  issuer = await IssuerServer.open();
  server = await LocalServer.start(freshFolder(), { FLORIN_TRUSTED_ISSUERS: issuer.url });
  const found = await oauth.discoveryRequest(new URL(`${server.url}/api/auth`), OPTIONS);
  as = await oauth.processDiscoveryResponse(new URL(`${server.url}/api/auth`), found);
  ({ client, secret } = await register("backend"));
});

afterAll(async () => {
  await server?.killAll();
  await issuer?.close();
});

/** A client with a secret. */
async function register(id: string): Promise<{ client: oauth.Client; secret: string }> {
  await server.json("/api/auth/clients", {
    body: {
      id,
      scopes: ["ledger:read"],
      redirectUris: [REDIRECT_URI],
      postLogoutRedirectUris: [BYE],
    },
  });
  const made = await server.json(`/api/auth/clients/${id}/secrets`, { body: { name: "test" } });
  const { data } = made as { data: { clear: string } }; // the schema of the answer has this shape
  return { client: { client_id: id }, secret: data.clear };
}

const ask = async (auth: oauth.ClientAuth, scope = "ledger:read"): Promise<string> => {
  const answer = await oauth.clientCredentialsGrantRequest(as, client, auth, { scope }, OPTIONS);
  return (await oauth.processClientCredentialsResponse(as, client, answer)).access_token;
};

const statusWith = async (token: string, path = "/api/ledger/v2"): Promise<number> =>
  (await fetch(server.url + path, { headers: { authorization: `Bearer ${token}` } })).status;

const introspect = async (token: string): Promise<oauth.IntrospectionResponse> => {
  const basic = oauth.ClientSecretBasic(secret);
  const answer = await oauth.introspectionRequest(as, client, basic, token, OPTIONS);
  return oauth.processIntrospectionResponse(as, client, answer);
};

const revoke = async (token: string, auth = oauth.ClientSecretPost(secret)): Promise<void> => {
  const answer = await oauth.revocationRequest(as, client, auth, token, OPTIONS);
  await oauth.processRevocationResponse(answer);
};

/** The error that the library throws for an OAuth error of the server. */
const refusedWith = (error: string) => ({ error, name: "ResponseBodyError" });

describe("a client for itself", () => {
  /**
   * The ways to authenticate, each with the library's error for a wrong secret: a challenge if the secret was sent in a header.
   */
  const METHODS = {
    client_secret_basic: {
      authenticate: oauth.ClientSecretBasic,
      refusal: { name: "WWWAuthenticateChallengeError", status: 401 },
    },
    client_secret_post: {
      authenticate: oauth.ClientSecretPost,
      refusal: refusedWith("invalid_client"),
    },
  };

  test("a client that acts for itself gets a token by each way to authenticate that discovery lists", async () => {
    const listed = as.token_endpoint_auth_methods_supported ?? [];
    expect(listed.toSorted()).toEqual([...Object.keys(METHODS), "none"].toSorted());
    for (const { authenticate, refusal } of Object.values(METHODS)) {
      expect(await statusWith(await ask(authenticate(secret)))).toBe(200);
      await expect(ask(authenticate("wrong"))).rejects.toMatchObject(refusal);
    }
    // A client that has a secret gets no token for itself without it.
    await expect(ask(oauth.None())).rejects.toMatchObject(refusedWith("invalid_client"));
  });

  test("a client that acts for itself learns of its token, and ends it", async () => {
    const token = await ask(oauth.ClientSecretBasic(secret));
    const { client_id: id } = client;
    expect(await introspect(token)).toMatchObject({
      active: true,
      client_id: id,
      scope: "ledger:read",
    });
    for (const auth of [oauth.ClientSecretPost("wrong"), oauth.None()]) {
      await expect(revoke(token, auth)).rejects.toMatchObject(refusedWith("invalid_client"));
    }
    expect((await introspect(token)).active).toBe(true);
    await revoke(token);
    expect(await introspect(token)).toEqual({ active: false });
    // The server that revoked the token has read its list of revocations anew.
    expect(await statusWith(token)).toBe(401);
  });
});

describe("an assertion of a trusted issuer", () => {
  const GRANT = "urn:ietf:params:oauth:grant-type:jwt-bearer";

  async function exchange(assertion: string, auth: oauth.ClientAuth = oauth.None()) {
    const parameters = { assertion, scope: "openid email" };
    // The library always sends the id of a client; the assertion counts without one, because the server does not know this id.
    const answer = await oauth.genericTokenEndpointRequest(
      as,
      client,
      auth,
      GRANT,
      parameters,
      OPTIONS,
    );
    return oauth.processGenericTokenEndpointResponse(as, client, answer);
  }

  const claims = () => ({ sub: "ann", aud: as.issuer, scope: "ledger:read" });

  test("an assertion of a trusted issuer gives a token with its own scopes", async () => {
    expect(as.grant_types_supported).toContain(GRANT);
    for (const auth of [oauth.None(), oauth.ClientSecretBasic(secret)]) {
      const { access_token: token } = await exchange(await issuer.sign(claims()), auth);
      expect(await statusWith(token)).toBe(200);
      expect(await statusWith(token, "/api/auth/clients")).toBe(401);
    }
  });

  test("an assertion of a trusted issuer is refused for another audience, of another key, and with a wrong secret", async () => {
    const other = await IssuerServer.open();
    const forged = await other.sign({ ...claims(), iss: issuer.url });
    await other.close();
    const elsewhere = await issuer.sign({ ...claims(), aud: "https://elsewhere.example" });
    for (const assertion of [forged, elsewhere]) {
      await expect(exchange(assertion)).rejects.toMatchObject(refusedWith("invalid_grant"));
    }
    const wrong = exchange(await issuer.sign(claims()), oauth.ClientSecretPost("wrong"));
    await expect(wrong).rejects.toMatchObject(refusedWith("invalid_client"));
  });
});

describe("a person", () => {
  const visitor = new Visitor({
    get origin() {
      return server.url;
    },
    fetch: (path, init) => fetch(server.url + path, init),
  });
  const verifier = oauth.generateRandomCodeVerifier();
  const nonce = oauth.generateRandomNonce();
  let tokens: oauth.TokenEndpointResponse;

  async function authorizeUrl(params = {}): Promise<string> {
    const all = {
      client_id: client.client_id,
      redirect_uri: REDIRECT_URI,
      response_type: "code",
      scope: "openid email offline_access ledger:read",
      state: "the-state",
      nonce,
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: "S256",
      ...params,
    };
    return `${as.authorization_endpoint ?? ""}?${new URLSearchParams(all).toString()}`;
  }

  const redeem = async (back: URL) =>
    oauth.processAuthorizationCodeResponse(
      as,
      client,
      await oauth.authorizationCodeGrantRequest(
        as,
        client,
        oauth.ClientSecretBasic(secret),
        oauth.validateAuthResponse(as, client, back, "the-state"),
        REDIRECT_URI,
        verifier,
        OPTIONS,
      ),
      { expectedNonce: nonce, requireIdToken: true },
    );

  const refresh = async (token = "") =>
    oauth.processRefreshTokenResponse(
      as,
      client,
      await oauth.refreshTokenGrantRequest(
        as,
        client,
        oauth.ClientSecretPost(secret),
        token,
        OPTIONS,
      ),
    );

  test("a person logs in with the password, and says who it is", async () => {
    const invited = await server.json("/api/florin/v1/invitations", {
      body: { scopes: ["ledger:write"] },
    });
    const { data } = invited as { data: { url: string } }; // the schema of the answer has this shape
    const token = new URL(data.url).searchParams.get("token") ?? "";
    const accepted = await visitor.post("/api/auth/invitation", { token, ...ADA });
    expect(accepted.status).toBe(200);
    const back = await logIn(visitor, await authorizeUrl(), ADA);
    tokens = await redeem(back);
    const subject = oauth.getValidatedIdTokenClaims(tokens)?.sub ?? "";
    const asked = await oauth.userInfoRequest(as, client, tokens.access_token, OPTIONS);
    const info = await oauth.processUserInfoResponse(as, client, subject, asked);
    expect(info.email).toBe(ADA.email);
    expect(await introspect(tokens.refresh_token ?? "")).toMatchObject({ active: true });
    await expect(redeem(back)).rejects.toMatchObject(refusedWith("invalid_grant"));
    // A second use of a code shows that the code has leaked.
    expect(await introspect(tokens.access_token)).toEqual({ active: false });
  });

  test("a person gets new tokens, whose family ends with a refresh token that is used again", async () => {
    tokens = await redeem(new URL(locationOf(await visitor.get(await authorizeUrl()))));
    const next = await refresh(tokens.refresh_token);
    expect(await statusWith(next.access_token)).toBe(200);
    const again = refresh(tokens.refresh_token);
    await expect(again).rejects.toMatchObject(refusedWith("invalid_grant"));
    const last = refresh(next.refresh_token);
    await expect(last).rejects.toMatchObject(refusedWith("invalid_grant"));
    expect(await introspect(next.access_token)).toEqual({ active: false });
  });

  test("a person revokes all that follows from a login by its refresh token", async () => {
    const given = await redeem(new URL(locationOf(await visitor.get(await authorizeUrl()))));
    await revoke(given.refresh_token ?? "");
    expect(await introspect(given.access_token)).toEqual({ active: false });
    await expect(refresh(given.refresh_token)).rejects.toMatchObject(refusedWith("invalid_grant"));
  });

  test("a person logs out to a page of the application, and must log in again", async () => {
    const hint = { id_token_hint: tokens.id_token ?? "", state: "bye" };
    const target = { post_logout_redirect_uri: BYE };
    const leave = new URLSearchParams({ ...hint, ...target }).toString();
    const left = await visitor.get(`${as.end_session_endpoint ?? ""}?${leave}`);
    expect(locationOf(left)).toBe(`${BYE}?state=bye`);
    expect(visitor.cookies.has("florin-session")).toBe(false);
    const again = await visitor.get(await authorizeUrl({ prompt: "none" }));
    const back = new URL(locationOf(again));
    expect(() => oauth.validateAuthResponse(as, client, back, "the-state")).toThrow(
      expect.objectContaining({ error: "login_required" }),
    );
  });
});
