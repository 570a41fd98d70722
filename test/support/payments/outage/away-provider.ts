import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import type { Outage } from "./outages.ts";
import { Provider } from "#scripts/generic-psp/provider.ts";
import { ProviderServer } from "#scripts/generic-psp/server.ts";

export const API_KEY = "key-of-the-provider";
/** The number of a provider's accounts and beneficiaries. */
export const ACCOUNTS = 3;
/** The wait before the provider tries again to get its port back, in milliseconds. */
const PORT_WAIT_MS = 50;

/** A provider of the generic contract that can be away. */
export class AwayProvider {
  readonly provider: Provider;
  readonly #outage: Outage | undefined;
  readonly #behind: ProviderServer;
  readonly #server: Server;
  readonly #port: number;
  #isAway = false;

  private constructor(
    outage: Outage | undefined,
    parts: { provider: Provider; behind: ProviderServer; server: Server; port: number },
  ) {
    this.#outage = outage;
    this.provider = parts.provider;
    this.#behind = parts.behind;
    this.#server = parts.server;
    this.#port = parts.port;
    this.#server.on("request", (request: IncomingMessage, response: ServerResponse) => {
      this.#serve(request, response).catch(() => response.destroy());
    });
  }

  /** Opens a provider. Without an outage it is never away. */
  static async open(outage: Outage | undefined, now: () => Date): Promise<AwayProvider> {
    const provider = new Provider({ seed: 1, accounts: 2, beneficiaries: 1, transactions: 5 }, now);
    const behind = await ProviderServer.start(provider, { apiKey: API_KEY });
    const server = createServer();
    await listen(server, 0);
    const { port } = server.address() as AddressInfo; // The server listens on TCP.
    return new AwayProvider(outage, { provider, behind, server, port });
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  leave(): void {
    if (this.#outage === undefined) return;
    this.#isAway = true;
    if (this.#outage.answer === undefined) this.#server.close();
    this.#server.closeAllConnections();
  }

  async comeBack(): Promise<void> {
    this.#isAway = false;
    // Another program may have the port for a moment.
    while (!this.#server.listening) {
      await listen(this.#server, this.#port).catch(() => delay(PORT_WAIT_MS));
    }
    this.#server.closeAllConnections();
  }

  async close(): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await this.#behind.stop();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const carryOut = (): Promise<Response> => this.#carryOut(request);
    if (this.#isAway && this.#outage?.answer !== undefined) {
      await this.#outage.answer(response, async () => (await carryOut()).text());
      return;
    }
    const answer = await carryOut();
    response.writeHead(answer.status, { "content-type": "application/json" });
    response.end(await answer.text());
  }

  async #carryOut(request: IncomingMessage): Promise<Response> {
    const { method = "GET", url = "/", headers } = request;
    const body = await text(request);
    return fetch(`${this.#behind.url}${url}`, {
      method,
      headers: { authorization: headers.authorization ?? "" },
      ...(method === "GET" ? {} : { body }),
    });
  }
}

async function listen(server: Server, port: number): Promise<void> {
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
}
