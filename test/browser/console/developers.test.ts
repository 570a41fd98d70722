import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ConsoleBrowser, type ConsoleWindow } from "#test/support/console/console-browser.ts";
import { FragileEndpoint } from "#test/support/console/fragile-endpoint.ts";
import { eventually } from "#test/support/platform/eventually.ts";
import { freshFolder, LocalServer } from "#test/support/platform/server.ts";

const LEDGER = "eu-books";
const EVENT = "ledger.committed_transactions";
const HOSTILE = "<img src=x onerror=alert(1)>\u202egnp.exe";

let server: LocalServer;
let browser: ConsoleBrowser;
let window: ConsoleWindow;
let endpoint: FragileEndpoint;
let configId: string;
/** The ids of a request that made the ledger, and of one that failed. */
let madeId: string;
let failedId: string;

beforeAll(async () => {
  server = await LocalServer.start(freshFolder());
  endpoint = await FragileEndpoint.open();
  const made = await server.api(`/api/ledger/v2/${LEDGER}`, { body: {} });
  madeId = made.headers.get("x-request-id") ?? "";
  const failed = await pay("users:nobody", "users:1");
  failedId = failed.headers.get("x-request-id") ?? "";
  endpoint.answer = { status: 400, text: HOSTILE };
  const { data } = (await server.json("/api/webhooks/configs", {
    body: { endpoint: endpoint.url, name: "Shipping", eventTypes: [EVENT] },
  })) as { data: { id: string } }; // The schema of the answer has this shape.
  configId = data.id;
  for (let index = 0; index < 3; index += 1) await pay("world", `users:${index}`);
  await eventually(async () => {
    if ((await deliveries("failed")) < 3)
      throw new Error("the endpoint has refused less than three");
  });
  browser = await ConsoleBrowser.start(server);
});

afterAll(async () => {
  await browser?.close();
  await server?.killAll();
  await endpoint?.close();
});

beforeEach(async () => {
  window = await browser.open();
});

afterEach(async () => {
  await window.close();
});

const pay = (source: string, destination: string): Promise<Response> =>
  server.api(`/api/ledger/v2/${LEDGER}/transactions`, {
    body: { postings: [{ source, destination, amount: 100, asset: "EUR/2" }] },
  });

/** How many deliveries of the endpoint have a status. */
async function deliveries(status: string): Promise<number> {
  const page = await server.json(`/api/webhooks/deliveries?configId=${configId}&status=${status}`);
  return (page as { cursor: { data: unknown[] } }).cursor.data.length;
}

describe("failed requests", () => {
  test("a failed request is found by a filter in the URL, and opens by keys alone", async () => {
    await window.go("/developers/requests?code=INSUFFICIENT_FUND");
    await window.page.getByText("1 shown, no more").waitFor();
    await window.page.getByRole("grid", { name: "Failed requests" }).focus();
    for (const key of ["j", "Enter"]) await window.page.keyboard.press(key);
    const panel = window.page.getByRole("complementary", { name: "Request" });
    await panel.getByText(failedId).waitFor();
    await panel.getByText('"users:nobody"').waitFor();
    await window.page.keyboard.press("Escape");
    await panel.waitFor({ state: "detached" });
    expect(new URL(window.page.url()).search).toBe("?code=INSUFFICIENT_FUND");
  });

  test("the id of any request leads to its answer, or to what it changed", async () => {
    await window.go("/developers/requests");
    await window.page.getByRole("textbox", { name: "Request id" }).fill(madeId);
    await window.page.keyboard.press("Enter");
    await window.page.getByText("No failed request has this id").waitFor();
    await window.page.getByText("ledger.ledger.create").waitFor();
    await window.page.getByRole("link", { name: "Show in the audit" }).click();
    await window.page.waitForURL(`**/access/audit?requestId=${madeId}`);
    await window.page.getByText("1 shown, no more").waitFor();
    expect(await window.page.getByRole("row", { name: "ledger.ledger.create" }).count()).toBe(1);
  });
});

