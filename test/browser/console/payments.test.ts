import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ConsoleBrowser, type ConsoleWindow } from "#test/support/console/console-browser.ts";
import { freshFolder, LocalServer } from "#test/support/platform/server.ts";

const HOSTILE = "<img src=x onerror=alert(1)>\u202egnp.exe";
const SHOWN = String.raw`<img src=x onerror=alert(1)>\u202egnp.exe`;
const PAYOUT = { reference: "rent-2026-11", amount: "1250.5" };

let server: LocalServer;
let browser: ConsoleBrowser;
let window: ConsoleWindow;
let secondPerson: string;

beforeAll(async () => {
  server = await LocalServer.start(freshFolder(), { FLORIN_PAYMENTS_FOUR_EYES: "true" });
  const made = await server.json("/api/florin/v1/users", {
    body: {
      email: "second@example.com",
      scopes: ["payments:write", "ledger:read", "auth:read"],
    },
  });
  secondPerson = (made as { data: { id: string } }).data.id;
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

/** The rows of a list of the API. */
async function listed(path: string): Promise<Listed[]> {
  const answer = await server.json(path);
  return (answer as { cursor: { data: Listed[] } }).cursor.data;
}

interface Listed {
  readonly id: string;
  readonly reference: string;
}

const idOf = async (list: string, reference: string): Promise<string> => {
  const rows = await listed(`/api/payments/v3/${list}?pageSize=100`);
  return rows.find((row) => row.reference === reference)?.id ?? "";
};

/** The name by which people know the operator, who has asked for the payout. */
async function operatorName(): Promise<string> {
  const { data } = (await server.json("/api/florin/v1/users")) as { data: Named[] };
  const operator = data.find(({ email }) => email === "operator@localhost");
  return operator?.name ?? operator?.email ?? "";
}

interface Named {
  readonly name?: string;
  readonly email: string;
}

describe("a connector", () => {
  test("dummypay is connected through the form, by keys alone, and its payments appear", async () => {
    const { page } = window;
    await window.go("/payments/connectors");
    await page.getByRole("button", { name: "Connect a provider" }).first().focus();
    await page.keyboard.press("Enter");
    await page.getByRole("radio", { name: "Dummypay" }).focus();
    await page.keyboard.press("Space");
    await page.getByLabel("Name").fill(`Bank ${HOSTILE}`);
    await page.getByLabel("Directory").fill("acme");
    await page.keyboard.press("Enter");
    await page.waitForURL("**/payments/connectors/*");
    await page.getByRole("heading", { level: 1 }).waitFor();
    await page.getByText("The last runs have brought everything").waitFor();
    await page.getByRole("link", { name: "Its payments" }).click();
    await page.getByRole("row", { name: /main-eur-012/ }).waitFor();
    await page.waitForURL("**/payments/payments?connector=*");
    expect(window.complaints).toEqual([]);
  });

  test("a schedule shows its runs, and the name of a connector is text", async () => {
    const { page } = window;
    await window.go("/payments/connectors");
    await page.getByRole("row", { name: "Dummypay" }).click();
    await page.getByText(SHOWN).first().waitFor();
    await page.getByRole("row", { name: /^Payments/ }).click();
    await page.getByText("Last runs: Payments").waitFor();
    await page.getByText("Succeeded").first().waitFor();
    expect(await page.locator("img[src=x]").count()).toBe(0);
  });
});

describe("payments", () => {
  test("a payment opens beside the list, with its history and its own page", async () => {
    const { page } = window;
    await window.go("/payments/payments?type=PAYOUT&asset=EUR%2F2");
    const list = page.getByRole("grid", { name: "Payments" });
    await list
      .getByRole("row", { name: /main-eur/ })
      .first()
      .waitFor();
    await list.focus();
    for (const key of ["j", "Enter"]) await page.keyboard.press(key);
    const panel = page.getByRole("complementary");
    await panel.getByRole("heading", { name: "What happened" }).waitFor();
    await panel.getByText("No transaction books this payment").waitFor();
    await panel.getByRole("button", { name: "Open as a page" }).click();
    await page.waitForURL("**/payments/payments/*");
    await page.getByRole("heading", { name: "As JSON" }).waitFor();
    expect(window.complaints).toEqual([]);
  });
});

describe("a payout", () => {
  test("who asks for it may not approve it, and sees that before the click", async () => {
    const { page } = window;
    await window.go("/payments/initiations");
    await page.getByRole("button", { name: "New order" }).first().click();
    await page.getByLabel("From").selectOption({ label: "main EUR (main-eur)" });
    await page.getByLabel("To", { exact: true }).selectOption({ label: "landlord" });
    await page.getByLabel("Amount").fill("1250.505");
    await page.getByLabel("Reference").fill(PAYOUT.reference);
    await page.getByLabel("Description").fill(HOSTILE);
    await page.getByRole("button", { name: "Ask for approval" }).click();
    await page.getByText("This is not an amount of this asset").waitFor();
    await page.getByLabel("Amount").fill(PAYOUT.amount);
    await page.getByText("€1,250.50").waitFor();
    await page.getByRole("button", { name: "Ask for approval" }).click();
    await page.waitForURL("**/payments/initiations/*");
    await page.getByText("You have asked for this.").waitFor();
    await page.getByText("somebody else has to approve it").waitFor();
    await page.getByText(SHOWN).first().waitFor();
    expect(await page.getByRole("button", { name: "Approve" }).count()).toBe(0);
    expect(window.complaints).toEqual([]);
  });

  test("a second person approves it, the money is sent, and both are named", async () => {
    const id = await idOf("payment-initiations", PAYOUT.reference);
    await window.close();
    window = await browser.open({ personId: secondPerson });
    const { page } = window;
    await window.go(`/payments/initiations/${id}`);
    await page.getByText(`${await operatorName()} has asked for this.`).waitFor();
    await page.getByText("It needs a second person. That can be you.").waitFor();
    await page.getByRole("button", { name: "Approve" }).focus();
    await page.keyboard.press("Enter");
    const question = page.getByRole("dialog", { name: "Approve this order?" });
    await question.getByText("€1,250.50").waitFor();
    await question.getByRole("button", { name: "Approve" }).focus();
    await page.keyboard.press("Enter");
    await page.getByText("Sent", { exact: true }).first().waitFor();
    await page.getByText("Approved by You").waitFor();
    await page.getByRole("link", { name: PAYOUT.reference }).click();
    await page.waitForURL("**/payments/payments/*");
    await page.getByText("€1,250.50").first().waitFor();
    expect(window.complaints).toEqual([]);
  });
});

describe("a phone", () => {
  test("the open list's tab is in view, and a form begins in its first input", async () => {
    const { page } = window;
    const phone = { width: 390, height: 844 };
    await page.setViewportSize(phone);
    await window.go("/payments/bookings");
    const tab = page.getByRole("link", { name: "Bookings" });
    await tab.waitFor();
    const { x = -1, width = 0 } = (await tab.boundingBox()) ?? {};
    expect(x).toBeGreaterThanOrEqual(0);
    expect(x + width).toBeLessThanOrEqual(phone.width);
    await page.getByRole("button", { name: "New booking" }).first().focus();
    await page.keyboard.press("Enter");
    await page.getByLabel("Payments of").and(page.locator(":focus")).waitFor();
    expect(window.complaints).toEqual([]);
  });
});

describe("every page", () => {
  test("axe finds nothing serious in either scheme", async () => {
    const [connector] = await listed("/api/payments/v3/connectors");
    const account = await idOf("accounts", "main-eur");
    const initiation = await idOf("payment-initiations", PAYOUT.reference);
    const payment = await idOf("payments", PAYOUT.reference);
    const pool = (await server.json("/api/payments/v3/pools", {
      body: { name: "Treasury", accountIDs: [account] },
    })) as { data: string };
    const bank = (await server.json("/api/payments/v3/bank-accounts", {
      body: { name: "Rent", iban: "FR7630006000011234567890189", country: "FR" },
    })) as { data: string };
    expect(
      await window.findingsOn([
        `/payments/payments?open=${payment}`,
        `/payments/payments/${payment}`,
        `/payments/initiations?open=${initiation}`,
        "/payments/connectors",
        `/payments/connectors/${connector?.id}`,
        "/payments/accounts",
        `/payments/accounts/${account}`,
        "/payments/pools",
        `/payments/pools/${pool.data}`,
        "/payments/bank-accounts",
        `/payments/bank-accounts/${bank.data}`,
        "/payments/bookings",
      ]),
    ).toEqual({});
    expect(window.complaints).toEqual([]);
  });

  test("German words are shown to a browser of that language", async () => {
    await window.close();
    window = await browser.open({ locale: "de-DE" });
    await window.go(`/payments/initiations/${await idOf("payment-initiations", PAYOUT.reference)}`);
    await window.page.getByText("1.250,50 €").first().waitFor();
    await window.page.getByText("Gesendet", { exact: true }).first().waitFor();
    await window.page.getByText("Beantragt von").waitFor();
    expect(await window.page.locator("html").getAttribute("lang")).toBe("de");
  });
});
