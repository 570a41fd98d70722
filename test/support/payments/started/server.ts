import { readdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { SDK } from "@formance/formance-sdk";
import { HTTPClient } from "@formance/formance-sdk/lib/http.js";
import { present } from "#platform/assert.ts";
import { WebhookReceiver } from "#scripts/lib/receiver.ts";
import { MIRROR_SCHEMA } from "#test/support/payments/mirror.ts";
import { freshFolder, LocalServer } from "#test/support/platform/server.ts";
import type { FakePsp } from "#test/support/psp/fake-psp.ts";
import { PspServer } from "#test/support/psp/psp-server.ts";

/** The types of the received events. */
const EVENT_TYPES = [
  "payments.saved_account",
  "payments.saved_balance",
  "payments.saved_payment",
  "payments.saved_payment_initiation_related_payment",
] as const;

interface Parts {
  readonly folder: string;
  readonly receiver: WebhookReceiver;
  readonly psps: readonly PspServer[];
  readonly token: string;
}

/** A provider that a server on this machine reaches. */
export interface StartedProvider {
  /** The kind of its connectors. */
  readonly kind: string;
  /** Answers requests to the origin. */
  readonly fake: FakePsp;
  /** Where the provider's API usually is, such as `https://api.stripe.com`. */
  readonly origin: string;
}

/** A started server, providers that it reaches on loopback, and a receiver of its events about payments. */
export class StartedPayments {
  readonly server: LocalServer;
  readonly receiver: WebhookReceiver;
  readonly sdk: SDK;
  readonly #psps: readonly PspServer[];
  readonly #folder: string;

  private constructor(server: LocalServer, { folder, receiver, psps, token }: Parts) {
    this.server = server;
    this.receiver = receiver;
    this.#psps = psps;
    this.#folder = folder;
    this.sdk = openSdk(server, token);
  }

  static async start(providers: readonly StartedProvider[]): Promise<StartedPayments> {
    const psps = await Promise.all(
      providers.map(({ fake, origin }) => PspServer.open(fake, origin)),
    );
    const urls = providers.map(({ kind }, index) => `${kind}=${psps[index]?.url}`);
    const receiver = await WebhookReceiver.open();
    const folder = freshFolder();
    const server = await LocalServer.start(folder, {
      FLORIN_PAYMENTS_PROVIDER_URLS: urls.join(","),
    });
    const token = await server.token();
    const started = new StartedPayments(server, { folder, receiver, psps, token });
    const { configResponse } = await started.sdk.webhooks.v1.insertConfig({
      endpoint: receiver.url,
      eventTypes: [...EVENT_TYPES],
    });
    receiver.expectSecret(configResponse?.data.secret ?? "");
    return started;
  }

  async close(): Promise<void> {
    await this.server.killAll();
    await this.receiver.close();
    for (const psp of this.#psps) await psp.close();
  }

  /** Creates a ledger, and books the payments of a connector in it. */
  async bookInto(ledger: string, connectorID: string): Promise<void> {
    const path = `/api/ledger/v2/${ledger}`;
    await this.server.json(path, { method: "POST" });
    await this.server.json(`${path}/schemas/v1`, { body: MIRROR_SCHEMA });
    await this.server.json("/api/florin/v1/payments/bookings", {
      body: { connectorID, ledger, schemaVersion: "v1", template: "mirror" },
    });
  }

  /** The balances of all accounts of a ledger that have any. */
  async balancesOf(ledger: string): Promise<Record<string, unknown>> {
    const listed = (await this.server.json(`/api/ledger/v2/${ledger}/accounts?expand=volumes`)) as {
      cursor: { data: { address: string; volumes?: Record<string, { balance: unknown }> }[] };
    }; // the schema of the answer has this shape
    return Object.fromEntries(
      listed.cursor.data.map(({ address, volumes = {} }) => [
        address,
        Object.fromEntries(Object.entries(volumes).map(([asset, { balance }]) => [asset, balance])),
      ]),
    );
  }

  /** The types of the received events, without those that name another connector; some name none. */
  receivedTypes(connectorID: string): ReadonlySet<string> {
    const own = this.receiver.deliveries.filter(
      ({ body }) => !body.includes('"connectorID"') || body.includes(connectorID),
    );
    return new Set(own.map(({ body }) => /"type":"([^"]+)"/.exec(body)?.[1] ?? ""));
  }

  /**
   * The number of rows of each table of payments in the server's database, and the number of all events that were ever stored.
   */
  countRows(): Readonly<Record<string, unknown>> {
    const files = readdirSync(this.#folder, { recursive: true, encoding: "utf8" });
    const file = files.find((path) => path.endsWith(".sqlite") && path.split("/").includes("d1"));
    const path = join(this.#folder, present(file, "the server has a database"));
    const database = new DatabaseSync(path, { readOnly: true });
    try {
      const tables = database
        .prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name GLOB 'payment_*'")
        .all()
        .map(({ name }) => String(name));
      const count = (sql: string) => database.prepare(sql).get()?.["n"];
      const rows: Record<string, unknown> = {};
      for (const name of tables) rows[name] = count(`SELECT count(*) AS n FROM ${name}`);
      // Confirmed events are deleted, but their sequence numbers are never used again.
      const events = count("SELECT seq AS n FROM sqlite_sequence WHERE name = 'outbox'");
      return { ...rows, events };
    } finally {
      database.close();
    }
  }
}

/** The official client, which always gets a token, because the SDK itself sends none with some of these operations. */
const openSdk = (server: LocalServer, token: string): SDK =>
  new SDK({
    serverURL: server.url,
    httpClient: new HTTPClient({
      fetcher: (input, init) => {
        const request = new Request(input, init);
        request.headers.set("authorization", `Bearer ${token}`);
        return fetch(request);
      },
    }),
  });
