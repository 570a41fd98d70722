import { setTimeout as delay } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ConsoleBrowser, type ConsoleWindow } from "#test/support/console/console-browser.ts";
import { freshFolder, LocalServer } from "#test/support/platform/server.ts";

const API = "/api/florin/v1/reconciliation";
const HOSTILE = "<img src=x onerror=alert(1)>\u202egnp.exe";
const SHOWN = String.raw`<img src=x onerror=alert(1)>\u202egnp.exe`;
const RUN_POLLS = 240;
const POLL_MS = 250;
const DAY_MS = 86_400_000;

let server: LocalServer;
let browser: ConsoleBrowser;
let window: ConsoleWindow;
let secondPerson: string;
let bank: string;
let books: string;
let matching: string;

interface Line {
  readonly id: number;
  readonly side: string;
  readonly amount: number;
  readonly breakClass?: string;
}

const idOf = (answer: unknown): string => (answer as { data: { id: string } }).data.id; // Answers of creations have this shape.

/** The day so many days ago, as `YYYY-MM-DD`. */
const daysAgo = (days: number): string =>
  new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10);

/** A line of the bank's file. */
const row = (days: number, ...[amount, reference, name]: readonly string[]): string =>
  `${daysAgo(days).split("-").toReversed().join(".")};${amount};${reference};Invoice;${name}`;

const HEADER = "Buchungstag;Betrag;End-to-End;Verwendungszweck;Auftraggeber";
const STATEMENT = [
  HEADER,
  row(12, "1.250,00", "INV-1001", "Acme"),
  row(11, "880,50", "INV-1002", HOSTILE),
  row(10, "59,99", "INV-1003", "Initech"),
  row(9, "55,00", "", "Erika Mustermann"),
  row(8, "700,00", "INV-1009", "Umbrella"),
].join("\n");

const PASSES = [
  {
    name: "reference",
    keys: [
      { left: "endToEndId", right: "providerId", normalise: [{ kind: "case" }], lengthMin: 4 },
    ],
    dates: { max: 5 },
    confidence: 100,
  },
  { name: "amount and date", dates: { max: 2 }, confidence: 80 },
];

const book = (days: number, reference: string, amount: number): Promise<unknown> =>
  server.json("/api/ledger/v2/books/transactions", {
    body: {
      postings: [{ source: "world", destination: "bank:main", amount, asset: "EUR/2" }],
      reference,
      timestamp: `${daysAgo(days)}T10:00:00Z`,
    },
  });

