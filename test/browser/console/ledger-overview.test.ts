import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ConsoleBrowser, type ConsoleWindow } from "#test/support/console/console-browser.ts";
import { freshFolder, LocalServer } from "#test/support/platform/server.ts";

const LEDGER = "home";
const HOSTILE = "<img src=x onerror=alert(1)>\u202egnp.exe";
const SHOWN = String.raw`<img src=x onerror=alert(1)>\u202egnp.exe`;
const CHART = { world: {}, users: { $id: { ".pattern": "^[0-9]+$", main: {} } } };

interface Schemas {
  readonly cursor: { readonly data: readonly { readonly version: string }[] };
}

let server: LocalServer;
let browser: ConsoleBrowser;
let window: ConsoleWindow;

beforeAll(async () => {
  server = await LocalServer.start(freshFolder());
  await server.json(`/api/ledger/v2/${LEDGER}`, { body: { metadata: { owner: HOSTILE } } });
  for (const user of [1, 2, 3]) {
    await server.json(`/api/ledger/v2/${LEDGER}/transactions`, {
      body: {
        metadata: { note: HOSTILE },
        postings: [
          { source: "world", destination: `users:${user}:main`, amount: 1000, asset: "EUR/2" },
        ],
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

describe("the overview of a ledger", () => {
  test("the list leads to it, and it shows counts, sums and the last transactions", async () => {
    await window.go("/ledgers");
    await window.page.getByRole("img", { name: "3 transactions in 30 days" }).waitFor();
    await window.page.getByRole("row", { name: LEDGER }).click();
    await window.page.waitForURL(`**/ledgers/${LEDGER}/overview`);
    await window.page.getByRole("img", { name: "Activity" }).waitFor();
    await window.page.getByRole("link", { name: /^users:….*€30\.00$/ }).waitFor();
    await window.page.getByRole("link", { name: /users:3:\s?main.*€10\.00$/ }).waitFor();
    await window.page.getByText(SHOWN).waitFor();
    await window.page.getByRole("radio", { name: "EUR in" }).click();
    await window.page.getByTitle("3000 EUR/2").first().waitFor();
    expect(await window.page.locator("img[src=x]").count()).toBe(0);
    expect(window.complaints).toEqual([]);
  });
});

describe("the schema of a ledger", () => {
  test("a schema that is refused says why, and the corrected one is the new version", async () => {
    await window.go(`/ledgers/${LEDGER}/schema`);
    await window.page.getByRole("button", { name: "New version" }).click();
    await window.page.getByRole("textbox", { name: /^Version/ }).fill("v1");
    const content = window.page.getByRole("textbox", { name: /^Schema/ });
    await content.fill("{ no");
    await window.page.getByRole("button", { name: "Insert" }).click();
    await window.page.getByText(/^This is no JSON/).waitFor();
    await content.fill(JSON.stringify({ chart: { users: { ".self": 1 } } }));
    await window.page.getByRole("button", { name: "Insert" }).click();
    await window.page
      .getByRole("alert")
      .getByText(/VALIDATION/)
      .first()
      .waitFor();
    await content.fill(JSON.stringify({ chart: CHART }));
    await window.page.getByRole("button", { name: "Insert" }).click();
    await window.page.getByRole("radio", { name: "v1" }).waitFor();
    await window.page.getByText("^[0-9]+$", { exact: true }).waitFor();
    const { cursor } = (await server.json(`/api/ledger/v2/${LEDGER}/schemas`)) as Schemas; // The schema of the answer has this shape.
    expect(cursor.data.map(({ version }) => version)).toEqual(["v1"]);
  });
});

describe("the log of a ledger", () => {
  test("an entry shows its data, its hash and its author", async () => {
    await window.go(`/ledgers/${LEDGER}/logs?type=NEW_TRANSACTION`);
    const list = window.page.getByRole("grid", { name: "Log" });
    await list.getByRole("row", { name: /users:3:main/ }).waitFor();
    await list.focus();
    for (const key of ["j", "Enter"]) await window.page.keyboard.press(key);
    const panel = window.page.getByRole("complementary", { name: /^Entry \d+$/ });
    await panel.getByText(SHOWN).first().waitFor();
    await panel.getByText("Hash").waitFor();
    await panel.getByText("florin-local").first().waitFor();
    expect(await window.page.locator("img[src=x]").count()).toBe(0);
  });
});

describe("the exporters of a ledger", () => {
  test("a pipeline is made, stopped, started, sends again, and is deleted", async () => {
    await window.go(`/ledgers/${LEDGER}/exporters`);
    await window.page.getByRole("button", { name: "New pipeline" }).click();
    await window.page.getByRole("combobox", { name: /^Kind/ }).selectOption("noop");
    await window.page.getByRole("button", { name: "Start sending" }).click();
    await window.page.getByText("Nothing, all is sent").waitFor();
    await window.page.getByRole("button", { name: "Stop" }).click();
    await window.page.getByText("Stopped").waitFor();
    await window.page.getByRole("button", { name: "Start", exact: true }).click();
    await window.page.getByText("Stopped").waitFor({ state: "detached" });
    await window.page.getByRole("button", { name: "Send again" }).click();
    const dialog = window.page.getByRole("dialog");
    await dialog.getByRole("button", { name: "Send again" }).click();
    await dialog.waitFor({ state: "detached" });
    await window.page.getByRole("button", { name: "Delete" }).click();
    await dialog.getByRole("button", { name: "Delete" }).click();
    await window.page.getByText("The log of this ledger is sent nowhere.").waitFor();
    expect(window.complaints).toEqual([]);
  });
});

describe("the verification of a ledger", () => {
  test("it says in words that everything adds up", async () => {
    await window.go(`/ledgers/${LEDGER}/verification`);
    await window.page.getByRole("button", { name: "Verify now" }).click();
    await window.page.getByText("Everything adds up").waitFor();
    await window.page.getByRole("row", { name: "EUR/2 €30.00 €30.00" }).waitFor();
    expect(window.complaints).toEqual([]);
  });
});

describe("every page", () => {
  const PAGES = ["overview", "schema", "logs?open=1", "exporters", "verification"].map(
    (page) => `/ledgers/${LEDGER}/${page}`,
  );

  test("axe finds nothing serious in either scheme", async () => {
    expect(await window.findingsOn(PAGES)).toEqual({});
    expect(window.complaints).toEqual([]);
  });

  test("German words are shown to a browser of that language", async () => {
    await window.close();
    window = await browser.open({ locale: "de-DE" });
    await window.go(`/ledgers/${LEDGER}/overview`);
    await window.page.getByText("Wo das Geld ist").waitFor();
    await window.page.getByRole("button", { name: "Zeitmaschine" }).click();
    await window.page.getByText("Stand", { exact: true }).waitFor();
    expect(await window.page.locator("html").getAttribute("lang")).toBe("de");
  });
});
