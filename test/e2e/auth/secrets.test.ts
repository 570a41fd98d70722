import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { hashToken } from "#modules/auth/grants/opaque-token.ts";
import { hashSecret } from "#modules/auth/registry/client-secret.ts";
import { platformSettings } from "#platform/platform-settings.ts";
import { SecretBox } from "#platform/secrets/secrets.ts";
import { IssuerServer } from "#test/support/auth/issuer-server.ts";
import { dumpState, rowsOf, type StateDump } from "#test/support/auth/state-dump.ts";
import { locationOf, logIn, openLogin, Visitor } from "#test/support/auth/visitor.ts";
import { freshFolder, LocalServer } from "#test/support/platform/server.ts";

const REDIRECT_URI = "https://app.example.com/callback";
const EMAIL = "ada@example.com";
/** The code verifier of the example in RFC 7636. */
const VERIFIER = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
const CHALLENGE = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
const PASSWORDS = ["first correct horse", "second correct horse"] as const;

const folder = freshFolder();
const data = join(folder, "v3");
let issuer: IssuerServer;
let server: LocalServer;

/*
 * A started server has no bucket; `test/contract/exporters/bindings.test.ts` covers the objects of an exporter. With a bucket,
 * its objects would be among the files that are searched here.
 */

/** The secrets by their kinds. `hashed` has hashes of secrets, which the database must contain. */
const secrets = new Map<string, string[]>();
const hashed: string[] = [];

function keep(kind: string, ...texts: readonly string[]): void {
  secrets.set(kind, [...(secrets.get(kind) ?? []), ...texts]);
}

function keepHashed(kind: string, ...texts: readonly string[]): void {
  keep(kind, ...texts);
  hashed.push(...texts.map(hashToken));
}

/** A created object in the API's answer. */
interface Made {
  readonly data: Readonly<Record<string, string>>;
}
const make = async (path: string, body: object, method = "POST"): Promise<Made["data"]> =>
  ((await server.json(path, { method, body })) as Made).data; // the schema of the answer has this shape

const start = async (settings = {}): Promise<void> => {
  server = await LocalServer.start(folder, settings);
  keep("the server's own", server.clientSecret, await server.token());
  const [, printed = ""] = /\/sign-in#(\S+)/.exec(server.welcome) ?? [];
  if (printed !== "") keep("a link that signs in", printed);
};

beforeAll(async () => {
  issuer = await IssuerServer.open();
});
afterAll(async () => {
  await server?.killAll();
  await issuer?.close();
});

/** A browser that calls the server by its host name, which passkeys need. */
function visitor(): Visitor {
  const origin = server.url.replace("127.0.0.1", "localhost");
  return new Visitor({ origin, fetch: (path, init) => fetch(origin + path, init) });
}

const authorizePath = (params = {}): string =>
  `/api/auth/authorize?${new URLSearchParams({
    client_id: "app",
    redirect_uri: REDIRECT_URI,
    response_type: "code",
    scope: "openid offline_access",
    state: "s",
    code_challenge: CHALLENGE,
    code_challenge_method: "S256",
    ...params,
  }).toString()}`;

async function askToken(form: Readonly<Record<string, string>>): Promise<Record<string, string>> {
  const url = `${server.url}/api/auth/oauth/token`;
  const answer = await fetch(url, { method: "POST", body: new URLSearchParams(form) });
  expect(answer.status).toBe(200);
  return answer.json<Record<string, string>>();
}

