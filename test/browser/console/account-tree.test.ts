import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ConsoleBrowser, type ConsoleWindow } from "#test/support/console/console-browser.ts";
import { freshFolder, LocalServer } from "#test/support/platform/server.ts";

const LEDGER = "tree";
/** Moments before, between and after the transactions. */
const JANUARY = "2026-01-15T00:00:00Z";
const FEBRUARY = "2026-02-15T00:00:00Z";
/** More segments than a page of a level has. */
const USERS = 35;

let server: LocalServer;
let browser: ConsoleBrowser;
let window: ConsoleWindow;

const pay = (destination: string, amount: number, timestamp: string): Promise<unknown> =>
  server.json(`/api/ledger/v2/${LEDGER}/transactions`, {
    body: { timestamp, postings: [{ source: "world", destination, amount, asset: "EUR/2" }] },
  });

beforeAll(async () => {
  server = await LocalServer.start(freshFolder());
  await server.json(`/api/ledger/v2/${LEDGER}`, { body: {} });
  await pay("shops:1:till", 1000, "2026-01-10T00:00:00Z");
  await pay("shops:1:till", 500, "2026-02-10T00:00:00Z");
  await pay("shops:2", 250, "2026-02-10T00:00:00Z");
  const postings = Array.from({ length: USERS }, (_, user) => ({
    source: "world",
    destination: `users:${String(user).padStart(2, "0")}`,
    amount: 1,
    asset: "USD/2",
  }));
  await server.json(`/api/ledger/v2/${LEDGER}/transactions`, {
    body: { timestamp: "2026-03-10T00:00:00Z", postings },
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

const row = (name: string | RegExp) => window.page.getByRole("treegrid").getByRole("row", { name });

interface Sum {
  readonly data: { readonly balances: Readonly<Record<string, number>> };
}

/** What the API says of a segment at a moment, in cents. */
async function balanceAt(address: string, pit: string): Promise<number> {
  const path = `/api/florin/v1/ledgers/${LEDGER}/accounts/tree/sums?address=${address}&pit=${pit}`;
  const { data } = (await server.json(path)) as Sum; // The schema of the answer has this shape.
  return data.balances["EUR/2"] ?? 0;
}

describe("the tree of accounts", () => {
  test("arrows open, close and move through levels, and Enter opens an account", async () => {
    await window.go(`/ledgers/${LEDGER}/tree`);
    await row(/^shops/).focus();
    await window.page.keyboard.press("ArrowRight");
    await row(/^1 /).waitFor();
    for (const key of ["ArrowRight", "ArrowRight"]) await window.page.keyboard.press(key);
    await row(/^till/).waitFor();
    await window.page.keyboard.press("ArrowRight");
    expect(await row(/^till/).getAttribute("aria-level")).toBe("3");
    await window.page.locator("[data-address='shops:1:till']:focus").waitFor();
    expect(new URL(window.page.url()).searchParams.get("open")).toBe("shops,shops:1");
    for (const key of ["ArrowLeft", "ArrowLeft"]) await window.page.keyboard.press(key);
    await row(/^till/).waitFor({ state: "detached" });
    await window.page.keyboard.press("ArrowRight");
    await row(/^till/).waitFor();
    for (const key of ["ArrowDown", "Enter"]) await window.page.keyboard.press(key);
    await window.page.waitForURL(/accounts\/shops(?::|%3A)1(?::|%3A)till$/);
    await window.page.getByText("€15.00").first().waitFor();
  });

  test("a level is read in pages, and sums of all below follow the names", async () => {
    await window.go(`/ledgers/${LEDGER}/tree?open=users`);
    await row(/^29 /).waitFor();
    expect(await row(/^34 /).count()).toBe(0);
    await window.page.getByRole("button", { name: "Show more" }).click();
    await row(/^34 /).waitFor();
    await row(/^users.*\$0\.35/).waitFor();
    await row(/^shops.*€17\.50/).waitFor();
    expect(window.complaints).toEqual([]);
  });

  test("sums at two moments are those of the API, with their difference", async () => {
    expect(await balanceAt("shops", JANUARY)).toBe(1000);
    expect(await balanceAt("shops", FEBRUARY)).toBe(1750);
    await window.go(`/ledgers/${LEDGER}/tree?at=${FEBRUARY}&compare=${JANUARY}`);
    await row(/^shops.*€10\.00.*€17\.50.*€7\.50/).waitFor();
    expect(await row(/^users/).count()).toBe(0);
  });
});

describe("the time machine", () => {
  test("a balance of an earlier moment equals the API's, and links keep the moment", async () => {
    await window.go(`/ledgers/${LEDGER}/overview?at=${JANUARY}`);
    await window.page.getByRole("link", { name: "Tree", exact: true }).click();
    await row(/^shops/).click();
    await row(/^1 /).click();
    await row(/^till/).getByRole("link").click();
    await window.page.waitForURL(/accounts\/shops(?::|%3A)1(?::|%3A)till\?at=/);
    const cents = await balanceAt("shops:1:till", JANUARY);
    await window.page.getByTitle(`${cents} EUR/2`).first().waitFor();
    await window.page.getByRole("button", { name: "Back to now" }).click();
    await window.page.getByTitle("1500 EUR/2").first().waitFor();
    expect(new URL(window.page.url()).searchParams.has("at")).toBe(false);
  });

  test("the balances of an account at two moments, and steps between moments", async () => {
    await window.go(`/ledgers/${LEDGER}/accounts/shops:1:till?at=${FEBRUARY}&compare=${JANUARY}`);
    const compared = window.page.getByRole("row", { name: /EUR\/2 €10\.00 €15\.00 €5\.00/ });
    await compared.waitFor();
    await window.page.getByRole("combobox", { name: "Step" }).selectOption("month");
    await window.page.getByRole("button", { name: "A step back" }).click();
    await window.page.getByRole("row", { name: /EUR\/2 €10\.00 €10\.00 €0\.00/ }).waitFor();
    expect(new URL(window.page.url()).searchParams.get("at")).toBe("2026-01-15T00:00:00.000Z");
  });

  test("it plays from moment to moment until it is paused", async () => {
    await window.go(`/ledgers/${LEDGER}/accounts/shops:1:till?at=${JANUARY}`);
    await window.page.getByRole("combobox", { name: "Step" }).selectOption("month");
    await window.page.getByRole("button", { name: "Play" }).click();
    await window.page.getByTitle("1500 EUR/2").first().waitFor();
    await window.page.getByRole("button", { name: "Pause" }).click();
    await window.page.getByRole("button", { name: "Play" }).waitFor();
    const at = new URL(window.page.url()).searchParams.get("at") ?? "";
    expect(Date.parse(at)).toBeGreaterThan(Date.parse(JANUARY));
  });

  test("an account before its first use, and a page that shows the present only", async () => {
    await window.go(`/ledgers/${LEDGER}/accounts/shops:2?at=${JANUARY}`);
    await window.page.getByText("had not been used yet").waitFor();
    await window.go(`/ledgers/${LEDGER}/exporters?at=${JANUARY}`);
    await window.page.getByText("This page can show the present only.").waitFor();
    expect(await window.page.getByText("As of").count()).toBe(1);
  });

  test("lists show what there was", async () => {
    await window.go(`/ledgers/${LEDGER}/accounts?at=${JANUARY}`);
    await window.page.getByText("2 shown, no more").waitFor();
    await window.page.getByRole("link", { name: "Transactions", exact: true }).click();
    await window.page.getByText("1 shown, no more").waitFor();
    expect(window.complaints).toEqual([]);
  });
});

describe("every page", () => {
  test("axe finds nothing serious in either scheme", async () => {
    const pages = [
      `/ledgers/${LEDGER}/tree?open=shops,users`,
      `/ledgers/${LEDGER}/tree?at=${FEBRUARY}&compare=${JANUARY}&open=shops`,
      `/ledgers/${LEDGER}/accounts/shops:1:till?at=${FEBRUARY}&compare=${JANUARY}`,
    ];
    expect(await window.findingsOn(pages)).toEqual({});
    expect(window.complaints).toEqual([]);
  });
});
