import { resolve } from "node:path";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { freshFolder, LocalServer } from "#test/support/platform/server.ts";

/** Debian's Chromium. Nothing in it may ask the internet by itself. */
const CHROMIUM = process.env["CHROMIUM"] ?? "/usr/bin/chromium";
const OPTIONS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

let server: LocalServer;
let browser: Browser;

beforeAll(async () => {
  server = await LocalServer.start(freshFolder());
  browser = await chromium.launch({ executablePath: CHROMIUM, headless: true, args: OPTIONS });
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

/** To be looked at. */
const SCREENSHOT = resolve(import.meta.dirname, "../../dist/docs.png");

/** What the document says of its operations. */
async function summaries(): Promise<string[]> {
  const response = await fetch(`${server.url}/openapi.json`);
  const { paths } = await response.json<{
    paths: Record<string, Record<string, { summary: string }>>;
  }>();
  return Object.values(paths)
    .flatMap((methods) => Object.values(methods))
    .map(({ summary }) => summary);
}

/** The hosts that a page asks, and what goes wrong in it. */
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
