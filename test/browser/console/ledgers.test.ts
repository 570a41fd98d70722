import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ConsoleBrowser, type ConsoleWindow } from "#test/support/console/console-browser.ts";
import { freshFolder, LocalServer } from "#test/support/platform/server.ts";

const LEDGER = "books";
const HOSTILE = "<img src=x onerror=alert(1)>\u202egnp.exe";

let server: LocalServer;
let browser: ConsoleBrowser;
let window: ConsoleWindow;

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
  browser = await ConsoleBrowser.start(server);
});

afterAll(async () => {
  await browser?.close();
  await server?.killAll();
});

beforeEach(async () => {
  window = await browser.open();
});

afterEach(async () => {
  await window.close();
});

describe("the ledgers", () => {
  test("a new ledger has its bucket, and a part of its name finds it, by keys alone", async () => {
    const { page } = window;
    await window.go("/ledgers");
    await page.getByRole("button", { name: "New ledger" }).press("Enter");
    await page.keyboard.type("archive-2025");
    await page.getByLabel("Bucket").fill("archive");
    await page.keyboard.press("Enter");
    await page.waitForURL("**/ledgers/archive-2025/overview");
    expect(await server.json("/api/ledger/v2/archive-2025")).toMatchObject({
      data: { bucket: "archive" },
    });
    await window.go("/ledgers");
    await page.getByRole("row", { name: /^archive-2025/ }).waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("name:chive");
    await page.keyboard.press("Enter");
    await page.waitForURL("**/ledgers?name=chive");
    await page.getByText("1 shown, no more").waitFor();
    expect(await page.getByRole("row", { name: /^archive-2025/ }).count()).toBe(1);
  });

  test("a ledger that is not there is one sentence with the way to all", async () => {
    const { page } = window;
    await window.go("/ledgers/nothing/overview");
    await page.getByText("There is no ledger named nothing").waitFor();
    expect(await page.getByRole("alert").count()).toBe(0);
    await page.getByRole("link", { name: "All ledgers" }).press("Enter");
    await page.getByRole("row", { name: new RegExp(`^${LEDGER}`) }).waitFor();
  });
});

describe("the transactions of a ledger", () => {
  test("a filter that is typed is in the URL, and the URL shows the same list elsewhere", async () => {
    await window.go(`/ledgers/${LEDGER}/transactions`);
    await window.page.getByRole("row", { name: "order-2" }).waitFor();
    await window.page.getByRole("combobox", { name: "Filter" }).click();
    await window.page.keyboard.type("account:users:1:main");
    await window.page.keyboard.press("Enter");
    await window.page.waitForURL("**/transactions?account=users%3A1%3Amain");
    await window.page.getByText("1 shown, no more").waitFor();
    const other = await window.context.newPage();
    await other.goto(window.page.url());
    await other.getByText("1 shown, no more").waitFor();
    expect(await other.getByRole("row", { name: "order-1" }).count()).toBe(1);
  });

  test("a transaction opens beside the list by keys alone, and Escape closes it", async () => {
    await window.go(`/ledgers/${LEDGER}/transactions`);
    const list = window.page.getByRole("grid", { name: "Transactions" });
    await list.focus();
    for (const key of ["j", "j", "k", "Enter"]) await window.page.keyboard.press(key);
    const panel = window.page.getByRole("complementary", { name: /^Transaction \d+$/ });
    await panel.getByText("€30.00").first().waitFor();
    await window.page.keyboard.press("Escape");
    await panel.waitFor({ state: "detached" });
    expect(window.page.url()).toBe(`${server.url}/console/ledgers/${LEDGER}/transactions`);
  });

  test("texts of others are shown as they are", async () => {
    await window.go(`/ledgers/${LEDGER}/transactions?open=1`);
    await window.page.getByText(String.raw`<img src=x onerror=alert(1)>\u202egnp.exe`).waitFor();
    expect(await window.page.locator("img[src=x]").count()).toBe(0);
    expect(window.complaints).toEqual([]);
  });
});

describe("an account", () => {
  test("an account shows its balance, and the integer of the API on hover", async () => {
    await window.go(`/ledgers/${LEDGER}/accounts/users:2:main`);
    const balance = window.page.getByTitle("3000 EUR/2").first();
    await balance.waitFor();
    expect(await balance.textContent()).toBe("€30.00");
    await window.page.getByRole("img", { name: "Balance over time" }).waitFor();
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

  test("axe finds nothing serious in either scheme", async () => {
    expect(await window.findingsOn(PAGES)).toEqual({});
    expect(window.complaints).toEqual([]);
  });

  test("German words are shown to a browser of that language", async () => {
    await window.close();
    window = await browser.open({ locale: "de-DE" });
    await window.go(`/ledgers/${LEDGER}/accounts/users:2:main`);
    await window.page.getByText("Saldo im Lauf der Zeit").waitFor();
    await window.page.getByText("30,00 €").first().waitFor();
    expect(await window.page.locator("html").getAttribute("lang")).toBe("de");
  });
});
