import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ConsoleBrowser, type ConsoleWindow } from "#test/support/console/console-browser.ts";
import { freshFolder, LocalServer } from "#test/support/platform/server.ts";

const LEDGER = "shop";
const HOSTILE = "<b>\u202emarkup";
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

/** The right edge of a part of the page, in pixels. */
const rightOf = (box: { readonly x: number; readonly width: number } | null): number =>
  box === null ? 0 : box.x + box.width;

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

describe("the list", () => {
  test("shows whole amounts beside an open transaction, in rows of two lines", async () => {
    const { page } = window;
    const list = page.getByRole("grid", { name: "Transactions" });
    await window.go(TRANSACTIONS);
    await list.getByRole("columnheader", { name: "Amount" }).waitFor();
    await window.go(`${TRANSACTIONS}?open=1`);
    await page.getByRole("complementary", { name: "Transaction 1" }).waitFor();
    await list.getByText("From", { exact: true }).first().waitFor();
    expect(await list.getByRole("columnheader").count()).toBe(0);
    const [frame, amount] = await Promise.all([
      list.boundingBox(),
      list.getByTitle("1050 EUR/2").first().boundingBox(),
    ]);
    expect(rightOf(amount)).toBeGreaterThan(0);
    expect(rightOf(amount)).toBeLessThanOrEqual(rightOf(frame));
  });
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

  test("two windows update each other", async () => {
    const other = await browser.open();
    await Promise.all([window.go(TRANSACTIONS), other.go(TRANSACTIONS)]);
    await window.page.getByRole("row", { name: "first" }).waitFor();
    await other.page.getByRole("row", { name: "first" }).waitFor();
    await fillTransaction({ reference: "from-one", amount: "3" });
    await window.page.getByRole("button", { name: "Commit" }).click();
    await other.page.getByRole("button", { name: "1 new" }).click();
    await other.page.getByRole("row", { name: "from-one" }).click();
    await window.page.getByRole("complementary").getByRole("button", { name: "Revert" }).click();
    await window.page.getByRole("dialog").getByRole("button", { name: "Revert" }).click();
    await other.page.getByRole("complementary").getByText("Reverted by").waitFor();
    await other.page.keyboard.press("Escape");
    await other.page.getByRole("row", { name: "from-one" }).getByText("Reverted").waitFor();
    expect([...window.complaints, ...other.complaints]).toEqual([]);
    await other.close();
  });
});

describe("a new transaction", () => {
  test("amounts are exact in the asset's decimals, and a double click is one write", async () => {
    await window.go(TRANSACTIONS);
    const { page } = window;
    await fillTransaction({ reference: "typed", amount: "12.345" });
    await page.getByText("A number that has no more decimals").waitFor();
    await page.getByLabel("Amount").fill("9007199254740993.01");
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").getByText("€9,007,199,254,740,993.01").first().waitFor();
    await page.getByRole("button", { name: "Commit" }).dblclick();
    await page.getByRole("complementary", { name: /^Transaction \d+$/ }).waitFor();
    expect(await transactionsWith("typed")).toMatchObject([
      {
        postings: [{ amount: 900_719_925_474_099_301n }],
        metadata: { note: HOSTILE },
      },
    ]);
    await page.getByText("<b>\\u202e").waitFor();
    expect(window.complaints).toEqual([]);
  });

  test("the code of a form is what the form sends, and showing it sends nothing", async () => {
    await window.go(TRANSACTIONS);
    const { page } = window;
    await fillTransaction({ reference: "as-code", amount: "12.34" });
    const form = page.getByRole("dialog", { name: "New transaction" });
    await form.getByText("€12.34").first().waitFor();
    await form.getByRole("button", { name: "Code" }).last().click();
    const shown = page.getByRole("dialog", { name: "As code" });
    const code = (await shown.locator("pre").textContent()) ?? "";
    expect(code).toContain('"reference": "as-code"');
    expect(await transactionsWith("as-code")).toEqual([]);
    await page.keyboard.press("Escape");
    await shown.waitFor({ state: "detached" });
    const { stdout } = await promisify(execFile)("sh", ["-c", code], {
      env: { ...process.env, FLORIN_TOKEN: await server.token() },
    });
    expect(stdout).toContain('"reference":"as-code"');
    expect(await transactionsWith("as-code")).toHaveLength(1);
    expect(window.complaints).toEqual([]);
  });

  test("what was typed outlives a reload", async () => {
    await window.go(TRANSACTIONS);
    await fillTransaction({ reference: "kept", amount: "1.5" });
    await window.page.getByRole("button", { name: "Commit" }).waitFor();
    await window.page.reload();
    await window.page.getByRole("button", { name: "New transaction" }).click();
    expect(await window.page.getByLabel("Reference").inputValue()).toBe("kept");
    expect(await transactionsWith("kept")).toEqual([]);
  });
});

