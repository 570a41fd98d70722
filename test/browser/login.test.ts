import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import * as oauth from "oauth4webapi";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { CHROMIUM, CHROMIUM_OPTIONS } from "#scripts/lib/chromium.ts";
import { freshFolder, LocalServer } from "#test/support/platform/server.ts";

const EMAIL = "ada@example.com";
const PASSWORD = "correct horse battery";
/** The code challenge of the example in RFC 7636. */
const CHALLENGE = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

let server: LocalServer;
let browser: Browser;
/** The server of an application and of an attacker's page, which are on another site than Florin. */
let site: Server;
let siteUrl: string;
/** The HTML of the attacker's page. */
let evilPage = "";

beforeAll(async () => {
  server = await LocalServer.start(freshFolder());
  browser = await chromium.launch({
    executablePath: CHROMIUM,
    headless: true,
    args: CHROMIUM_OPTIONS,
  });
  site = createServer((request, response) => {
    response.setHeader("content-type", "text/html");
    response.end(request.url?.startsWith("/callback") ? "<h1>The application</h1>" : evilPage);
  }).listen(0, "127.0.0.1");
  await once(site, "listening");
  const { port } = site.address() as AddressInfo; // a server that listens on a port
  siteUrl = `http://localhost:${port}`;
  await server.json("/api/auth/clients", {
    body: {
      id: "app",
      public: true,
      scopes: ["ledger:read"],
      redirectUris: [`${siteUrl}/callback`],
      postLogoutRedirectUris: [`${siteUrl}/callback?bye`],
    },
  });
});

afterAll(async () => {
  await browser?.close();
  site?.close();
  await server?.killAll();
});

const authorizeUrl = (params = {}): string =>
  `${server.url}/api/auth/authorize?${new URLSearchParams({
    client_id: "app",
    redirect_uri: `${siteUrl}/callback`,
    response_type: "code",
    scope: "openid ledger:read",
    state: "s",
    code_challenge: CHALLENGE,
    code_challenge_method: "S256",
    ...params,
  }).toString()}`;

async function logIn(page: Page, params = {}): Promise<URL> {
  await page.goto(authorizeUrl(params));
  await page.getByLabel("E-mail address").fill(EMAIL);
  await page.getByLabel("Password").fill(PASSWORD);
  await page.getByRole("button", { name: "Log in", exact: true }).click();
  await page.waitForURL(`${siteUrl}/callback?**`);
  return new URL(page.url());
}

const hasSession = async (context: BrowserContext): Promise<boolean> =>
  (await context.cookies(server.url)).some(({ name }) => name === "florin-session");

test("a person accepts an invitation, logs in to an application and out, without a script", async () => {
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  const invited = await server.json("/api/florin/v1/invitations", {
    body: { scopes: ["ledger:read"] },
  });
  const { data } = invited as { data: { url: string } }; // the schema of the answer has this shape
  await page.goto(data.url);
  await page.getByLabel("E-mail address").fill(EMAIL);
  await page.getByLabel("Password").fill(PASSWORD);
  await page.getByRole("button").click();
  await page.getByRole("heading", { name: "Welcome" }).waitFor();

  await page.goto(authorizeUrl());
  await page.getByLabel("E-mail address").fill(EMAIL);
  await page.getByLabel("Password").fill("wrong horse battery");
  await page.getByRole("button", { name: "Log in", exact: true }).click();
  await page.getByRole("alert").waitFor();
  const back = await logIn(page);
  expect(back.searchParams.get("code")).toMatch(/^[\w-]{43}$/);
  expect(back.searchParams.get("state")).toBe("s");
  expect(back.searchParams.get("iss")).toBe(`${server.url}/api/auth`);

  await page.goto(authorizeUrl({ prompt: "none" }));
  expect(new URL(page.url()).searchParams.has("code")).toBe(true);
  const bye = new URLSearchParams({
    client_id: "app",
    post_logout_redirect_uri: `${siteUrl}/callback?bye`,
  });
  await page.goto(`${server.url}/api/auth/end_session?${bye.toString()}`);
  await page.getByText(EMAIL).waitFor();
  expect(await hasSession(context)).toBe(true);
  await context.close();
});

