import { generateKeyPair, SignJWT } from "jose";
import { beforeEach, describe, expect, test } from "vitest";
import { KeyCache } from "#modules/auth/keys/key-cache.ts";
import { VERIFIED_MS_MAX } from "#modules/auth/verification/remembered-tokens.ts";
import { TokenVerifier } from "#modules/auth/verification/token-verifier.ts";
import { AppError } from "#platform/errors.ts";
import type { Scope } from "#platform/http/authenticator.ts";
import { noRevocations } from "#test/support/auth/revocations.ts";

const HOUR_S = 3600;
const TOKENS_MAX = 10;
const PUBLIC_URL = "https://pay.example.com";
const OWN = `${PUBLIC_URL}/api/auth`;
const OTHER = "https://login.example.com";
/** An issuer whose audiences are in the settings. */
const CAREFUL = "https://careful.example.com";

const own = await generateKeyPair("RS256");
const other = await generateKeyPair("RS256");

let nowMs: number;
let searches: number;
let otherIsDown: boolean;
let hasMoreKeys: boolean;
let verifier: TokenVerifier;

const nowS = () => Math.floor(nowMs / 1000);

/** A cache without a pause between loads, so that every search for a key loads the keys. */
const cacheOf = (issuer: string, key: CryptoKey) =>
  new KeyCache({
    issuer,
    load: async () => {
      if (otherIsDown && issuer === OTHER) throw new Error("down");
      const keys = [{ kid: "kid", key }];
      return hasMoreKeys ? [...keys, { kid: "next", key }] : keys;
    },
    nowMs: () => {
      searches++;
      return nowMs;
    },
    pauseMs: 0,
  });

beforeEach(() => {
  nowMs = Date.UTC(2026, 0, 1);
  searches = 0;
  otherIsDown = false;
  hasMoreKeys = false;
  verifier = new TokenVerifier({
    publicUrl: PUBLIC_URL,
    ownKeys: cacheOf("own", own.publicKey),
    trusted: new Map([
      [OTHER, { keys: cacheOf(OTHER, other.publicKey), audiences: [] }],
      // A mistake of an operator, which must open nothing.
      [PUBLIC_URL, { keys: cacheOf("own", own.publicKey), audiences: [] }],
      [CAREFUL, { keys: cacheOf(CAREFUL, other.publicKey), audiences: ["florin", "books"] }],
    ]),
    nowMs: () => nowMs,
    revocations: noRevocations(() => nowMs),
    tokensMax: TOKENS_MAX,
  });
});

/** Claims that every own token has besides the claims of a test. */
const OWN_CLAIMS = { iss: OWN, client_id: "shop", aud: ["shop", PUBLIC_URL] };

const sign = (claims: object, key = own.privateKey, header: object = {}) =>
  new SignJWT({
    ...OWN_CLAIMS,
    exp: nowS() + HOUR_S,
    scope: "ledger:write auth:read",
    ...claims,
  })
    .setProtectedHeader({ alg: "RS256", kid: "kid", ...header })
    .sign(key);

async function check(token: string, scope: Scope = "ledger:read"): Promise<string> {
  const headers = { authorization: `Bearer ${token}` };
  try {
    await verifier.authenticate(new Request(`${PUBLIC_URL}/api`, { headers }), scope);
    return "good";
  } catch (error) {
    if (error instanceof AppError && error.kind === "UNAUTHENTICATED") return error.message;
    throw error;
  }
}

describe("a token of the membership service", () => {
  test("a token of the membership service is no bearer token, even if the settings trust its issuer", async () => {
    const refusal = "the issuer of the token is not trusted here";
    expect(await check(await sign({ iss: PUBLIC_URL }))).toBe(refusal);
    expect(await check(await sign({ iss: PUBLIC_URL, aud: "fctl", azp: "fctl" }))).toBe(refusal);
  });

  test.each(["florin-root+jwt", "florin-organization+jwt", "florin-stack+jwt"])(
    "a token of the membership service is no bearer token by its type %s, whoever has signed it",
    async (typ) => {
      const refusal = "the token is one of a membership service, which no module takes";
      expect(await check(await sign({}, own.privateKey, { typ }))).toBe(refusal);
      expect(await check(await sign({ iss: OTHER }, other.privateKey, { typ }))).toBe(refusal);
      expect(await check(await sign({}, own.privateKey, { typ: "JWT" }))).toBe("good");
    },
  );
});