describe("a revert", () => {
  test("a preview says what it does, and what would be refused is refused before", async () => {
    await pay("users:20:main", "spent");
    await server.json(`/api/ledger/v2/${LEDGER}/transactions`, {
      body: {
        postings: [{ source: "users:20:main", destination: "shop", amount: 50, asset: "EUR/2" }],
      },
    });
    const [{ id }] = (await transactionsWith("spent")) as [{ id: number }]; // The transaction was just made.
    await window.go(`${TRANSACTIONS}/${id}`);
    const { page } = window;
    await page.getByRole("button", { name: "Revert" }).press("Enter");
    const dialog = page.getByRole("dialog");
    await dialog.getByText("INSUFFICIENT_FUND", { exact: true }).waitFor();
    expect(await dialog.getByRole("button", { name: "Revert" }).isDisabled()).toBe(true);
    await dialog.getByRole("switch", { name: "Even if an account goes below zero" }).press("Space");
    await dialog
      .getByRole("listitem") // The balance of the outside is too long for a table in a window.
      .filter({ hasText: "users:20:" })
      .getByText("−€0.50")
      .waitFor();
    await dialog.getByText("Below zero", { exact: true }).waitFor();
    expect(await transactionsWith("spent")).toMatchObject([{ reverted: false }]);
    await dialog.getByRole("button", { name: "Revert" }).dblclick();
    await page.getByText("Reverts", { exact: true }).waitFor();
    expect(await transactionsWith("spent")).toMatchObject([{ reverted: true }]);
    await page.getByRole("link", { name: `Transaction ${id}` }).click();
    await page.getByText("Reverted by").waitFor();
  });
});

describe("metadata", () => {
  test("a person adds, changes and deletes them in place", async () => {
    await window.go(`/ledgers/${LEDGER}/accounts/users:1:main`);
    const { page } = window;
    await page.getByRole("button", { name: "Add" }).click();
    await page.getByLabel("Name").fill("tier");
    await page.getByLabel("Value").fill("gold");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("button", { name: "Change tier" }).click();
    await page.getByLabel("Value").fill(HOSTILE);
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("<b>\\u202e").waitFor();
    await page.getByRole("button", { name: "Delete tier" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await page.getByText("No metadata").waitFor();
    expect(window.complaints).toEqual([]);
  });
});

describe("a file of the list", () => {
  test("the CSV file has what the API has, a line a posting", async () => {
    await window.go(`${TRANSACTIONS}?account=users:1:main`);
    await window.page.getByRole("row", { name: "first" }).waitFor();
    const download = window.page.waitForEvent("download");
    await window.page.getByRole("button", { name: "CSV" }).click();
    const text = readFileSync(await (await download).path(), "utf8");
    const [transaction] = (await transactionsWith("first")) as [Record<string, string>]; // The transaction was made before all tests.
    expect(text.split("\r\n")).toEqual([
      "id,timestamp,insertedAt,reference,source,destination,asset,amount,decimal,reverted,metadata",
      `${transaction["id"]},${transaction["timestamp"]},${transaction["insertedAt"]},first,world,users:1:main,EUR/2,1050,10.50,false,{}`,
      "",
    ]);
  });
});

describe("every page", () => {
  test("axe finds nothing serious in either scheme, and German words are shown", async () => {
    const pages = [
      `${TRANSACTIONS}?open=1`,
      `${TRANSACTIONS}/1`,
      `/ledgers/${LEDGER}/accounts/world`,
    ];
    expect(await window.findingsOn(pages)).toEqual({});
    await window.close();
    window = await browser.open({ locale: "de-DE" });
    await window.go(`${TRANSACTIONS}/1`);
    await window.page.getByText("Salden davor und danach").waitFor();
    await window.page.getByRole("button", { name: "Stornieren" }).click();
    await window.page.getByText("Was geschehen wird").waitFor();
    expect(await window.findings()).toEqual([]);
    expect(window.complaints).toEqual([]);
  });
});

/** Types a new transaction with metadata, and asks for its preview. */
async function fillTransaction(texts: { reference: string; amount: string }): Promise<void> {
  const { page } = window;
  await page.getByRole("button", { name: "New transaction" }).click();
  await page.getByLabel("From", { exact: true }).fill("world");
  await page.getByLabel("To", { exact: true }).fill("users:9:main");
  await page.getByLabel("Amount").fill(texts.amount);
  await page.getByLabel("Asset").fill("EUR/2");
  await page.getByLabel("Reference").fill(texts.reference);
  await page.getByRole("button", { name: "Add metadata" }).click();
  await page.getByLabel("Name").fill("note");
  await page.getByLabel("Value").fill(HOSTILE);
  await page.keyboard.press("Enter");
}

/** The transactions with a reference, as the API has them. */
async function transactionsWith(reference: string): Promise<unknown> {
  const query = encodeURIComponent(JSON.stringify({ $match: { reference } }));
  const answer = await server.json(`/api/ledger/v2/${LEDGER}/transactions?query=${query}`);
  return (answer as { cursor: { data: unknown } }).cursor.data; // The schema of the answer has this shape.
}