describe("webhook endpoints", () => {
  test("a new endpoint shows its secret once, and a test tells what it answers", async () => {
    await window.go("/developers/webhooks");
    await window.page.getByRole("button", { name: "New endpoint" }).click();
    const dialog = window.page.getByRole("dialog", { name: "New endpoint" });
    await dialog.getByRole("textbox", { name: "URL" }).fill(endpoint.url);
    await dialog.getByText("payments", { exact: true }).click();
    await dialog.getByRole("checkbox", { name: "saved_pool" }).click();
    await dialog.getByRole("button", { name: "Create" }).click();
    const secret = (await dialog.getByLabel("Signing secret", { exact: true }).textContent()) ?? "";
    expect(secret.length).toBeGreaterThan(20);
    await dialog.getByRole("button", { name: "Open the endpoint" }).click();
    await window.page.waitForURL(/\/developers\/webhooks\/[0-9a-f-]+$/);
    await window.page.getByText("Nothing was sent to this endpoint yet").waitFor();
    expect(await window.page.getByText(secret).count()).toBe(0);
    await window.page.getByRole("button", { name: "Test" }).click();
    await window.page.getByRole("button", { name: "Send the test" }).click();
    await window.page.getByRole("dialog").getByText("400", { exact: true }).waitFor();
  });

  test("a failing endpoint says since when and what to do, and its deliveries are replayed", async () => {
    await window.go(`/developers/webhooks/${configId}`);
    await window.page.getByText("Failing at least since").waitFor();
    await window.page.getByText("The endpoint refuses these messages.").waitFor();
    await window.page.getByRole("row", { name: EVENT }).first().click();
    const panel = window.page.getByRole("complementary", { name: "Delivery" });
    await panel.getByText(String.raw`<img src=x onerror=alert(1)>\u202egnp.exe`).waitFor();
    endpoint.answer = { status: 204, text: "" };
    await panel.getByRole("button", { name: "Replay" }).click();
    await eventually(async () => expect(await deliveries("succeeded")).toBe(1));
    await window.page.keyboard.press("Escape");
    await window.page.getByRole("button", { name: "Replay many" }).click();
    await window.page.getByRole("button", { name: "Replay", exact: true }).click();
    await window.page.getByText("2 deliveries are sent again.").waitFor();
    await eventually(async () => expect(await deliveries("succeeded")).toBe(3));
    await window.page.getByRole("button", { name: "Done" }).click();
    await window.page.reload();
    await window.page.getByText("100%").waitFor();
    await window.page.getByRole("row", { name: EVENT }).first().click();
    await panel.getByRole("link", { name: /^\d+$/ }).click();
    await window.page.waitForURL(`**/ledgers/${LEDGER}/transactions/*`);
    expect(await window.page.locator("img[src=x]").count()).toBe(0);
    expect(window.complaints).toEqual([]);
  });

  test("an endpoint is stopped, gets another secret, and is deleted", async () => {
    const { data } = (await server.json("/api/webhooks/configs", {
      body: { endpoint: endpoint.url, name: "Short-lived", eventTypes: [EVENT] },
    })) as { data: { id: string } }; // The schema of the answer has this shape.
    await window.go(`/developers/webhooks/${data.id}/settings`);
    await window.page.getByRole("button", { name: "New secret" }).click();
    const dialog = window.page.getByRole("dialog");
    await dialog.getByRole("button", { name: "New secret" }).click();
    await dialog.getByLabel("New signing secret", { exact: true }).waitFor();
    await dialog.getByRole("button", { name: "Done" }).click();
    await window.page.getByRole("button", { name: "Deactivate" }).click();
    await dialog.getByRole("button", { name: "Deactivate" }).click();
    await window.page.getByText("Inactive: nothing is sent.").waitFor();
    await window.page.getByRole("button", { name: "Delete" }).click();
    await dialog.getByRole("button", { name: "Delete" }).click();
    await window.page.waitForURL("**/developers/webhooks");
    await window.page.getByRole("row", { name: "Shipping" }).waitFor();
    expect(await window.page.getByRole("row", { name: "Short-lived" }).count()).toBe(0);
  });
});

