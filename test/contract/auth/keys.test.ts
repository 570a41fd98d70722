import { applyD1Migrations } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { decodeProtectedHeader, SignJWT } from "jose";
import { expect, test } from "vitest";
import { KEY_OVERLAP_MS, SigningKeys } from "#modules/auth/keys/signing-keys.ts";
import { sweepSigningKeys } from "#modules/auth/retention/key-sweep.ts";
import { systemContext } from "#platform/context.ts";
import { BASE_URL } from "#test/support/platform/api.ts";
import { TEST_SETTINGS } from "#test/support/platform/settings.ts";
import { isolate as isolateWith, type Send } from "#test/support/runner/isolate.ts";

// The tests of this file build on each other, and start with an empty database. The database is not the usual one, because
// other files share the key and the tokens of the usual one.

const DB = env.EMPTY_DB;
await applyD1Migrations(DB, env.TEST_MIGRATIONS);

const isolate = (settings: Readonly<Record<string, string>> = {}): Send =>
  isolateWith({ ...settings, DB });

const NEW_KEY = "bmV3LXRlc3RzLW9ubHkta2V5LW9mLTMyLWJ5dGVzLi4=";
const OLD_KEY = TEST_SETTINGS.FLORIN_SECRET_KEY;

const request = (local: Send, scope = "auth:read") =>
  local("/api/auth/oauth/token", {
    method: "POST",
    body: new URLSearchParams({
      grant_type: "client_credentials",
      client_id: TEST_SETTINGS.FLORIN_CLIENT_ID,
      client_secret: TEST_SETTINGS.FLORIN_CLIENT_SECRET,
      scope,
    }),
  });

async function issue(local: Send, scope?: string): Promise<string> {
  const response = await request(local, scope);
  return (await response.json<{ access_token: string }>()).access_token;
}

async function isAccepted(token: string, local: Send): Promise<boolean> {
  const headers = { authorization: `Bearer ${token}` };
  return (await local("/api/auth/clients", { headers })).status === 200;
}

async function kidsOf(local: Send): Promise<string[]> {
  const response = await local("/api/auth/keys");
  const { keys } = await response.json<{ keys: { kid: string }[] }>();
  return keys.map(({ kid }) => kid);
}

const storedKeys = async () => (await DB.prepare("SELECT * FROM auth_signing_keys").all()).results;

test("isolates that need the first key at the same time end with one key", async () => {
  expect(await storedKeys()).toEqual([]);
  const isolates = Array.from({ length: 6 }, () => isolate());
  const tokens = await Promise.all(isolates.map((local) => issue(local)));
  expect(await storedKeys()).toHaveLength(1);
  const [kid] = await kidsOf(isolate());
  for (const token of tokens) {
    expect(decodeProtectedHeader(token).kid).toBe(kid);
    for (const local of isolates) expect(await isAccepted(token, local)).toBe(true);
  }
});

test("the key and its tokens outlive a restart", async () => {
  const before = isolate();
  const token = await issue(before);
  const after = isolate();
  expect(await kidsOf(after)).toEqual(await kidsOf(before));
  expect(await isAccepted(token, after)).toBe(true);
});

/** A token that is signed with the newest key and has no `kid`. */
async function namelessToken(secretKey: string = OLD_KEY): Promise<string> {
  const bindings = { ...env, DB, FLORIN_SECRET_KEY: secretKey } as Env; // the environment with another secret key
  const { privateKey } = await SigningKeys.from(bindings).current();
  return new SignJWT({ client_id: "made", aud: ["made", BASE_URL], scope: "auth:read" })
    .setProtectedHeader({ alg: "RS256" })
    .setIssuer(`${BASE_URL}/api/auth`)
    .setExpirationTime("1h")
    .sign(privateKey);
}

test("a token without a key id is good while there is one key only", async () => {
  expect(await storedKeys()).toHaveLength(1);
  expect(await isAccepted(await namelessToken(), isolate())).toBe(true);
});

test("the endpoint of keys shows only the public half, and stores the private one encrypted", async () => {
  const shown = await (await isolate()("/api/auth/keys")).json<{ keys: object[] }>();
  for (const key of shown.keys) {
    expect(Object.keys(key)).toEqual(["use", "kty", "kid", "alg", "n", "e"]);
  }
  const [stored] = await storedKeys();
  expect(stored?.["private_key"]).toMatch(/^v1\.[0-9a-f]{12}\.[\w-]+$/);
});

test("a signing key without the key that encrypted it signs nothing, but tokens still verify", async () => {
  const token = await issue(isolate());
  const other = isolate({ FLORIN_SECRET_KEY: NEW_KEY });
  const refused = await request(other);
  expect(refused.status).toBe(500);
  expect(await refused.text()).not.toContain("v1.");
  expect(await isAccepted(token, other)).toBe(true);
});

test("FLORIN_SECRET_KEY can be replaced in two steps", async () => {
  const token = await issue(isolate());
  const kids = await kidsOf(isolate());
  const between = { FLORIN_SECRET_KEY: NEW_KEY, FLORIN_PREVIOUS_SECRET_KEYS: OLD_KEY };
  expect(await isAccepted(await issue(isolate(between)), isolate())).toBe(true);
  const after = isolate({ FLORIN_SECRET_KEY: NEW_KEY });
  expect(await isAccepted(await issue(after), isolate())).toBe(true);
  expect(await isAccepted(token, after)).toBe(true);
  expect(await kidsOf(after)).toEqual(kids);
});

/** The settings at the end of the test above. */
const CURRENT = { FLORIN_SECRET_KEY: NEW_KEY };

test("a new key signs at once, and the old one verifies until its tokens have expired", async () => {
  const local = isolate(CURRENT);
  const [before = ""] = await kidsOf(local);
  const old = await issue(local);
  const bearer = { authorization: `Bearer ${await issue(local, "auth:write")}` };
  const rotated = await local("/api/florin/v1/signing-keys/rotate", {
    method: "POST",
    headers: bearer,
  });
  expect(rotated.status).toBe(201);
  expect(await isAccepted(await namelessToken(NEW_KEY), local)).toBe(false);
  const [after = ""] = await kidsOf(local);
  expect(after).not.toBe(before);
  expect(decodeProtectedHeader(await issue(local)).kid).toBe(after);
  for (const other of [local, isolate(CURRENT)]) expect(await isAccepted(old, other)).toBe(true);
  expect(await kidsOf(local)).toEqual([after, before]);

  const context = systemContext({ ...env, DB }, "test");
  expect(await sweepSigningKeys(context)).toBeGreaterThan(Date.now() + 3_600_000);
  await DB.prepare("UPDATE auth_signing_keys SET created_ms = created_ms - ?")
    .bind(KEY_OVERLAP_MS)
    .run();
  expect(await sweepSigningKeys(context)).toBeUndefined();
  expect(await kidsOf(local)).toEqual([after]);
  expect(await isAccepted(old, isolate(CURRENT))).toBe(false);
});

test("a key that is old is replaced before it signs again", async () => {
  const [before] = await kidsOf(isolate(CURRENT));
  await DB.prepare("UPDATE auth_signing_keys SET created_ms = created_ms - 3600000").run();
  const kidOf = async (age: string) =>
    decodeProtectedHeader(await issue(isolate({ ...CURRENT, FLORIN_SIGNING_KEY_AGE: age }))).kid;
  expect(await kidOf("24h")).toBe(before);
  expect(await kidOf("1h")).not.toBe(before);
});
