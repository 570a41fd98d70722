import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ConsoleBrowser, type ConsoleWindow } from "#test/support/console/console-browser.ts";
import { freshFolder, LocalServer } from "#test/support/platform/server.ts";

const LEDGER = "books";
const API = `/api/ledger/v2/${LEDGER}`;
const SCRIPT = `vars {
  monetary $price
}
send $price (
  source = @world
  destination = {
    3% to @fees
    remaining to @shop
  }
)`;

let server: LocalServer;
let browser: ConsoleBrowser;
let window: ConsoleWindow;

beforeAll(async () => {
  server = await LocalServer.start(freshFolder());
  await server.json(API, { body: {} });
  await server.json(`${API}/transactions`, {
    body: {
      postings: [{ source: "world", destination: "savings:1", amount: 100, asset: "EUR/2" }],
    },
  });
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

/** The editor, once its code is loaded. */
const editor = () => window.page.locator(".cm-content[contenteditable=true]");
const problems = () => window.page.getByRole("list", { name: "Problems" });
const button = (name: string) => window.page.getByRole("button", { name, exact: true });

async function open(search = ""): Promise<void> {
  await window.go(`/numscript${search}`);
  await editor().waitFor();
}

async function write(script: string): Promise<void> {
  await editor().focus();
  await window.page.keyboard.press("ControlOrMeta+a");
  await window.page.keyboard.insertText(script);
}

interface Transactions {
  readonly cursor: { readonly data: readonly { readonly postings: readonly unknown[] }[] };
}

/** The number of transactions of the ledger. */
async function committed(): Promise<number> {
  const list = (await server.json(`${API}/transactions?pageSize=100`)) as Transactions;
  return list.cursor.data.length;
}

describe("a script", () => {
  test("a script with an error says what to do; then right, it runs dry and commits once, by keys alone", async () => {
    const before = await committed();
    await open();
    await write(SCRIPT.replace("send $price", "send $prise"));
    await problems().getByText("Declare it in vars").waitFor();
    const underlined = window.page.locator(".cm-lintRange-error");
    expect(await underlined.allTextContents()).toEqual(["$prise"]);
    await write(SCRIPT);
    await window.page.getByText("No problems found").waitFor();
    // Escape and then Tab leaves the editor, and goes on to the value.
    await editor().focus();
    await window.page.keyboard.press("Escape");
    await window.page.keyboard.press("Tab");
    const price = window.page.getByRole("group", { name: "price" });
    await expect.poll(() => price.locator("input:focus").count()).toBe(1);
    await window.page.keyboard.type("12.34");
    await window.page.keyboard.press("Tab");
    await window.page.keyboard.type("EUR/2");
    await editor().focus();
    await window.page.keyboard.press("ControlOrMeta+Enter");
    await window.page.getByText("What it would do").waitFor();
    expect(await committed()).toBe(before);
    await window.page.getByTitle("38 EUR/2").first().waitFor();
    await button("Commit").focus();
    await window.page.keyboard.press("Enter");
    await window.page.keyboard.press("Enter");
    await window.page.getByText("Committed").waitFor();
    expect(await committed()).toBe(before + 1);
    await window.page.getByRole("link", { name: /^See transaction/ }).click();
    await window.page.waitForURL(`**/ledgers/${LEDGER}/transactions/*`);
    expect(window.complaints).toEqual([]);
  });

  test("a run that is refused underlines the account that has too little", async () => {
    await open();
    await write("send [EUR/2 500] (\n  source = @nobody\n  destination = @shop\n)");
    await window.page.getByText("No problems found").waitFor();
    await button("Dry run").click();
    await problems().getByText("Choose another source").waitFor();
    await expect
      .poll(() => window.page.locator(".cm-lintRange-error").allTextContents())
      .toEqual(["@nobody"]);
  });

  test("accounts of the ledger complete an address", async () => {
    await open();
    await write("send [EUR/2 5] (\n  source = ");
    await window.page.keyboard.type("@sav");
    await window.page.getByRole("option", { name: "savings:1" }).click();
    await expect.poll(() => editor().textContent()).toContain("@savings:1");
  });

  test("a result that has become old cannot be committed", async () => {
    await open("?example=refund");
    await button("Dry run").click();
    await button("Commit").waitFor();
    await window.page.getByLabel("customer").fill("customers:7");
    await window.page.getByText("have changed since").waitFor();
    expect(await button("Commit").isDisabled()).toBe(true);
  });
});

describe("examples, links and drafts", () => {
  test("an example fills in its values, stores nothing, and is still there after a reload", async () => {
    const before = await committed();
    await open();
    await window.page.getByRole("button", { name: /^Payment with a fee/ }).click();
    await expect
      .poll(() => window.page.getByLabel("merchant").inputValue())
      .toBe("merchants:bakery");
    await window.page.getByLabel("merchant").fill("merchants:florist");
    await window.page.reload();
    await expect
      .poll(() => window.page.getByLabel("merchant").inputValue())
      .toBe("merchants:florist");
    expect(await committed()).toBe(before);
  });

  test("on a phone, the page goes to the result of a run", async () => {
    const { page } = window;
    await page.setViewportSize({ width: 390, height: 844 });
    await window.go("/numscript");
    await page.getByRole("button", { name: /^Payment with a fee/ }).click();
    const result = page.getByRole("heading", { name: "What it would do" });
    const run = page.getByRole("button", { name: "Dry run" });
    await run.press("Enter");
    await result.waitFor();
    await expect.poll(async () => (await result.boundingBox())?.y).toBeLessThan(422);
    await page.getByRole("button", { name: "Commit" }).press("Enter");
    await page.getByRole("link", { name: /^See transaction/ }).waitFor();
  });

  test("a link shows the script and its values elsewhere", async () => {
    await window.context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await open("?example=credit-line");
    await window.page.getByText("No problems found").waitFor();
    await button("Copy link").click();
    await button("Link copied").waitFor();
    const link = await window.page.evaluate<string>("navigator.clipboard.readText()");
    const other = await window.context.newPage();
    await other.goto(link);
    await other.locator(".cm-line", { hasText: "may owe up to the limit" }).waitFor();
    await expect.poll(() => other.getByLabel("customer").inputValue()).toBe("credit:5120");
  });
});

describe("templates", () => {
  test("a script becomes a template in a new version of the schema, and runs under its name", async () => {
    await server.json("/api/ledger/v2/shop", { body: {} });
    await server.json("/api/ledger/v2/shop/schemas/v1", {
      body: { chart: { world: {}, fees: {}, shop: {} } },
    });
    await open("?ledger=shop");
    await write(SCRIPT);
    await window.page.getByText("No problems found").waitFor();
    await button("Save as template").click();
    await window.page.getByRole("dialog").getByLabel("Name").fill("sale");
    await button("Save").click();
    await window.page.getByText("Template sale of schema v2").waitFor();
    await window.page.getByRole("textbox", { name: "price" }).fill("20");
    await window.page.getByLabel("Asset").fill("EUR/2");
    await button("Dry run").click();
    await button("Commit").click();
    await window.page.getByText("Committed").waitFor();
    const { cursor } = (await server.json("/api/ledger/v2/shop/transactions")) as {
      cursor: { data: { template?: string }[] };
    };
    expect(cursor.data.map(({ template }) => template)).toEqual(["sale"]);
    expect(window.complaints).toEqual([]);
  });
});

describe("the page", () => {
  test("axe finds nothing serious in either scheme", async () => {
    const pages = ["/numscript", `/numscript?ledger=${LEDGER}&example=payment-with-fee`];
    expect(await window.findingsOn(pages)).toEqual({});
    expect(window.complaints).toEqual([]);
  });

  test("German words are shown to a browser of that language, and amounts have its signs", async () => {
    await window.close();
    window = await browser.open({ locale: "de-DE" });
    await open("?example=monthly-fee");
    await expect
      .poll(() => window.page.getByRole("textbox", { name: "fee_at_most" }).inputValue())
      .toBe("50,00");
    await button("Probelauf").click();
    await window.page.getByText("Was es tun würde").waitFor();
  });
});
