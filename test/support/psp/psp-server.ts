import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { FakePsp } from "./fake-psp.ts";
import type { Sent } from "#test/support/payments/conformance/subject.ts";

/** A fake provider on a port of loopback, for servers in processes of their own. */
export class PspServer {
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  /** Opens a server that answers as the fake does at its usual origin. */
  static async open(fake: FakePsp, origin: string): Promise<PspServer> {
    const server = createServer((request, response) => {
      void answer(fake, origin, request)
        .then((answered) => send(answered, response))
        // A lost answer ends the connection.
        .catch(() => response.destroy());
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return new PspServer(server);
  }

  get url(): string {
    const { port } = this.#server.address() as AddressInfo; // a server that listens on a port
    return `http://127.0.0.1:${port}`;
  }

  async close(): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, "close");
  }
}

async function answer(fake: FakePsp, origin: string, request: IncomingMessage): Promise<Response> {
  const { method = "GET", url = "/", headers } = request;
  const body = await text(request);
  return fake.fetch(`${origin}${url}`, {
    method,
    headers: Object.entries(headers).map(([name, value]) => [name, String(value)]),
    ...(body === "" ? {} : { body }),
  });
}

async function send(answered: Response, response: ServerResponse): Promise<void> {
  response.writeHead(answered.status, Object.fromEntries(answered.headers));
  response.end(await answered.text());
}

/** Sends a provider's delivery to the URL that was registered for it; returns the status of the answer. */
export async function deliver(url: string, { headers, body }: Sent): Promise<number> {
  const response = await fetch(url, { method: "POST", headers, body });
  await response.arrayBuffer();
  return response.status;
}
