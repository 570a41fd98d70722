import { decodeJwt, generateKeyPair, SignJWT } from "jose";
import { describe, expect, test } from "vitest";
import { KeyCache } from "#modules/auth/keys/key-cache.ts";
import { hashSecret } from "#modules/auth/registry/client-secret.ts";
import { ClientAuthenticator } from "#modules/auth/tokens/client-authenticator.ts";
import { jwtBearer } from "#modules/auth/tokens/jwt-bearer.ts";
import type { TokenForm } from "#modules/auth/tokens/requests.ts";
import { TokenSigner } from "#modules/auth/tokens/token-signer.ts";
import { TokenVerifier } from "#modules/auth/verification/token-verifier.ts";
import { systemClock } from "#platform/clock.ts";
import { systemContext } from "#platform/context.ts";
import { noRevocations } from "#test/support/auth/revocations.ts";

const PUBLIC_URL = "https://pay.example.com";
const ISSUER = `${PUBLIC_URL}/api/auth`;
const MEMBERSHIP = "https://members.example.com/api";
const OTHER = "https://other.example.com";

const own = await generateKeyPair("RS256");
const members = await generateKeyPair("RS256");

const cacheOf = (issuer: string, key: CryptoKey) =>
  new KeyCache({ issuer, load: async () => [{ kid: "1", key }], nowMs: Date.now, pauseMs: 0 });

const trust = (audiences: readonly string[]) => ({
  keys: cacheOf(MEMBERSHIP, members.publicKey),
  audiences,
});

const reader = new TokenVerifier({
  publicUrl: PUBLIC_URL,
  ownKeys: cacheOf(ISSUER, own.publicKey),
  trusted: new Map([
    [MEMBERSHIP, trust([])],
    [OTHER, trust(["stack-7"])],
  ]),
  revocations: noRevocations(Date.now),
  nowMs: Date.now,
  tokensMax: 10,
});

const env = { FLORIN_TRUSTED_ISSUERS: `${MEMBERSHIP}, ${OTHER} stack-7` };
const open = { assertOpen: async () => undefined, countFailure: async () => undefined };
const CLIENT = {
  clientId: "shop",
  public: false,
  trusted: false,
  scopes: [],
  ledgers: [],
  allowsDevices: false,
  secretHashes: [hashSecret("right")],
};
const CLIENTS = [CLIENT, { ...CLIENT, clientId: "bound", ledgers: ["eu-*"] }];

const ports = {
  // The code under test reads only the settings of the context.
  context: systemContext(env as unknown as Env, "test"),
  clients: new ClientAuthenticator({
    findClient: async (id) => CLIENTS.find(({ clientId }) => clientId === id),
    limitsOf: () => open,
  }),
  signer: new TokenSigner(
    { current: async () => ({ kid: "1", privateKey: own.privateKey }) },
    systemClock,
  ),
  reader,
};

const now = Math.floor(Date.now() / 1000);
const CLAIMS = {
  iss: MEMBERSHIP,
  sub: "ann",
  aud: [ISSUER, "fctl"],
  exp: now + 3600,
  scope: "openid ledger:read email",
};

const sign = (changes: object = {}, { kid = "1", key = members.privateKey } = {}) =>
  new SignJWT({ ...CLAIMS, ...changes }).setProtectedHeader({ alg: "RS256", kid }).sign(key);

const exchange = (assertion: string, form: TokenForm = {}) =>
  jwtBearer(
    {
      form: { assertion, ...form },
      authorization: null,
      address: "192.0.2.1",
      url: `${ISSUER}/oauth/token`,
      issuer: ISSUER,
    },
    ports,
  );