test("the session ends where the person says so", async () => {
  const context = await browser.newContext();
  const page = await context.newPage();
  await logIn(page);
  await page.goto(`${server.url}/api/auth/end_session`);
  await page.getByRole("button", { name: "Log out" }).click();
  await page.getByRole("heading", { name: "Logged out" }).waitFor();
  expect(await hasSession(context)).toBe(false);
  await page.goto(authorizeUrl({ prompt: "none" }));
  expect(new URL(page.url()).searchParams.get("error")).toBe("login_required");
  await context.close();
});

test("a passkey of the person's device logs in without the password", async () => {
  const context = await browser.newContext();
  const page = await context.newPage();
  const devices = await context.newCDPSession(page);
  await devices.send("WebAuthn.enable");
  const options = { protocol: "ctap2", transport: "internal" } as const;
  const abilities = { hasResidentKey: true, hasUserVerification: true, isUserVerified: true };
  await devices.send("WebAuthn.addVirtualAuthenticator", {
    options: { ...options, ...abilities, automaticPresenceSimulation: true },
  });
  // Browsers offer passkeys only for host names, not for IP addresses.
  const named = (url: string): string => url.replace("127.0.0.1", "localhost");
  await page.goto(named(authorizeUrl()));
  await page.getByLabel("E-mail address").fill(EMAIL);
  await page.getByLabel("Password").fill(PASSWORD);
  await page.getByRole("button", { name: "Log in", exact: true }).click();
  await page.waitForURL(`${siteUrl}/callback?**`);
  await page.goto(`${named(server.url)}/api/auth/account`);
  await page.getByText("have 0 passkeys").waitFor();
  await page.getByRole("button", { name: "Add a passkey" }).click();
  await page.getByText("have 1 passkey.").waitFor();

  await page.goto(named(authorizeUrl({ prompt: "login" })));
  await page.getByRole("button", { name: "Log in with a passkey" }).click();
  await page.waitForURL(`${siteUrl}/callback?**`);
  expect(new URL(page.url()).searchParams.get("code")).toMatch(/^[\w-]{43}$/);

  await page.goto(`${named(server.url)}/api/auth/account`);
  await page.getByRole("button", { name: "Delete all passkeys" }).click();
  await page.getByText("have 0 passkeys").waitFor();
  await page.goto(named(authorizeUrl({ prompt: "login" })));
  await page.getByRole("button", { name: "Log in with a passkey" }).click();
  await page.getByText("The passkey was not accepted.").waitFor();
  await context.close();
});

test("a person changes the password, and is logged out in the other browser", async () => {
  const [context, other] = [
    await browser.newContext({ javaScriptEnabled: false }),
    await browser.newContext(),
  ];
  const [page, elsewhere] = [await context.newPage(), await other.newPage()];
  await logIn(page);
  await logIn(elsewhere);
  const change = async (old: string, next: string) => {
    await page.goto(`${server.url}/api/auth/password`);
    await page.getByLabel("Old password").fill(old);
    await page.getByLabel("New password").fill(next);
    await page.getByRole("button", { name: "Change the password" }).click();
  };
  await change("wrong horse battery", `${PASSWORD} 2`);
  await page.getByText("The old password is wrong.").waitFor();
  await change(PASSWORD, `${PASSWORD} 2`);
  await page.getByRole("heading", { name: "Your password is changed" }).waitFor();
  for (const [at, answer] of [
    [page, "code"],
    [elsewhere, "error"],
  ] as const) {
    await at.goto(authorizeUrl({ prompt: "none" }));
    expect(new URL(at.url()).searchParams.has(answer)).toBe(true);
  }
  await change(`${PASSWORD} 2`, PASSWORD);
  await page.getByRole("heading", { name: "Your password is changed" }).waitFor();
  await context.close();
  await other.close();
});

