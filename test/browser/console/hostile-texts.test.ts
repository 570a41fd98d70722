import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ConsoleBrowser, type ConsoleWindow } from "#test/support/console/console-browser.ts";
import { FragileEndpoint } from "#test/support/console/fragile-endpoint.ts";
import { hostileFields } from "#test/support/console/hostile/fields.ts";
import { type HostileOwners, makeOwners } from "#test/support/console/hostile/owners.ts";
import {
  type HostilePage,
  pagesOf,
  plant,
  type Planted,
  refusalOf,
} from "#test/support/console/hostile/plant.ts";
import { faultsOf, HOSTILE_TEXTS, SHOWN_RTL } from "#test/support/console/hostile/texts.ts";
import { freshFolder, LocalServer } from "#test/support/platform/server.ts";

/** The time in which a page is there, with all that it asks for, in milliseconds. */
const USUAL_MS = 3000;
const PHONE = { width: 390, height: 844 };
const DESK = { width: 1280, height: 800 };

/** The lists that show what the fields have got. */
const LISTS = [
  "/",
  "/ledgers",
  "/ledgers/books",
  "/ledgers/books/overview",
  "/ledgers/books/transactions",
  "/ledgers/books/accounts",
  "/ledgers/books/accounts/bank",
  "/ledgers/books/tree",
  "/ledgers/books/logs",
  "/ledgers/books/schema",
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
  "/developers/requests",
  "/developers/webhooks",
  "/developers/events",
  "/access/clients",
  "/access/people",
  "/access/audit",
];

let server: LocalServer;
let browser: ConsoleBrowser;
let endpoint: FragileEndpoint;
let owners: HostileOwners;
let planted: readonly Planted[];
let window: ConsoleWindow;

beforeAll(async () => {
  server = await LocalServer.start(freshFolder());
  endpoint = await FragileEndpoint.open();
  endpoint.answer = { status: 400, text: `${HOSTILE_TEXTS.markup}${HOSTILE_TEXTS.rtl}` };
  owners = await makeOwners(server, endpoint.url);
  planted = await plant(server, hostileFields(owners));
  browser = await ConsoleBrowser.start(server);
});

afterAll(async () => {
  await browser?.close();
  await server?.killAll();
  await endpoint?.close();
});

beforeEach(async () => {
  window = await browser.open({ viewport: DESK });
});

afterEach(async () => {
  await window.close();
});

test("each field takes the texts, or refuses them with a code and a sentence", () => {
  const wrong = planted.filter((each) => {
    const why = refusalOf(each);
    if (why === undefined) return each.status >= 300;
    return each.status !== 400 || !(REFUSAL.test(each.answer) && each.answer.includes(why));
  });
  expect(
    wrong.map(({ field, form, length, status, answer }) =>
      [field.name, form, length, status, answer.slice(0, 300)].join(" "),
    ),
  ).toEqual([]);
});

/** The beginning of the body of a refusal, with its code and its sentence. */
const REFUSAL = /^\{"errorCode":"(VALIDATION|MISSING_OR_INVALID_BODY)","errorMessage":"\[\1\] \S/;

describe("pages at the width of a desk and of a phone", () => {
  test("lists show the texts, and no text leaves its place", async () => {
    expect(await faultsOn(LISTS.map((path) => ({ path })))).toEqual({});
    expect(window.complaints).toEqual([]);
  });

  test("the pages of all objects show the texts, and no text leaves its place", async () => {
    expect(await faultsOn(pagesOf(planted))).toEqual({});
    expect(window.complaints).toEqual([]);
  });

  test("the answer of a provider is shown as a text", async () => {
    const path = `/payments/connectors/${owners.failing}`;
    await window.go(path);
    await window.page.getByText("<script>").first().waitFor();
    expect(await faultsOn([{ path, shows: HOSTILE_TEXTS.markup }])).toEqual({});
    expect(window.complaints).toEqual([]);
  });

  test("the search finds an object by a text, and shows it", async () => {
    await window.page.keyboard.press("ControlOrMeta+k");
    await window.page.getByRole("dialog").getByRole("combobox").fill(HOSTILE_TEXTS.rtl.slice(-4));
    await window.page.getByRole("option").getByText(SHOWN_RTL).first().waitFor();
    expect(await faultsOf(window.page)).toEqual([]);
    expect(window.complaints).toEqual([]);
  });
});

/** The faults of pages, by page. Pages without a fault are left out. */
async function faultsOn(pages: readonly HostilePage[]): Promise<Record<string, readonly string[]>> {
  const found: Record<string, readonly string[]> = {};
  for (const { path, shows = "" } of pages) {
    const begin = performance.now();
    await window.follow(path);
    const faults = [...(await faultsOf(window.page))];
    const elapsed = performance.now() - begin;
    if (elapsed > USUAL_MS) faults.push(`the page has taken ${Math.round(elapsed)} ms`);
    const text = await window.page.locator("main").textContent();
    if (text?.includes(shows) !== true) faults.push(`the page does not show ${shows}`);
    await window.page.setViewportSize(PHONE);
    faults.push(...(await faultsOf(window.page)).map((fault) => `phone: ${fault}`));
    await window.page.setViewportSize(DESK);
    if (faults.length > 0) found[path] = faults;
  }
  return found;
}