describe("the principal of a token", () => {
  const principalOf = async (claims: object, key = own.privateKey) => {
    const headers = { authorization: `Bearer ${await sign(claims, key)}` };
    const request = new Request(`${PUBLIC_URL}/api`, { headers });
    return verifier.authenticate(request, "ledger:read");
  };

  test("the principal of a token is the client of our own token, which may use all ledgers", async () => {
    expect(await principalOf({})).toEqual({
      issuer: OWN,
      subject: "shop",
      clientId: "shop",
      scopes: new Set(["ledger:write", "auth:read"]),
      ledgers: [],
      token: { id: undefined, issuedAt: 0, grantId: undefined },
    });
  });

  test.each([
    ["our own token", {}, own.privateKey],
    ["another issuer's token", { iss: OTHER }, other.privateKey],
  ])(
    "the principal of a token reaches only the ledgers that %s names",
    async (_whose, claims, key) => {
      const ledgers = ["eu-*", "main"];
      expect((await principalOf({ ...claims, ledgers }, key)).ledgers).toEqual(ledgers);
      for (const wrong of [[], [""], ["a b"], ["*-eu"], "main", null, [1]]) {
        await expect(principalOf({ ...claims, ledgers: wrong }, key)).rejects.toThrow(
          /claim ledgers/,
        );
      }
    },
  );

  test.each([
    [{ sub: "ann", client_id: "app", azp: "other", aud: "api" }, "ann", "app"],
    [{ sub: "ann", azp: "app", aud: "api" }, "ann", "app"],
    [{ client_id: "app", aud: "api" }, "app", "app"],
    [{ aud: "api" }, "api", "api"],
    [{}, "", ""],
  ])(
    "the principal of a token is the subject of another issuer's token %j",
    async (claims, subject, clientId) => {
      const none = { client_id: undefined, aud: undefined };
      const principal = await principalOf({ iss: OTHER, ...none, ...claims }, other.privateKey);
      expect(principal).toMatchObject({ issuer: OTHER, subject, clientId });
    },
  );
});