test("a client library that nobody here wrote completes everything, from discovery to logout", async () => {
  const options = { [oauth.allowInsecureRequests]: true };
  const issuer = new URL(`${server.url}/api/auth`);
  const found = await oauth.discoveryRequest(issuer, options);
  const as = await oauth.processDiscoveryResponse(issuer, found);
  const client = { client_id: "backend" };
  const secret = await confidentialClient(client.client_id);
  const method = oauth.ClientSecretBasic(secret);

  const context = await browser.newContext();
  const page = await context.newPage();
  const verifier = oauth.generateRandomCodeVerifier();
  const nonce = oauth.generateRandomNonce();
  const asked = {
    client_id: client.client_id,
    scope: "openid email offline_access ledger:read",
    nonce,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
  };
  const back = await logIn(page, asked);
  const callback = oauth.validateAuthResponse(as, client, back, "s");
  const answer = await oauth.authorizationCodeGrantRequest(
    as,
    client,
    method,
    callback,
    `${siteUrl}/callback`,
    verifier,
    options,
  );
  const expected = { expectedNonce: nonce, requireIdToken: true } as const;
  const tokens = await oauth.processAuthorizationCodeResponse(as, client, answer, expected);
  const subject = oauth.getValidatedIdTokenClaims(tokens)?.sub ?? "";
  const asking = await oauth.userInfoRequest(as, client, tokens.access_token, options);
  const info = await oauth.processUserInfoResponse(as, client, subject, asking);
  expect(info.email).toBe(EMAIL);

  const refresh = async (token: string) =>
    oauth.processRefreshTokenResponse(
      as,
      client,
      await oauth.refreshTokenGrantRequest(as, client, method, token, options),
    );
  const first = tokens.refresh_token ?? "";
  const next = await refresh(first);
  const about = await oauth.introspectionRequest(as, client, method, next.access_token, options);
  expect((await oauth.processIntrospectionResponse(as, client, about)).active).toBe(true);
  // The second use of a refresh token ends all tokens that follow from it.
  await expect(refresh(first)).rejects.toMatchObject({ error: "invalid_grant" });
  await expect(refresh(next.refresh_token ?? "")).rejects.toMatchObject({ error: "invalid_grant" });

  const hint = { id_token_hint: tokens.id_token ?? "", state: "bye" };
  const target = { post_logout_redirect_uri: `${siteUrl}/callback?bye` };
  const leave = new URLSearchParams({ ...hint, ...target });
  await page.goto(`${as.end_session_endpoint ?? ""}?${leave.toString()}`);
  expect(page.url()).toBe(`${siteUrl}/callback?bye&state=bye`);
  expect(await hasSession(context)).toBe(false);
  await context.close();
});

/** Makes a client with a secret; returns the secret. */
async function confidentialClient(id: string): Promise<string> {
  const bye = `${siteUrl}/callback?bye`;
  await server.json("/api/auth/clients", {
    body: {
      id,
      scopes: ["ledger:read"],
      redirectUris: [`${siteUrl}/callback`],
      postLogoutRedirectUris: [bye],
    },
  });
  const made = await server.json(`/api/auth/clients/${id}/secrets`, { body: { name: "test" } });
  return (made as { data: { clear: string } }).data.clear; // the schema of the answer has this shape
}

test("the login page is shown in no frame of another site", async () => {
  const context = await browser.newContext();
  const page = await context.newPage();
  evilPage = `<iframe id="frame" src="${authorizeUrl().replaceAll("&", "&amp;")}"></iframe>`;
  await page.goto(siteUrl);
  const frame = page.frameLocator("#frame");
  await page.waitForLoadState("networkidle");
  expect(await frame.getByLabel("Password").count()).toBe(0);
  expect(page.frames().some((item) => item.url().startsWith("chrome-error:"))).toBe(true);
  await context.close();
});

test("no other site logs the person in or out by a form, or changes the password", async () => {
  const context = await browser.newContext();
  const page = await context.newPage();
  // The person has begun a login, and the other site even knows the id of the login.
  await page.goto(authorizeUrl());
  const request = await page.locator("input[name=request]").inputValue();
  evilPage = formTo("login", { request, email: EMAIL, password: PASSWORD });
  await page.goto(siteUrl);
  await page.getByText("sent by another site").waitFor();
  expect(await hasSession(context)).toBe(false);

  await logIn(page);
  for (const [path, fields] of [
    ["end_session/confirm", {}],
    ["password", { old: PASSWORD, new: "the horse of somebody else" }],
  ] as const) {
    evilPage = formTo(path, fields);
    await page.goto(siteUrl);
    await page.getByText("sent by another site").waitFor();
  }
  expect(await hasSession(context)).toBe(true);
  await context.close();
});

/** An HTML page that submits a form by itself. */
function formTo(path: string, fields: Readonly<Record<string, string>>): string {
  const inputs = Object.entries(fields).map(
    ([name, value]) => `<input name="${name}" value="${value}">`,
  );
  return `<form method="post" action="${server.url}/api/auth/${path}">${inputs.join("")}</form>
    <script>document.forms[0].submit()</script>`;
}
