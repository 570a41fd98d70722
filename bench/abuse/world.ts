import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { z } from "zod";
import type { Checkout } from "#bench/against/checkout.ts";
import { BenchApi } from "#bench/api.ts";
import { fill } from "#bench/cases.ts";
import { requestToken } from "#scripts/lib/token.ts";

const SCOPES = ["ledger", "webhooks", "orchestration", "wallets", "payments"].map(
  (module) => `${module}:write`,
);

/** The ledgers of the well-behaved client and of the abusive clients. */
export const LEDGER = "shop";
export const ABUSED_LEDGER = "abused";
/** Transactions of the ledger that is exported repeatedly. */
const ABUSED_TRANSACTIONS = 5000;

const Secret = z.object({ data: z.object({ clear: z.string() }) });

/** A started server with a ledger for a well-behaved client and a ledger for an abusive client, which are different OAuth clients. */
export interface World {
  readonly checkout: Checkout;
  /** The API for the administrator, who also has `auth:write`. */
  readonly admin: BenchApi;
  readonly healthy: BenchApi;
  readonly abuser: BenchApi;
  readonly receiver: Receiver;
}

export async function buildWorld(checkout: Checkout): Promise<World> {
  const { address } = checkout;
  const token = await requestToken(address, ["auth:write", ...SCOPES]);
  const admin = new BenchApi(address.url, { authorization: `Bearer ${token}` });
  const healthy = await registerClient(admin, checkout);
  const abuser = await registerClient(admin, checkout);
  await healthy.createLedger(LEDGER);
  await fill(LEDGER, 100, healthy);
  await abuser.createLedger(ABUSED_LEDGER);
  await fill(ABUSED_LEDGER, ABUSED_TRANSACTIONS, abuser);
  return { checkout, admin, healthy, abuser, receiver: await Receiver.open() };
}

async function registerClient(admin: BenchApi, { address }: Checkout): Promise<BenchApi> {
  const id = `bench-${randomBytes(8).toString("hex")}`;
  await admin.send("POST", "/api/auth/clients", JSON.stringify({ id, scopes: SCOPES }));
  const made = await admin.send("POST", `/api/auth/clients/${id}/secrets`, '{"name":"bench"}');
  const clientSecret = Secret.parse(made).data.clear;
  const token = await requestToken({ url: address.url, clientId: id, clientSecret }, SCOPES);
  return new BenchApi(address.url, { authorization: `Bearer ${token}` });
}

/** The writes whose latency is measured. Their metadata has the time at which each was due. */
export const WRITE = {
  method: "POST",
  path: `/api/ledger/v2/${LEDGER}/transactions`,
  body: '{"postings":[{"source":"world","destination":"users:000001","amount":100,"asset":"USD/2"}],"metadata":{"sent":"{now}"}}',
} as const;

export const READ = {
  method: "GET",
  path: `/api/ledger/v2/${LEDGER}/accounts/users:000001?expand=volumes`,
} as const;

const SENT = /"sent":"(\d+)"/;

/**
 * A healthy endpoint of webhooks in this process, which measures the time from the due time of a write to the arrival of its webhook. Paths
 * below `/dead` are a dead endpoint, which accepts calls and never answers.
 */
export class Receiver {
  readonly #server: Server;
  #timesMs: number[] = [];

  private constructor(server: Server) {
    this.#server = server;
    server.on("request", (request, response) => {
      if (request.url?.startsWith("/dead") === true) return; // The dead endpoint never answers.
      let text = "";
      request.setEncoding("utf8");
      request.on("data", (chunk: string) => (text += chunk));
      request.on("end", () => {
        const sent = SENT.exec(text)?.[1];
        if (sent !== undefined) this.#timesMs.push(Date.now() - Number(sent));
        response.end();
      });
    });
  }

  static async open(): Promise<Receiver> {
    const server = createServer();
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return new Receiver(server);
  }

  url(path: string): string {
    const { port } = this.#server.address() as AddressInfo; // The server listens on TCP.
    return `http://127.0.0.1:${port}${path}`;
  }

  /** The times since the last call, in milliseconds. */
  take(): number[] {
    const times = this.#timesMs;
    this.#timesMs = [];
    return times;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}
