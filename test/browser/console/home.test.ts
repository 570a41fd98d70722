import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ConsoleBrowser, type ConsoleWindow } from "#test/support/console/console-browser.ts";
import { freshFolder, LocalServer } from "#test/support/platform/server.ts";

const LEDGER = "books";
const DATE = "2026-01-01T00:00:00Z";

let server: LocalServer;
let browser: ConsoleBrowser;
let window: ConsoleWindow;

beforeAll(async () => {
  server = await LocalServer.start(freshFolder());
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

/** Disarms the deployment, or arms it, with all scopes of the first client. */
async function operate(change: "disarm" | "arm", body: object): Promise<void> {
  const { clientId: id, clientSecret: secret } = server;
  const granted = await fetch(`${server.url}/api/auth/oauth/token`, {
    method: "POST",
    body: new URLSearchParams({
      grant_type: "client_credentials",
      client_id: id,
      client_secret: secret,
      scope: "florin:operate",
    }),
  });
  const { access_token: token } = await granted.json<{ access_token: string }>();
  const answer = await fetch(`${server.url}/api/florin/v1/${change}`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}` },
    body: JSON.stringify(body),
  });
  expect(answer.status).toBe(200);
}

test("every page says that the deployment is disarmed, since when, by whom, why and what to do, until it is armed", async () => {
  const banner = window.page.getByRole("region", { name: "This deployment is disarmed" });
  await operate("disarm", { note: "payouts <b>to</b> the wrong account" });
  try {
    await window.go("/ledgers");
    await banner.getByText("payouts <b>to</b> the wrong account").waitFor();
    const text = (await banner.textContent()) ?? "";
    expect(text).toMatch(/Since .* · .*stopped by an operator · .*npm run florin -- arm/);
    expect(await banner.getByRole("link", { name: /What waits/ }).getAttribute("href")).toBe(
      "/guide/operations/disarmed",
    );
  } finally {
    await operate("arm", {});
  }
  await window.go("/");
  await window.page.getByRole("heading", { name: "Home" }).waitFor();
  expect(await banner.count()).toBe(0);
});

/** Creates something with an id. */
async function idOf(path: string, body: object): Promise<string> {
  const { data } = (await server.json(path, { body })) as { data: string | { id: string } }; // The operations that are called here answer so.
  return typeof data === "string" ? data : data.id;
}

async function move(reference: string): Promise<void> {
  await server.json(`/api/ledger/v2/${LEDGER}/transactions`, {
    body: {
      reference,
      metadata: {},
      postings: [{ source: "world", destination: "users:7:main", amount: 1234, asset: "EUR/2" }],
    },
  });
}

/** A connector with two accounts, a payment and an initiation. */
async function makePayments(): Promise<{ connector: string; payee: string }> {
  const connector = await idOf("/api/payments/v3/connectors/install/dummypay", {
    name: "acme-bank",
    directory: "acme-bank",
  });
  const accountOf = (reference: string, type: string): Promise<string> =>
    idOf("/api/payments/v3/accounts", {
      reference,
      accountName: reference,
      connectorID: connector,
      type,
      createdAt: DATE,
      metadata: {},
    });
  const till = await accountOf("till", "INTERNAL");
  const payee = await accountOf("landlord", "EXTERNAL");
  const state = { createdAt: DATE, amount: 987_654, asset: "EUR/2", metadata: {} };
  await idOf("/api/payments/v3/payments", {
    ...state,
    reference: "pay-77",
    connectorID: connector,
    type: "PAY-IN",
    initialAmount: 987_654,
    scheme: "OTHER",
    destinationAccountID: till,
    adjustments: [{ ...state, reference: "pay-77", status: "SUCCEEDED" }],
  });
  await server.json("/api/payments/v3/payment-initiations", {
    body: {
      reference: "rent-may",
      description: "rent",
      type: "PAYOUT",
      amount: 100,
      asset: "EUR/2",
      connectorID: connector,
      sourceAccountID: till,
      destinationAccountID: payee,
      scheduledAt: "0001-01-01T00:00:00Z",
      metadata: {},
    },
  });
  return { connector, payee };
}

/** A path as a pattern, in which `*` is any segment. */
const asPattern = (path: string): string =>
  path
    .split("*")
    .map((text) =>
      text.replaceAll(/[.+?^${}()|[\]\\]/g, String.raw`\$&`).replaceAll(":", "(?::|%3A)"),
    )
    .join("[^/]+");

describe("a fresh deployment", () => {
  test("the first steps lead to what is missing, and are gone when all is done", async () => {
    await window.go("/");
    const steps = window.page.getByRole("listitem").filter({ hasText: "To do" });
    await steps.first().waitFor();
    expect(await steps.count()).toBe(4);
    await server.json(`/api/ledger/v2/${LEDGER}`, { body: {} });
    await move("first");
    await window.page.reload();
    await window.page.getByRole("listitem").filter({ hasText: "Done" }).nth(1).waitFor();
    await window.page.getByRole("link", { name: /Add a webhook/ }).click();
    await window.page.waitForURL("**/console/developers/webhooks");
    await idOf("/api/auth/clients", { name: "cash-desk" });
    await idOf("/api/webhooks/configs", {
      endpoint: "https://shop.example/hooks",
      eventTypes: ["ledger.committed_transactions"],
      name: "shop-hooks",
    });
    await window.go("/");
    await window.page.getByRole("grid", { name: "Latest transactions" }).waitFor();
    await window.page.getByRole("heading", { name: "First steps" }).waitFor({ state: "detached" });
  });
});

describe("the search", () => {
  const open = async (text: string): Promise<void> => {
    await window.page.keyboard.press("Control+k");
    await window.page.getByRole("combobox", { name: "Find anything" }).waitFor();
    await window.page.keyboard.type(text);
  };

  /** Chooses an option by the arrow keys, and opens it. */
  const choose = async (name: string): Promise<void> => {
    const option = window.page.getByRole("option", { name });
    await option.first().waitFor();
    for (let step = 0; step < 30; step += 1) {
      if ((await option.first().getAttribute("aria-selected")) === "true") break;
      await window.page.keyboard.press("ArrowDown");
    }
    await window.page.keyboard.press("Enter");
  };

  test("an object of each kind is found by keys alone", { timeout: 180_000 }, async () => {
    const { connector, payee } = await makePayments();
    const wallet = await idOf("/api/wallets/wallets", { name: "ann-wallet", metadata: {} });
    const workflow = await idOf("/api/orchestration/v2/workflows", {
      name: "pay-rent",
      stages: [{ noop: {} }],
    });
    const instance = await idOf(`/api/orchestration/v2/workflows/${workflow}/instances`, {});
    const refused = await server.api("/api/ledger/v2/nowhere/stats");
    const requestId = refused.headers.get("x-request-id") ?? "";
    await window.go("/");
    await window.page.getByRole("heading", { name: "Home" }).waitFor();
    const kinds: readonly (readonly [text: string, option: string, path: string])[] = [
      [LEDGER, "books _default", `/ledgers/${LEDGER}/overview`],
      ["first", "first books", `/ledgers/${LEDGER}/transactions/1`],
      ["users:7", "users:7:main", `/ledgers/${LEDGER}/accounts/users:7:main`],
      ["pay-77", "pay-77", "/payments/payments/*"],
      ["9876.54", "pay-77", "/payments/payments/*"],
      ["rent-may", "rent-may", "/payments/initiations/*"],
      ["landlord", "landlord", `/payments/accounts/${payee}`],
      ["acme", "acme-bank", `/payments/connectors/${connector}`],
      ["ann", "ann-wallet", `/wallets/${wallet}`],
      ["rent", "pay-rent", `/workflows/${workflow}`],
      [instance, instance, `/workflows/instances/${instance}`],
      ["shop-hooks", "shop-hooks", "/developers/webhooks/*"],
      ["cash-desk", "cash-desk", "/access/clients/*"],
      ["operator@", "operator@localhost", "/access/people/*"],
      [requestId, requestId, `/developers/requests/${requestId}`],
    ];
    for (const [text, option, path] of kinds) {
      await open(text);
      await choose(option);
      await window.page.waitForURL(new RegExp(`/console${asPattern(path)}(\\?.*)?$`));
    }
    await open("");
    await window.page.getByText("Opened last").waitFor();
    await window.page.getByRole("option", { name: "ann-wallet Wallets" }).waitFor();
    await window.page.getByRole("option", { name: "Operator People" }).waitFor();
    expect(window.complaints).toEqual([]);
  });
});

describe("keys", () => {
  test("keys go to places and to the filter, are listed, and do nothing while somebody types", async () => {
    await window.go(`/ledgers/${LEDGER}/transactions`);
    await window.page.getByRole("row", { name: "first" }).waitFor();
    await window.page.keyboard.press("?");
    const dialog = window.page.getByRole("dialog", { name: "Keys" });
    await dialog.getByText("Filter the list").waitFor();
    await dialog.getByText("Go to Home").waitFor();
    await window.page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    await window.page.keyboard.press("/");
    await window.page.keyboard.type("gl?");
    const filter = window.page.getByRole("combobox", { name: "Filter" });
    expect(await filter.inputValue()).toBe("gl?");
    expect(await dialog.count()).toBe(0);
    await window.page.keyboard.press("Escape");
    await window.page.keyboard.press("Escape");
    await window.page.keyboard.press("g");
    await window.page.keyboard.press("h");
    await window.page.getByRole("heading", { name: "Needs attention" }).waitFor();
    expect(window.complaints).toEqual([]);
  });
});

describe("requests as code", () => {
  test("the curl of a page is run by a shell, and answers what the page shows", async () => {
    await window.go("/");
    await window.page.getByRole("button", { name: "Code" }).click();
    const dialog = window.page.getByRole("dialog", { name: "As code" });
    const code = dialog.locator("pre").filter({ hasText: `/${LEDGER}/transactions` });
    await code.waitFor();
    const { stdout } = await promisify(execFile)("sh", ["-c", (await code.textContent()) ?? ""], {
      env: { ...process.env, FLORIN_TOKEN: await server.token() },
    });
    expect(stdout).toContain('"reference":"first"');
    await dialog.getByRole("radio", { name: "TypeScript" }).click();
    await dialog.getByText("sdk.ledger.v2.listTransactions").first().waitFor();
    expect(await dialog.textContent()).not.toContain("eyJ");
  });
});

describe("home", () => {
  test("axe finds nothing serious in either scheme, nor in the search", async () => {
    expect(await window.findingsOn(["/"])).toEqual({});
    await window.page.keyboard.press("Control+k");
    await window.page.getByRole("option", { name: "Ledgers" }).first().waitFor();
    expect(await window.findings()).toEqual([]);
    expect(window.complaints).toEqual([]);
  });

  test("German words are shown to a browser of that language", async () => {
    await window.close();
    window = await browser.open({ locale: "de-DE" });
    await window.go("/");
    await window.page.getByRole("heading", { name: "Letzte Transaktionen" }).waitFor();
    await window.page.getByText("12,34 €").first().waitFor();
    await window.page.keyboard.press("Control+k");
    await window.page.getByPlaceholder("Name, Id, Referenz, Adresse oder Betrag").waitFor();
    expect(await window.page.locator("html").getAttribute("lang")).toBe("de");
  });
});