test("clients, people, codes and tokens are made", async () => {
  await start({ FLORIN_TRUSTED_ISSUERS: issuer.url });
  const clients = "/api/auth/clients";
  await make(clients, { id: "app", redirectUris: [REDIRECT_URI] });
  const { clear = "" } = await make(`${clients}/app/secrets`, { name: "test" });
  keep("a client's secret", clear);
  hashed.push(hashSecret(clear));
  const credentials = { client_id: "app", client_secret: clear };
  const own = await askToken({ grant_type: "client_credentials", ...credentials });
  keep("an access token", own["access_token"] ?? "");
  const assertion = await issuer.sign({ sub: "bob", aud: `${server.url}/api/auth`, scope: "x" });
  const grant = "urn:ietf:params:oauth:grant-type:jwt-bearer";
  const exchanged = await askToken({ grant_type: grant, assertion });
  keep("an assertion", assertion, exchanged["access_token"] ?? "");

  const invited = await make("/api/florin/v1/invitations", { email: EMAIL, scopes: [] });
  const token = new URL(invited["url"] ?? "").searchParams.get("token") ?? "";
  keep("an invitation", token);
  const waiting = await make("/api/florin/v1/invitations", { scopes: [] });
  keepHashed("an invitation", new URL(waiting["url"] ?? "").searchParams.get("token") ?? "");
  const ada = visitor();
  const accepted = await ada.post("/api/auth/invitation", { token, password: PASSWORDS[0] });
  expect(accepted.status).toBe(200);

  const person = { email: EMAIL, password: PASSWORDS[0] };
  const code = (await logIn(ada, authorizePath(), person)).searchParams.get("code") ?? "";
  const redemption = { grant_type: "authorization_code", redirect_uri: REDIRECT_URI };
  const proof = { code, code_verifier: VERIFIER };
  const tokens = await askToken({ ...redemption, ...proof, ...credentials });
  const { refresh_token: used = "" } = tokens;
  const refresh = { grant_type: "refresh_token", refresh_token: used };
  const next = await askToken({ ...refresh, ...credentials });
  for (const given of [tokens, next]) {
    keep("an access token", given["access_token"] ?? "", given["id_token"] ?? "");
  }
  keep("a code", code);
  keep("a refresh token", used, next["refresh_token"] ?? "");

  const form = { old: PASSWORDS[0], new: PASSWORDS[1] };
  const changed = await ada.post("/api/auth/password", form);
  expect(changed.status).toBe(200);
  keep("a password", ...PASSWORDS);
  // Tokens that follow from the new password, and that no request ends.
  const waitingCode = new URL(locationOf(await ada.get(authorizePath()))).searchParams.get("code");
  keepHashed("a code", waitingCode ?? "");
  const again = locationOf(await ada.get(authorizePath({ scope: "openid offline_access email" })));
  const anew = { ...proof, code: new URL(again).searchParams.get("code") ?? "" };
  const kept = await askToken({ ...redemption, ...anew, ...credentials });
  keepHashed("a code", anew.code);
  keepHashed("a refresh token", kept["refresh_token"] ?? "");
  const bob = visitor();
  const { request } = await openLogin(bob, authorizePath());
  keepHashed("a login", request, bob.cookies.get("florin-browser") ?? "");
  keepHashed("a session", ada.cookies.get("florin-session") ?? "");

  for (const [at, path, fields] of [
    [ada, "offer", {}],
    [bob, "ask", { request }],
  ] as const) {
    const asked = await at.post(`/api/auth/passkeys/${path}`, fields);
    const { challenge = "" } = await asked.json<{ challenge?: string }>();
    keepHashed("a passkey's challenge", challenge);
  }
  const users = (await server.json("/api/auth/users")) as { data: { id: string; email: string }[] };
  const personId = users.data.find(({ email }) => email === EMAIL)?.id ?? "";
  const link = await make("/api/florin/v1/sign-in-links", { personId });
  keepHashed("a link that signs in", new URL(link["url"] ?? "").hash.slice(1));
  const path = `/api/florin/v1/users/${personId}/password-reset`;
  const reset = await make(path, {});
  keepHashed("a link for a password", new URL(reset["url"] ?? "").searchParams.get("token") ?? "");
});

test("secrets of other modules are made", async () => {
  const hook = {
    endpoint: "https://example.com/hook",
    eventTypes: ["ledger.committed_transactions"],
  };
  const config = await make("/api/webhooks/configs", { ...hook, name: "the hook" });
  const secretPath = `/api/webhooks/configs/${config["id"] ?? ""}/secret/change`;
  const changed = await make(secretPath, {}, "PUT");
  keep("a webhook's secret", config["secret"] ?? "", changed["secret"] ?? "");
  expect(changed["secret"]).not.toBe(config["secret"]);

  const password = "exporter-password-7261";
  const dsn = `http://user:${password}@127.0.0.1:1/db`;
  await make("/api/ledger/v2/_/exporters", { driver: "clickhouse", config: { dsn } });
  keep("an exporter's config", password);

  const apiKey = "connector-key-9154";
  const endpoint = "https://psp.example.com/secret-path-1746";
  const connector = { name: "the connector", apiKey, endpoint, pollingPeriod: "1h" };
  await server.json("/api/payments/v3/connectors/install/generic", { body: connector });
  keep("a connector's config", apiKey, "secret-path-1746");

  const numbers = { accountNumber: "55779911224466", iban: "FR7630006000011234567890189" };
  for (const version of ["/v3/bank-accounts", "/bank-accounts"]) {
    const account = { name: "The holder", country: "FR", ...numbers };
    await server.json(`/api/payments${version}`, { body: account });
  }
  keep("a bank account's number", ...Object.values(numbers));

  await server.api("/api/ledger/v2/books", { method: "POST" });
  const postings = [{ source: "world", destination: "users:ada", amount: 1, asset: "EUR/2" }];
  await server.json("/api/ledger/v2/books/transactions", { body: { postings } });
});

