import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";

/** An endpoint for webhooks that answers as a test says. */
export class FragileEndpoint {
  /** The status and the text of the answers. */
  answer = { status: 204, text: "" };
  /** How many requests have come. */
  count = 0;
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async open(): Promise<FragileEndpoint> {
    const server = createServer();
    const endpoint = new FragileEndpoint(server);
    server.on("request", (request, response) => {
      request.resume().on("end", () => {
        endpoint.count += 1;
        const { status, text } = endpoint.answer;
        response.writeHead(status).end(status === 204 ? undefined : text);
      });
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return endpoint;
  }

  get url(): string {
    const { port } = this.#server.address() as AddressInfo; // The server listens on TCP.
    return `http://127.0.0.1:${port}/hooks`;
  }

  async close(): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, "close");
  }
}
