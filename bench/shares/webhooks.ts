import { createHmac } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import type { Share } from "./share.ts";
import { median } from "#bench/against/comparison.ts";
import type { BenchApi } from "#bench/api.ts";
import { ACCOUNTS, fill } from "#bench/cases.ts";
import type { Load, LoadJob } from "#bench/load/job.ts";
import type { LoadGenerator } from "#bench/load/load-generator.ts";

/**
 * Names of the cases: deliveries to one healthy endpoint, while a ledger writes as fast as it can, and from a backlog while the ledger
 * rests.
 */
export const WEBHOOK_SHARE_NAMES = ["share-webhook-saturated", "share-webhook-backlog"] as const;
type WebhookShareName = (typeof WEBHOOK_SHARE_NAMES)[number];

const TARGETS: Readonly<Record<WebhookShareName, number>> = {
  "share-webhook-saturated": 0.1,
  "share-webhook-backlog": 0.4,
};

const LEDGER = "delivered";
const CLIENTS = 8;
const LOAD: Load = { kind: "bulk", ledger: LEDGER, accounts: ACCOUNTS, size: 50 };
/** The ceiling: an empty request. */
const CEILING: Load = { kind: "post", path: "/api/request/bench", body: "{}" };
const CEILING_CLIENTS = 64;
const CEILING_MS = 1000;
const ROUNDS = 5;
const SATURATED_MS = 4000;
/** Wait after the load, in milliseconds: calls that are still under way do not count for the backlog. */
const SETTLING_MS = 500;
const BACKLOG_MS = 2000;

export interface WebhookShareTools {
  readonly api: BenchApi;
  readonly ceilings: BenchApi;
  readonly generator: LoadGenerator;
}

/**
 * Measures both cases in turns with empty requests. Bulks saturate the ledger, which leaves a backlog, whose rest is cancelled before the
 * empty requests. Throws if a delivery is not signed by Standard Webhooks.
 */
export async function measureWebhookShares(tools: WebhookShareTools): Promise<Share[]> {
  const { api } = tools;
  await api.createLedger(LEDGER);
  await fill(LEDGER, ACCOUNTS, api); // The load then finds every account.
  const endpoint = await VerifyingEndpoint.open();
  try {
    const config = { endpoint: endpoint.url, eventTypes: ["ledger.committed_transactions"] };
    const created = await api.send("POST", "/api/webhooks/configs", JSON.stringify(config));
    const { id, secret } = Config.parse(created).data;
    endpoint.secret = secret;
    const rounds: Round[] = [];
    for (let round = 0; round <= ROUNDS; round++) {
      const measured = await measureRound(id, { ...tools, endpoint });
      if (round > 0) rounds.push(measured); // The first round is the warm-up.
    }
    await api.send("DELETE", `/api/webhooks/configs/${id}`);
    return WEBHOOK_SHARE_NAMES.map((name) => shareOf(name, rounds));
  } finally {
    await endpoint.close();
  }
}

const Config = z.object({ data: z.object({ id: z.string(), secret: z.string() }) });

/** The rates of a round: deliveries a second in each case, and empty requests a second. */
type Round = Readonly<Record<WebhookShareName | "ceiling", number>>;

async function measureRound(
  config: string,
  { api, ceilings, generator, endpoint }: WebhookShareTools & { endpoint: VerifyingEndpoint },
): Promise<Round> {
  const saturating: LoadJob = {
    origin: api.url,
    headers: api.headers,
    concurrency: CLIENTS,
    durationMs: SATURATED_MS,
    load: LOAD,
  };
  const saturated = await endpoint.rateDuring(() => generator.run(saturating));
  await delay(SETTLING_MS);
  const backlog = await endpoint.rateDuring(() => delay(BACKLOG_MS));
  await api.send("PUT", `/api/webhooks/configs/${config}/deactivate`);
  const { requests, seconds } = await generator.run({
    origin: ceilings.url,
    headers: {},
    concurrency: CEILING_CLIENTS,
    durationMs: CEILING_MS,
    load: CEILING,
  });
  await api.send("PUT", `/api/webhooks/configs/${config}/activate`);
  return {
    "share-webhook-saturated": saturated,
    "share-webhook-backlog": backlog,
    ceiling: requests / seconds,
  };
}

const shareOf = (name: WebhookShareName, rounds: readonly Round[]): Share => ({
  name,
  clients: CLIENTS,
  perSecond: median(rounds.map((round) => round[name])),
  ceilingPerSecond: median(rounds.map(({ ceiling }) => ceiling)),
  share: median(rounds.map((round) => round[name] / round.ceiling)),
  target: TARGETS[name],
});

/** An endpoint that accepts calls with a valid signature, and counts deliveries without repetitions. */
class VerifyingEndpoint {
  readonly #server: Server;
  readonly #ids = new Set<string>();
  #problem: string | undefined;
  #key = Buffer.alloc(0);

  private constructor(server: Server) {
    this.#server = server;
    server.on("request", (request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        response.statusCode = this.#accepts(request, Buffer.concat(chunks)) ? 200 : 400;
        response.end();
      });
    });
  }

  static async open(): Promise<VerifyingEndpoint> {
    const server = createServer();
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return new VerifyingEndpoint(server);
  }

  get url(): string {
    const { port } = this.#server.address() as AddressInfo; // The server listens on TCP.
    return `http://127.0.0.1:${port}/`;
  }

  set secret(secret: string) {
    this.#key = Buffer.from(secret, "base64");
  }

  /** The rate of deliveries during some work, a second. */
  async rateDuring(work: () => Promise<unknown>): Promise<number> {
    const before = this.#ids.size;
    const startedMs = performance.now();
    await work();
    if (this.#problem !== undefined) throw new Error(this.#problem);
    return ((this.#ids.size - before) * 1000) / (performance.now() - startedMs);
  }

  async close(): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, "close");
  }

  #accepts({ headers }: IncomingMessage, body: Buffer): boolean {
    const id = String(headers["webhook-id"]);
    const hmac = createHmac("sha256", this.#key);
    hmac.update(`${id}.${String(headers["webhook-timestamp"])}.`).update(body);
    const isSigned = headers["webhook-signature"] === `v1,${hmac.digest("base64")}`;
    if (isSigned) this.#ids.add(id);
    else this.#problem = `delivery ${id} has a wrong signature`;
    return isSigned;
  }
}
