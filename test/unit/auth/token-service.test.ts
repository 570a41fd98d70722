import { decodeJwt, generateKeyPair } from "jose";
import { beforeEach, describe, expect, test } from "vitest";
import type { Credential } from "#modules/auth/core/client.ts";
import { OAuthError } from "#modules/auth/core/oauth-error.ts";
import { KeyCache } from "#modules/auth/keys/key-cache.ts";
import { hashSecret } from "#modules/auth/registry/client-secret.ts";
import { ClientAuthenticator } from "#modules/auth/tokens/client-authenticator.ts";
import type { TokenForm } from "#modules/auth/tokens/requests.ts";
import { TokenService } from "#modules/auth/tokens/token-service.ts";
import { TokenSigner } from "#modules/auth/tokens/token-signer.ts";
import { TokenVerifier } from "#modules/auth/verification/token-verifier.ts";
import { systemContext } from "#platform/context.ts";
import { fromMillis } from "#platform/time.ts";
import { noRevocations } from "#test/support/auth/revocations.ts";

const PUBLIC_URL = "https://pay.example.com";
const START_MS = Date.UTC(2026, 0, 1, 10, 0, 0, 900);

const CLIENT: Credential = {
  clientId: "billing",
  public: false,
  trusted: false,
  scopes: ["ledger:read", "ledger:write"],
  ledgers: [],
  allowsDevices: false,
  secretHashes: [hashSecret("old secret"), hashSecret("new secret")],
};

const FORM: TokenForm = {
  grant_type: "client_credentials",
  scope: "ledger:read",
  client_id: "billing",
  client_secret: "new secret",
};

const { privateKey, publicKey } = await generateKeyPair("RS256");

let nowMs: number;
let client: Credential;
let searched: string[];

const clock = () => fromMillis(nowMs);

const open = { assertOpen: async () => undefined, countFailure: async () => undefined };

const service = new TokenService({
  // The grant under test reads nothing from the environment.
  context: systemContext({} as Env, "test"),
  clients: new ClientAuthenticator({
    findClient: async (id) => {
      searched.push(id);
      return id === client.clientId ? client : undefined;
    },
    limitsOf: () => open,
  }),
  signer: new TokenSigner({ current: async () => ({ kid: "kid", privateKey }) }, clock),
  reader: {
    read: () => Promise.reject(new Error("nothing is read")),
    readMembership: () => Promise.reject(new Error("nothing is read")),
  },
  limitsOf: () => open,
});

const issue = (changes: TokenForm = {}) =>
  service.issue({
    form: { ...FORM, ...changes },
    authorization: null,
    address: "192.0.2.1",
    url: `${PUBLIC_URL}/api/auth/oauth/token`,
    issuer: `${PUBLIC_URL}/api/auth`,
  });

async function errorOf(changes: TokenForm): Promise<string> {
  try {
    await issue(changes);
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
  test("the token service issues a token that is valid for an hour and not a second more", async () => {
    const load = async () => [{ kid: "kid", key: publicKey }];
    const verifier = new TokenVerifier({
      publicUrl: PUBLIC_URL,
      ownKeys: new KeyCache({ issuer: "own", load, nowMs: () => nowMs, pauseMs: 0 }),
      trusted: new Map(),
      revocations: noRevocations(() => nowMs),
      nowMs: () => nowMs,
      tokensMax: 10,
    });
    const { accessToken, expiresInSeconds } = await issue();
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

  test("the token service writes times in whole seconds", async () => {
    const { exp, iat, nbf } = decodeJwt((await issue()).accessToken);
    const seconds = Math.floor(START_MS / 1000);
    expect({ exp, iat, nbf }).toEqual({ exp: seconds + 3600, iat: seconds, nbf: seconds });
  });

  test("the token service says what it granted only where that is not what was requested", async () => {
    expect((await issue()).scope).toBeUndefined();
    expect((await issue({ scope: undefined })).scope).toBe("ledger:read ledger:write");
    expect((await issue({ scope: "" })).scope).toBe("ledger:read ledger:write");
    expect((await issue({ scope: " " })).scope).toBe("");
    expect((await issue({ scope: "auth:read" })).scope).toBe("");
    expect((await issue({ scope: "ledger:read auth:read" })).scope).toBe("ledger:read");
  });

  test("the token service accepts each secret of the client and no other", async () => {
    expect(await errorOf({ client_secret: "old secret" })).toBe("none");
    expect(await errorOf({ client_secret: "NEW SECRET" })).toBe("invalid_client");
    client = { ...CLIENT, secretHashes: [] };
    expect(await errorOf({})).toBe("invalid_client");
  });

  test("the token service checks the grant type before it looks up the client", async () => {
    expect(await errorOf({ grant_type: undefined, client_secret: "wrong" })).toBe(
      "invalid_request",
    );
    expect(await errorOf({ grant_type: "password" })).toBe("unsupported_grant_type");
    expect(await errorOf({ grant_type: "Client_Credentials" })).toBe("unsupported_grant_type");
    expect(searched).toEqual([]);
  });

  test("the token service refuses a client as public only when its secret is right", async () => {
    client = { ...CLIENT, public: true };
    expect(await errorOf({})).toBe("unauthorized_client");
    expect(await errorOf({ client_secret: "wrong" })).toBe("invalid_client");
    expect(await errorOf({ client_secret: undefined })).toBe("invalid_client");
  });
});
