import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import type { BenchApi } from "./api.ts";
import { ACCOUNTS, BULK_SIZE_MAX, fill } from "./cases.ts";
import { percentiles } from "./load/percentiles.ts";
import { transaction } from "./load/requests.ts";
import type { Measurement } from "./measure.ts";
import { Random } from "#scripts/lib/random.ts";

export const WEBHOOK_NAMES = ["webhook-latency", "webhook-burst"] as const;

/** Transactions that are sent one by one, and the pause between them. */
const SINGLES = 100;
const PAUSE_MS = 30;
/** Transactions that are committed at once. */
const BURST = BULK_SIZE_MAX;
/** Longest wait for the webhooks, in milliseconds. */
const TIMEOUT_MS = 60_000;

/** Measures webhooks from commit to receipt: single ones for the latency, and a burst for the rate. */
export async function measureWebhooks(api: BenchApi, ledger = "webhooks"): Promise<Measurement[]> {
  const receiver = await Receiver.open();
  const created = await api.send(
    "POST",
    "/api/webhooks/configs",
    JSON.stringify({ endpoint: receiver.url, eventTypes: ["ledger.committed_transactions"] }),
  );
  const { id } = Config.parse(created).data;
  try {
    await api.createLedger(ledger);
    return [
      await measureLatency({ api, ledger, receiver }),
      await measureBurst({ api, ledger, receiver }),
    ];
  } finally {
    await api.send("DELETE", `/api/webhooks/configs/${id}`);
    await receiver.close();
  }
}

interface Target {
  readonly api: BenchApi;
  readonly ledger: string;
  readonly receiver: Receiver;
}

const Config = z.object({ data: z.object({ id: z.string() }) });

async function measureLatency({ api, ledger, receiver }: Target): Promise<Measurement> {
  const random = new Random(1);
  receiver.forget();
  for (let sent = 0; sent < SINGLES; sent++) {
    const body = transaction(random, random.integer(1, ACCOUNTS));
    await api.send("POST", `/api/ledger/v2/${ledger}/transactions`, body);
    await delay(PAUSE_MS);
  }
  await receiver.waitFor(SINGLES);
  return { name: "webhook-latency", concurrency: 1, ...percentiles(receiver.latencies()) };
}

async function measureBurst({ api, ledger, receiver }: Target): Promise<Measurement> {
  receiver.forget();
  const startedMs = Date.now();
  await fill(ledger, BURST, api);
  await receiver.waitFor(BURST);
  return {
    name: "webhook-burst",
    requestsPerSecond: BURST / ((Date.now() - startedMs) / 1000),
    ...percentiles(receiver.latencies()),
  };
}

/** Receives webhooks, and records the time from each transaction's commit to its first arrival. */
class Receiver {
  readonly #server: Server;
  readonly #latencies = new Map<number, number>();

  private constructor(server: Server) {
    this.#server = server;
  }

  static async open(): Promise<Receiver> {
    const server = createServer();
    const receiver = new Receiver(server);
    server.on("request", (request, response) => {
      const receivedMs = Date.now();
      let body = "";
      request.on("data", (chunk: Buffer) => (body += chunk.toString()));
      request.on("end", () => {
        receiver.#take(body, receivedMs);
        response.end();
      });
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return receiver;
  }

  get url(): string {
    const { port } = this.#server.address() as AddressInfo; // The server listens on TCP.
    return `http://127.0.0.1:${port}/`;
  }

  latencies(): number[] {
    return [...this.#latencies.values()];
  }

  forget(): void {
    this.#latencies.clear();
  }

  async waitFor(count: number): Promise<void> {
    const endMs = Date.now() + TIMEOUT_MS;
    while (this.#latencies.size < count) {
      if (Date.now() > endMs) {
        throw new Error(`only ${this.#latencies.size} of ${count} webhooks arrived`);
      }
      await delay(5);
    }
  }

  async close(): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, "close");
  }

  #take(body: string, receivedMs: number): void {
    const [{ id, insertedAt }] = Event.parse(JSON.parse(body)).payload.transactions;
    if (!this.#latencies.has(id)) this.#latencies.set(id, receivedMs - Date.parse(insertedAt));
  }
}

const Event = z.object({
  payload: z.object({ transactions: z.tuple([z.object({ id: z.int(), insertedAt: z.string() })]) }),
});
