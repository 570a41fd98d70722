import { readFileSync } from "node:fs";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { inProject } from "#scripts/lib/project.ts";
import { CHROMIUM, CHROMIUM_OPTIONS } from "#test/support/platform/chromium.ts";
import { freshFolder, LocalServer } from "#test/support/platform/server.ts";

const LEDGER = "books";
const HOSTILE = "<img src=x onerror=alert(1)>\u202egnp.exe";

let server: LocalServer;
let browser: Browser;
let context: BrowserContext;
let page: Page;
/** Errors and warnings of the page, and failures of its scripts. */
let complaints: string[];

beforeAll(async () => {
  server = await LocalServer.start(freshFolder());
  await server.json(`/api/ledger/v2/${LEDGER}`, { body: {} });
  for (const [index, amount] of [1000, 2000, 3000].entries()) {
    await server.json(`/api/ledger/v2/${LEDGER}/transactions`, {
      body: {
        reference: `order-${index}`,
        metadata: { note: HOSTILE },
        postings: [{ source: "world", destination: `users:${index}:main`, amount, asset: "EUR/2" }],
      },
    });
  }
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

beforeEach(async () => {
  await open({});
});

afterEach(async () => {
  await context.close();
});

/** Opens a page in a new browser context that a link has signed in. */
async function open(options: Parameters<Browser["newContext"]>[0]): Promise<void> {
  context = await browser.newContext({ locale: "en-US", ...options });
  page = await context.newPage();
  complaints = [];
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(error.message));
  await page.goto(await freshLink());
  await page.getByRole("button", { name: /Sign in|Anmelden/ }).click();
  await page.getByRole("row", { name: LEDGER }).waitFor();
}

async function freshLink(): Promise<string> {
  const users = await server.json("/api/florin/v1/users");
  const { data } = users as { data: { id: string }[] }; // the schema of the answer has this shape
  const body = { personId: data[0]?.id };
  const made = await server.json("/api/florin/v1/sign-in-links", { body });
  return (made as { data: { url: string } }).data.url;
}

const go = (path: string) => page.goto(`${server.url}/console${path}`);

interface Axe {
  readonly run: () => Promise<{ violations: readonly Violation[] }>;
}

interface Violation {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly html: string }[];
}

/** The serious findings of axe on the page, by their names. The browser's tools run axe, which the page's policy does not bind. */
async function findings(): Promise<string[]> {
  await page.evaluate(readFileSync(inProject("node_modules/axe-core/axe.min.js"), "utf8"));
  const { violations } = await page.evaluate(() =>
    (globalThis as unknown as { axe: Axe }).axe.run(),
  );
  return violations
    .filter(({ impact }) => ["serious", "critical"].includes(impact))
    .map(({ id, nodes }) => `${id}: ${nodes[0]?.html ?? ""}`);
}

describe("signing in", () => {
  test("the secret of a link leaves the address bar, and a reload signs in again without the person", async () => {
    expect(page.url()).toBe(`${server.url}/console/ledgers`);
    await page.goBack();
    expect(page.url()).not.toContain("#");
    await go("/ledgers");
    await page.reload();
    await page.getByRole("row", { name: LEDGER }).waitFor();
    expect(complaints).toEqual([]);
  });

  test("no token is stored where scripts of other pages of this site could read it", async () => {
    const stored = await page.evaluate(() =>
      JSON.stringify([...Object.entries(localStorage), ...Object.entries(sessionStorage)]),
    );
    expect(stored).not.toContain("eyJ");
  });

  test("after signing out, only the way in is shown", async () => {
    await page.getByRole("button", { name: "Operator" }).click();
    await page.getByRole("menuitem", { name: "Sign out" }).click();
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    await page.reload();
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    expect(await page.getByRole("navigation").count()).toBe(0);
  });

  test("a link that was used says so", async () => {
    const link = await freshLink();
    for (const text of ["Ledgers", "has been used"]) {
      await page.goto("about:blank");
      await page.goto(link);
      await page.getByRole("button", { name: "Sign in" }).click();
      await page.getByText(text).first().waitFor();
    }
    expect(page.url()).not.toContain("#");
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.waitForURL("**/console/ledgers");
    await page.getByRole("row", { name: LEDGER }).waitFor();
  });
});

describe("the transactions of a ledger", () => {
  test("a filter that is typed is in the URL, and the URL shows the same list elsewhere", async () => {
    await go(`/ledgers/${LEDGER}/transactions`);
    await page.getByRole("row", { name: "order-2" }).waitFor();
    await page.getByRole("combobox", { name: "Filter" }).click();
    await page.keyboard.type("account:users:1:main");
    await page.keyboard.press("Enter");
    await page.waitForURL("**/transactions?account=users%3A1%3Amain");
    await page.getByText("1 shown, no more").waitFor();
    const other = await context.newPage();
    await other.goto(page.url());
    await other.getByText("1 shown, no more").waitFor();
    expect(await other.getByRole("row", { name: "order-1" }).count()).toBe(1);
  });

  test("a transaction opens beside the list by keys alone, and Escape closes it", async () => {
    await go(`/ledgers/${LEDGER}/transactions`);
    const list = page.getByRole("grid", { name: "Transactions" });
    await list.focus();
    for (const key of ["j", "j", "k", "Enter"]) await page.keyboard.press(key);
    const panel = page.getByRole("complementary", { name: /^Transaction \d+$/ });
    await panel.getByText("€30.00").first().waitFor();
    await page.keyboard.press("Escape");
    await panel.waitFor({ state: "detached" });
    expect(page.url()).toBe(`${server.url}/console/ledgers/${LEDGER}/transactions`);
  });

  test("texts of others are shown as they are", async () => {
    await go(`/ledgers/${LEDGER}/transactions?open=1`);
    await page.getByText(String.raw`<img src=x onerror=alert(1)>\u202egnp.exe`).waitFor();
    expect(await page.locator("img[src=x]").count()).toBe(0);
    expect(complaints).toEqual([]);
  });
});

describe("an account", () => {
  test("an account shows its balance, and the integer of the API on hover", async () => {
    await go(`/ledgers/${LEDGER}/accounts/users:2:main`);
    const balance = page.getByTitle("3000 EUR/2").first();
    await balance.waitFor();
    expect(await balance.textContent()).toBe("€30.00");
    await page.getByRole("img", { name: "Balance over time" }).waitFor();
  });
});

describe("every page", () => {
  const PAGES = [
    "/ledgers",
    `/ledgers/${LEDGER}/transactions?open=1`,
    `/ledgers/${LEDGER}/accounts`,
    `/ledgers/${LEDGER}/accounts/users:2:main`,
    `/ledgers/${LEDGER}/transactions/1`,
  ];

  test.each(["light", "dark"] as const)(
    "axe finds nothing serious in the %s scheme",
    async (colorScheme) => {
      await page.emulateMedia({ colorScheme });
      for (const path of PAGES) {
        await go(path);
        await page.getByRole("heading", { level: 1 }).waitFor();
        await page.waitForLoadState("networkidle");
        expect([path, await findings()]).toEqual([path, []]);
      }
      expect(complaints).toEqual([]);
    },
  );

  test("German words are shown to a browser of that language", async () => {
    await context.close();
    await open({ locale: "de-DE" });
    await go(`/ledgers/${LEDGER}/accounts/users:2:main`);
    await page.getByText("Saldo im Lauf der Zeit").waitFor();
    await page.getByText("30,00 €").first().waitFor();
    expect(await page.locator("html").getAttribute("lang")).toBe("de");
  });
});
