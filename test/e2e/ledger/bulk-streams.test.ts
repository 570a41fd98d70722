import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { sharedServer } from "#test/support/runner/shared-server.ts";

const JSON_STREAM = "application/vnd.formance.ledger.api.v2.bulk+json-stream";
const GOOD =
  '{"action":"CREATE_TRANSACTION","data":{"postings":[{"source":"world","destination":"a","amount":1,"asset":"USD"}]}}';

const server = sharedServer();

async function freshLedger(): Promise<string> {
  const name = `streams-${crypto.randomUUID().slice(0, 8)}`;
  await server.api(`/api/ledger/v2/${name}`, { method: "POST" });
  return name;
}

/** The number of transactions on the first page of a ledger. */
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

interface RawRequest {
  readonly path: string;
  readonly contentType: string;
  /** The header that declares the body's length or framing. */
  readonly length: string;
  /** The bytes after the headers, including the framing. */
  readonly content: string;
}

/** Sends a request byte for byte over its own connection. */
async function sendRaw({ path, contentType, length, content }: RawRequest): Promise<Socket> {
  const { hostname, port, host } = new URL(server.url);
  const socket = connect(Number(port), hostname);
  await once(socket, "connect");
  socket.on("error", () => undefined);
  const head = [
    `POST ${path} HTTP/1.1`,
    `Host: ${host}`,
    `Authorization: Bearer ${await server.token()}`,
    `Content-Type: ${contentType}`,
    length,
  ];
  socket.write(`${head.join("\r\n")}\r\n\r\n${content}`);
  return socket;
}

/** Begins a stream that the client never completes, and waits until the server has read the sent bytes. */
async function beginStream(ledger: string, query: string, length: "declared" | "chunked") {
  const body = GOOD + GOOD;
  const [header, content] =
    length === "declared"
      ? ["Content-Length: 100000", body]
      : ["Transfer-Encoding: chunked", `${body.length.toString(16)}\r\n${body}\r\n`];
  const path = `/api/ledger/v2/${ledger}/_bulk${query}`;
  const request = { path, contentType: JSON_STREAM, length: header, content };
  const socket = (await sendRaw(request)).resume();
  if (query === "") await expect.poll(() => countOf(ledger)).toBe(2);
  else await delay(200);
  return socket;
}

describe("a client that disconnects in the middle of a stream", () => {
  test.each(["declared", "chunked"] as const)(
    "a client that disconnects in the middle of a stream leaves what was executed: %s",
    async (length) => {
      for (const isReset of [false, true]) {
        const ledger = await freshLedger();
        const socket = await beginStream(ledger, "", length);
        if (isReset) socket.resetAndDestroy();
        else socket.end();
        await once(socket, "close");
        expect(await countOf(ledger)).toBe(2);
      }
    },
  );

  test.each(["declared", "chunked"] as const)(
    "a client that disconnects in the middle of a stream leaves nothing of an atomic bulk: %s",
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

describe("a body that breaks off", () => {
  const CHUNKED = "Transfer-Encoding: chunked";

  test.each([
    ["a size of a chunk that is no number", CHUNKED, "zz\r\n{}"],
    ["such a size after a whole document", CHUNKED, "2\r\n{}\r\nzz\r\n"],
    ["a chunk that is longer than its size", CHUNKED, "2\r\n{}{}{}\r\n0\r\n\r\n"],
    ["an end within a chunk", CHUNKED, "5\r\n{}"],
    ["an end between chunks", CHUNKED, "2\r\n{}\r\n"],
    ["an end before the declared length", "Content-Length: 100", "{}"],
  ])("a broken body answers 400, and changes nothing: %s", async (_what, length, content) => {
    const path = `/api/ledger/v2/streams-${crypto.randomUUID().slice(0, 8)}`;
    const request = { path, contentType: "application/json", length, content };
    const socket = await sendRaw(request);
    socket.end();
    const answer = await text(socket);
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer).toContain('"errorMessage":"[VALIDATION] the body broke off"');
    expect((await server.api(path)).status).toBe(404);
  });
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
