import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import {
  CODE_LIFETIME_MS,
  type CodeRedemption,
  type CodeRequest,
  redeemCode,
} from "#modules/auth/grants/authorization-codes.ts";
import { systemContext } from "#platform/context.ts";
import { fromMillis } from "#platform/time.ts";
import { codeOf } from "#test/support/auth/person-clients.ts";
import { freshName } from "#test/support/platform/api.ts";

const VERIFIER = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
const CHALLENGE = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
const REDIRECT_URI = "https://app.example.com/callback";

const context = systemContext(env, "test");
const at = (ms: number) => ({ ...context, clock: () => fromMillis(Date.now() + ms) });

async function freshCode(changes: Partial<CodeRequest> = {}) {
  const request: CodeRequest = {
    clientId: freshName("client"),
    subject: freshName("person"),
    redirectUri: REDIRECT_URI,
    scopes: ["openid", "offline_access", "ledger:read"],
    nonce: "n-1",
    codeChallenge: CHALLENGE,
    authTime: 1_700_000_000,
    ...changes,
  };
  const redemption: CodeRedemption = {
    code: await codeOf(context, request),
    clientId: request.clientId,
    isPublic: true,
    redirectUri: REDIRECT_URI,
    codeVerifier: VERIFIER,
  };
  return { request, redemption };
}

const refusal = (error: string, description: string) => ({ error, description });
const INVALID = refusal("invalid_grant", "invalid code");
const count = (table: string, column: string, value: string) =>
  env.DB.prepare(`SELECT count(*) AS n FROM ${table} WHERE ${column} = ?`).bind(value).first("n");

describe("an authorization code", () => {
  test("an authorization code is redeemed for what was granted", async () => {
    const { request, redemption } = await freshCode();
    const grant = await redeemCode(context, redemption);
    expect(grant).toMatchObject({
      clientId: request.clientId,
      subject: request.subject,
      scopes: request.scopes,
      nonce: "n-1",
      authTime: 1_700_000_000,
    });
    expect(grant.refreshToken).toMatch(/^[\w-]{43}$/);
    const other = await freshCode({ scopes: ["openid"], nonce: undefined });
    const { refreshToken, nonce } = await redeemCode(context, other.redemption);
    expect([refreshToken, nonce]).toEqual([undefined, undefined]);
  });

  test("an authorization code is stored as a hash only, like the refresh token that it gives", async () => {
    const { redemption } = await freshCode();
    const { refreshToken = "" } = await redeemCode(context, redemption);
    for (const table of ["auth_codes", "auth_grants", "auth_refresh_tokens"]) {
      const { results } = await env.DB.prepare(`SELECT * FROM ${table}`).all();
      expect(results.length).toBeGreaterThan(0);
      expect(JSON.stringify(results)).not.toContain(redemption.code);
      expect(JSON.stringify(results)).not.toContain(refreshToken);
    }
  });

  test("an authorization code is redeemed once, however many do so at the same time", async () => {
    const { request, redemption } = await freshCode();
    const redeemed = await Promise.allSettled(
      Array.from({ length: 8 }, () => redeemCode(context, redemption)),
    );
    expect(redeemed.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    for (const result of redeemed) {
      if (result.status === "rejected") expect(result.reason).toMatchObject(INVALID);
    }
    expect(await count("auth_grants", "client_id", request.clientId)).toBeLessThanOrEqual(1);
  });

  test("an authorization code that is replayed revokes what was made from it", async () => {
    const { redemption } = await freshCode();
    const grant = await redeemCode(context, redemption);
    await expect(redeemCode(at(CODE_LIFETIME_MS + 1), redemption)).rejects.toMatchObject(INVALID);
    expect(await count("auth_grants", "id", grant.id)).toBe(0);
    expect(await count("auth_refresh_tokens", "grant_id", grant.id)).toBe(0);
    expect(await count("auth_revocations", "value", grant.id)).toBe(1);
  });

  test("an authorization code expires", async () => {
    const { redemption } = await freshCode();
    const late = redeemCode(at(CODE_LIFETIME_MS + 1), redemption);
    await expect(late).rejects.toMatchObject(INVALID);
  });

  const wrongChallenge = refusal("invalid_grant", "invalid code challenge");
  const noVerifier = refusal("invalid_request", "code_challenge required");
  test.each<[string, Partial<CodeRequest>, Partial<CodeRedemption>, object]>([
    ["an unknown code", {}, { code: "nothing" }, INVALID],
    ["another client's code", {}, { clientId: "another" }, INVALID],
    [
      "another redirect URI",
      {},
      { redirectUri: `${REDIRECT_URI}/` },
      refusal("invalid_grant", "redirect_uri does not correspond"),
    ],
    [
      "no redirect URI",
      {},
      { redirectUri: undefined },
      refusal("invalid_grant", "redirect_uri does not correspond"),
    ],
    ["no verifier", {}, { codeVerifier: undefined }, noVerifier],
    [
      "no verifier of a client with a secret",
      {},
      { codeVerifier: undefined, isPublic: false },
      noVerifier,
    ],
    ["a wrong verifier", {}, { codeVerifier: VERIFIER.toLowerCase() }, wrongChallenge],
    ["a short verifier", {}, { codeVerifier: "short" }, wrongChallenge],
    ["the challenge as the verifier", {}, { codeVerifier: CHALLENGE }, wrongChallenge],
    [
      "a verifier without a challenge",
      { codeChallenge: undefined },
      { isPublic: false },
      wrongChallenge,
    ],
    [
      "no challenge of a public client",
      { codeChallenge: undefined },
      { codeVerifier: undefined },
      noVerifier,
    ],
  ])("a code refuses %s, and stays good for its owner", async (...[, made, presented, failure]) => {
    const { redemption } = await freshCode(made);
    const refused = redeemCode(context, { ...redemption, ...presented });
    await expect(refused).rejects.toMatchObject(failure);
    const own = made.codeChallenge === undefined && "codeChallenge" in made;
    const right = own ? { ...redemption, isPublic: false, codeVerifier: undefined } : redemption;
    expect((await redeemCode(context, right)).clientId).toBe(redemption.clientId);
  });
});
