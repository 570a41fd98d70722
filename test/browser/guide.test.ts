import { existsSync, readdirSync, readFileSync } from "node:fs";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { CHROMIUM, CHROMIUM_OPTIONS } from "#scripts/lib/chromium.ts";
import { inProject } from "#scripts/lib/project.ts";
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

const DESKTOP = { width: 1400, height: 1000 };
const PHONE = { width: 390, height: 844 };

const AXE = readFileSync(inProject("node_modules/axe-core/axe.min.js"), "utf8");

/** A page, and what must stay empty while it is used. */
interface Window {
  readonly context: BrowserContext;
  readonly page: Page;
  /** Messages of the browser's console, failures of scripts, and files that are not there. */
  readonly complaints: string[];
  readonly foreignHosts: Set<string>;
}

async function open(viewport: typeof DESKTOP, colorScheme: "light" | "dark"): Promise<Window> {
  // The policy of the page allows no inline script, and axe comes as one.
  const context = await browser.newContext({ viewport, colorScheme, bypassCSP: false });
  const page = await context.newPage();
  const complaints: string[] = [];
  const foreignHosts = new Set<string>();
  page.on("console", (message) => complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("response", (response) => {
    if (response.status() >= 400) complaints.push(`${response.status()} ${response.url()}`);
  });
  page.on("request", (request) => {
    const { protocol, host } = new URL(request.url());
    if (protocol !== "data:" && host !== new URL(server.url).host) foreignHosts.add(host);
  });
  return { context, page, complaints, foreignHosts };
}

/** What axe calls serious or critical on a page, with the elements. */
async function problemsOf(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  return page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: Axe }; // The script defines it.
    const { violations } = await axe.run();
    return violations
      .filter(({ impact }) => impact === "serious" || impact === "critical")
      .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(" | ")}`);
  });
}

interface Axe {
  run(): Promise<{
    violations: { id: string; impact: string; nodes: { html: string }[] }[];
  }>;
}

const PAGES = ["", "webhooks", "settings", "operations/backup", "guides/card-programme", "cost"];

test.each([
  ["desktop", DESKTOP, "light"],
  ["desktop", DESKTOP, "dark"],
  ["phone", PHONE, "light"],
  ["phone", PHONE, "dark"],
] as const)("pages on a %s %o in the %s are free of faults", async (name, viewport, scheme) => {
  const { context, page, complaints, foreignHosts } = await open(viewport, scheme);
  for (const path of PAGES) {
    const url = `${server.url}/guide/${path}`;
    await page.goto(url, { waitUntil: "networkidle" });
    await page.locator("main h1").waitFor();
    expect([url, await problemsOf(page)]).toEqual([url, []]);
    // The window never scrolls sideways; wide tables and blocks do.
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(viewport.width);
    const shot = `guide-${name}-${scheme}-${path === "" ? "front" : path.replaceAll("/", "-")}`;
    await page.screenshot({ path: inProject(`dist/${shot}.png`) });
  }
  expect(complaints).toEqual([]);
  expect([...foreignHosts]).toEqual([]);
  await context.close();
});

test("a reader goes from page to page, switches to the dark and finds a heading", async () => {
  const { context, page, complaints } = await open(DESKTOP, "light");
  await page.goto(`${server.url}/guide`, { waitUntil: "networkidle" });
  expect(page.url()).toBe(`${server.url}/guide/`);
  await page.locator(".VPSidebar").getByRole("link", { name: "Webhooks" }).click();
  await page.getByRole("heading", { name: "How events reach endpoints" }).waitFor();
  await page.getByRole("switch").first().click();
  expect(await page.locator("html").getAttribute("class")).toContain("dark");

  await page
    .getByRole("button", { name: /Search/ })
    .first()
    .click();
  await page.getByRole("searchbox").fill("when the disk is full");
  await page
    .getByRole("option", { name: /When the disk is full/ })
    .first()
    .waitFor();
  await page.screenshot({ path: inProject("dist/guide-search.png") });
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/guide\/operations.*#when-the-disk-is-full$/);
  await page.getByRole("heading", { name: "When the disk is full" }).waitFor();
  expect(complaints).toEqual([]);
  await context.close();
});

test("a path without a page is answered with a page that says so", async () => {
  const { context, page, complaints } = await open(DESKTOP, "light");
  await page.goto(`${server.url}/guide/nothing-here`, { waitUntil: "networkidle" });
  await page.getByText("404").first().waitFor();
  expect(complaints.filter((text) => !text.includes("404"))).toEqual([]);
  await context.close();
});

test("every link of the built site leads to a page and a heading of it", () => {
  const folder = inProject("dist/assets/guide/assets/pages");
  const pages = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) =>
    file.endsWith(".html"),
  );
  const idsOf = new Map(
    pages.map((file) => {
      const html = readFileSync(`${folder}/${file}`, "utf8");
      return [file, new Set([...html.matchAll(/ id="([^"]+)"/g)].map(([, id = ""]) => id))];
    }),
  );
  const dead = pages.flatMap((file) => {
    const html = readFileSync(`${folder}/${file}`, "utf8");
    const base = `http://localhost/guide/${file.replace(/(^|\/)index\.html$|\.html$/, "$1")}`;
    return [...html.matchAll(/<a[^>]* href="([^"]+)"/g)].flatMap(([, href = ""]) => {
      const { host, pathname, hash } = new URL(href.replaceAll("&amp;", "&"), base);
      if (host !== "localhost" || !pathname.startsWith("/guide/")) return [];
      const path = pathname.slice("/guide/".length);
      if (/\.[a-z]+$/.test(path))
        return existsSync(`${folder}/${path}`) ? [] : [`${file}: ${href}`];
      const target = idsOf.get(
        path === "" || path.endsWith("/") ? `${path}index.html` : `${path}.html`,
      );
      const id = decodeURIComponent(hash.slice(1));
      return target !== undefined && (id === "" || target.has(id)) ? [] : [`${file}: ${href}`];
    });
  });
  expect(pages.length).toBeGreaterThan(40);
  expect(dead).toEqual([]);
});
