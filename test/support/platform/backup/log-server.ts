import { once } from "node:events";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { LedgerEngine } from "#ledger-engine";
import { stringifyJson } from "#platform/json.ts";
import { Api } from "#scripts/lib/api.ts";

/** How the next answers fail: with a status, or cut off after some bytes. */
export type Fault = { readonly status: number } | { readonly cutAfter: number };

/** Has a server listen on a free port of loopback; returns the API that it serves. */
export async function listenAsApi(server: Server): Promise<Api> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo; // a server on TCP has such an address
  return Api.open({ url: `http://127.0.0.1:${port}`, token: async () => "token" }, []);
}

/** A server that gives a backup the log of one ledger, in answers of at most `answerEntries` entries. */
export class LogServer {
  engine: LedgerEngine;
  readonly faults: Fault[] = [];
  /** The entries after which answers began. */
  readonly begins: number[] = [];
  readonly #answerEntries: number;
  readonly #server = createServer((request, response) => {
    const url = new URL(request.url ?? "", "http://loopback");
    const range = {
      after: Number(url.searchParams.get("after")),
      to: Number(url.searchParams.get("to")),
    };
    const isLog = url.pathname.endsWith("/log");
    if (isLog) this.#answerLog(response, range);
    else response.end(stringifyJson({ data: originsOf(this.engine, range) }));
  });

  constructor(engine: LedgerEngine, answerEntries: number) {
    this.engine = engine;
    this.#answerEntries = answerEntries;
  }

  open(): Promise<Api> {
    return listenAsApi(this.#server);
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  #answerLog(response: ServerResponse, { after, to }: { after: number; to: number }): void {
    this.begins.push(after);
    const { text } = this.engine.reads.exportLogs(after, to, this.#answerEntries);
    const fault = this.faults.shift();
    if (fault === undefined) return void response.end(text);
    if ("status" in fault) {
      response.writeHead(fault.status).end('{"errorMessage":"[OVERLOADED] busy"}');
      return;
    }
    // The status is sent, and the connection breaks in the middle of the body.
    response.writeHead(200, { "content-length": Buffer.byteLength(text) });
    response.write(Buffer.from(text).subarray(0, fault.cutAfter), () => response.destroy());
  }
}

/** What the log of a ledger does not determine of the entries of a range, as an answer has it. */
export function originsOf(
  { reads }: LedgerEngine,
  { after, to }: { readonly after: number; readonly to: number },
) {
  const { authors, causes, notes, upTo } = reads.origins(after, to);
  return {
    authors: authors.map(({ from, author }) => ({ from, author: author ?? null })),
    causes,
    notes: notes.map(({ id, notes: sentences }) => ({ log: id, notes: sentences })),
    upTo,
  };
}
