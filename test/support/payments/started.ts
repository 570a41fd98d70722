import { SDK } from "@formance/formance-sdk";
import { HTTPClient } from "@formance/formance-sdk/lib/http.js";
import { MIRROR_SCHEMA } from "./mirror.ts";
import { WebhookReceiver } from "#scripts/demo/receiver.ts";
import { freshFolder, LocalServer } from "#test/support/platform/server.ts";
import type { FakePsp } from "#test/support/psp/fake-psp.ts";
import { PspServer } from "#test/support/psp/psp-server.ts";

/** The events that are received. */
export const EVENT_TYPES = [
  "payments.saved_account",
  "payments.saved_balance",
  "payments.saved_payment",
  "payments.saved_payment_initiation_related_payment",
] as const;

/** A started server, a provider that it reaches on loopback, and a receiver of its events about payments. */
export class StartedPayments {
  readonly server: LocalServer;
  readonly receiver: WebhookReceiver;
  readonly sdk: SDK;
  readonly #psp: PspServer;

  private constructor(
    server: LocalServer,
    { receiver, psp, token }: { receiver: WebhookReceiver; psp: PspServer; token: string },
  ) {
    this.server = server;
    this.receiver = receiver;
    this.#psp = psp;
    this.sdk = openSdk(server, token);
  }

  /** Starts all of it for a kind of connectors, whose fake answers for the origin of the provider. */
  static async start(kind: string, fake: FakePsp, origin: string): Promise<StartedPayments> {
    const psp = await PspServer.open(fake, origin);
    const receiver = await WebhookReceiver.open();
    const server = await LocalServer.start(freshFolder(), {
      FLORIN_PAYMENTS_PROVIDER_URLS: `${kind}=${psp.url}`,
    });
    const token = await server.token();
    const started = new StartedPayments(server, { receiver, psp, token });
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
    await this.#psp.close();
  }

  /** A ledger into which the payments of a connector are booked. */
  async bookInto(ledger: string, connectorID: string): Promise<void> {
    const path = `/api/ledger/v2/${ledger}`;
    await this.server.json(path, { method: "POST" });
    await this.server.json(`${path}/schemas/v1`, { body: MIRROR_SCHEMA });
    await this.server.json("/api/florin/v1/payments/bookings", {
      body: { connectorID, ledger, schemaVersion: "v1", template: "mirror" },
    });
  }

  /** The balances of all accounts of a ledger that have some. */
  async balancesOf(ledger: string): Promise<Record<string, unknown>> {
    const listed = (await this.server.json(`/api/ledger/v2/${ledger}/accounts?expand=volumes`)) as {
      cursor: { data: { address: string; volumes?: Record<string, { balance: unknown }> }[] };
    }; // as the API says
    return Object.fromEntries(
      listed.cursor.data.map(({ address, volumes = {} }) => [
        address,
        Object.fromEntries(Object.entries(volumes).map(([asset, { balance }]) => [asset, balance])),
      ]),
    );
  }

  /** The types of the events that were received, each once. */
  get receivedTypes(): ReadonlySet<string> {
    return new Set(
      this.receiver.deliveries.map(({ body }) => /"type":"([^"]+)"/.exec(body)?.[1] ?? ""),
    );
  }
}

/** The official client, with a token always: it sends none of its own with some operations. */
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
