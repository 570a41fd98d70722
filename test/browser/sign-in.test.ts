import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { CHROMIUM, CHROMIUM_OPTIONS } from "#scripts/lib/chromium.ts";
import { freshFolder, LocalServer } from "#test/support/platform/server.ts";

/** A page of Florin that needs no login, in which scripts of tests act as those of the console. */
const OWN_PAGE = "/api/auth/logged-out";

let server: LocalServer;
let browser: Browser;
/** The server of another site. */
let site: Server;
let siteUrl: string;

beforeAll(async () => {
  server = await LocalServer.start(freshFolder());
  browser = await chromium.launch({
    executablePath: CHROMIUM,
    headless: true,
    args: CHROMIUM_OPTIONS,
  });
  site = createServer((_request, response) => {
    response.setHeader("content-type", "text/html");
    response.end("<h1>Another site</h1>");
  }).listen(0, "127.0.0.1");
  await once(site, "listening");
  const { port } = site.address() as AddressInfo; // a server that listens on a port
  siteUrl = `http://localhost:${port}`;
});

afterAll(async () => {
  await browser?.close();
  site?.close();
  await server?.killAll();
});

const ownPage = async (context: BrowserContext): Promise<Page> => {
  const page = await context.newPage();
  await page.goto(server.url + OWN_PAGE);
  return page;
};

/** The secret of a new link for the first person. */
async function freshSecret(): Promise<string> {
  const users = await server.json("/api/florin/v1/users");
  const { data } = users as { data: { id: string }[] }; // the schema of the answer has this shape
  const made = await server.json("/api/florin/v1/sign-in-links", {
    body: { personId: data[0]?.id },
  });
  return new URL((made as { data: { url: string } }).data.url).hash.slice(1);
}

/** Posts the secret of a link from a page, as its script does. Returns the status, or the name of the browser's error. */
const post = (page: Page, secret: string): Promise<number | string> =>
  page.evaluate(
    async ([url, text]) => {
      try {
        // Without `include`, the page of another site would send no cookie.
        const init = { method: "POST", credentials: "include", body: text };
        return (await fetch(url, init)).status;
      } catch (error) {
        return (error as Error).name;
      }
    },
    [`${server.url}/api/auth/sign-in`, JSON.stringify({ secret })] as const,
  );

/** Asks for a code and redeems it, as a script of the console does. Returns the URL's parameters and the answer with the tokens. */
const silently = (page: Page) =>
  page.evaluate(async (origin) => {
    const base64url = (bytes: Uint8Array) =>
      btoa(String.fromCodePoint(...bytes))
        .replaceAll("+", "-")
        .replaceAll("/", "_")
        .replaceAll("=", "");
    const verifier = base64url(crypto.getRandomValues(new Uint8Array(32)));
    const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier));
    const redirectUri = `${origin}/console/callback`;
    const state = crypto.randomUUID();
    const query = new URLSearchParams({
      client_id: "florin-console",
      redirect_uri: redirectUri,
      response_type: "code",
      response_mode: "query",
      prompt: "none",
      scope: "openid ledger:write auth:write",
      state,
      code_challenge: base64url(new Uint8Array(digest)),
      code_challenge_method: "S256",
    });
    const sent = await fetch(`/api/auth/authorize?${query.toString()}`);
    const back = new URL(sent.url);
    const answer = { at: back.origin + back.pathname, error: back.searchParams.get("error") };
    if (back.searchParams.get("state") !== state) throw new Error("another state");
    if (answer.error !== null) return { ...answer, status: 0, tokens: {} };
    const redeemed = await fetch("/api/auth/oauth/token", {
      method: "POST",
      body: new URLSearchParams({
        grant_type: "authorization_code",
        client_id: "florin-console",
        code: back.searchParams.get("code") ?? "",
        redirect_uri: redirectUri,
        code_verifier: verifier,
      }),
    });
    const tokens = await redeemed.json<{ access_token?: string; id_token?: string }>();
    return { ...answer, status: redeemed.status, tokens };
  }, server.url);

test("a page of the server signs in by a link, gets tokens by fetch in several tabs, and logs out", async () => {
  const context = await browser.newContext();
  const page = await ownPage(context);
  expect((await silently(page)).error).toBe("login_required");
  const [, secret = ""] = /\/sign-in#(\S+)/.exec(server.welcome) ?? [];
  expect(await post(page, "wrong")).toBe(404);
  expect(await post(page, secret)).toBe(204);
  expect(await post(page, secret)).toBe(404);
  const [cookie] = await context.cookies(server.url);
  expect(cookie).toMatchObject({ name: "florin-session", httpOnly: true, sameSite: "Lax" });

  const tabs = [page, await ownPage(context), await ownPage(context), await ownPage(context)];
  const renewed = await Promise.all(tabs.flatMap((tab) => [silently(tab), silently(tab)]));
  const callback = `${server.url}/console/callback`;
  for (const { at, error, status, tokens } of renewed) {
    expect({ at, error, status }).toEqual({ at: callback, error: null, status: 200 });
    const headers = { authorization: `Bearer ${tokens.access_token ?? ""}` };
    expect((await fetch(`${server.url}/api/ledger/v2`, { headers })).status).toBe(200);
  }
  // A reload keeps the session, of which the scripts see nothing.
  await page.reload();
  expect(await page.evaluate("document.cookie")).toBe("");
  const { tokens } = await silently(page);

  const leave = new URLSearchParams({
    id_token_hint: tokens.id_token ?? "",
    post_logout_redirect_uri: `${server.url}/console`,
  });
  await page.goto(`${server.url}/api/auth/end_session?${leave.toString()}`);
  expect(page.url()).toBe(`${server.url}/console`);
  expect(await context.cookies(server.url)).toEqual([]);
  expect((await silently(await ownPage(context))).error).toBe("login_required");
  await context.close();
});

test("another site signs nobody in by a link, and gets no tokens", async () => {
  const context = await browser.newContext();
  const secret = await freshSecret();
  const evil = await context.newPage();
  await evil.goto(siteUrl);
  expect(await post(evil, secret)).toBeOneOf([403, "TypeError"]);
  expect(await context.cookies(server.url)).toEqual([]);

  const page = await ownPage(context);
  expect(await post(page, secret)).toBe(204);
  const stolen = await evil.evaluate(
    async (url) =>
      fetch(url, { credentials: "include" } as RequestInit).catch((error: Error) => error.name),
    `${server.url}/api/auth/authorize?client_id=florin-console&redirect_uri=${encodeURIComponent(`${server.url}/console/callback`)}&response_type=code&prompt=none&scope=openid&code_challenge=${"x".repeat(43)}&code_challenge_method=S256`,
  );
  expect(stolen).toBe("TypeError");
  await context.close();
});

test("a person without a password sets one after the link, and logs in with it", async () => {
  const context = await browser.newContext();
  const page = await ownPage(context);
  expect(await post(page, await freshSecret())).toBe(204);
  await page.goto(`${server.url}/api/auth/account`);
  await page.getByRole("link", { name: "Set a password" }).click();
  await page.getByLabel("New password").fill("correct horse battery");
  await page.getByRole("button", { name: "Set the password" }).click();
  await page.getByRole("heading", { name: "Your password is changed" }).waitFor();
  expect((await silently(await ownPage(context))).status).toBe(200);
  await context.close();
});
