import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ConsoleBrowser, type ConsoleWindow } from "#test/support/console/console-browser.ts";
import { freshFolder, LocalServer } from "#test/support/platform/server.ts";

const HOSTILE = "<img src=x onerror=alert(1)>\u202egnp.exe";
const SHOWN = String.raw`<img src=x onerror=alert(1)>\u202egnp.exe`;

let server: LocalServer;
let browser: ConsoleBrowser;
let window: ConsoleWindow;
let hostile: string;

const newWallet = async (name: string, metadata: Readonly<Record<string, string>> = {}) => {
  const made = await server.json("/api/wallets/wallets", { body: { name, metadata } });
  return (made as { data: { id: string } }).data.id; // The answer has this shape.
};

const post = (wallet: string, path: string, body: unknown): Promise<unknown> =>
  server.json(`/api/wallets/wallets/${wallet}/${path}`, { body });

beforeAll(async () => {
  server = await LocalServer.start(freshFolder());
  hostile = await newWallet(HOSTILE, { note: HOSTILE, tier: "gold" });
  const amount = { amount: 5000, asset: "EUR/2" };
  await post(hostile, "balances", { name: "coupon", priority: 3 });
  await post(hostile, "credit", { amount });
  await post(hostile, "debit", {
    amount: { ...amount, amount: 700 },
    pending: true,
    description: HOSTILE,
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

describe("a wallet", () => {
  test("a wallet is made, credited, held from, and the hold is confirmed in part, by keys alone", async () => {
    await window.go("/wallets");
    const { page } = window;
    const press = async (button: string): Promise<void> => {
      await page.getByRole("button", { name: button, exact: true }).first().focus();
      await page.keyboard.press("Enter");
      await page.getByRole("dialog").waitFor();
    };
    const type = async (input: string, text: string): Promise<void> => {
      await page.getByRole("dialog").getByRole("textbox", { name: input }).focus();
      await page.keyboard.press("ControlOrMeta+A");
      await page.keyboard.type(text);
    };
    await press("New wallet");
    await type("Name", "alice");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "alice" }).waitFor();
    await page.getByText("This wallet has no money.").waitFor();

    await press("Credit");
    await type("Asset", "EUR/2");
    await type("Amount", "12.345");
    await page.keyboard.press("Enter");
    await page.getByText("This is not an amount of this asset.").first().waitFor();
    await type("Amount", "120.50");
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.getByTitle("12050 EUR/2").first().waitFor();

    await press("Debit");
    await type("Amount", "20.50");
    await page.getByRole("switch", { name: "Only hold it" }).focus();
    await page.keyboard.press("Space");
    await type("Description of the hold", "A ride");
    await page.keyboard.press("Enter");
    await page.getByText("€20.50 held").waitFor();
    const hold = page.getByRole("list", { name: "Holds" }).getByRole("listitem");
    await hold.filter({ hasText: "A ride" }).getByText("Open").waitFor();

    await press("Confirm");
    await type("Amount", "5.25");
    await page.getByRole("switch", { name: /^Return the rest/ }).focus();
    await page.keyboard.press("Space");
    await page.keyboard.press("Tab");
    await page.getByRole("dialog").getByRole("button", { name: "Confirm" }).focus();
    await page.keyboard.press("Enter");
    await hold.getByText("Closed").waitFor();
    await page.getByTitle("11525 EUR/2").first().waitFor();
    await hold.getByRole("link", { name: "world" }).waitFor();
    const moved = page.getByRole("grid", { name: "Transactions" }).getByRole("row");
    await moved.filter({ hasText: "Own balance mainA hold" }).first().waitFor();
    expect(window.complaints).toEqual([]);
  });

  test("a hold that is voided gives its money back", async () => {
    const id = await newWallet("bob");
    const amount = { amount: 900, asset: "EUR/2" };
    await post(id, "credit", { amount });
    await post(id, "debit", { amount, pending: true });
    await window.go(`/wallets/${id}`);
    const { page } = window;
    await page.getByRole("button", { name: "Void" }).click();
    await page.getByText("€9.00 go back to where they came from.").waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Void" }).click();
    await page.getByText("Closed").waitFor();
    expect(await page.getByTitle("900 EUR/2").first().textContent()).toBe("€9.00");
  });

  test("a debit of all balances, which the API takes without a key, is sent", async () => {
    await window.go(`/wallets/${hostile}`);
    const { page } = window;
    await page.getByRole("button", { name: "Debit" }).click();
    const form = page.getByRole("dialog");
    await form.getByRole("textbox", { name: "Amount" }).fill("1");
    await form.getByLabel("From the balance").selectOption("*");
    await form.getByRole("button", { name: "Debit" }).click();
    await form.waitFor({ state: "detached" });
    await page.getByTitle("4200 EUR/2").first().waitFor();
    await page.getByRole("row", { name: "€1.00" }).click();
    await page.getByRole("heading", { level: 1, name: /^Transaction \d+$/ }).waitFor();
    expect(window.complaints).toEqual([]);
  });

  test("names, metadata and descriptions are shown as they are", async () => {
    await window.go(`/wallets/${hostile}`);
    const { page } = window;
    await page.getByRole("heading", { level: 1, name: SHOWN }).waitFor();
    await page.getByRole("list", { name: "Holds" }).getByText(SHOWN).waitFor();
    expect(await page.getByText(SHOWN, { exact: true }).count()).toBe(3);
    expect(await page.locator("img[src=x]").count()).toBe(0);
    expect(window.complaints).toEqual([]);
  });

  test("wallets are found by their name and by metadata, and the URL has the filter", async () => {
    await newWallet("carol", { tier: "silver" });
    await window.go("/wallets?metadata=tier=silver");
    const { page } = window;
    await page.getByText("1 shown, no more").waitFor();
    await page.getByRole("row", { name: "carol" }).waitFor();
    await window.go("/wallets");
    await page.getByRole("combobox", { name: "Filter" }).click();
    await page.keyboard.type("name:carol");
    await page.keyboard.press("Enter");
    await page.waitForURL("**/wallets?name=carol");
    await page.getByText("1 shown, no more").waitFor();
    expect(window.complaints).toEqual([]);
  });
});

describe("every page", () => {
  test("axe finds nothing serious in either scheme", async () => {
    expect(await window.findingsOn(["/wallets", `/wallets/${hostile}`])).toEqual({});
    expect(window.complaints).toEqual([]);
  });

  test("German words are shown to a browser of that language", async () => {
    await window.close();
    window = await browser.open({ locale: "de-DE" });
    await window.go(`/wallets/${hostile}`);
    await window.page.getByText("7,00 € vorgemerkt").waitFor();
    expect(window.complaints).toEqual([]);
  });
});
