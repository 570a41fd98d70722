import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ConsoleBrowser, type ConsoleWindow } from "#test/support/console/console-browser.ts";
import { freshFolder, LocalServer } from "#test/support/platform/server.ts";

let server: LocalServer;
let browser: ConsoleBrowser;
let window: ConsoleWindow;

beforeAll(async () => {
  server = await LocalServer.start(freshFolder());
  await server.json("/api/auth/clients", {
    body: {
      id: "eu-books",
      name: "EU books",
      scopes: ["ledger:write", "payments:write"],
      metadata: { ledgers: "eu-*" },
    },
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

async function addPerson(name: string, scopes: readonly string[]): Promise<string> {
  const email = `${crypto.randomUUID()}@example.com`;
  const made = await server.json("/api/florin/v1/users", { body: { email, name, scopes } });
  return (made as { data: { id: string } }).data.id;
}

/** Adds a passkey of a device in a window, which signs in by a link once more: browsers offer passkeys only for host names. */
async function addPasskey({ context, page }: ConsoleWindow, link: string): Promise<void> {
  const named = (url: string): string => url.replace("127.0.0.1", "localhost");
  const devices = await context.newCDPSession(page);
  await devices.send("WebAuthn.enable");
  await devices.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  await page.goto(named(link));
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("navigation").first().waitFor();
  await page.goto(`${named(server.url)}/api/auth/account`);
  await page.getByRole("button", { name: "Add a passkey" }).click();
  await page.getByText("have 1 passkey.").waitFor();
}

describe("clients", () => {
  test("a new client shows its secret once, which gives a token, and a deleted secret gives none", async () => {
    await window.go("/access/clients");
    await window.page.getByRole("button", { name: "New client" }).click();
    const dialog = window.page.getByRole("dialog");
    await dialog.getByRole("textbox", { name: "Name" }).fill("Nightly");
    await dialog.getByRole("textbox", { name: "Client id" }).fill("nightly");
    const ledgers = dialog.getByRole("radiogroup", { name: "Ledgers" });
    await ledgers.getByRole("radio", { name: "Read", exact: true }).click();
    await dialog.getByRole("button", { name: "Create" }).click();
    const secret = (await dialog.getByLabel("Client secret", { exact: true }).textContent()) ?? "";
    expect(await tokenStatus("nightly", secret)).toBe(200);
    await dialog.getByRole("button", { name: "Open the client" }).click();
    await window.page.waitForURL("**/access/clients/nightly");
    await window.page.getByText(`…${secret.slice(-4)}`).waitFor();
    expect(await window.page.getByText(secret).count()).toBe(0);
    await window.page.getByRole("listitem").getByRole("button", { name: "Delete" }).click();
    await dialog.getByRole("button", { name: "Delete" }).click();
    await window.page.getByText("No secret yet").waitFor();
    expect(await tokenStatus("nightly", secret)).toBe(401);
    expect(window.complaints).toEqual([]);
  });

  test("a client is changed by keys alone, and keeps what the form does not show", async () => {
    await window.go("/access/clients");
    await window.page.getByRole("grid", { name: "Clients" }).focus();
    await window.page.keyboard.press("j");
    await window.page.keyboard.press("Enter");
    await window.page.getByRole("button", { name: "Change", exact: true }).focus();
    await window.page.keyboard.press("Enter");
    const description = window.page.getByRole("textbox", { name: "Description" });
    await description.focus();
    await window.page.keyboard.type("The books of Europe");
    await window.page.keyboard.press("Enter");
    await window.page.getByRole("dialog").waitFor({ state: "detached" });
    await window.page.getByText("The books of Europe").waitFor();
    expect(await server.json("/api/auth/clients/eu-books")).toMatchObject({
      data: {
        description: "The books of Europe",
        scopes: ["ledger:write", "payments:write"],
        metadata: { ledgers: "eu-*" },
      },
    });
  });

  async function tokenStatus(id: string, secret: string): Promise<number> {
    const response = await fetch(`${server.url}/api/auth/oauth/token`, {
      method: "POST",
      body: new URLSearchParams({
        grant_type: "client_credentials",
        client_id: id,
        client_secret: secret,
        scope: "ledger:read",
      }),
    });
    await response.body?.cancel();
    return response.status;
  }
});

describe("people", () => {
  test("a person who is added gets a link that signs in, and the audit says who has made it", async () => {
    await window.go("/access/people");
    await window.page.getByRole("button", { name: "Add a person" }).click();
    const dialog = window.page.getByRole("dialog");
    await dialog.getByRole("radio", { name: "Sign-in link" }).click();
    await dialog.getByRole("textbox", { name: "E-mail address" }).fill("ada@example.com");
    await dialog.getByRole("textbox", { name: "Name" }).fill("Ada");
    const ledgers = dialog.getByRole("radiogroup", { name: "Ledgers" });
    await ledgers.getByRole("radio", { name: "Read", exact: true }).click();
    await dialog.getByRole("textbox", { name: "Ledgers" }).fill("eu-*, main");
    await dialog.getByRole("button", { name: "Add and make the link" }).click();
    const link =
      (await dialog.getByLabel("Link for this person", { exact: true }).textContent()) ?? "";
    await dialog.getByRole("button", { name: "Done" }).click();
    await window.page.getByRole("heading", { name: "Ada" }).waitFor();
    await window.page.getByText("eu-*, main").waitFor();
    await window.close();
    window = await browser.open();
    await window.page.context().clearCookies();
    await window.page.goto("about:blank");
    await window.page.goto(link);
    await window.page.getByRole("button", { name: "Sign in" }).click();
    await window.page.getByRole("button", { name: "Ada" }).waitFor();
    expect(await window.page.getByRole("link", { name: "Access" }).count()).toBe(0);
  });

  test("rights are taken and the person is deleted, each after a question", async () => {
    const id = await addPerson("Bob", ["ledger:read"]);
    await window.go(`/access/people/${id}`);
    await window.page.getByRole("button", { name: "Take all rights" }).click();
    const dialog = window.page.getByRole("dialog");
    await dialog.getByRole("button", { name: "Take all rights" }).click();
    await window.page.getByText("Nothing: there are no rights.").waitFor();
    await window.page.getByRole("button", { name: "Delete" }).click();
    await dialog.getByRole("button", { name: "Delete" }).click();
    await window.page.waitForURL("**/access/people");
    await window.page.getByRole("row", { name: "Operator" }).waitFor();
    expect(await window.page.getByRole("row", { name: "Bob" }).count()).toBe(0);
  });
});

describe("how a person is signed in", () => {
  test("a session that is ended signs the other window out, by keys alone", async () => {
    const id = await addPerson("Eve", ["ledger:read"]);
    const other = await browser.open({ personId: id });
    await window.go(`/access/people/${id}`);
    const { page } = window;
    await page.getByText("This person has no passkey.").waitFor();
    const sessions = page.getByRole("list", { name: "Signed in" }).getByRole("listitem");
    expect(await sessions.count()).toBe(1);
    await sessions.getByRole("button", { name: "Sign out" }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").getByRole("button", { name: "Sign out" }).focus();
    await page.keyboard.press("Enter");
    await page.getByText("This person is signed in nowhere.").waitFor();
    await other.page.reload();
    await other.page.getByRole("button", { name: "Sign in" }).waitFor();
    await other.close();
    expect(window.complaints).toEqual([]);
  });

  test("a passkey that is removed is gone from the page and from the server", async () => {
    const id = await addPerson("Pia", ["ledger:read"]);
    const other = await browser.open({ personId: id });
    await addPasskey(other, await browser.signInLink(id));
    await window.go(`/access/people/${id}`);
    const { page } = window;
    const passkeys = page.getByRole("list", { name: "Passkeys" }).getByRole("listitem");
    await passkeys.getByRole("button", { name: "Remove" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
    await page.getByText("This person has no passkey.").waitFor();
    expect(await server.json(`/api/florin/v1/users/${id}/passkeys`)).toEqual({ data: [] });
    await other.close();
    expect(window.complaints).toEqual([]);
  });

  test("who may only read sees them, and is offered no end of them", async () => {
    const id = await addPerson("Tom", ["ledger:read"]);
    const other = await browser.open({ personId: id });
    await window.close();
    window = await browser.open({ personId: await addPerson("Ria", ["auth:read"]) });
    await window.go(`/access/people/${id}`);
    const { page } = window;
    await page.getByRole("list", { name: "Signed in" }).getByRole("listitem").waitFor();
    expect(await page.getByRole("main").getByRole("button", { name: "Sign out" }).count()).toBe(0);
    await other.close();
  });
});

describe("the audit", () => {
  test("a filter that is typed is in the URL, and a change opens with its request", async () => {
    await window.go("/access/audit");
    await window.page.getByRole("combobox", { name: "Filter" }).click();
    await window.page.keyboard.type("object:clients/eu-books");
    await window.page.keyboard.press("Enter");
    await window.page.waitForURL(/object=clients%2Feu-books/);
    const row = window.page.getByRole("row", { name: /auth\.client\.create.*clients\/eu-books/ });
    await row.click();
    const panel = window.page.getByRole("complementary", { name: "Change" });
    await panel.getByText("clients/eu-books").waitFor();
    await window.page.reload();
    await panel.getByRole("link", { name: "clients/eu-books" }).click();
    await window.page.getByRole("heading", { level: 1, name: "EU books" }).waitFor();
    expect(window.complaints).toEqual([]);
  });
});

describe("what the person's own authority does not allow", () => {
  test("who may only read is offered no change", async () => {
    await window.close();
    window = await browser.open({ personId: await addPerson("Rita", ["auth:read"]) });
    for (const path of ["/access/people", "/access/clients", "/access/clients/eu-books"]) {
      await window.go(path);
      await window.page
        .getByText(/EU books|Operator/)
        .first()
        .waitFor();
      const buttons = window.page.getByRole("main").getByRole("button", {
        name: /New|Add|Change|Delete|Take|link/,
      });
      expect(await buttons.count()).toBe(0);
    }
    expect(window.complaints).toEqual([]);
  });

  test("what somebody lacks is said before the click, and cannot be given", async () => {
    await window.close();
    const scopes = ["auth:read", "auth:write", "ledger:read"];
    window = await browser.open({ personId: await addPerson("Max", scopes) });
    await window.go("/access/clients/eu-books");
    await window.page.getByText("You cannot change this").waitFor();
    await window.page.getByText("ledger:write, payments:write").waitFor();
    expect(await window.page.getByRole("button", { name: "New secret" }).count()).toBe(0);
    await window.go("/access/clients");
    await window.page.getByRole("button", { name: "New client" }).click();
    const dialog = window.page.getByRole("dialog");
    const ledgers = dialog.getByRole("radiogroup", { name: "Ledgers" });
    expect(await ledgers.getByRole("radio").allTextContents()).toEqual(["None", "Read"]);
    await dialog.getByText("You can only give what you have.").waitFor();
    await dialog.getByRole("textbox", { name: "Name" }).fill("Small");
    await dialog.getByRole("button", { name: "All that you have" }).click();
    await dialog.getByRole("button", { name: "Create" }).click();
    await dialog.getByLabel("Client secret", { exact: true }).waitFor();
  });
});

describe("every page", () => {
  test("axe finds nothing serious in either scheme", async () => {
    const id = await addPerson("Ann", ["ledger:read", "florin:operate"]);
    const pages = [
      "/access/people",
      `/access/people/${id}`,
      "/access/clients",
      "/access/clients/eu-books",
      "/access/audit?action=auth.client.create",
    ];
    expect(await window.findingsOn(pages)).toEqual({});
    expect(window.complaints).toEqual([]);
  });

  test("German words are shown to a browser of that language", async () => {
    await window.close();
    window = await browser.open({ locale: "de-DE" });
    await window.go("/access/clients/eu-books");
    await window.page.getByText("Lesen und ändern").first().waitFor();
    await window.page.getByRole("link", { name: "Zugang" }).waitFor();
    expect(await window.page.locator("html").getAttribute("lang")).toBe("de");
  });
});
