import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ConsoleBrowser } from "#test/support/console/console-browser.ts";
import { freshFolder, LocalServer } from "#test/support/platform/server.ts";

/** Pages whose lists and objects every place has, with what the server of this file has made. */
const PAGES: string[] = [
  "/",
  "/ledgers",
  "/ledgers/eu-books",
  "/ledgers/eu-books/overview",
  "/ledgers/eu-books/transactions",
  "/ledgers/eu-books/accounts",
  "/ledgers/eu-books/tree",
  "/ledgers/eu-books/logs",
  "/ledgers/eu-books/schema",
  "/ledgers/eu-books/accounts/bank",
  "/ledgers/eu-books/transactions/1",
  "/numscript",
  "/payments",
  "/payments/payments",
  "/payments/connectors",
  "/payments/initiations",
  "/payments/accounts",
  "/payments/pools",
  "/payments/bank-accounts",
  "/payments/bookings",
  "/wallets",
  "/reconciliation/rules",
  "/reconciliation/alerts",
  "/reconciliation/policies",
  "/reconciliation/matchings",
  "/reconciliation/corrections",
  "/reconciliation/sources",
  "/workflows",
  "/workflows/instances",
  "/workflows/triggers",
  "/developers",
  "/developers/requests",
  "/developers/webhooks",
  "/developers/events",
  "/access",
  "/access/clients",
  "/access/people",
  "/access/audit",
];

const READS = [
  "ledger:read",
  "payments:read",
  "wallets:read",
  "reconciliation:read",
  "orchestration:read",
  "webhooks:read",
  "auth:read",
];

let server: LocalServer;
let browser: ConsoleBrowser;

beforeAll(async () => {
  server = await LocalServer.start(freshFolder());
  for (const ledger of ["eu-books", "us-books"]) {
    await server.json(`/api/ledger/v2/${ledger}`, { body: {} });
    await server.json(`/api/ledger/v2/${ledger}/transactions`, {
      body: {
        postings: [{ source: "world", destination: "bank", amount: 100, asset: "EUR/2" }],
      },
    });
    PAGES.push(...(await makeAlert(ledger)).filter(() => ledger === "eu-books"));
  }
  browser = await ConsoleBrowser.start(server);
});

afterAll(async () => {
  await browser?.close();
  await server?.killAll();
});

/** Makes a rule that the bank of a ledger does not fit, and gives the pages of the rule, its run and its alert. */
async function makeAlert(ledger: string): Promise<readonly string[]> {
  const path = "/api/reconciliation";
  const made = await server.json(`${path}/rules`, {
    body: {
      name: `limit of ${ledger}`,
      templateKind: "account_threshold",
      templateSpec: {
        ledger,
        query: { $match: { address: "bank" } },
        bounds: { "EUR/2": { max: 0 } },
      },
    },
  });
  const { id } = (made as { data: { id: string } }).data; // The schema of the answer has this shape.
  const run = await server.json(`${path}/rules/${id}/evaluate`, { body: { safetyMargin: "0s" } });
  const { id: runId } = (run as { data: { id: string } }).data; // The schema of the answer has this shape.
  const list = await server.json(`${path}/alerts`);
  const [alert] = (list as { cursor: { data: { id: string }[] } }).cursor.data; // The schema of the answer has this shape.
  return [
    `/reconciliation/rules/${id}`,
    `/reconciliation/evaluations/${runId}`,
    `/reconciliation/alerts/${alert?.id}`,
    `/reconciliation/alerts?open=${alert?.id}`,
  ];
}

interface Visit {
  /** The sidebar's places. */
  readonly places: readonly string[];
  /** Requests that the server has refused, by page. */
  readonly refused: readonly string[];
  /** Buttons that open a form, by page. */
  readonly forms: readonly string[];
  /** Pages that name the ledger that the person may not read. */
  readonly leaks: readonly string[];
}

/** Visits every page as a person with these permissions. */
async function visitAs(name: string, body: object): Promise<Visit> {
  const email = `${name}@localhost`;
  const made = await server.json("/api/florin/v1/users", { body: { email, name, ...body } });
  const { data } = made as { data: { id: string } }; // The schema of the answer has this shape.
  const window = await browser.open({ personId: data.id });
  const { page } = window;
  const refused: string[] = [];
  const forms: string[] = [];
  const leaks: string[] = [];
  let at = "";
  page.on("response", (response) => {
    if ([401, 403].includes(response.status()))
      refused.push(`${at}: ${response.request().method()} ${new URL(response.url()).pathname}`);
  });
  const places = await page.getByRole("navigation").first().getByRole("link").allTextContents();
  for (at of PAGES) {
    await window.follow(at);
    forms.push(...(await formsOn(page)).map((form) => `${at}: ${form}`));
    if ((await page.getByText("us-books").count()) > 0) leaks.push(at);
  }
  await window.close();
  return { places, refused, forms, leaks };
}

/** The names of buttons that open a form, and of buttons that send one. */
async function formsOn(page: Page): Promise<string[]> {
  const buttons = page.locator('main [aria-haspopup="dialog"], main button[type="submit"]');
  const texts = await buttons.allTextContents();
  return texts.map((text) => text.trim()).filter((text) => !READING.has(text));
}

/** Buttons that open a window, but change nothing. */
const READING = new Set(["Code"]);

describe("what a person may not do", () => {
  test("a person who may only read sees every place, and is offered no change", async () => {
    const { places, refused, forms } = await visitAs("reader", { scopes: READS });
    expect(places).toContain("Ledgers");
    expect(refused).toEqual([]);
    expect(forms).toEqual([]);
  });

  test("a person of one module sees this module, and nothing is asked of the others", async () => {
    const scopes = ["wallets:read", "wallets:write"];
    const { places, refused } = await visitAs("teller", { scopes });
    expect(places).toEqual(["Home", "Wallets"]);
    expect(refused).toEqual([]);
  });

  test("a person who may reconcile and read no books is offered no rule, and nothing of rules is shown", async () => {
    const { places, refused, forms } = await visitAs("matcher", {
      scopes: ["reconciliation:read", "reconciliation:write"],
    });
    expect(places).toEqual(["Home", "Reconciliation"]);
    // Files can be compared with files, which takes no right to read books.
    expect(new Set(forms)).toEqual(
      new Set(["/reconciliation/matchings: New matching", "/reconciliation/sources: New source"]),
    );
    const ofRules = PAGES.filter((page) => /^\/reconciliation\/\w+\/|open=/.test(page));
    expect(refused.filter((text) => !ofRules.some((page) => text.startsWith(page)))).toEqual([]);
  });

  test("a person who is bound to ledgers is shown no other one, and is refused nothing", async () => {
    const scopes = [...READS, "ledger:write"];
    const { places, refused, leaks } = await visitAs("bound", { scopes, ledgers: ["eu-*"] });
    expect(leaks).toEqual([]);
    expect(places).not.toContain("Wallets");
    expect(refused).toEqual([]);
  });

  test("a person who is bound to the ledger of the wallets has this place", async () => {
    const scopes = [...READS, "wallets:write"];
    const ledgers = ["wallets-*", "eu-*"];
    const { places, refused } = await visitAs("teller-of-europe", { scopes, ledgers });
    expect(places).toContain("Wallets");
    expect(refused).toEqual([]);
  });
});
