import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ConsoleBrowser, type ConsoleWindow } from "#test/support/console/console-browser.ts";
import { freshFolder, LocalServer } from "#test/support/platform/server.ts";

const LEDGER = "books";

let server: LocalServer;
let browser: ConsoleBrowser;
let window: ConsoleWindow;

beforeAll(async () => {
  server = await LocalServer.start(freshFolder());
  await server.json(`/api/ledger/v2/${LEDGER}`, { body: {} });
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

describe("signing in", () => {
  test("the secret of a link leaves the address bar, and a reload signs in again without the person", async () => {
    await window.page.waitForURL("**/console/");
    await window.page.goBack();
    expect(window.page.url()).not.toContain("#");
    await window.go("/ledgers");
    await window.page.reload();
    await window.page.getByRole("row", { name: LEDGER }).waitFor();
    expect(window.complaints).toEqual([]);
  });

  test("no token is stored where scripts of other pages of this site could read it", async () => {
    const stored = await window.page.evaluate(() =>
      JSON.stringify([...Object.entries(localStorage), ...Object.entries(sessionStorage)]),
    );
    expect(stored).not.toContain("eyJ");
  });

  test("after signing out, only the way in is shown", async () => {
    await window.page.getByRole("button", { name: "Operator" }).click();
    await window.page.getByRole("menuitem", { name: "Sign out" }).click();
    await window.page.getByRole("heading", { name: "Sign in" }).waitFor();
    await window.page.reload();
    await window.page.getByRole("heading", { name: "Sign in" }).waitFor();
    expect(await window.page.getByRole("navigation").count()).toBe(0);
  });

  test("a link that was used says so", async () => {
    const link = await browser.signInLink();
    for (const text of ["Ledgers", "has been used"]) {
      await window.page.goto("about:blank");
      await window.page.goto(link);
      await window.page.getByRole("button", { name: "Sign in" }).click();
      await window.page.getByText(text).first().waitFor();
    }
    expect(window.page.url()).not.toContain("#");
    await window.page.getByRole("button", { name: "Sign in" }).click();
    await window.page.waitForURL("**/console/");
    await window.page.getByRole("heading", { name: "Home" }).waitFor();
  });
});

describe("the first page", () => {
  test("its code is loaded while the sign-in runs", async () => {
    const code = window.page.waitForRequest(/ledgers-page/);
    await window.page.route("**/oauth/token", async (route) => {
      await code;
      await route.continue();
    });
    await window.go("/ledgers");
    await window.page.getByRole("row", { name: LEDGER }).waitFor();
    expect(window.complaints).toEqual([]);
  });

  test("it does not wait for the name of the person", async () => {
    const listed = Promise.withResolvers<undefined>();
    await window.page.route("**/userinfo", async (route) => {
      await listed.promise;
      await route.continue();
    });
    await window.go("/ledgers");
    await window.page.getByRole("row", { name: LEDGER }).waitFor();
    await window.page.getByRole("button", { name: "Account" }).waitFor();
    listed.resolve(undefined);
    await window.page.getByRole("button", { name: "Operator" }).waitFor();
    expect(window.complaints).toEqual([]);
  });

  test("the menu of the person opens by keys alone, and gives the focus back", async () => {
    const button = window.page.getByRole("button", { name: "Operator" });
    await button.focus();
    await window.page.keyboard.press("Enter");
    await window.page.getByRole("menuitem", { name: "Sign out" }).waitFor();
    await window.page.keyboard.press("ArrowDown");
    expect(await window.page.locator("[role=menu] :focus").count()).toBe(1);
    await window.page.keyboard.press("Escape");
    await window.page.getByRole("menu").waitFor({ state: "detached" });
    await window.page.locator("button:focus", { hasText: "Operator" }).waitFor();
    expect(window.complaints).toEqual([]);
  });
});
