import { afterAll, beforeAll, expect, test } from "vitest";
import { StreamListener } from "#test/support/ledger/stream-listeners.ts";
import { eventually } from "#test/support/platform/eventually.ts";
import { freshFolder, LocalServer } from "#test/support/platform/server.ts";

const folder = freshFolder();
let server: LocalServer;
let target: { url: string; token: string };
const listeners: StreamListener[] = [];

async function start(): Promise<void> {
  server = await LocalServer.start(folder);
  target = { url: server.url, token: await server.token() };
}

beforeAll(start);
afterAll(async () => {
  for (const listener of listeners) listener.stop();
  await server.killAll();
});

async function freshLedger(): Promise<string> {
  const name = `streamed-${crypto.randomUUID().slice(0, 8)}`;
  await server.api(`/api/ledger/v2/${name}`, { method: "POST" });
  return name;
}

/** Commits a transaction to each account. */
async function write(ledger: string, ...accounts: string[]): Promise<void> {
  for (const destination of accounts) {
    const posting = { source: "world", destination, asset: "USD/2", amount: 10n ** 20n };
    await server.json(`/api/ledger/v2/${ledger}/transactions`, { body: { postings: [posting] } });
  }
}

async function listen(ledger: string, query: string): Promise<StreamListener> {
  const path = `/api/florin/v1/ledgers/${ledger}/stream?${query}`;
  const listener = new StreamListener(path, () => target);
  listeners.push(listener);
  void listener.run();
  await listener.connected;
  return listener;
}

test("streams of one ledger go on when the one that listens to its object leaves, one after another", async () => {
  const ledger = await freshLedger();
  const streams: StreamListener[] = [];
  for (let count = 0; count < 5; count++) streams.push(await listen(ledger, "events=entry"));
  for (const [index, leaving] of streams.entries()) {
    await write(ledger, "a");
    const ids = Array.from({ length: index + 1 }, (_, at) => at + 1);
    for (const open of streams.slice(index)) {
      await eventually(() => expect(open.ids).toEqual(ids));
    }
    leaving.stop();
  }
});

test("streams of accounts get what concerns them, and lose and repeat nothing when the server is killed", async () => {
  const ledger = await freshLedger();
  const one = await listen(ledger, "accounts=users:1:*&events=entry,balances");
  const two = await listen(ledger, "accounts=users:2:...");
  const all = await listen(ledger, "");
  await write(ledger, "users:1:main", "users:2", "users:2:main", "users:1:main");
  await eventually(() => expect(all.ids).toEqual([1, 2, 3, 4]));
  await server.killAll();
  await start();
  await write(ledger, "users:2:main", "users:1:main", "users:3:main");
  await eventually(() => expect(all.ids).toEqual([1, 2, 3, 4, 5, 6, 7]));
  await eventually(() => expect(one.ids).toEqual([1, 4, 6]));
  await eventually(() => expect(two.ids).toEqual([2, 3, 5]));
  expect(one.balances.get("users:1:main")).toBe(`${3n * 10n ** 20n}`);
  expect([one.others, two.others, all.others]).toEqual([[], [], []]);
});

test("all streams of a ledger end when it is deleted", async () => {
  const ledger = `streamed-${crypto.randomUUID().slice(0, 8)}`;
  await server.api(`/api/ledger/v2/${ledger}`, { body: { bucket: ledger } });
  const streams = [await listen(ledger, ""), await listen(ledger, "accounts=a")];
  await write(ledger, "b");
  await server.api(`/api/ledger/v2/_/buckets/${ledger}`, { method: "DELETE" });
  for (const { others } of streams) await eventually(() => expect(others).toEqual(["end"]));
});
