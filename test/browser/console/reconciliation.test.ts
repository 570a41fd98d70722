import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { ConsoleBrowser, type ConsoleWindow } from "#test/support/console/console-browser.ts";
import { freshFolder, LocalServer } from "#test/support/platform/server.ts";

const LEDGER = "books";
const API = "/api/reconciliation";
/** The time in which a scheduled read of the page has come, in milliseconds. */
const LIVE_MS = 30_000;

let server: LocalServer;
let browser: ConsoleBrowser;
let window: ConsoleWindow;
let pool: string;

const dataOf = async <D = { id: string }>(path: string, body: unknown): Promise<D> =>
  ((await server.json(path, { body })) as { data: D }).data; // Answers of creations have this shape.

const pay = (source: string, destination: string, amount: number) =>
  server.json(`/api/ledger/v2/${LEDGER}/transactions`, {
    body: { postings: [{ source, destination, amount, asset: "EUR/2" }] },
  });

/** A rule by which no account of a kind holds more than 50 euros. */
const limitOf = (name: string, kind: string) =>
  dataOf(`${API}/rules`, {
    name,
    templateKind: "account_threshold",
    templateSpec: {
      ledger: LEDGER,
      query: { $match: { address: `${kind}:` } },
      mode: "per_account",
      bounds: { "EUR/2": { max: 5000 } },
    },
  });

const run = (rule: string) =>
  dataOf<{ id: string; result: string }>(`${API}/rules/${rule}/evaluate`, { safetyMargin: "0s" });

const alertOf = async (rule: string): Promise<string> => {
  const query = encodeURIComponent(JSON.stringify({ $match: { ruleID: rule } }));
  const list = await server.json(`${API}/alerts?query=${query}`);
  return (list as { cursor: { data: { id: string }[] } }).cursor.data[0]?.id ?? ""; // The schema of the answer has this shape.
};

/** The number of assets of which the connector has reported a balance of a pool. */
const heldBy = async (id: string): Promise<number> => {
  const answer = await server.json(`/api/payments/v3/pools/${id}/balances/latest`);
  return (answer as { data: unknown[] }).data.length; // The schema of the answer has this shape.
};

const press = (name: string) => window.page.getByRole("button", { name, exact: true }).click();

const inDialog = () => window.page.getByRole("dialog");

const submit = (name: string) => inDialog().getByRole("button", { name, exact: true }).click();

