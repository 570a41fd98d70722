import { env } from "cloudflare:workers";
import { onTestFinished, vi } from "vitest";
import type { WebhookConfig } from "#modules/webhooks/core/config.ts";
import type { DeliveryRecord } from "#modules/webhooks/core/lane.ts";
import { webhookListener } from "#modules/webhooks/fan-out/event-listener.ts";
import { WebhookService } from "#modules/webhooks/index.ts";
import { DeliveryService } from "#modules/webhooks/services/delivery-service.ts";
import { present } from "#platform/assert.ts";
import { systemContext } from "#platform/context.ts";
import type { PlatformEvent } from "#platform/events/envelope.ts";
import { fromMillis } from "#platform/time.ts";
import { freshName } from "#test/support/platform/api.ts";
import { eventually } from "#test/support/platform/eventually.ts";

/** A request that an endpoint received. */
export interface ReceivedCall {
  readonly url: string;
  readonly headers: Headers;
  readonly body: string;
}

/** Endpoints that the test controls; the rest is Florin's own. */
export class EndpointBench {
  /** Makes the answer of an endpoint; at first, 200. */
  respond: (call: ReceivedCall) => Response | Promise<Response> = () => new Response("ok");
  readonly calls: ReceivedCall[] = [];
  readonly configs = WebhookService.from(systemContext(env, "test"));
  readonly deliveries = DeliveryService.from(systemContext(env, "test"));

  constructor() {
    const { fetch } = globalThis;
    const stub = vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
      const request = new Request(input, init);
      if (!request.url.startsWith("https://hook")) return fetch(input, init);
      const call = { url: request.url, headers: request.headers, body: await request.text() };
      this.calls.push(call);
      return this.respond(call);
    });
    onTestFinished(() => stub.mockRestore());
  }

  /** Creates a config for the given event types, or for types that no other test uses. It is deleted with the test. */
  async subscribe(
    eventTypes: readonly string[] = [`ledger.${freshName("type")}`],
  ): Promise<WebhookConfig> {
    const config = await this.configs.createConfig({
      endpoint: `https://${freshName("hook")}.example.com/in`,
      eventTypes,
      secret: undefined,
      name: undefined,
    });
    onTestFinished(() => this.configs.deleteConfig(config.id).catch(() => undefined));
    return config;
  }

  /** Publishes events of the outbox as the consumer of the queue does. */
  async publish(...events: readonly PlatformEvent[]): Promise<void> {
    const sink = await webhookListener.open([], systemContext(env, "test"));
    await sink?.(events, { source: "outbox", ids: events.map(({ id }) => id) });
  }

  callsTo(endpoint: string): ReceivedCall[] {
    return this.calls.filter(({ url }) => url === endpoint);
  }

  async deliveriesOf(configId: string): Promise<readonly DeliveryRecord[]> {
    return (await this.deliveries.list({ configIds: [configId], limit: 1000 })).data;
  }

  /** Waits until a config has `count` deliveries, all with one status; returns them. */
  async settled(configId: string, status: string, count = 1): Promise<readonly DeliveryRecord[]> {
    return eventually(async () => {
      const found = await this.deliveriesOf(configId);
      const states = found.map((delivery) => delivery.status);
      if (found.length !== count || states.some((state) => state !== status)) {
        throw new Error(`the deliveries are ${states.join(", ")}`);
      }
      return found;
    });
  }
}

/** An event of a type to which a config subscribes. */
export function eventFor(
  config: { readonly eventTypes: readonly string[] },
  fields: Partial<PlatformEvent> = {},
): PlatformEvent {
  const [app = "", type = ""] = present(config.eventTypes[0], "a config has types").split(".");
  return {
    id: crypto.randomUUID(),
    app,
    version: "v2",
    type: type.toUpperCase(),
    date: fromMillis(Date.parse("2026-03-01T11:59:59Z")),
    idempotencyKey: "",
    payload: { ledger: "default" },
    ...fields,
  };
}