beforeAll(async () => {
  server = await LocalServer.start(freshFolder(), { FLORIN_RECONCILIATION_FOUR_EYES: "true" });
  await server.json("/api/ledger/v2/books", { body: {} });
  await book(12, "INV-1001", 125_000);
  await book(11, "INV-1002", 88_050);
  await book(10, "INV-1003", 4999);
  await book(9, "RENT-77", 5500);
  bank = idOf(
    await server.json(`${API}/sources`, { body: { name: `Bank ${HOSTILE}`, kind: "statement" } }),
  );
  books = idOf(
    await server.json(`${API}/sources`, {
      body: { name: "Books", kind: "accounts", ledger: "books", account: "bank:main" },
    }),
  );
  const made = await server.json("/api/florin/v1/users", {
    body: {
      email: "second@example.com",
      scopes: ["reconciliation:write", "ledger:write", "auth:read"],
    },
  });
  secondPerson = idOf(made);
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

const choose = (name: string, text: string): Promise<void> =>
  window.page
    .locator("input[type=file]")
    .setInputFiles({ name, mimeType: "text/csv", buffer: Buffer.from(text) });

/** The lines of the matching, by the API. */
async function lines(query = ""): Promise<readonly Line[]> {
  const answer = await server.json(`${API}/matchings/${matching}/lines?pageSize=100${query}`);
  return (answer as { cursor: { data: Line[] } }).cursor.data;
}

/** Waits for the end of the last run of the matching. */
async function runEnds(): Promise<void> {
  for (let poll = 0; poll < RUN_POLLS; poll++) {
    const answer = await server.json(`${API}/matchings/${matching}`);
    const { lastRun } = (answer as { data: { lastRun?: { state: string } } }).data;
    if (lastRun?.state === "done") return;
    await delay(POLL_MS);
  }
  throw new Error("the run does not end");
}

describe("a source of files", () => {
  test("a CSV file gets its columns in a form whose preview follows, and is uploaded", async () => {
    await window.go(`/reconciliation/sources/${bank}`);
    const { page } = window;
    await choose("november.csv", STATEMENT);
    await page.getByRole("button", { name: "Set the columns" }).click();
    await page.getByText("either a column of currencies or the asset").waitFor();
    await page.getByLabel("Currency of all lines").fill("EUR");
    const preview = page.getByRole("grid", { name: "First lines of the file" });
    await preview.getByRole("row", { name: /€1,250\.00/ }).waitFor();
    await page.getByLabel("Dates").fill("MM.DD.YYYY");
    await page.getByText(/Line 2, column 1/).waitFor();
    expect(await page.getByRole("button", { name: "Upload", exact: true }).isDisabled()).toBe(true);
    await page.getByLabel("Dates").fill("DD.MM.YYYY");
    await preview.getByRole("row", { name: /€880\.50/ }).waitFor();
    await page.getByRole("button", { name: "Upload", exact: true }).click();
    await page.getByText("5 lines read").waitFor();
    await page.getByRole("link", { name: "Show the statement" }).click();
    await page.getByRole("heading", { level: 1, name: "november.csv" }).waitFor();
    await page.getByRole("row", { name: /€59\.99/ }).waitFor();
    await page.getByText(SHOWN).first().waitFor();
    expect(await page.locator("img[src=x]").count()).toBe(0);
    expect(window.complaints).toEqual([]);
  });

  test("a file that cannot be read names its line and column, and the same file is taken once", async () => {
    await window.go(`/reconciliation/sources/${bank}`);
    const { page } = window;
    await choose("broken.csv", [HEADER, row(3, "8,8,0", "X", "Y")].join("\n"));
    await page.getByText("Line 2, column 12").waitFor();
    expect(await page.getByRole("button", { name: "Upload", exact: true }).isDisabled()).toBe(true);
    await page.getByRole("button", { name: "Leave it out" }).click();
    await choose("again.csv", STATEMENT);
    await page.getByRole("button", { name: "Upload", exact: true }).click();
    await page.getByText("the source has this file already").waitFor();
    expect(window.complaints).toHaveLength(1); // Chromium tells of the refusal.
  });
});

describe("a matching", () => {
  test("a matching is made from two sources, run, and shown as one picture", async () => {
    await window.go("/reconciliation/matchings");
    const { page } = window;
    await page.getByRole("button", { name: "New matching" }).first().click();
    await page.getByLabel("Name").fill("Bank and books");
    await page.getByLabel("Left").selectOption(bank);
    await page.getByLabel("Right").selectOption(books);
    await page.getByLabel("From", { exact: true }).fill(daysAgo(30));
    await page.getByRole("button", { name: "Create" }).click();
    await page.getByRole("heading", { level: 1, name: "Bank and books" }).waitFor();
    matching = new URL(page.url()).pathname.split("/").at(-1) ?? "";
    await server.json(`${API}/matchings/${matching}`, {
      method: "PATCH",
      body: { passes: PASSES },
    });
    await page.getByRole("button", { name: "Run now" }).click();
    await runEnds();
    await page.getByText("Matched", { exact: true }).first().waitFor();
    await page.getByRole("link", { name: "Amount differs" }).first().waitFor();
    await page.getByRole("heading", { name: "Lines of both sides" }).waitFor();
    expect(window.complaints).toEqual([]);
  });

  test("a proposal is confirmed by keys alone, with its evidence beside both columns", async () => {
    await window.go(`/reconciliation/matchings/${matching}/groups`);
    const { page } = window;
    const proposal = page.getByRole("article", { name: /^Group/ });
    await proposal.getByText("80 of 100").waitFor();
    await proposal
      .getByRole("region", { name: "Left" })
      .getByText("Erika Mustermann", { exact: true })
      .waitFor();
    await proposal
      .getByRole("region", { name: "Right" })
      .getByText("RENT-77", { exact: true })
      .waitFor();
    await page.keyboard.press("m");
    await page.keyboard.type("agreed with the tenant");
    await page.keyboard.press("Enter");
    await page.getByText("No proposal waits for anybody.").waitFor();
    await window.go(`/reconciliation/matchings/${matching}/groups?state=matched`);
    await page.getByText("agreed with the tenant").waitFor();
    expect(window.complaints).toEqual([]);
  });

  test("the passes are sentences, and a change shows what it would do before it is saved", async () => {
    await window.go(`/reconciliation/matchings/${matching}/passes`);
    const { page } = window;
    await page.getByText("equal amounts, at most 2 business days apart").waitFor();
    await page.getByRole("button", { name: "Change the passes" }).click();
    await page.getByLabel("Matches by itself").fill("101");
    await page.getByRole("button", { name: "Show what it does" }).click();
    const preview = page.getByRole("region", { name: "What these passes would find" });
    await preview.getByText("0 new, 2 would go").waitFor();
    await page.getByRole("button", { name: "Leave it", exact: true }).click();
    await page.getByText("Matches").first().waitFor();
    expect(window.complaints).toEqual([]);
  });
});

describe("a break", () => {
  test("a suggested booking is looked at and booked, and the break is closed", async () => {
    const line = (await lines("&class=amount")).find(({ side }) => side === "right")?.id ?? 0;
    await window.go(`/reconciliation/matchings/${matching}/breaks?class=amount`);
    const { page } = window;
    await page.getByRole("table", { name: "Open lines by class and age" }).waitFor();
    await page.getByRole("row", { name: /€49\.99/ }).click();
    await page.waitForURL(`**/breaks/${line}`);
    await page.getByText("@reconciliation:suspense").waitFor();
    await page.getByRole("button", { name: "I look into it" }).click();
    await page.getByText(/looks into it/).waitFor();
    await page.getByLabel("Comment").fill("The bank is right.");
    await page.getByRole("button", { name: "Add comment" }).click();
    await page.getByText("The bank is right.").nth(0).waitFor();
    await page.getByRole("button", { name: "Write it off" }).click();
    await page.getByRole("dialog").getByText("€10.00").waitFor(); // It would be the difference, not the line.
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Book it" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Book it" }).click();
    await page.getByText("It is matched, and no break any more.").waitFor();
    expect(window.complaints).toEqual([]);
  });

  test("a write-off waits for a second person, is not offered to the first, and is confirmed", async () => {
    const line = (await lines("&class=missing_right"))[0]?.id ?? 0;
    const path = `/reconciliation/matchings/${matching}/breaks/${line}`;
    await window.go(path);
    const { page } = window;
    await page.getByRole("button", { name: "Write it off" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Account that takes it").fill("expenses:write-offs");
    await dialog.getByLabel("Note").fill("too old to ask");
    await dialog.getByRole("button", { name: "Write it off" }).click();
    await page.getByText("Another person has to confirm it").waitFor();
    expect(await page.getByRole("button", { name: "Confirm" }).count()).toBe(0);
    const second = await browser.open({ personId: secondPerson });
    try {
      await second.go("/");
      await second.page.getByText("A write-off waits for you").click();
      await second.page.waitForURL(`**${path}`);
      await second.page.getByText("too old to ask").waitFor();
      await second.page.getByRole("button", { name: "Confirm" }).click();
      await second.page.getByRole("dialog").getByRole("button", { name: "Confirm" }).click();
      await second.page.getByText("It is matched, and no break any more.").waitFor();
      await second.page
        .getByRole("link", { name: /Transaction \d+ in books/ })
        .first()
        .waitFor();
      expect(second.complaints).toEqual([]);
    } finally {
      await second.close();
    }
    expect(window.complaints).toEqual([]);
  });
});

describe("the close", () => {
  test("the close report says that both sides agree, and is printed without the frame", async () => {
    await window.go(`/reconciliation/matchings/${matching}/close`);
    const { page } = window;
    const report = page.getByRole("article", { name: "Close of" });
    await report.getByRole("row", { name: /^Closing/ }).waitFor();
    await report.getByText("Both sides agree.").waitFor();
    await page.emulateMedia({ media: "print" });
    expect(await page.getByRole("navigation").first().isVisible()).toBe(false);
    expect(await report.isVisible()).toBe(true);
    await page.emulateMedia({ media: "screen" });
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "CSV" }).click();
    expect((await download).suggestedFilename()).toMatch(/^close-.*\.csv$/);
    expect(window.complaints).toEqual([]);
  });

  test("clearing accounts show what is left by age", async () => {
    await window.go("/reconciliation/clearing?ledger=books&account=bank%3Amain");
    const { page } = window;
    await page.getByRole("heading", { name: "Open items by age" }).waitFor();
    await page.getByRole("row", { name: /INV-1001/ }).waitFor();
    expect(window.complaints).toEqual([]);
  });
});

test("axe finds nothing serious on the pages, and German has all words", async () => {
  const at = `/reconciliation/matchings/${matching}`;
  const [first] = await lines();
  expect(
    await window.findingsOn([
      "/reconciliation/sources",
      `/reconciliation/sources/${bank}`,
      "/reconciliation/matchings",
      at,
      `${at}/groups?state=all`,
      `${at}/hand`,
      `${at}/passes`,
      `${at}/close`,
      `${at}/breaks`,
      `${at}/breaks/${first?.id ?? 0}`,
      "/reconciliation/corrections",
      "/reconciliation/clearing?ledger=books&account=bank%3Amain",
    ]),
  ).toEqual({});
  const german = await browser.open({ locale: "de-DE" });
  await german.go(`${at}/close`);
  await german.page.getByText("Beide Seiten stimmen überein.").waitFor();
  await german.close();
});