beforeAll(async () => {
  server = await LocalServer.start(freshFolder());
  await server.json(`/api/ledger/v2/${LEDGER}`, { body: {} });
  const connector = await dataOf<string>("/api/payments/v3/connectors/install/dummypay", {
    name: "bank",
    directory: "acme",
  });
  pool = await dataOf<string>("/api/payments/v3/pools", {
    name: "Safeguarded",
    query: { $match: { connector_id: connector } },
  });
  await vi.waitUntil(async () => (await heldBy(pool)) > 0, { timeout: 60_000, interval: 500 });
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

describe("a rule", () => {
  test("a rule is made, fails, needs attention until somebody looks into it, and is in order after a booking", async () => {
    await pay("world", "shops:1", 10_000);
    await window.go("/reconciliation");
    const { page } = window;
    await page.getByRole("button", { name: "New rule" }).first().click();
    await inDialog().getByRole("textbox", { name: "Name" }).fill("No shop holds more than fifty");
    await inDialog().getByLabel("Check").selectOption("account_threshold");
    await inDialog().getByLabel("Ledger", { exact: true }).fill(LEDGER);
    await inDialog().getByLabel("Accounts", { exact: true }).fill("shops:...");
    await inDialog().getByRole("textbox", { name: "Asset" }).fill("EUR/2");
    await inDialog().getByRole("textbox", { name: "At most" }).fill("50,00 euros");
    await submit("Create");
    await inDialog().getByText("This is not an amount of this asset.").waitFor();
    await inDialog().getByRole("textbox", { name: "At most" }).fill("50");
    await submit("Create");
    await page.getByRole("heading", { level: 1, name: "No shop holds more than fifty" }).waitFor();
    await page.getByText("at most €50.00").waitFor();
    await page.getByText("It has not run yet.").waitFor();
    await press("Run now");
    await submit("Run");
    await page.getByRole("heading", { level: 1, name: "Run", exact: true }).waitFor();
    await page.getByText("Fails", { exact: true }).waitFor();
    const checks = page.getByRole("list", { name: "What was compared" });
    await checks.getByRole("listitem").filter({ hasText: "€100.00" }).waitFor();
    await page.getByRole("link", { name: "Home" }).click();
    await page.getByRole("link", { name: /^A reconciliation alert is open/ }).click();
    await page.getByRole("heading", { level: 1, name: "EUR/2 of shops:1" }).waitFor();
    await press("Acknowledge");
    await inDialog().getByRole("textbox", { name: "Note" }).fill("The shop is asked");
    await submit("Acknowledge");
    await page.getByText("In hand", { exact: true }).waitFor();
    await page.getByText("Operator looks into it").waitFor();
    await page.getByText("The shop is asked").first().waitFor();
    await page.getByRole("link", { name: "Home" }).click();
    await page.getByText("Nothing needs you now.").waitFor();
    await pay("shops:1", "world", 6000);
    await page.goBack();
    await page.getByRole("link", { name: "No shop holds more than fifty" }).first().click();
    await press("Run now");
    await submit("Run");
    await page.getByText("In order", { exact: true }).first().waitFor();
    await page.getByRole("link", { name: "Alerts of the rule" }).click();
    await page.getByRole("row").filter({ hasText: "shops:1" }).click();
    await page.getByText("It is in order again").waitFor();
    expect(await page.getByRole("button", { name: "Resolve", exact: true }).count()).toBe(0);
    expect(window.complaints).toEqual([]);
  });

  test("a rule is changed by its own values, paused, and deleted", async () => {
    const { id } = await limitOf("limit of clerks", "clerks");
    await window.go(`/reconciliation/rules/${id}`);
    const { page } = window;
    await press("Change");
    await inDialog().getByRole("textbox", { name: "At most" }).fill("70.50");
    await submit("Save");
    await page.getByText("at most €70.50").waitFor();
    const { data } = (await server.json(`${API}/rules/${id}`)) as {
      data: { templateSpec: unknown };
    }; // The schema of the answer has this shape.
    expect(data.templateSpec).toEqual({
      ledger: LEDGER,
      query: { $match: { address: "clerks:" } },
      mode: "per_account",
      bounds: { "EUR/2": { max: 7050 } },
    });
    await press("Pause");
    await submit("Pause");
    await page.getByRole("button", { name: "Resume" }).waitFor();
    expect(await page.getByRole("button", { name: "Run now" }).count()).toBe(0);
    await press("Delete");
    await submit("Delete rule");
    await page
      .getByRole("tab")
      .or(page.getByRole("link", { name: "Rules" }))
      .first()
      .waitFor();
    await page.waitForURL(/\/reconciliation\/rules$/);
    expect(await page.getByText("limit of clerks").count()).toBe(0);
    expect(window.complaints).toEqual([]);
  });

  test("a rule that runs after events says so, and what another client does to it appears by itself", async () => {
    const { id } = await limitOf("limit of guests", "guests");
    await pay("world", "guests:1", 10);
    await window.go(`/reconciliation/rules/${id}`);
    const { page } = window;
    await press("Change schedule");
    await inDialog().getByRole("radio", { name: "After events" }).click();
    await inDialog().getByRole("textbox", { name: "Waits after the first event" }).fill("1h");
    await submit("Save");
    await page.getByText("After an event, within 1h").waitFor();
    await page.getByText("After the next event").waitFor();
    await run(id);
    await page.getByText("1 check is in order").waitFor({ timeout: LIVE_MS });
    expect(window.complaints).toEqual([]);
  });

  test("a rule whose sources cannot be read says why, and what to do", async () => {
    const { id } = await dataOf(`${API}/rules`, {
      name: "of nothing",
      templateKind: "account_threshold",
      templateSpec: {
        ledger: "gone",
        query: { $match: { address: "users:" } },
        bounds: { "EUR/2": { min: 0 } },
      },
    });
    const { id: evaluation } = await run(id);
    await window.go(`/reconciliation/evaluations/${evaluation}`);
    await window.page.getByText("ledger:gone: ledger not found").waitFor();
    await window.page.getByText("The ledger or the pool does not exist.").waitFor();
    expect(window.complaints).toEqual([]);
  });
});

describe("an alert", () => {
  test("an alert is silenced, heard again and resolved with references, beside the inbox and by keys alone", async () => {
    await pay("world", "desks:1", 9000);
    const { id } = await limitOf("limit of desks", "desks");
    await run(id);
    await window.go(`/reconciliation/alerts?rule=${id}`);
    const { page } = window;
    await page.getByRole("grid", { name: "Alerts" }).focus();
    for (const key of ["j", "Enter"]) await page.keyboard.press(key);
    const panel = page.getByRole("complementary");
    const open = async (name: string): Promise<void> => {
      await panel.getByRole("button", { name, exact: true }).focus();
      await page.keyboard.press("Enter");
      await inDialog().waitFor();
    };
    const send = async (name: string): Promise<void> => {
      await inDialog().getByRole("button", { name, exact: true }).focus();
      await page.keyboard.press("Enter");
      await inDialog().waitFor({ state: "detached" });
    };
    await open("Silence");
    await inDialog().getByRole("radio", { name: "In an hour" }).focus();
    await page.keyboard.press("Space");
    await send("Silence");
    await panel.getByText("Operator has silenced it").waitFor();
    await page.getByRole("row").getByText("Silenced", { exact: true }).waitFor();
    await open("End the silence");
    await send("End the silence");
    await panel.getByText("Operator has ended the silence").waitFor();
    await open("Resolve");
    await inDialog()
      .getByRole("textbox", { name: /^References/ })
      .focus();
    await page.keyboard.type("payout-17");
    await send("Resolve");
    await panel.getByText("Set right by bookings").waitFor();
    await panel.getByText("payout-17").first().waitFor();
    await page.getByText("Nothing fits these filters").waitFor();
    await page.getByRole("radio", { name: "Resolved" }).click();
    await page.getByRole("row").getByText("Resolved", { exact: true }).waitFor();
    expect(window.complaints).toEqual([]);
  });

  test("what somebody accepts is kept with the reason", async () => {
    await pay("world", "tills:1", 9000);
    const { id } = await limitOf("limit of tills", "tills");
    await run(id);
    await window.go(`/reconciliation/alerts/${await alertOf(id)}`);
    await press("Accept");
    await inDialog().getByRole("textbox", { name: "Reason" }).fill("agreed with the owner");
    await submit("Accept");
    await window.page.getByText("Accepted as it is").waitFor();
    await window.page.getByText("agreed with the owner").first().waitFor();
    expect(window.complaints).toEqual([]);
  });
});

describe("a policy", () => {
  test("a policy is made, and compares a ledger with a pool at two moments", async () => {
    await window.go("/reconciliation/policies");
    const { page } = window;
    await page.getByRole("button", { name: "New policy" }).first().click();
    await inDialog().getByRole("textbox", { name: "Name" }).fill("Acquirer");
    await inDialog().getByLabel("Ledger", { exact: true }).fill(LEDGER);
    await inDialog().getByLabel("Pool").selectOption({ label: "Safeguarded" });
    await submit("Create");
    await page.getByRole("heading", { level: 1, name: "Acquirer" }).waitFor();
    await press("Reconcile");
    await inDialog().getByLabel("Ledger as of").fill("2999-01-01T00:00");
    await submit("Reconcile");
    await inDialog().getByText("This has to be in the past.").waitFor();
    const now = new Date(Date.now() - new Date().getTimezoneOffset() * 60_000).toISOString();
    for (const label of ["Ledger as of", "Pool as of"]) {
      await inDialog().getByLabel(label).fill(now.slice(0, 19));
    }
    await submit("Reconcile");
    await page.getByText("Does not add up").waitFor();
    const sides = page.getByRole("list", { name: "What was compared" });
    await sides.getByRole("listitem").filter({ hasText: "EUR/2" }).waitFor();
    expect(window.complaints).toEqual([]);
  });
});

describe("the place", () => {
  test("the search finds a rule by its name, and an alert by its id", async () => {
    await pay("world", "vaults:1", 9000);
    const { id } = await limitOf("limit of vaults", "vaults");
    await run(id);
    const alert = await alertOf(id);
    const { page } = window;
    await page.keyboard.press("ControlOrMeta+k");
    const search = page.getByRole("dialog").getByRole("combobox");
    await search.fill("of vaults");
    await page.getByRole("option").getByText("limit of vaults").first().click();
    await page.getByRole("heading", { level: 1, name: "limit of vaults" }).waitFor();
    await page.keyboard.press("ControlOrMeta+k");
    await search.fill(alert);
    await page.getByRole("option", { name: /vaults:1/ }).click();
    await page.getByRole("heading", { level: 1, name: "EUR/2 of vaults:1" }).waitFor();
    expect(window.complaints).toEqual([]);
  });

  test("a form shows what it sends, as curl and as a call of an SDK", async () => {
    const { id } = await limitOf("limit of codes", "codes");
    await window.go(`/reconciliation/rules/${id}`);
    await press("Run now");
    await inDialog().getByRole("button", { name: "Code" }).click();
    await window.page.getByText(`POST ${API}/rules/${id}/evaluate`).waitFor();
    await window.page.getByRole("radio", { name: "TypeScript" }).click();
    await window.page.getByText("sdk.reconciliation.v1.evaluateRule").waitFor();
    expect(window.complaints).toEqual([]);
  });

  test("axe finds nothing serious in either scheme", async () => {
    await pay("world", "chests:1", 9000);
    const { id } = await limitOf("limit of chests", "chests");
    const evaluation = await run(id);
    const policy = await dataOf(`${API}/policies`, {
      name: "of chests",
      ledgerName: LEDGER,
      paymentsPoolID: pool,
    });
    const now = new Date().toISOString();
    const reconciliation = await dataOf(`${API}/policies/${policy.id}/reconciliation`, {
      reconciledAtLedger: now,
      reconciledAtPayments: now,
    });
    const alert = await alertOf(id);
    const pages = [
      "/reconciliation/rules",
      `/reconciliation/rules/${id}`,
      `/reconciliation/evaluations/${evaluation.id}`,
      `/reconciliation/alerts?rule=${id}&open=${alert}`,
      `/reconciliation/alerts/${alert}`,
      "/reconciliation/policies",
      `/reconciliation/policies/${policy.id}`,
      `/reconciliation/reconciliations/${reconciliation.id}`,
    ];
    expect(await window.findingsOn(pages)).toEqual({});
    expect(window.complaints).toEqual([]);
  });

  test("German words are shown to a browser of that language", async () => {
    const { id } = await limitOf("limit of Germans", "germans");
    await window.close();
    window = await browser.open({ locale: "de-DE" });
    await window.go(`/reconciliation/rules/${id}`);
    await window.page.getByRole("heading", { name: "Was verglichen wird" }).waitFor();
    await window.page.getByText("höchstens 50,00 €").waitFor();
    expect(window.complaints).toEqual([]);
  });
});
