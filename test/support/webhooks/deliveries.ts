import { env } from "cloudflare:workers";
import { onTestFinished } from "vitest";
import type { WebhookConfig } from "#modules/webhooks/core/config.ts";
import { WebhookService } from "#modules/webhooks/index.ts";
import { present } from "#platform/assert.ts";
import { systemContext } from "#platform/context.ts";
import type { PlatformEvent } from "#platform/events/envelope.ts";
import { fromMillis, toMillis } from "#platform/time.ts";
import { freshName } from "#test/support/platform/api.ts";

/** A request that an endpoint got. */
export interface ReceivedCall {
  readonly url: string;
  readonly headers: Headers;
  readonly body: string;
  readonly atMs: number;
}

interface PlannedMessage {
  readonly deliveryId: string;
  readonly delaySeconds: number;
  readonly dueMs: number;
}

export interface DeliveryRow {
  readonly id: string;
  readonly event_id: string;
  readonly config_id: string;
  readonly event_type: string;
  readonly idempotency_key: string;
  readonly payload: string;
  readonly status: string;
  readonly attempt_count: number;
  readonly replay_generation: number;
  readonly cycle_started_at: string | null;
  readonly next_attempt_at: string | null;
  readonly claimed_at: string | null;
  readonly last_attempt_at: string | null;
  readonly last_status_code: number | null;
  readonly last_error: string | null;
}

export interface AttemptRow {
  readonly attempt_number: number;
  readonly replay_generation: number;
  readonly endpoint: string;
  readonly outcome: string;
  readonly status_code: number;
  readonly error: string | null;
  readonly duration_ms: number;
  readonly response_excerpt: string | null;
}

/** The webhooks module with a time, queue, clock object and endpoints that the test controls. Only D1 is real. */
export class DeliveryBench {
  nowMs = Date.parse("2026-03-01T12:00:00Z");
  /** Makes the answers of endpoints; they are 200 unless a test changes this. */
  respond: (call: ReceivedCall) => Response | Promise<Response> = () => new Response("ok");
  /** Called before messages are sent. A test makes it throw to simulate a queue that is out of order. */
  beforeSend: () => void = () => undefined;
  readonly calls: ReceivedCall[] = [];
  readonly armedMs: number[] = [];
  readonly sendSizes: number[] = [];
  messages: PlannedMessage[] = [];
  readonly service: WebhookService;

  constructor(settings: Readonly<Record<string, string>> = {}) {
    this.service = WebhookService.from(systemContext({ ...env, ...settings }, "test"), {
      clock: () => fromMillis(this.nowMs),
      armClock: async (atMs) => {
        this.armedMs.push(atMs);
      },
      send: async (messages) => {
        this.beforeSend();
        this.sendSizes.push(messages.length);
        for (const { body, delaySeconds = 0 } of messages) {
          const dueMs = this.nowMs + delaySeconds * 1000;
          this.messages.push({ deliveryId: body.deliveryId, delaySeconds, dueMs });
        }
      },
      fetch: async (url, init) => {
        const request = new Request(url, init);
        const { headers } = request;
        const call = { url, headers, body: await request.text(), atMs: this.nowMs };
        this.calls.push(call);
        return this.respond(call);
      },
    });
  }

  /**
   * Creates a config, by default for an event type that no other test uses. It is deleted when the test ends, along
   * with its pending deliveries, because a sweep sees what all tests of a file have left.
   */
  async subscribe(
    eventTypes: readonly string[] = [`ledger.${freshName("type")}`],
  ): Promise<WebhookConfig> {
    const config = await this.service.createConfig({
      endpoint: `https://${freshName("hook")}.example.com/in`,
      eventTypes,
      secret: undefined,
      name: undefined,
    });
    onTestFinished(() => this.service.deleteConfig(config.id).catch(() => undefined));
    return config;
  }

  /** Publishes events, as the consumer of the queue does. */
  async publish(...events: readonly PlatformEvent[]): Promise<void> {
    await this.service.fanOut(events, await this.service.listSubscriptions());
  }

  /** Lets time pass and delivers the messages that have become due. */
  async pass(ms: number): Promise<void> {
    this.nowMs += ms;
    const due = this.messages.filter(({ dueMs }) => dueMs <= this.nowMs);
    this.messages = this.messages.filter(({ dueMs }) => dueMs > this.nowMs);
    if (due.length > 0) await this.service.deliver(due.map(({ deliveryId }) => deliveryId));
  }

  callsTo(endpoint: string): ReceivedCall[] {
    return this.calls.filter(({ url }) => url === endpoint);
  }

  async deliveriesOf(configId: string): Promise<DeliveryRow[]> {
    const statement = env.DB.prepare(
      "SELECT * FROM webhook_deliveries WHERE config_id = ? ORDER BY event_id",
    );
    return (await statement.bind(configId).all<DeliveryRow>()).results;
  }

  async deliveryOf(configId: string): Promise<DeliveryRow> {
    const [row] = await this.deliveriesOf(configId);
    return present(row, "the config has a delivery");
  }

  async attemptsOf(deliveryId: string): Promise<AttemptRow[]> {
    const statement = env.DB.prepare(
      "SELECT * FROM webhook_delivery_attempts WHERE delivery_id = ? ORDER BY attempt_number",
    );
    return (await statement.bind(deliveryId).all<AttemptRow>()).results;
  }
}

/** An event of the type that a config subscribes to. */
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

/** A stored time in milliseconds. */
export const millisOf = (timestamp: string | null): number =>
  toMillis(present(timestamp, "the time is set") as ReturnType<typeof fromMillis>); // stored times have one form
