import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { freshFolder, LocalServer } from "#test/support/server.ts";

const JSON_STREAM = "application/vnd.formance.ledger.api.v2.bulk+json-stream";
const GOOD =
  '{"action":"CREATE_TRANSACTION","data":{"postings":[{"source":"world","destination":"a","amount":1,"asset":"USD"}]}}';

let server: LocalServer;
beforeAll(async () => {
  server = await LocalServer.start(freshFolder());
});
afterAll(() => server.stop());

async function freshLedger(): Promise<string> {
  const name = `streams-${crypto.randomUUID().slice(0, 8)}`;
  await server.api(`/api/ledger/v2/${name}`, { method: "POST" });
  return name;
}

/** How many transactions a ledger has, of the first few. */
async function countOf(ledger: string): Promise<number> {
  const { cursor } = (await server.json(`/api/ledger/v2/${ledger}/transactions`)) as {
    cursor: { data: unknown[] };
  };
  return cursor.data.length;
}

async function stream(ledger: string, body: string, query = "") {
  const response = await fetch(`${server.url}/api/ledger/v2/${ledger}/_bulk${query}`, {
    method: "POST",
    headers: { authorization: `Bearer ${await server.token()}`, "content-type": JSON_STREAM },
    body,
  });
  return { status: response.status, body: await response.json<{ errorCode: string }>() };
}

/** Begins a stream over a connection of its own, of which the client never sends all, and waits until it is read. */
async function beginStream(ledger: string, query: string, length: "declared" | "chunked") {
  const { hostname, port, host } = new URL(server.url);
  const socket = connect(Number(port), hostname);
  await once(socket, "connect");
  socket.on("error", () => undefined);
  socket.resume();
  const body = GOOD + GOOD;
  const [header, content] =
    length === "declared"
      ? ["Content-Length: 100000", body]
      : ["Transfer-Encoding: chunked", `${body.length.toString(16)}\r\n${body}\r\n`];
  const head = [
    `POST /api/ledger/v2/${ledger}/_bulk${query} HTTP/1.1`,
    `Host: ${host}`,
    `Authorization: Bearer ${await server.token()}`,
    `Content-Type: ${JSON_STREAM}`,
    header,
  ];
  socket.write(`${head.join("\r\n")}\r\n\r\n${content}`);
  if (query === "") await expect.poll(() => countOf(ledger)).toBe(2);
  else await delay(200);
  return socket;
}

describe("a client that goes in the middle of a stream", () => {
  test.each(["declared", "chunked"] as const)("leaves what was executed: %s", async (length) => {
    for (const isReset of [false, true]) {
      const ledger = await freshLedger();
      const socket = await beginStream(ledger, "", length);
      if (isReset) socket.resetAndDestroy();
      else socket.end();
      await once(socket, "close");
      expect(await countOf(ledger)).toBe(2);
    }
  });

  test.each(["declared", "chunked"] as const)(
    "leaves nothing of an atomic one: %s",
    async (length) => {
      for (const isReset of [false, true]) {
        const ledger = await freshLedger();
        const socket = await beginStream(ledger, "?atomic=true", length);
        if (isReset) socket.resetAndDestroy();
        else socket.end();
        await once(socket, "close");
        await delay(200);
        expect(await countOf(ledger)).toBe(0);
      }
    },
  );
});

test("a client that sends much more than is read gets its answer", async () => {
  const ledger = await freshLedger();
  const rest = "x".repeat(20_000_000);
  for (const query of ["", "?atomic=true"]) {
    const { status, body } = await stream(ledger, `${GOOD}oops${rest}`, query);
    expect([status, body.errorCode]).toEqual([400, "VALIDATION"]);
  }
  expect(await countOf(ledger)).toBe(1);
});
