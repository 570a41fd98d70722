import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { z } from "zod";

export const ENDPOINTS = ["healthy", "forgetful", "down"] as const;
export type EndpointName = (typeof ENDPOINTS)[number];

/** A call that an endpoint got, with its time by a clock that is not stepped. */
interface Call {
  readonly atMs: number;
  readonly isAccepted: boolean;
}

/**
 * Endpoints that record their calls. The healthy one accepts all calls, the forgetful one refuses the first attempt of each
 * delivery, and the third one refuses all calls while it is down.
 */
export class Endpoints {
  readonly #server: Server;
  /** The calls of each endpoint and transaction. */
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
    const { port } = this.#server.address() as AddressInfo; // a server that listens on a port
    return `http://127.0.0.1:${port}/${name}`;
  }

  /** The transactions that an endpoint has not accepted yet. */
  missing(name: EndpointName, ids: readonly number[]): number[] {
    return ids.filter((id) => !this.#callsOf(name, id).some(({ isAccepted }) => isAccepted));
  }

  /** The longest time from a transaction's commit to its first attempt, or from an attempt to the next one. */
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
