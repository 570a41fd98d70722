import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { CHROMIUM, CHROMIUM_OPTIONS } from "#scripts/lib/chromium.ts";
import { freshFolder, LocalServer } from "#test/support/platform/server.ts";

const EMAIL = "ada@example.com";
const PASSWORD = "correct horse battery";
const STACK = "stack://florin/main|stack:Read stack:Write";

let server: LocalServer;
let browser: Browser;

beforeAll(async () => {
  server = await LocalServer.start(freshFolder());
  browser = await chromium.launch({
    executablePath: CHROMIUM,
    headless: true,
    args: CHROMIUM_OPTIONS,
  });
  const invited = await server.json("/api/florin/v1/invitations", {
    body: { scopes: ["ledger:write"] },
  });
  const { data } = invited as { data: { url: string } }; // the schema of the answer has this shape
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(data.url);
  await page.getByLabel("E-mail address").fill(EMAIL);
  await page.getByLabel("Password").fill(PASSWORD);
  await page.getByRole("button").click();
  await page.getByRole("heading", { name: "Welcome" }).waitFor();
  await context.close();
});

afterAll(async () => {
  await browser?.close();
  await server?.killAll();
});

interface Device {
  readonly device_code: string;
  readonly user_code: string;
  readonly verification_uri: string;
}

type Fields = Readonly<Record<string, string>>;

/** Posts a form as the command line does, to an endpoint that discovery at the root names. */
async function post(endpoint: string, fields: Fields, headers: Fields = {}): Promise<unknown> {
  const discovery = await fetch(`${server.url}/.well-known/openid-configuration`);
  const known: Readonly<Record<string, string>> = await discovery.json();
  const body = new URLSearchParams(fields);
  const response = await fetch(known[endpoint] ?? "", { method: "POST", body, headers });
  return response.json();
}

const begin = (fields: Fields): Promise<Device> =>
  post("device_authorization_endpoint", fields, {
    authorization: `Basic ${btoa("fctl:")}`,
  }) as Promise<Device>; // the schema of the answer has this shape

const poll = ({ device_code: code }: Device) =>
  post("token_endpoint", {
    grant_type: "urn:ietf:params:oauth:grant-type:device_code",
    device_code: code,
    client_id: "fctl",
    client_secret: "",
    resource: "",
  }) as Promise<Readonly<Record<string, string>>>; // tokens or an error

/** Opens the page of a device as the command line does, with the code in the query. */
const open = (page: Page, { verification_uri: uri, user_code: code }: Device) =>
  page.goto(`${uri}?user_code=${code}`);

async function logIn(page: Page): Promise<void> {
  await page.getByLabel("E-mail address").fill(EMAIL);
  await page.getByLabel("Password").fill(PASSWORD);
  await page.getByRole("button", { name: "Log in", exact: true }).click();
}

async function withPage(
  options: Parameters<Browser["newContext"]>[0],
  work: (page: Page, context: BrowserContext) => Promise<void>,
): Promise<void> {
  const context = await browser.newContext(options);
  await work(await context.newPage(), context);
  await context.close();
}

test("a person logs in, compares the code and allows the device, on a phone and without a script", async () => {
  await withPage(
    { javaScriptEnabled: false, viewport: { width: 390, height: 844 } },
    async (page) => {
      const device = await begin({
        scope: "openid offline_access",
        organization_id: "florin",
        resource: STACK,
      });
      await open(page, device);
      await logIn(page);
      await page.getByRole("heading", { name: "Log in a device?" }).waitFor();
      await page.getByText(device.user_code).waitFor();
      await page.getByText(EMAIL).waitFor();
      const listed = await page.locator("#scopes li").allInnerTexts();
      expect(listed).toEqual(["ledger:read", "ledger:write"]);
      // The page fits the width of a phone.
      const width = await page.locator("main").boundingBox();
      expect(width?.width).toBeLessThanOrEqual(390);
      await page.getByRole("button", { name: "Allow" }).click();
      await page.getByRole("heading", { name: "The device is logged in" }).waitFor();

      const { access_token: assertion = "" } = await poll(device);
      const exchanged = (await post("token_endpoint", {
        grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer",
        assertion,
        scope: "openid email",
      })) as { access_token: string }; // the schema of the answer has this shape
      const headers = { authorization: `Bearer ${exchanged.access_token}` };
      const ledgers = await fetch(`${server.url}/api/ledger/v2`, { headers });
      expect(ledgers.status).toBe(200);
      // The code is good for one answer.
      await open(page, device);
      await page.getByRole("alert").waitFor();
    },
  );
});

test("a person types the code of a device that has no browser, and refuses it", async () => {
  await withPage({}, async (page) => {
    const device = await begin({ scope: "openid offline_access" });
    await page.goto(device.verification_uri);
    await logIn(page);
    await page.getByLabel("Code that the device shows").fill("bbbbbbbb");
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByRole("alert").waitFor();
    await page.getByLabel("Code that the device shows").fill(device.user_code.toLowerCase());
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByRole("button", { name: "Refuse" }).click();
    await page.getByRole("heading", { name: "The device is refused" }).waitFor();
    expect(await poll(device)).toEqual({ error: "access_denied" });
  });
});

test("another site allows no device in the person's name", async () => {
  await withPage({}, async (page, context) => {
    const device = await begin({ scope: "openid offline_access" });
    await open(page, device);
    await logIn(page);
    await page.getByRole("button", { name: "Allow" }).waitFor();
    const evil = await context.newPage();
    // A page of another site: the browser names its origin.
    await evil.route("http://evil.test/", (route) =>
      route.fulfill({
        contentType: "text/html",
        body: `<form method="post" action="${server.url}/api/auth/device">
          <input name="user_code" value="${device.user_code}"><button name="answer" value="allow">Win</button></form>
          <iframe src="${device.verification_uri}?user_code=${device.user_code}"></iframe>`,
      }),
    );
    await evil.goto("http://evil.test/");
    await evil.getByRole("button", { name: "Win" }).click();
    await evil.getByText("sent by another site").waitFor();
    expect(await poll(device)).toEqual({ error: "authorization_pending" });
  });
});