test("a login at another provider is made", async () => {
  await server.stop();
  const clientSecret = "the-secret-at-the-provider-3318";
  await start({
    FLORIN_LOGIN_ISSUER: issuer.url,
    FLORIN_LOGIN_CLIENT_ID: "florin-there",
    FLORIN_LOGIN_CLIENT_SECRET: clientSecret,
  });
  // The start makes no link, because the person of the link would not be one of the provider.
  expect(server.welcome).not.toContain("/console/sign-in#");
  expect(server.welcome).toContain(`People sign in at ${issuer.url}.\n`);
  const grace = visitor();
  const there = locationOf(await grace.get(authorizePath()));
  const asked = new URL(there).searchParams;
  const back = issuer.leave(there);
  const next = locationOf(await grace.get(back.href));
  const done = new URL(locationOf(await grace.get(next)));
  keepHashed("a code", done.searchParams.get("code") ?? "");
  const [redeemed] = issuer.redeemed;
  expect(atob(redeemed?.authorization.replace("Basic ", "") ?? "")).toContain(clientSecret);
  keep("the secret at the provider", clientSecret);
  // The login is over. Its state is the id of the login; nonce and verifier are derived from the browser's cookie.
  keep("a login's state, nonce and verifier at the provider", asked.get("state") ?? "");
  keep("a login's state, nonce and verifier at the provider", asked.get("nonce") ?? "");
  const verifier = redeemed?.form.get("code_verifier") ?? "";
  keep("a login's state, nonce and verifier at the provider", verifier);
  keep("a code of the provider", back.searchParams.get("code") ?? "");
  keep("a token of the provider", ...issuer.given);
  keepHashed("a session", grace.cookies.get("florin-session") ?? "");
  const waiting = visitor();
  const state = new URL(locationOf(await waiting.get(authorizePath()))).searchParams.get("state");
  keepHashed("a login", state ?? "", waiting.cookies.get("florin-browser") ?? "");
});

test("secrets of each kind exist: nothing that the server has stored holds any of them in clear", async () => {
  await server.stop();
  const { secretKey } = JSON.parse(readFileSync(join(folder, "secrets.json"), "utf8")) as {
    secretKey: string;
  };
  keep("the key of the deployment", secretKey);
  keep("a signing key", ...privateKeys(secretKey));
  const dump = dumpState(data);
  assertComplete(dump);
  expect([...secrets.keys()].toSorted()).toEqual(KINDS.toSorted());
  for (const [kind, texts] of secrets) {
    for (const text of texts) expect([kind, text.length >= LENGTH_MIN]).toEqual([kind, true]);
    expect([kind, texts.filter((text) => dump.has(text))]).toEqual([kind, []]);
  }
  // The database contains the hash of each of these secrets nevertheless.
  expect(hashed.filter((hash) => !dump.has(hash))).toEqual([]);
});

/** A shorter text could be found by chance, or be a secret that was not made. */
const LENGTH_MIN = 14;

const KINDS = [
  "the server's own",
  "the key of the deployment",
  "a signing key",
  "a client's secret",
  "an access token",
  "an assertion",
  "an invitation",
  "a link for a password",
  "a link that signs in",
  "a code",
  "a refresh token",
  "a login",
  "a session",
  "a password",
  "a passkey's challenge",
  "the secret at the provider",
  "a login's state, nonce and verifier at the provider",
  "a code of the provider",
  "a token of the provider",
  "a webhook's secret",
  "an exporter's config",
  "a connector's config",
  "a bank account's number",
];

/** The private parts of the stored keys, in each form in which they could be written. */
function privateKeys(secretKey: string): string[] {
  const settings = platformSettings.parse({ FLORIN_SECRET_KEY: secretKey });
  const box = new SecretBox(settings);
  const keys = rowsOf(data, "auth_signing_keys");
  expect(keys).not.toEqual([]);
  return keys.flatMap(({ kid, private_key: sealed }) => {
    const pem = box.open(String(sealed), `auth signing key ${String(kid)}`);
    const [, ...lines] = pem.trim().split("\n").slice(0, -1);
    expect(lines.length).toBeGreaterThan(10);
    // The first line is left out, because it is equal for all such keys.
    return ["BEGIN PRIVATE KEY", ...lines.slice(1, -1)];
  });
}

/**
 * Asserts that texts that are not secret are found in the database and in objects, so that a missing secret is really missing.
 */
function assertComplete(dump: StateDump): void {
  const known = [
    EMAIL,
    "grace@example.com",
    "the connector",
    "The holder",
    "the hook",
    "users:ada",
  ];
  expect(known.filter((text) => !dump.has(text))).toEqual([]);
  const owners = ["D1DatabaseObject", "LedgerObject", "ConnectorObject", "AttemptLimitObject"];
  const absent = owners.filter((owner) => !dump.files.some((path) => path.includes(owner)));
  expect(absent).toEqual([]);
}