describe("an assertion of a trusted issuer", () => {
  test("an assertion of a trusted issuer gives its person a token with its scopes and its audience, whatever is asked for", async () => {
    const tokens = await exchange(await sign(), { scope: "openid email" });
    expect(tokens).toMatchObject({ expiresInSeconds: 300, scope: "openid ledger:read" });
    expect(decodeJwt(tokens.accessToken)).toMatchObject({
      iss: ISSUER,
      sub: "ann",
      client_id: MEMBERSHIP,
      aud: [MEMBERSHIP, PUBLIC_URL, ISSUER, "fctl"],
      scope: "openid ledger:read",
    });
    const read = await reader.read(tokens.accessToken, PUBLIC_URL);
    expect(read.principal).toMatchObject({ subject: "ann", clientId: MEMBERSHIP });
  });

  test("an assertion of a trusted issuer gives a token for an hour where it is about nobody", async () => {
    const tokens = await exchange(await sign({ sub: undefined }));
    expect(tokens.expiresInSeconds).toBe(3600);
    expect(decodeJwt(tokens.accessToken).sub).toBeUndefined();
  });

  test("an assertion of a trusted issuer never makes a client of its issuer one of ours", async () => {
    const tokens = await exchange(await sign({ client_id: "shop", azp: "shop" }));
    expect(decodeJwt(tokens.accessToken)["client_id"]).toBe(MEMBERSHIP);
  });

  test("an assertion of a trusted issuer keeps the ledgers that it is bound to", async () => {
    const tokens = await exchange(await sign({ ledgers: ["eu-*"] }));
    expect(decodeJwt(tokens.accessToken)["ledgers"]).toEqual(["eu-*"]);
  });

  test("an assertion of a trusted issuer reaches no other ledgers than the client that presents it", async () => {
    const credentials = { client_id: "bound", client_secret: "right" };
    const ledgersOf = async (claims: object) =>
      decodeJwt((await exchange(await sign(claims), credentials)).accessToken)["ledgers"];
    expect(await ledgersOf({})).toEqual(["eu-*"]);
    expect(await ledgersOf({ ledgers: ["eu-1", "us-1"] })).toEqual(["eu-1"]);
    await expect(ledgersOf({ ledgers: ["us-1"] })).rejects.toMatchObject({
      error: "invalid_grant",
    });
  });

  test("an assertion of a trusted issuer names the client that presents it with its secret, which must be right", async () => {
    const credentials = { client_id: "shop", client_secret: "right" };
    const tokens = await exchange(await sign(), credentials);
    expect(decodeJwt(tokens.accessToken)["client_id"]).toBe("shop");
    const wrong = exchange(await sign(), { ...credentials, client_secret: "wrong" });
    await expect(wrong).rejects.toMatchObject({ error: "invalid_client" });
  });

  test.each([
    ["the issuer", ISSUER],
    ["the public URL", PUBLIC_URL],
    ["the token endpoint", `${ISSUER}/oauth/token`],
  ])("an assertion of a trusted issuer may name %s as its audience", async (_what, aud) => {
    expect((await exchange(await sign({ aud }))).expiresInSeconds).toBe(300);
  });

  test("an assertion of a trusted issuer may name the audience that the settings have for its issuer", async () => {
    const tokens = await exchange(await sign({ iss: OTHER, aud: "stack-7" }));
    expect(tokens.expiresInSeconds).toBe(300);
  });
});

describe("an assertion is refused", () => {
  test.each<[string, () => Promise<string>, RegExp]>([
    ["for another audience", () => sign({ aud: "https://elsewhere.example" }), /audience/],
    ["for the audience of another issuer", () => sign({ aud: "stack-7" }), /audience/],
    ["without an audience", () => sign({ aud: undefined }), /audience/],
    ["that has expired", () => sign({ exp: now - 1 }), /expired/],
    ["that is not valid yet", () => sign({ nbf: now + 600 }), /not valid yet/],
    ["of another issuer", () => sign({ iss: "https://evil.example" }), /not trusted/],
    ["with an unknown key", () => sign({}, { kid: "2" }), /unknown key/],
    ["with another key", () => sign({}, { key: own.privateKey }), /signature/],
    ["that is no token", async () => "a.b.c", /not a JSON Web Token/],
  ])("an assertion is refused %s", async (...[, make, description]) => {
    const refused = exchange(await make());
    const expected: unknown = expect.stringMatching(description);
    await expect(refused).rejects.toMatchObject({
      error: "invalid_grant",
      description: expected,
    });
  });

  test("an assertion that is a token of this server, which would live for ever, is refused", async () => {
    const { accessToken } = await exchange(await sign());
    await expect(exchange(accessToken)).rejects.toMatchObject({ error: "invalid_grant" });
  });

  test("an assertion that is missing is refused", async () => {
    await expect(exchange("")).rejects.toMatchObject({ error: "invalid_request" });
  });
});
