import { decodeJwt, generateKeyPair } from "jose";
import { beforeEach, describe, expect, test } from "vitest";
import { hashSecret } from "#modules/auth/client-secret.ts";
import type { Credential } from "#modules/auth/core/client.ts";
import { OAuthError } from "#modules/auth/core/oauth-error.ts";
import { KeyCache } from "#modules/auth/key-cache.ts";
import { type TokenRequest, TokenService } from "#modules/auth/token-service.ts";
import { TokenVerifier } from "#modules/auth/token-verifier.ts";
import { fromMillis } from "#platform/time.ts";

const PUBLIC_URL = "https://pay.example.com";
const START_MS = Date.UTC(2026, 0, 1, 10, 0, 0, 900);

const CLIENT: Credential = {
  clientId: "billing",
  public: false,
  scopes: ["ledger:read", "ledger:write"],
  ledgers: [],
  secretHashes: [hashSecret("old secret"), hashSecret("new secret")],
};

const REQUEST: TokenRequest = {
  grantType: "client_credentials",
  scope: "ledger:read",
  authorization: null,
  clientId: "billing",
  clientSecret: "new secret",
  issuer: `${PUBLIC_URL}/api/auth`,
};

const { privateKey, publicKey } = await generateKeyPair("RS256");

let nowMs: number;
let client: Credential;
let searched: string[];

const clock = () => fromMillis(nowMs);

const service = new TokenService({
  findClient: async (id) => {
    searched.push(id);
    return id === client.clientId ? client : undefined;
  },
  keys: { current: async () => ({ kid: "kid", privateKey }) },
  clock,
});

async function errorOf(changes: Partial<TokenRequest>): Promise<string> {
  try {
    await service.issue({ ...REQUEST, ...changes });
    return "none";
  } catch (error) {
    if (error instanceof OAuthError) return error.error;
    throw error;
  }
}

beforeEach(() => {
  nowMs = START_MS;
  client = CLIENT;
  searched = [];
});

describe("the token service", () => {
  test("issues a token that is valid for an hour and not a second more", async () => {
    const load = async () => [{ kid: "kid", key: publicKey }];
    const verifier = new TokenVerifier({
      publicUrl: PUBLIC_URL,
      ownKeys: new KeyCache({ issuer: "own", load, clock, pauseMs: 0 }),
      trusted: new Map(),
      clock,
      tokensMax: 10,
    });
    const { accessToken, expiresInSeconds } = await service.issue(REQUEST);
    const headers = { authorization: `Bearer ${accessToken}` };
    const check = () => verifier.authenticate(new Request(PUBLIC_URL, { headers }), "ledger:read");
    const issuedMs = Math.floor(START_MS / 1000) * 1000;
    expect(expiresInSeconds).toBe(3600);
    await expect(check()).resolves.toMatchObject({ clientId: "billing" });
    nowMs = issuedMs + 3_599_999;
    await expect(check()).resolves.toMatchObject({ clientId: "billing" });
    nowMs = issuedMs + 3_600_000;
    await expect(check()).rejects.toThrow("the token has expired");
  });

  test("writes times in whole seconds", async () => {
    const { exp, iat, nbf } = decodeJwt((await service.issue(REQUEST)).accessToken);
    const seconds = Math.floor(START_MS / 1000);
    expect({ exp, iat, nbf }).toEqual({ exp: seconds + 3600, iat: seconds, nbf: seconds });
  });

  test("says what it granted only where that is not what was requested", async () => {
    expect((await service.issue(REQUEST)).scope).toBeUndefined();
    expect((await service.issue({ ...REQUEST, scope: undefined })).scope).toBeUndefined();
    const reduced = { ...REQUEST, scope: "ledger:read auth:read" };
    expect((await service.issue(reduced)).scope).toBe("ledger:read");
  });

  test("accepts each secret of the client and no other", async () => {
    expect(await errorOf({ clientSecret: "old secret" })).toBe("none");
    expect(await errorOf({ clientSecret: "NEW SECRET" })).toBe("invalid_client");
    client = { ...CLIENT, secretHashes: [] };
    expect(await errorOf({})).toBe("invalid_client");
  });

  test("checks the grant type before it looks up the client", async () => {
    expect(await errorOf({ grantType: undefined, clientSecret: "wrong" })).toBe("invalid_request");
    expect(await errorOf({ grantType: "password" })).toBe("unsupported_grant_type");
    expect(await errorOf({ grantType: "Client_Credentials" })).toBe("unsupported_grant_type");
    expect(searched).toEqual([]);
  });

  test("refuses a client as public only when its secret is right", async () => {
    client = { ...CLIENT, public: true };
    expect(await errorOf({})).toBe("unauthorized_client");
    expect(await errorOf({ clientSecret: "wrong" })).toBe("invalid_client");
    expect(await errorOf({ clientSecret: undefined })).toBe("invalid_client");
  });
});