describe("the check of a token", () => {
  test("the check of a token checks the scope of each request, even for a token that it remembers", async () => {
    const token = await sign({});
    expect(await check(token, "ledger:read")).toBe("good");
    expect(await check(token, "ledger:write")).toBe("good");
    expect(await check(token, "auth:read")).toBe("good");
    expect(await check(token, "auth:write")).toBe("the token lacks the scope auth:write");
    expect(await check(token, "payments:read")).toBe("the token lacks the scope payments:read");
  });

  test.each([
    ["no audience", { aud: undefined }],
    ["its client only, as an ID token does", { aud: ["shop"] }],
    ["another server", { aud: ["shop", "https://other.example.com"] }],
    ["this server for nobody", { aud: [PUBLIC_URL] }],
    ["this server for another client", { aud: ["bank", PUBLIC_URL] }],
    ["no client", { client_id: undefined }],
  ])("the check of a token refuses a token of ours that names %s", async (_what, claims) => {
    expect(await check(await sign(claims))).toBe("the token is for another audience");
  });

  test("the check of a token checks the audience of another issuer where the settings name one", async () => {
    const from = (iss: string, aud: unknown) => sign({ iss, aud }, other.privateKey);
    expect(await check(await from(OTHER, "anything"))).toBe("good");
    expect(await check(await from(CAREFUL, "books"))).toBe("good");
    expect(await check(await from(CAREFUL, ["x", "florin"]))).toBe("good");
    const wrong = "the token is for another audience";
    for (const aud of [undefined, [], "x", PUBLIC_URL, ["Books"]]) {
      expect(await check(await from(CAREFUL, aud))).toBe(wrong);
    }
  });

  test("the check of a token finds the key of a token without a key id where its issuer has only one", async () => {
    expect(await check(await sign({}, own.privateKey, { kid: undefined }))).toBe("good");
    const foreign = await sign({}, other.privateKey, { kid: undefined });
    expect(await check(foreign)).toBe("the token's signature is not valid");
    hasMoreKeys = true;
    nowMs += 11 * 60_000; // after this time the keys are loaded again
    expect(await check(await sign({ jti: "2" }, own.privateKey, { kid: undefined }))).toMatch(
      /does not say which of its issuer's keys/,
    );
  });

  test.each([
    ["critical headers", { crit: ["b64"], b64: true }],
    ["another algorithm", { alg: "PS256" }],
  ])("the check of a token refuses a token with %s", async (_what, header) => {
    const pair = await generateKeyPair("PS256");
    const key = "alg" in header ? pair.privateKey : own.privateKey;
    expect(await check(await sign({}, key, header))).toMatch(/algorithm RS256, or demands/);
  });

  test("the check of a token verifies the signature of a token once", async () => {
    const token = await sign({});
    await check(token);
    const first = searches;
    for (let request = 0; request < 100; request++) await check(token);
    expect(searches).toBe(first);
  });

  test("the check of a token takes no other token with the same end for one that it remembers", async () => {
    const token = await sign({});
    expect(await check(token)).toBe("good");
    const [header = "", , signature = ""] = token.split(".");
    const [, claims = ""] = (await sign({ client_id: "thief" })).split(".");
    const forged = [header, claims, signature].join(".");
    for (let time = 0; time < 2; time++) expect(await check(forged)).not.toBe("good");
    const first = searches;
    expect(await check(token)).toBe("good");
    expect(searches).toBe(first);
  });

  test("the check of a token remembers no header that is longer than it has to be", async () => {
    const token = await sign({});
    const padded = `${" ".repeat(4096)}${token}`;
    expect(await check(padded)).toBe("good");
    const first = searches;
    expect(await check(padded)).toBe("good");
    expect(searches).toBeGreaterThan(first);
  });

  test("the check of a token forgets a token when it expires, to the second", async () => {
    const token = await sign({ exp: nowS() + 10 });
    expect(await check(token)).toBe("good");
    nowMs += 9999;
    expect(await check(token)).toBe("good");
    nowMs += 1;
    expect(await check(token)).toBe("the token has expired");
    expect(await check(token)).toBe("the token has expired");
  });

  test("the check of a token verifies a token again after a while, because its key may have been withdrawn", async () => {
    const token = await sign({});
    await check(token);
    const first = searches;
    nowMs += VERIFIED_MS_MAX;
    expect(await check(token)).toBe("good");
    expect(searches).toBeGreaterThan(first);
  });

  test("the check of a token verifies a token again after the clock was set back, too", async () => {
    const token = await sign({});
    await check(token);
    const first = searches;
    nowMs -= VERIFIED_MS_MAX;
    expect(await check(token)).toBe("good");
    expect(searches).toBeGreaterThan(first);
  });

  test("the check of a token remembers a limited number of tokens", async () => {
    const first = await sign({ jti: "first" });
    await check(first);
    for (let made = 1; made < TOKENS_MAX; made++) await check(await sign({ jti: `${made}` }));
    const before = searches;
    await check(first);
    expect(searches).toBe(before);
    await check(await sign({ jti: "one more" }));
    const after = searches;
    expect(await check(first)).toBe("good");
    expect(searches).toBeGreaterThan(after);
  });

  test("the check of a token allows the clock of an issuer to be a little ahead", async () => {
    expect(await check(await sign({ nbf: nowS() + 5 }))).toBe("good");
    expect(await check(await sign({ nbf: nowS() + 6 }))).toBe("the token is not valid yet");
  });

  test("the check of a token accepts its own tokens if its clock was set back since, and no others", async () => {
    const issued = { nbf: nowS() + 3600, iat: nowS() + 3600 };
    expect(await check(await sign(issued))).toBe("good");
    expect(await check(await sign({ iss: OTHER, ...issued }, other.privateKey))).toBe(
      "the token is not valid yet",
    );
  });

  test("the check of a token accepts tokens of the trusted issuers, each with its own keys", async () => {
    expect(await check(await sign({ iss: OTHER }, other.privateKey))).toBe("good");
    const wrong = "the token's signature is not valid";
    expect(await check(await sign({ iss: OTHER }, own.privateKey))).toBe(wrong);
    expect(await check(await sign({ iss: OWN }, other.privateKey))).toBe(wrong);
    expect(await check(await sign({ iss: `${OTHER}/` }, other.privateKey))).toMatch(/issuer/);
  });

  test("the check of a token refuses tokens of an issuer whose keys are not available, and only those", async () => {
    otherIsDown = true;
    expect(await check(await sign({ iss: OTHER }, other.privateKey))).toMatch(
      /cannot be loaded now/,
    );
    expect(await check(await sign({}))).toBe("good");
  });

  test("the check of a token treats a token without scopes as one that lacks the scope", async () => {
    expect(await check(await sign({ scope: undefined }))).toMatch(/lacks the scope/);
    expect(await check(await sign({ scope: "" }))).toMatch(/lacks the scope/);
    expect(await check(await sign({ scope: null }))).toMatch(/claim scope/);
    expect(await check(await sign({ scope: "Ledger:read ledger:reads" }))).toMatch(
      /lacks the scope/,
    );
  });
});
