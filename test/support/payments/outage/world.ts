import { setTimeout as delay } from "node:timers/promises";
import { vi } from "vitest";
import { z } from "zod";
import { API_KEY, AwayProvider } from "./away-provider.ts";
import { type Outage, OUTAGES } from "./outages.ts";
import { BenchApi } from "#bench/api.ts";
import { BenchServer } from "#bench/server.ts";
import { WebhookReceiver } from "#scripts/lib/receiver.ts";
import { buildClockWorker } from "#test/support/clock/build.ts";
import { type FastTime, toFastMs } from "#test/support/clock/fast-time.ts";
import { WAIT_MS_MAX } from "#test/support/runner/patience.ts";

const SAVED_PAYMENT = "payments.saved_payment";
const EVENT_TYPES = [
  "payments.connector_failing",
  "payments.connector_paused",
  "payments.connector_recovered",
  SAVED_PAYMENT,
];

/** An installed connector. The connector without an outage has a provider that is never away. */
export interface Subject {
  readonly name: string;
  readonly id: string;
  readonly outage: Outage | undefined;
  readonly away: AwayProvider;
}

/** A change of the health of a connector: `failing`, `paused` or `recovered`. */
export interface HealthNews {
  readonly change: string;
  readonly atMs: number;
}

const Event = z.object({
  type: z.string(),
  payload: z.looseObject({ connectorID: z.string() }),
});
const Change = z.object({ at: z.iso.datetime() });
const Saved = z.object({ reference: z.string(), status: z.string() });
const Installed = z.object({ data: z.string() });
const Config = z.object({ data: z.object({ secret: z.string() }) });

/** A started server whose time is fast, and a connector with a provider of its own for each kind of outage. */
export class OutageWorld {
  readonly subjects: Subject[] = [];
  readonly #time: FastTime;
  readonly #server: BenchServer;
  readonly #receiver: WebhookReceiver;
  #token: Promise<Record<string, string>> = Promise.resolve({});
  #tokenUntilMs = 0;

  private constructor(time: FastTime, server: BenchServer, receiver: WebhookReceiver) {
    this.#time = time;
    this.#server = server;
    this.#receiver = receiver;
  }

  static async start(speed: number): Promise<OutageWorld> {
    const time = { startMs: Date.now(), speed };
    const server = await BenchServer.start(await buildClockWorker(time));
    const receiver = await WebhookReceiver.open();
    const world = new OutageWorld(time, server, receiver);
    const config = { endpoint: receiver.url, eventTypes: EVENT_TYPES };
    const { data } = Config.parse(await world.send("POST", "/api/webhooks/configs", config));
    receiver.expectSecret(data.secret);
    for (const outage of [undefined, ...OUTAGES]) await world.#install(outage);
    return world;
  }

  async close(): Promise<void> {
    await this.#server.stop();
    await this.#receiver.close();
    for (const { away } of this.subjects) await away.close();
  }

  /** The time of the server, in milliseconds since the epoch. */
  get nowMs(): number {
    return toFastMs(this.#time, Date.now());
  }

  /** Waits until the server has a time, and calls `look` every second of the machine until then. */
  async waitUntil(ms: number, look: () => Promise<void>): Promise<void> {
    while (this.nowMs < ms) {
      await look();
      await delay(Math.min(LOOK_MS, Math.max(0, (ms - this.nowMs) / this.#time.speed)));
    }
  }

  /** Repeats an assertion until it holds, seldom enough that the server, for which a second is long, has time for other work. */
  until<T>(assertion: () => Promise<T>): Promise<T> {
    return vi.waitFor(assertion, { timeout: WAIT_MS_MAX, interval: LOOK_MS });
  }

  /** Reads a path, again if the server refuses the request because its machine is busy. */
  read<S extends z.ZodType>(path: string, schema: S): Promise<z.output<S>> {
    return this.until(async () => schema.parse(await this.send("GET", path)));
  }

  async send(method: string, path: string, body?: object): Promise<unknown> {
    const api = new BenchApi(this.#server.url, await this.#authorize());
    return api.send(method, path, body === undefined ? undefined : JSON.stringify(body));
  }

  /** Headers with a token that is still valid. The server's time outruns tokens. */
  #authorize(): Promise<Record<string, string>> {
    if (this.nowMs >= this.#tokenUntilMs) {
      this.#tokenUntilMs = this.nowMs + TOKEN_MS;
      this.#token = this.#server.authorize();
    }
    return this.#token;
  }

  /** The changes of a connector's health of which events have told, in the order of their arrival. */
  healthNews(connectorID: string): HealthNews[] {
    return this.#eventsOf(connectorID)
      .filter(({ type }) => type !== SAVED_PAYMENT)
      .map(({ type, payload }) => ({
        change: type.replace("payments.connector_", ""),
        atMs: Date.parse(Change.parse(payload).at),
      }));
  }

  /** The states of payments of which events have told, as `reference status`. */
  savedPayments(connectorID: string): string[] {
    return this.#eventsOf(connectorID)
      .filter(({ type }) => type === SAVED_PAYMENT)
      .map(({ payload }) => {
        const { reference, status } = Saved.parse(payload);
        return `${reference} ${status}`;
      });
  }

  /** The events of a connector in the order of their arrival, without repeated attempts to deliver one. */
  #eventsOf(connectorID: string): { readonly type: string; readonly payload: unknown }[] {
    const byDelivery = new Map<string, z.output<typeof Event>>();
    for (const { id, body, isSigned } of this.#receiver.deliveries) {
      if (!isSigned) throw new Error("an event has no valid signature");
      if (!byDelivery.has(id)) byDelivery.set(id, Event.parse(JSON.parse(body)));
    }
    return [...byDelivery.values()].filter(({ payload }) => payload.connectorID === connectorID);
  }

  async #install(outage: Outage | undefined): Promise<void> {
    const away = await AwayProvider.open(outage, () => new Date(this.nowMs));
    const name = outage?.name ?? "is never away";
    const { pollingPeriod } = outage ?? {};
    const config = { name, apiKey: API_KEY, endpoint: away.url, pollingPeriod };
    const path = "/api/payments/v3/connectors/install/generic";
    const { data: id } = Installed.parse(await this.send("POST", path, config));
    this.subjects.push({ name, id, outage, away });
  }
}

/** Real milliseconds between two looks at the server. */
const LOOK_MS = 1000;
/** How long a token is used, in milliseconds of the server. */
const TOKEN_MS = 1_200_000;
