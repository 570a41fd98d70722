import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ConsoleBrowser, type ConsoleWindow } from "#test/support/console/console-browser.ts";
import { freshFolder, LocalServer } from "#test/support/platform/server.ts";

const LEDGER = "books";
const HOSTILE = "<img src=x onerror=alert(1)>\u202egnp.exe";
const SHOWN = String.raw`<img src=x onerror=alert(1)>\u202egnp.exe`;
const V2 = "/api/orchestration/v2";

let server: LocalServer;
let browser: ConsoleBrowser;
let window: ConsoleWindow;
let settle: string;
let hostile: string;

const idOf = (answer: unknown): string => (answer as { data: { id: string } }).data.id; // Answers of creations have this shape.

const account = (id: string) => ({ account: { id, ledger: LEDGER } });

const newWorkflow = async (name: string, stages: readonly unknown[]): Promise<string> =>
  idOf(await server.json(`${V2}/workflows`, { body: { name, stages } }));

const start = async (workflow: string, variables: Readonly<Record<string, string>>) =>
  idOf(await server.json(`${V2}/workflows/${workflow}/instances`, { body: variables }));

beforeAll(async () => {
  server = await LocalServer.start(freshFolder());
  await server.json(`/api/ledger/v2/${LEDGER}`, { body: {} });
  settle = await newWorkflow("settle-order", [
    {
      send: {
        source: account("world"),
        destination: account("orders:${order}"),
        amount: { amount: "${amount}", asset: "EUR/2" },
      },
    },
    { wait_event: { event: "order.${order}.shipped" } },
  ]);
  hostile = await newWorkflow(HOSTILE, [{ wait_event: { event: HOSTILE } }]);
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

describe("a workflow", () => {
  test("a workflow is a diagram and the list of its stages, without a word against the page's policy", async () => {
    await window.go(`/workflows/${settle}`);
    const { page } = window;
    await page.getByRole("img", { name: /^The stages as a diagram/ }).waitFor();
    await page.locator(".react-flow__node").first().waitFor();
    expect(await page.locator(".react-flow__node").count()).toBe(4);
    const stages = page.getByRole("list", { name: "Stages" }).getByRole("listitem");
    expect(await stages.count()).toBe(2);
    await stages.filter({ hasText: "Send ${amount} EUR/2" }).waitFor();
    expect(window.complaints).toEqual([]);
  });

  test("a definition that does not fit is refused with the line of the problem, and is made once it does", async () => {
    await window.go("/workflows");
    const { page } = window;
    await page.getByRole("button", { name: "New workflow" }).first().click();
    const text = page.getByRole("textbox", { name: "Definition" });
    await page.locator(".cm-content").waitFor();
    const write = async (definition: string): Promise<void> => {
      await text.focus();
      for (const key of ["ControlOrMeta+A", "Delete"]) await page.keyboard.press(key);
      await page.keyboard.insertText(definition);
    };
    await write("{name: pause, stages: [{delay: {duration: soon}}]}");
    await page.getByRole("button", { name: "Create" }).click();
    await page.getByText("The problem is at line 1, column 43.").waitFor();
    await page.locator(".cm-lintRange-error").waitFor();
    await text.focus();
    await page.keyboard.press("Escape");
    await write("{name: pause, stages: [{delay: {duration: 1h}}]}");
    await page.getByRole("button", { name: "Create" }).click();
    await page.getByRole("heading", { level: 1, name: "pause" }).waitFor();
    await page.getByRole("list", { name: "Stages" }).getByText("Wait 1h").waitFor();
    expect(window.complaints).toHaveLength(1); // Chromium tells of the refusal.
  });
});

describe("an instance", () => {
  test("an instance is started with its variables, followed live, and done after its event, by keys alone", async () => {
    await window.go(`/workflows/${settle}`);
    const { page } = window;
    const press = async (button: string): Promise<void> => {
      await page.getByRole("button", { name: button, exact: true }).last().focus();
      await page.keyboard.press("Enter");
    };
    await press("Start");
    await page.getByRole("dialog").waitFor();
    await page.getByRole("textbox", { name: "amount" }).focus();
    await page.keyboard.type("1250");
    await page.getByRole("textbox", { name: "order" }).focus();
    await page.keyboard.type("7");
    await page.keyboard.press("Enter");
    await page.getByText("It waits for the event “order.7.shipped”").waitFor();
    const course = page.getByRole("list", { name: "Stages and activities over time" });
    await course.getByText("1. Send €12.50").waitFor();
    await page
      .getByRole("link", { name: `Transaction 1 in ${LEDGER}` })
      .first()
      .waitFor();
    await page.getByText("Live", { exact: true }).waitFor();
    await press("Send event");
    await page.getByRole("textbox", { name: "Name of the event" }).focus();
    await page.keyboard.press("Enter");
    await page.getByText("All stages are done").waitFor();
    await page.getByText("Live", { exact: true }).waitFor({ state: "detached" });
    expect(await page.getByRole("button", { name: "Abort" }).count()).toBe(0);
    expect(window.complaints).toEqual([]);
  });

  test("what another client does to an instance appears without a reload", async () => {
    const id = await start(settle, { order: "8", amount: "100" });
    await window.go(`/workflows/instances/${id}`);
    await window.page.getByText("It waits for the event “order.8.shipped”").waitFor();
    await server.json(`${V2}/instances/${id}/events`, { body: { name: "order.8.shipped" } });
    await window.page.getByText("All stages are done").waitFor();
    expect(window.complaints).toEqual([]);
  });

  test("an aborted instance says so, and is in the list of those that failed", async () => {
    const id = await start(settle, { order: "9", amount: "100" });
    await window.go(`/workflows/instances/${id}`);
    const { page } = window;
    await page.getByRole("button", { name: "Abort" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Abort" }).click();
    await page.getByText("It was aborted.").waitFor();
    await window.go(`/workflows/instances?status=failed&workflow=${settle}`);
    await page.getByText("1 shown, no more").waitFor();
    await page.getByRole("row", { name: "It was aborted." }).waitFor();
    expect(window.complaints).toEqual([]);
  });

  test("an instance that has failed goes on from there once the cause is mended", async () => {
    const id = idOf(
      await server.json(`${V2}/workflows`, {
        body: {
          name: "late-wallet",
          stages: [
            {
              send: {
                source: account("world"),
                destination: { wallet: { name: "late" } },
                amount: { amount: "100", asset: "EUR/2" },
              },
            },
          ],
        },
      }),
    );
    const instance = await start(id, {});
    await window.go(`/workflows/instances/${instance}`);
    const { page } = window;
    await page.getByText("Why it failed").waitFor();
    await server.json("/api/wallets/wallets", { body: { name: "late" } });
    await page.getByRole("button", { name: "Retry" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Retry" }).click();
    await page.getByText("All stages are done").waitFor();
    await page.getByRole("link", { name: "Wallet late" }).first().click();
    await page.getByRole("heading", { level: 1, name: "late" }).waitFor();
    await page.getByTitle("100 EUR/2").first().waitFor();
    expect(window.complaints).toEqual([]);
  });

  test("names of workflows and events are shown as they are", async () => {
    const id = await start(hostile, {});
    await window.go(`/workflows/instances/${id}`);
    await window.page.getByText(`It waits for the event “\u2068${SHOWN}\u2069”`).waitFor();
    await window.page.getByRole("link", { name: SHOWN }).waitFor();
    expect(await window.page.locator("img[src=x]").count()).toBe(0);
    expect(window.complaints).toEqual([]);
  });
});

describe("a trigger", () => {
  test("a trigger is made, tried on a past event, and shows what it fired for", async () => {
    await server.json(`/api/ledger/v2/${LEDGER}/transactions`, {
      body: {
        reference: "order-77",
        metadata: { order: "77" },
        postings: [{ source: "world", destination: "shop", amount: 5, asset: "EUR/2" }],
      },
    });
    await window.go("/workflows/triggers");
    const { page } = window;
    await page.getByRole("button", { name: "New trigger" }).first().click();
    const form = page.getByRole("dialog");
    await form.getByRole("textbox", { name: "Name" }).fill("paid orders");
    const filter = form.getByRole("textbox", { name: "Only if" });
    await filter.fill("event.ledger ==");
    await form.getByLabel("Workflow to start").selectOption(settle);
    await form.getByRole("textbox", { name: "order" }).fill("event.transactions[0].metadata.order");
    await form.getByRole("textbox", { name: "amount" }).fill('"100"');
    await form.getByRole("button", { name: "Create" }).click();
    await form.getByRole("alert").getByText("unexpected token").waitFor();
    await filter.fill(
      `event.ledger == "${LEDGER}" and event.transactions[0].reference startsWith "order-"`,
    );
    await form.getByRole("button", { name: "Create" }).click();
    await page.getByRole("heading", { level: 1, name: "paid orders" }).waitFor();
    await page.getByRole("radio", { name: "A ledger's transactions" }).click();
    await page.getByRole("button", { name: "order-77" }).click();
    await page.getByText("The filter lets it through").waitFor();
    await page.getByRole("status").getByText("77", { exact: true }).waitFor();
    await server.json(`/api/ledger/v2/${LEDGER}/transactions`, {
      body: {
        reference: "order-78",
        metadata: { order: "78" },
        postings: [{ source: "world", destination: "shop", amount: 5, asset: "EUR/2" }],
      },
    });
    await expect
      .poll(
        async () => {
          await page.reload();
          await page.getByRole("heading", { name: "What it fired for" }).waitFor();
          await page.waitForLoadState("networkidle");
          return page.getByText("Started an instance").count();
        },
        { timeout: 60_000 },
      )
      .toBe(1);
    await page.getByRole("link", { name: /^Started an instance/ }).click();
    await page.getByText("It waits for the event “order.78.shipped”").waitFor();
    expect(window.complaints).toHaveLength(1); // Chromium tells of the refusal.
  });
});

describe("every page", () => {
  test("axe finds nothing serious in either scheme", async () => {
    const id = await start(settle, { order: "10", amount: "100" });
    const pages = [
      "/workflows",
      `/workflows/${settle}`,
      "/workflows/instances?status=waiting",
      "/workflows/triggers",
      `/workflows/instances/${id}?stage=0`,
    ];
    expect(await window.findingsOn(pages)).toEqual({});
    expect(window.complaints).toEqual([]);
  });

  test("German words are shown to a browser of that language", async () => {
    await window.close();
    window = await browser.open({ locale: "de-DE" });
    await window.go("/workflows/instances");
    await window.page
      .getByRole("row", { name: /Wartet/ })
      .first()
      .waitFor();
    await window.go(`/workflows/${settle}`);
    await window.page.getByRole("heading", { name: "Stufen" }).waitFor();
    expect(window.complaints).toEqual([]);
  });
});
