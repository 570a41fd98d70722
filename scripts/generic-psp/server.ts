import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Fault, FaultPlan } from "./faults.ts";
import type { Movement } from "./objects.ts";
import { type Provider, Refusal } from "./provider.ts";
import { MovementRequest } from "./requests.ts";
import {
  toAccountJson,
  toBalancesJson,
  toBeneficiaryJson,
  toMovementJson,
  toTransactionJson,
} from "./wire.ts";

/** Largest page, and largest body in bytes. */
const PAGE_SIZE_MAX = 1000;
const BODY_BYTES_MAX = 65_536;

interface ServerOptions {
  readonly apiKey: string;
  readonly faults?: FaultPlan;
  /** The port; 0 for any free port. */
  readonly port?: number;
}

interface Answer {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The contract of the generic connector over HTTP, on loopback. */
export class ProviderServer {
  readonly #provider: Provider;
  readonly #options: ServerOptions;
  readonly #server: Server;

  private constructor(provider: Provider, options: ServerOptions) {
    this.#provider = provider;
    this.#options = options;
    this.#server = createServer((request, response) => void this.#serve(request, response));
  }

  static async start(provider: Provider, options: ServerOptions): Promise<ProviderServer> {
    const server = new ProviderServer(provider, options);
    await new Promise<void>((resolve, reject) => {
      server.#server.once("error", reject);
      server.#server.listen(options.port ?? 0, "127.0.0.1", resolve);
    });
    return server;
  }

  get url(): string {
    const { port } = this.#server.address() as AddressInfo; // The server listens on TCP.
    return `http://127.0.0.1:${port}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const fault = this.#options.faults?.next();
      if (fault === "fail") return send(response, problem(500, "Internal", "a fault"));
      if (fault === "refuse-for-a-second") {
        const refusal = problem(429, "Too many requests", "try again in a second");
        return send(response, { ...refusal, headers: { "retry-after": "1" } });
      }
      const answer = this.#answer(request, await readBody(request), fault);
      if (fault === "hang") return;
      if (fault === "fail-late") return send(response, problem(502, "Bad gateway", "a fault"));
      send(response, answer, fault === "break-json");
    } catch (error) {
      const isRefusal = error instanceof Refusal;
      const text = error instanceof Error ? error.message : String(error);
      send(response, problem(isRefusal ? error.status : 500, "Refused", text));
    }
  }

  #answer(request: IncomingMessage, body: string, fault: Fault | undefined): Answer {
    if (request.headers.authorization !== `Bearer ${this.#options.apiKey}`) {
      return problem(401, "Unauthorized", "the API key is not the one of this provider");
    }
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://provider");
    const route = `${request.method} ${pathname}`;
    const { accounts, beneficiaries, transactions } = this.#provider;
    const page = { params: searchParams, fault };
    if (route === "GET /accounts") {
      return this.#page(
        accounts,
        { ...page, dateOf: createdAt, from: "createdAtFrom" },
        toAccountJson,
      );
    }
    if (route === "GET /beneficiaries") {
      const list = { ...page, dateOf: createdAt, from: "createdAtFrom" };
      return this.#page(beneficiaries, list, toBeneficiaryJson);
    }
    if (route === "GET /transactions") {
      const dateOf = (item: { updatedAt: Date }): Date => item.updatedAt;
      return this.#page(
        transactions,
        { ...page, dateOf, from: "updatedAtFrom" },
        toTransactionJson,
      );
    }
    if (route === "POST /payouts") return this.#move("PAYOUT", body);
    if (route === "POST /transfers") return this.#move("TRANSFER", body);
    const key = /^\/movements\/([^/]+)$/.exec(pathname)?.[1];
    const movement =
      key === undefined ? undefined : this.#provider.movement(decodeURIComponent(key));
    if (request.method === "GET" && movement !== undefined) {
      return { status: 200, body: toMovementJson(movement) };
    }
    const account = this.#provider.account(
      /^\/accounts\/([^/]+)\/balances$/.exec(pathname)?.[1] ?? "",
    );
    return request.method === "GET" && account !== undefined
      ? { status: 200, body: toBalancesJson(account, new Date()) }
      : problem(404, "Not found", `there is no ${route}`);
  }

  /** A page of items in the order of their dates, from a date on (inclusive). */
  #page<Item>(
    items: readonly Item[],
    list: {
      params: URLSearchParams;
      fault: Fault | undefined;
      dateOf: (item: Item) => Date;
      from: string;
    },
    toJson: (item: Item) => object,
  ): Answer {
    const { params, fault, dateOf } = list;
    const size = Math.min(Number(params.get("pageSize") ?? "100"), PAGE_SIZE_MAX);
    const number = Number(params.get("page") ?? "1") - (fault === "repeat-page" ? 1 : 0);
    const from = Date.parse(params.get(list.from) ?? "0001-01-01T00:00:00Z");
    if (!Number.isInteger(size) || size < 1 || Number.isNaN(number) || Number.isNaN(from)) {
      return problem(400, "Bad request", "page, pageSize or the date is not valid");
    }
    const wanted = items
      .filter((item) => dateOf(item).getTime() >= from)
      .toSorted((a, b) => dateOf(a).getTime() - dateOf(b).getTime());
    const place = Math.max(0, number - 1) * size;
    const page = wanted.slice(place, place + size).map(toJson);
    const { faults } = this.#options;
    const isShuffled = fault === "shuffle-page" && faults !== undefined;
    return { status: 200, body: isShuffled ? faults.shuffle(page) : page };
  }

  #move(type: Movement["type"], body: string): Answer {
    const parsed = MovementRequest.safeParse(parse(body));
    if (!parsed.success) {
      const [issue] = parsed.error.issues;
      return problem(400, "Bad request", `${issue?.path.join(".")}: ${issue?.message}`);
    }
    return { status: 200, body: toMovementJson(this.#provider.move(type, parsed.data)) };
  }
}

const createdAt = (item: { createdAt: Date }): Date => item.createdAt;

const problem = (status: number, title: string, detail: string): Answer => ({
  status,
  body: { title, detail },
});

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function send(response: ServerResponse, { status, body, headers }: Answer, isBroken = false): void {
  const text = JSON.stringify(body);
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(isBroken ? text.slice(0, Math.floor(text.length / 2)) : text);
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > BODY_BYTES_MAX) throw new Refusal(400, "the body is too large");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}
