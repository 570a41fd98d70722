import { resolve } from "node:path";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { CHROMIUM, CHROMIUM_OPTIONS } from "#scripts/lib/chromium.ts";
import { freshFolder, LocalServer } from "#test/support/platform/server.ts";

let server: LocalServer;
let browser: Browser;

beforeAll(async () => {
  server = await LocalServer.start(freshFolder());
  browser = await chromium.launch({
    executablePath: CHROMIUM,
    headless: true,
    args: CHROMIUM_OPTIONS,
  });
});

afterAll(async () => {
  await browser?.close();
  await server?.killAll();
});

test("the API reference shows every operation and asks no other host", async () => {
  const page = await browser.newPage({ viewport: { width: 1400, height: 1000 } });
  const { hosts, errors } = watch(page);
  await page.goto(`${server.url}/docs`, { waitUntil: "networkidle" });
  expect(await page.title()).toBe("Florin API");

  const groups = page.getByRole("button", { name: /^Open Group - (?!Models)/ });
  await groups.first().waitFor();
  while ((await groups.count()) > 0) await groups.first().click();
  const text = await page.locator("body").innerText();
  const missing = (await summaries()).filter((summary) => !text.includes(summary));
  expect(missing).toEqual([]);

  await page.getByRole("link", { name: "Commit a transaction" }).first().click();
  await page.getByRole("heading", { name: "Commit a transaction" }).waitFor();
  await page.screenshot({ path: SCREENSHOT });
  expect(errors).toEqual([]);
  expect([...hosts]).toEqual([new URL(server.url).host]);
});

test("a newcomer gets a token and makes a transaction in three clicks", async () => {
  await server.json("/api/ledger/v2/shop", { method: "POST" });
  const page = await browser.newPage({ viewport: { width: 1400, height: 1000 } });
  const { hosts, errors } = watch(page);
  await page.goto(`${server.url}/docs#tag/transactions/POST/api/ledger/v2/{ledger}/transactions`);
  await page.getByPlaceholder("XYZ123").first().fill(server.clientSecret);
  await page.getByRole("button", { name: "Authorize" }).first().click();
  await page.getByText("Access Token").first().waitFor();

  const operation = page.locator("section", { has: page.getByRole("heading", { name: COMMIT }) });
  await operation
    .last()
    .getByRole("button", { name: /Test Request/ })
    .click();
  const answer = page.waitForResponse((response) => response.url().endsWith("/transactions"));
  await page.getByRole("button", { name: /^Send/ }).first().click();
  expect((await answer).status()).toBe(200);
  expect(await server.json("/api/ledger/v2/shop/transactions/1")).toMatchObject({
    data: {
      postings: [{ source: "world", destination: "users:42", amount: 1500, asset: "EUR/2" }],
    },
  });
  await page.screenshot({ path: TRIED });
  expect(errors).toEqual([]);
  expect([...hosts]).toEqual([new URL(server.url).host]);
});

const COMMIT = "Commit a transaction";

/** A screenshot for people to look at. */
const TRIED = resolve(import.meta.dirname, "../../dist/docs-tried.png");
const SCREENSHOT = resolve(import.meta.dirname, "../../dist/docs.png");

/** The summaries of all operations in the document. */
async function summaries(): Promise<string[]> {
  const response = await fetch(`${server.url}/openapi.json`);
  const { paths } = await response.json<{
    paths: Record<string, Record<string, { summary: string }>>;
  }>();
  return Object.values(paths)
    .flatMap((methods) => Object.values(methods))
    .map(({ summary }) => summary);
}

/** Records the hosts that a page calls and the errors that occur in it. */
function watch(page: Page): { hosts: Set<string>; errors: string[] } {
  const hosts = new Set<string>();
  const errors: string[] = [];
  page.on("request", (request) => {
    const { protocol, host } = new URL(request.url());
    if (protocol !== "data:" && protocol !== "blob:") hosts.add(host);
  });
  page.on("pageerror", (error) => errors.push(error.message));
  return { hosts, errors };
}