describe("events", () => {
  test("events appear as they happen, and a paused list goes on where it was", async () => {
    await window.go("/developers/events?types=ledger.*");
    await window.page.getByText("Live", { exact: true }).waitFor();
    await pay("world", "users:7");
    const rows = window.page.getByRole("row", { name: EVENT });
    await rows.first().waitFor();
    await window.page.getByRole("button", { name: "Pause" }).click();
    await window.page.getByText("Live paused").waitFor();
    await pay("world", "users:8");
    expect(await rows.count()).toBe(1);
    await window.page.getByRole("button", { name: "Go on" }).click();
    await eventually(async () => expect(await rows.count()).toBe(2));
    await rows.first().click();
    const panel = window.page.getByRole("complementary", { name: EVENT });
    await panel.getByText('"users:8"').first().waitFor();
    await pay("world", "users:9");
    await window.page.getByRole("button", { name: "1 new" }).click();
    await eventually(async () => expect(await rows.count()).toBe(3));
  });

  test("a type of event says what it delivers", async () => {
    await window.go(`/developers/event-types?open=${EVENT}`);
    const panel = window.page.getByRole("complementary", { name: EVENT });
    await panel.getByText("The name of the ledger.").first().waitFor();
    await panel.getByRole("link", { name: "Follow these events live" }).click();
    await window.page.waitForURL(`**/developers/events?types=${EVENT}`);
    expect(window.complaints).toEqual([]);
  });
});

describe("every page", () => {
  test("axe finds nothing serious in either scheme", async () => {
    const pages = [
      `/developers/requests?open=${failedId}`,
      `/developers/requests/${failedId}`,
      "/developers/webhooks",
      `/developers/webhooks/${configId}`,
      `/developers/webhooks/${configId}/settings`,
      `/developers/event-types?open=${EVENT}`,
    ];
    expect(await window.findingsOn(pages)).toEqual({});
    expect(window.complaints).toEqual([]);
  });

  test("who may only read is offered no change", async () => {
    await window.close();
    const personId = await addPerson(["ledger:read", "webhooks:read"]);
    window = await browser.open({ personId });
    await window.go("/developers");
    await window.page.waitForURL("**/developers/webhooks");
    await window.page.getByRole("row", { name: "Shipping" }).waitFor();
    expect(await window.page.getByRole("link", { name: "Failed requests" }).count()).toBe(0);
    expect(await window.page.getByRole("button", { name: "New endpoint" }).count()).toBe(0);
    await window.go(`/developers/webhooks/${configId}/settings`);
    await window.page.getByText("Signing secret").first().waitFor();
    const offers = /New|Change|Test|Replay|Activate|Deactivate|Delete/;
    const buttons = window.page.getByRole("main").getByRole("button", { name: offers });
    expect(await buttons.count()).toBe(0);
    expect(window.complaints).toEqual([]);
  });

  test("who is bound to ledgers sees the events of these, and nothing that concerns all", async () => {
    await window.close();
    const scopes = ["ledger:write", "webhooks:write", "auth:write", "florin:operate"];
    window = await browser.open({ personId: await addPerson(scopes, ["eu-*"]) });
    await window.go("/developers/events");
    await window.page.getByText("Live", { exact: true }).waitFor();
    const tabs = window.page.getByRole("navigation", { name: "Developers" }).getByRole("link");
    expect(await tabs.allTextContents()).toEqual(["Failed requests", "Events"]);
    expect(await window.page.getByRole("link", { name: "Access" }).count()).toBe(0);
    await pay("world", "users:10");
    await window.page.getByRole("row", { name: EVENT }).waitFor();
    await window.go(`/developers/requests/${failedId}`);
    await window.page.getByText("No failed request has this id").waitFor();
    expect(await window.page.getByText("What it changed").count()).toBe(0);
  });

  test("German words are shown to a browser of that language", async () => {
    await window.close();
    window = await browser.open({ locale: "de-DE" });
    await window.go("/developers/webhooks");
    await window.page.getByRole("button", { name: "Neuer Endpunkt" }).waitFor();
    await window.page.getByRole("columnheader", { name: "Zugestellt binnen" }).waitFor();
    expect(await window.page.locator("html").getAttribute("lang")).toBe("de");
  });
});

async function addPerson(
  scopes: readonly string[],
  ledgers: readonly string[] = [],
): Promise<string> {
  const email = `${crypto.randomUUID()}@example.com`;
  const made = await server.json("/api/florin/v1/users", { body: { email, scopes, ledgers } });
  return (made as { data: { id: string } }).data.id;
}
