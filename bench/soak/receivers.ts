import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { z } from "zod";
import type { BenchApi } from "#bench/api.ts";

const ENDPOINTS = 5;

/** Healthy webhook endpoints for every transaction, in this process. */
export class Receivers {
  readonly #server: Server;
  #received = 0;

  private constructor(server: Server) {
    this.#server = server;
    server.on("request", (request, response) => {
      request.resume().on("end", () => {
        this.#received++;
        response.end();
      });
    });
  }

  static async open(api: BenchApi): Promise<Receivers> {
    const server = createServer();
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo; // The server listens on TCP.
    const receivers = new Receivers(server);
    for (let number = 1; number <= ENDPOINTS; number++) {
      const config = {
        endpoint: `http://127.0.0.1:${port}/${number}`,
        eventTypes: ["ledger.committed_transactions"],
      };
      Created.parse(await api.send("POST", "/api/webhooks/configs", JSON.stringify(config)));
    }
    return receivers;
  }

  /** The number of calls that all endpoints together have answered. */
  get received(): number {
    return this.#received;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}

const Created = z.object({ data: z.object({ active: z.literal(true) }) });
