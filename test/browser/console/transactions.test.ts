import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ConsoleBrowser, type ConsoleWindow } from "#test/support/console/console-browser.ts";
import { freshFolder, LocalServer } from "#test/support/platform/server.ts";

const LEDGER = "shop";
const TRANSACTIONS = `/ledgers/${LEDGER}/transactions`;

let server: LocalServer;
let browser: ConsoleBrowser;
let window: ConsoleWindow;

/** Pays a user from outside, in a transaction with this reference. */
const pay = (user: string, reference: string): Promise<unknown> =>
  server.json(`/api/ledger/v2/${LEDGER}/transactions`, {
    body: {
      reference,
      postings: [{ source: "world", destination: user, amount: 1050, asset: "EUR/2" }],
    },
  });

beforeAll(async () => {
  server = await LocalServer.start(freshFolder());
  await server.json(`/api/ledger/v2/${LEDGER}`, { body: {} });
  await pay("users:1:main", "first");
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

describe("live rows", () => {
  test("new transactions wait behind a button, and a key shows them", async () => {
    await window.go(TRANSACTIONS);
    const { page } = window;
    await page.getByRole("row", { name: "first" }).waitFor();
    for (const reference of ["second", "third"]) await pay("users:2:main", reference);
    await page.getByRole("button", { name: "2 new" }).waitFor();
    expect(await page.getByRole("row", { name: "third" }).count()).toBe(0);
    await page.getByRole("grid", { name: "Transactions" }).focus();
    await page.keyboard.press("n");
    await page.getByRole("row", { name: "third" }).waitFor();
    expect(await page.getByRole("button", { name: /new$/ }).count()).toBe(0);
    expect(window.complaints).toEqual([]);
  });

  test("a list with a filter tells of what fits it only", async () => {
    await window.go(`${TRANSACTIONS}?account=users:7:main`);
    const { page } = window;
    await page.getByText("Nothing fits these filters").waitFor();
    await pay("users:8:main", "other");
    await pay("users:7:main", "fitting");
    await page.getByRole("button", { name: "1 new" }).click();
    await page.getByRole("row", { name: "fitting" }).waitFor();
    expect(await page.getByRole("row", { name: "other" }).count()).toBe(0);
  });
});
