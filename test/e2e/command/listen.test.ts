import { afterEach, describe, expect, test } from "vitest";
import { WebhookReceiver } from "#scripts/lib/receiver.ts";
import { Listener } from "#test/support/events/listener.ts";
import { CuttingProxy } from "#test/support/events/proxy.ts";
import { freshFolder, LocalServer } from "#test/support/platform/server.ts";
import { sharedFolder, sharedServer } from "#test/support/runner/shared-server.ts";

const server = sharedServer();
const folder = sharedFolder();
const listeners: Listener[] = [];

afterEach(async () => {
  for (const listener of listeners.splice(0)) await listener.interrupt();
});

function listen(args: readonly string[], env: Readonly<Record<string, string>> = {}): Listener {
  const listener = new Listener(folder, args, env);
  listeners.push(listener);
  return listener;
}

async function freshLedger(): Promise<string> {
  const name = `listened-${crypto.randomUUID().slice(0, 8)}`;
  await server.api(`/api/ledger/v2/${name}`, { method: "POST" });
  return name;
}

/** Commits transactions with the given references. */
async function write(ledger: string, ...references: string[]): Promise<void> {
  for (const reference of references) {
    const posting = { source: "world", destination: "a", asset: "USD/2", amount: 10n ** 20n };
    const body = { reference, postings: [posting] };
    await server.json(`/api/ledger/v2/${ledger}/transactions`, { body });
  }
}

const numbered = (prefix: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}-${index}`);

/** The references of the transactions in the bodies, in their order. */
const referencesIn = (bodies: readonly string[]): (string | undefined)[] =>
  bodies.map((body) => /"reference":"([^"]+)"/.exec(body)?.[1]);

describe("npm run listen", () => {
  test("npm run listen prints a line for each event that it was asked for", async () => {
    const [ledger, other] = [await freshLedger(), await freshLedger()];
    const listener = listen(["--types", "ledger.committed_transactions", "--ledger", ledger]);
    await listener.connected();
    await write(other, "unseen");
    const metadata = `/api/ledger/v2/${ledger}/accounts/a/metadata`;
    await write(ledger, "one");
    await server.json(metadata, { body: { unseen: "yes" } });
    await write(ledger, "two");
    await listener.waitFor(() => listener.lines.length >= 2);
    expect(listener.lines).toHaveLength(2);
    for (const line of listener.lines) {
      expect(line).toMatch(
        new RegExp(`^\\S+Z  ledger\\.committed_transactions  ${ledger}  [0-9a-f-]{36}:\\d+$`),
      );
    }
    expect(await listener.interrupt()).toBe(0);
  });

  test("npm run listen prints bodies, and loses and repeats none when its connection is cut", async () => {
    const ledger = await freshLedger();
    const proxy = await CuttingProxy.open(server.url);
    try {
      const listener = listen(["--json", "--ledger", ledger, "--url", proxy.url], {
        FLORIN_CLIENT_ID: server.clientId,
        FLORIN_CLIENT_SECRET: server.clientSecret,
      });
      await listener.connected();
      const references = numbered("cut", 40);
      for (const [index, reference] of references.entries()) {
        await write(ledger, reference);
        if (index % 10 === 5) proxy.cut();
      }
      await listener.waitFor(() => listener.lines.length >= references.length);
      await listener.connected(2);
      const last = "the last";
      await write(ledger, last);
      await listener.waitFor(() => listener.lines.at(-1)?.includes(last) === true);
      expect(referencesIn(listener.lines)).toEqual([...references, last]);
      expect(listener.notes.filter((line) => line.startsWith("Events may be missing"))).toEqual([]);
      expect(listener.lines[0]).toContain(`"amount":${10n ** 20n}`);
    } finally {
      await proxy.close();
    }
  });

  test("npm run listen forwards events with valid signatures, and prints the answers", async () => {
    const ledger = await freshLedger();
    const receiver = await WebhookReceiver.open();
    try {
      const listener = listen([
        "--types",
        "ledger.*",
        "--ledger",
        ledger,
        "--forward",
        receiver.url,
      ]);
      await listener.connected();
      const [, secret = ""] = /secret (\S{32})/.exec(listener.notes.join("\n")) ?? [];
      receiver.expectSecret(secret);
      const references = numbered("forwarded", 5);
      await write(ledger, ...references);
      await listener.waitFor(
        () => listener.lines.filter((line) => line.includes("-> 204")).length >= 5,
      );
      expect(receiver.deliveries.every(({ isSigned }) => isSigned)).toBe(true);
      const received = new Set(referencesIn(receiver.deliveries.map(({ body }) => body)));
      expect(received).toEqual(new Set(references));
      expect(new Set(receiver.deliveries.map(({ id }) => id)).size).toBe(5);
    } finally {
      await receiver.close();
    }
    expect(await listeners.at(-1)?.interrupt()).toBe(0);
  });

  test("npm run listen prints why a webhook was not taken", async () => {
    const ledger = await freshLedger();
    const receiver = await WebhookReceiver.open();
    const { url } = receiver;
    await receiver.close();
    const listener = listen(["--ledger", ledger, "--forward", url]);
    await listener.connected();
    await write(ledger, "refused");
    await listener.waitFor(() => listener.lines.length >= 2);
    expect(listener.lines[1]).toContain("-> failed: ");
  });

  test("npm run listen goes on when the server was restarted, also elsewhere", async () => {
    const own = freshFolder();
    let moved = await LocalServer.start(own);
    const listener = new Listener(own, ["--json"]);
    try {
      await listener.connected();
      await moved.api("/api/ledger/v2/moved", { method: "POST" });
      const path = "/api/ledger/v2/moved/accounts/a/metadata";
      await moved.json(path, { body: { event: "before" } });
      await listener.waitFor(() => listener.lines.some((line) => line.includes("before")));
      await moved.killAll();
      moved = await LocalServer.start(own);
      await moved.json(path, { body: { event: "meanwhile" } });
      await listener.connected(2);
      await moved.json(path, { body: { event: "after" } });
      await listener.waitFor(() => listener.lines.some((line) => line.includes("after")));
      const events = listener.lines.map((line) => /"event":"(\w+)"/.exec(line)?.[1]);
      expect(events).toEqual(["before", "meanwhile", "after"]);
    } finally {
      await listener.interrupt();
      await moved.killAll();
    }
  });

  test.each([
    [["--types", "ledger"], '"ledger" is no type'],
    [["--forward", "nowhere"], "Usage: npm run listen"],
  ])("npm run listen ends with a sentence where told nonsense: %j", async (args, sentence) => {
    const listener = listen(args);
    expect(await listener.ended()).toBe(1);
    expect(listener.notes.join("\n")).toContain(sentence);
  });
});
