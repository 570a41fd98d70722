import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { z } from "zod";

export const ENDPOINTS = ["healthy", "forgetful", "down"] as const;
export type EndpointName = (typeof ENDPOINTS)[number];

/** A call that an endpoint got, by a clock that nobody steps. */
interface Call {
  readonly atMs: number;
  readonly isAccepted: boolean;
}

/**
 * Endpoints with their calls. The healthy one accepts everything, the forgetful one refuses the first attempt of each delivery,
 * and the one that is down refuses everything until it is told to work.
 */
export class Endpoints {
  readonly #server: Server;
  /** By endpoint and transaction. */
  readonly #calls = new Map<string, Call[]>();
  isDown = false;

  private constructor(server: Server) {
    this.#server = server;
    server.on("request", (request, response) => {
      let body = "";
      request.on("data", (chunk: Buffer) => (body += chunk.toString()));
      request.on("end", () => {
        const { id } = Event.parse(JSON.parse(body)).payload.transactions[0];
        const isAccepted = this.#take((request.url ?? "").slice(1), id);
        response.writeHead(isAccepted ? 200 : 503).end();
      });
    });
  }

  static async open(): Promise<Endpoints> {
    const server = createServer();
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return new Endpoints(server);
  }

  urlOf(name: EndpointName): string {
    const { port } = this.#server.address() as AddressInfo; // it listens on a port, not on a pipe
    return `http://127.0.0.1:${port}/${name}`;
  }

  /** Transactions that an endpoint has not accepted. */
  missing(name: EndpointName, ids: readonly number[]): number[] {
    return ids.filter((id) => !this.#callsOf(name, id).some(({ isAccepted }) => isAccepted));
  }

  /** The longest time from a transaction's commit to its first attempt, or from one of its attempts to the next. */
  longestWaitMs(name: EndpointName, committedMs: ReadonlyMap<number, number>): number {
    const waits = [...committedMs].flatMap(([id, atMs]) => {
      const times = [atMs, ...this.#callsOf(name, id).map((call) => call.atMs)];
      return times.slice(1).map((time, index) => time - (times[index] ?? time));
    });
    return Math.max(...waits);
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  #callsOf(name: string, id: number): readonly Call[] {
    return this.#calls.get(`${name} ${id}`) ?? [];
  }

  #take(name: string, id: number): boolean {
    const before = this.#callsOf(name, id);
    const isRefused =
      (name === "forgetful" && before.length === 0) || (name === "down" && this.isDown);
    const call = { atMs: performance.now(), isAccepted: !isRefused };
    this.#calls.set(`${name} ${id}`, [...before, call]);
    return call.isAccepted;
  }
}

const Event = z.object({
  payload: z.object({ transactions: z.tuple([z.object({ id: z.int() })]) }),
});
