import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { INVITATION_MS, invite } from "#modules/auth/administration/invitations.ts";
import { beginLogin, findLogin, LOGIN_MS_MAX } from "#modules/auth/authorize/logins.ts";
import { CODE_LIFETIME_MS, redeemCode } from "#modules/auth/grants/authorization-codes.ts";
import {
  DEVICE_CODE_LIFETIME_MS,
  EXPIRED_KEPT_MS,
} from "#modules/auth/grants/device-code-store.ts";
import { issueDeviceCodes } from "#modules/auth/grants/device-codes.ts";
import { REDEEMED_CODE_KEPT_MS } from "#modules/auth/grants/grant-store.ts";
import { findRefreshToken, rotateRefreshToken } from "#modules/auth/grants/refresh-tokens.ts";
import { beginSession } from "#modules/auth/people/sessions.ts";
import { purgeGrants } from "#modules/auth/retention/purge-grants.ts";
import { purgeLogins } from "#modules/auth/retention/purge-logins.ts";
import { revocationOf } from "#modules/auth/revocations/revoke.ts";
import { type ServiceContext, systemContext } from "#platform/context.ts";
import { fromMillis } from "#platform/time.ts";
import { storePerson } from "#test/support/auth/people.ts";
import { codeOf } from "#test/support/auth/person-clients.ts";
import { freshName } from "#test/support/platform/api.ts";

const NOW_MS = Date.now();
const HOUR_MS = 3_600_000;
/** The time for which a revocation is kept, which is longer than the lifetime of the tokens that it revokes. */
const REVOCATION_MS = 70 * 60_000;
/** Lifetimes that all differ, so that each end is seen by itself. */
const SESSION_MS = 12 * HOUR_MS;
const REFRESH_TOKEN_MS = 240 * HOUR_MS;
const bindings = {
  ...env,
  FLORIN_SESSION_LIFETIME: "12h",
  FLORIN_REFRESH_TOKEN_LIFETIME: "240h",
};

/** The deployment `ms` milliseconds from now. */
const at = (ms: number) => ({
  ...systemContext(bindings, "test"),
  clock: () => fromMillis(NOW_MS + ms),
});
const now = at(0);

const TABLES = [
  "auth_codes",
  "auth_device_codes",
  "auth_grants",
  "auth_refresh_tokens",
  "auth_revocations",
  "auth_invitations",
  "auth_sessions",
  "auth_logins",
] as const;

/** The number of rows of each table. */
async function counts(): Promise<Record<string, number>> {
  const rows = await Promise.all(
    TABLES.map(async (name) => {
      const count = await env.DB.prepare(`SELECT count(*) AS n FROM ${name}`).first<number>("n");
      return [name, count ?? -1] as const;
    }),
  );
  return Object.fromEntries(rows);
}

const purge = async (ms: number): Promise<void> => {
  await purgeGrants(at(ms));
  await purgeLogins(at(ms));
};

const newCode = async (clientId = freshName("client")) => {
  const redirectUri = "https://app.example.com/callback";
  const code = await codeOf(now, {
    clientId,
    subject: freshName("person"),
    redirectUri,
    scopes: ["openid", "offline_access"],
    authTime: Math.floor(NOW_MS / 1000),
  });
  const redemption = { code, clientId, isPublic: false, redirectUri, codeVerifier: undefined };
  return { clientId, redeem: () => redeemCode(now, redemption) };
};

const REQUEST = {
  clientId: "app",
  redirectUri: "https://app.example.com/callback",
  responseMode: "query",
  scopes: [],
  prompts: [],
} as const;

const DEVICE = {
  clientId: "fctl",
  scopes: ["openid"],
  membership: "root",
  hintedSubject: undefined,
  address: "192.0.2.1",
} as const;

const asAdministrator = (context: ServiceContext): ServiceContext => ({
  ...context,
  principal: { ...context.principal, scopes: new Set(["auth:write"]) },
});

const NOTHING = Object.fromEntries(TABLES.map((name) => [name, 0]));

describe("what ends by itself", () => {
  test("rows with a lifetime stay as long as they are good for something, and are gone then", async () => {
    await issueDeviceCodes(now, DEVICE);
    await newCode();
    const { clientId, redeem } = await newCode();
    const { refreshToken = "" } = await redeem();
    const usable = await findRefreshToken(now, refreshToken, clientId);
    await rotateRefreshToken(now, usable);
    await revocationOf(now, { kind: "token", value: freshName() });
    await invite(asAdministrator(now), { email: "", scopes: [], ledgers: [] });
    const { id: personId } = await storePerson();
    await beginSession(now, { personId, authenticatedAt: now.clock() });
    await beginLogin(now, { request: REQUEST, browser: "browser" });

    const expected = {
      auth_codes: 2,
      auth_device_codes: 1,
      auth_grants: 1,
      auth_refresh_tokens: 2,
      auth_revocations: 1,
      auth_invitations: 1,
      auth_sessions: 1,
      auth_logins: 1,
    };
    expect(await counts()).toEqual(expected);
    // Lifetimes in increasing order, with the rows that are left after each of them.
    const ends: readonly [ms: number, left: Readonly<Record<string, number>>][] = [
      [CODE_LIFETIME_MS, { auth_codes: 1 }],
      [LOGIN_MS_MAX, { auth_logins: 0 }],
      [DEVICE_CODE_LIFETIME_MS + EXPIRED_KEPT_MS, { auth_device_codes: 0 }],
      [REVOCATION_MS, { auth_revocations: 0 }],
      [SESSION_MS, { auth_sessions: 0 }],
      // A redeemed code is kept until this time, because a replay of it shows that it has leaked.
      [CODE_LIFETIME_MS + REDEEMED_CODE_KEPT_MS, { auth_codes: 0 }],
      [INVITATION_MS, { auth_invitations: 0 }],
      [REFRESH_TOKEN_MS, { auth_refresh_tokens: 0, auth_grants: 0 }],
    ];
    for (const [ms, left] of ends) {
      await purge(ms);
      expect({ ms, ...(await counts()) }).toEqual({ ms, ...expected });
      await purge(ms + 1);
      Object.assign(expected, left);
      expect({ ms, ...(await counts()) }).toEqual({ ms, ...expected });
    }
    expect(expected).toEqual(NOTHING);
  });

  test("the purge of what ends by itself says when the next of it ends", async () => {
    await purge(10 * REFRESH_TOKEN_MS);
    expect(await counts()).toEqual(NOTHING);
    expect(await purgeGrants(now)).toBeUndefined();
    expect(await purgeLogins(now)).toBeUndefined();
    await newCode();
    // Codes that end within a minute are purged at once.
    expect(await purgeGrants(now)).toBe(NOW_MS + CODE_LIFETIME_MS + 60_000);
    await invite(asAdministrator(now), { email: "", scopes: [], ledgers: [] });
    expect(await purgeLogins(now)).toBe(NOW_MS + INVITATION_MS + 1);
  });
});

test("too many logins under way: the oldest end, and the new one goes on", async () => {
  const begin = (ms: number, loginsMax = 10) =>
    beginLogin(at(ms), { request: REQUEST, browser: "b", loginsMax });
  await env.DB.prepare("DELETE FROM auth_logins").run();
  for (let ms = 0; ms < 10; ms++) await begin(ms);
  const last = await begin(10);
  const isOpen = async (id: string) => (await findLogin(now, { id, browser: "b" })) !== undefined;
  expect(await isOpen(last)).toBe(true);
  expect((await counts())["auth_logins"]).toBe(1);
});
