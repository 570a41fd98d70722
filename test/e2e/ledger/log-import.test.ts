import { once } from "node:events";
import { connect } from "node:net";
import { describe, expect, test } from "vitest";
import { sharedServer } from "#test/support/runner/shared-server.ts";

const server = sharedServer();

async function freshLedger(): Promise<string> {
  const name = `logs-${crypto.randomUUID().slice(0, 8)}`;
  await server.api(`/api/ledger/v2/${name}`, { method: "POST" });
  return name;
}

/** Creates a ledger with `count` transactions. */
async function filledLedger(count: number): Promise<string> {
  const name = await freshLedger();
  for (let done = 0; done < count; done += 1000) {
    const body = Array.from({ length: Math.min(1000, count - done) }, (_, index) => ({
      action: "CREATE_TRANSACTION",
      data: {
        postings: [
          { source: "world", destination: `users:${index % 50}`, amount: index, asset: "USD" },
        ],
      },
    }));
    await server.json(`/api/ledger/v2/${name}/_bulk`, { body });
  }
  return name;
}

async function exportLogs(ledger: string): Promise<string> {
  const response = await server.api(`/api/ledger/v2/${ledger}/logs/export`, { method: "POST" });
  expect(response.headers.get("content-type")).toBe("application/octet-stream");
  return response.text();
}

/** Imports a body of undeclared length, as `curl -T -` does. */
async function importLogs(ledger: string, body: AsyncIterable<Uint8Array>): Promise<Response> {
  const init = {
    method: "POST",
    headers: { authorization: `Bearer ${await server.token()}` },
    body,
    duplex: "half",
  };
  const url = `${server.url}/api/ledger/v2/${ledger}/logs/import`;
  return fetch(url, init as unknown as RequestInit); // Node accepts an option that the type of Workers lacks
}

async function* chunksOf(text: string, size: number): AsyncGenerator<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

/** The number of log entries on the first page of a ledger. */
async function countOf(ledger: string): Promise<number> {
  const { cursor } = (await server.json(`/api/ledger/v2/${ledger}/logs`)) as {
    cursor: { data: unknown[] };
  };
  return cursor.data.length;
}

/** Begins an import over its own connection, which the client never completes. */
async function beginImport(ledger: string, body: string, length: "declared" | "chunked") {
  const { hostname, port, host } = new URL(server.url);
  const socket = connect(Number(port), hostname);
  await once(socket, "connect");
  socket.on("error", () => undefined);
  socket.resume();
  const size = Buffer.byteLength(body);
  const [header, content] =
    length === "declared"
      ? [`Content-Length: ${size + 100}`, body]
      : ["Transfer-Encoding: chunked", `${size.toString(16)}\r\n${body}\r\n`];
  const head = [
    `POST /api/ledger/v2/${ledger}/logs/import HTTP/1.1`,
    `Host: ${host}`,
    `Authorization: Bearer ${await server.token()}`,
    header,
  ];
  socket.write(`${head.join("\r\n")}\r\n\r\n${content}`);
  return socket;
}

describe("over a socket", () => {
  test("a log goes out and in over a socket, page by page", async () => {
    const [ledger, copy] = [await filledLedger(5000), await freshLedger()];
    const log = await exportLogs(ledger);
    expect(log.split("\n")).toHaveLength(5001);
    const response = await importLogs(copy, chunksOf(log, 10_000));
    expect([response.status, await response.text()]).toEqual([204, ""]);
    expect(await exportLogs(copy)).toBe(log);
    const stats = (name: string) => server.json(`/api/ledger/v2/${name}/stats`);
    expect(await stats(copy)).toEqual(await stats(ledger));
  });

  test.each(["declared", "chunked"] as const)(
    "entries are kept that were complete when the client disconnected: %s",
    async (length) => {
      const log = await exportLogs(await filledLedger(5));
      const [first = "", second = "", third = ""] = log.split("\n");
      for (const isReset of [false, true]) {
        const ledger = await freshLedger();
        const half = `${first}\n${second}\n${third.slice(0, 200)}`;
        const socket = await beginImport(ledger, half, length);
        await expect.poll(() => countOf(ledger)).toBe(2);
        if (isReset) socket.resetAndDestroy();
        else socket.end();
        await once(socket, "close");
        expect(await countOf(ledger)).toBe(2);
        const rest = log.split("\n").slice(2).join("\n");
        // The server refuses another import until it has noticed that the client is gone.
        const importRest = async () => (await importLogs(ledger, chunksOf(rest, 1000))).status;
        await expect.poll(importRest).toBe(204);
        expect(await exportLogs(ledger)).toBe(log);
      }
    },
  );

  test("a client that sends much more than is read gets its answer", async () => {
    const [used, fresh] = [await filledLedger(1), await freshLedger()];
    const log = await exportLogs(used);
    const cases = [
      [used, log.repeat(10_000), "IMPORT"],
      [fresh, `${log}oops${"x".repeat(20_000_000)}`, "VALIDATION"],
      [fresh, log.repeat(10_000), "IMPORT"],
      ["nobody", log.repeat(10_000), "LEDGER_NOT_FOUND"],
    ] as const;
    for (const [ledger, body, code] of cases) {
      const response = await importLogs(ledger, chunksOf(body, 65_536));
      expect(await response.json()).toMatchObject({ errorCode: code });
    }
    expect(await countOf(fresh)).toBe(1);
  });

  test("a client that stops reading an export holds nobody up", async () => {
    const ledger = await filledLedger(3000);
    const response = await server.api(`/api/ledger/v2/${ledger}/logs/export`, { method: "POST" });
    const reader = response.body?.getReader();
    await reader?.read();
    expect(await countOf(ledger)).toBe(15);
    await reader?.cancel();
    expect((await exportLogs(ledger)).split("\n")).toHaveLength(3001);
  });

  test("an export whose client goes away makes room for another one", async () => {
    const ledger = await freshLedger();
    // The export is larger than the buffers of sockets, so that an unread export stays under way.
    const body = { k: "x".repeat(60_000) };
    for (let count = 0; count < 400; count++) {
      await server.api(`/api/ledger/v2/${ledger}/accounts/a/metadata`, { body });
    }
    const begin = () => server.api(`/api/ledger/v2/${ledger}/logs/export`, { method: "POST" });
    const answers = await Promise.all(Array.from({ length: 10 }, begin));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    const refused = await begin();
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "1"]);
    await answers[0]?.body?.cancel();
    await expect
      .poll(async () => {
        const { status, body: text } = await begin();
        await text?.cancel();
        return status;
      })
      .toBe(200);
    for (const answer of answers.slice(1)) await answer.body?.cancel();
  });
});
