import { expect, test } from "vitest";
import { toDeliveryId } from "#modules/webhooks/core/delivery-id.ts";
import type {
  AttemptPosition,
  AttemptRecord,
  DeliveryRecord,
} from "#modules/webhooks/core/lane.ts";
import { DeliveryService } from "#modules/webhooks/services/delivery-service.ts";
import { systemContext } from "#platform/context.ts";
import { fromMillis, type Timestamp } from "#platform/time.ts";
import { NodeD1 } from "#test/support/platform/node-d1.ts";

const CONFIG_ID = "4997257d-dfb6-445b-929c-cbe2ab182818";
const DELIVERY_ID = toDeliveryId(CONFIG_ID, 1);
const START_MS = Date.parse("2026-03-01T12:00:00Z");

const delivery: DeliveryRecord = {
  id: DELIVERY_ID,
  seq: 1,
  configId: CONFIG_ID,
  eventId: "replayed",
  idempotencyKey: "",
  eventType: "a.b",
  status: "failed",
  attemptCount: 1,
  replayGeneration: 0,
  createdMs: START_MS,
  updatedMs: START_MS,
};

interface AttemptsPage {
  readonly limit: number;
  readonly after?: AttemptPosition | undefined;
}

/** Deliveries of one config, whose object the test controls. */
class World {
  readonly d1 = new NodeD1();
  nowMs = START_MS;
  attempts: readonly AttemptRecord[] = [];
  /** The most deliveries that the object has returned in one answer. */
  answeredMax = 0;
  readonly service: DeliveryService;

  constructor() {
    this.d1.migrate();
    this.d1.rows(
      `INSERT INTO webhook_configs (id, endpoint, secret, event_types, name, active, created_at, updated_at)
        VALUES (?, 'https://hooks.example.com', '', '[]', '', 1, ?2, ?2)`,
      CONFIG_ID,
      this.now,
    );
    const endpoint = {
      replay: async () => ({ ok: true, value: { delivery, body: "{}" } }),
      list: async () => [delivery],
      replayMany: async () => ({ replayed: 1, expedited: 0, skipped: 0 }),
      attempts: async (_seq: number, page: AttemptsPage) => this.#listAttempts(page),
    };
    const env = {
      DB: this.d1.binding,
      FLORIN_SECRET_KEY: Buffer.alloc(32).toString("base64"),
      ENDPOINTS: { getByName: () => endpoint },
    } as unknown as Env; // the service uses only these members
    this.service = DeliveryService.from({ ...systemContext(env, "test"), clock: () => this.now });
  }

  get now(): Timestamp {
    return fromMillis(this.nowMs);
  }

  #listAttempts({ limit, after }: AttemptsPage) {
    const rest = this.attempts.filter(({ number }) => number < (after?.number ?? Infinity));
    const value = rest.slice(0, limit);
    this.answeredMax = Math.max(this.answeredMax, value.length);
    return { ok: true, value };
  }
}

const attemptsOf = (count: number, responseExcerpt: string): AttemptRecord[] =>
  Array.from({ length: count }, (_, index) => ({
    number: count - index,
    generation: 0,
    endpoint: "https://hooks.example.com",
    outcome: "retryable_failure",
    statusCode: 500,
    tookMs: 1,
    responseExcerpt,
    atMs: START_MS,
  }));

/** Walks through all attempts of a delivery; returns the attempts' numbers on each page. */
async function walk({ service }: World, limit: number): Promise<number[][]> {
  const pages: number[][] = [];
  let after: AttemptPosition | undefined;
  for (;;) {
    const { data, hasMore } = await service.attempts(DELIVERY_ID, { limit, after });
    pages.push(data.map(({ number }) => number));
    after = data.at(-1);
    if (!hasMore) return pages;
  }
}

test("attempts with long excerpts come in shorter pages, each once", async () => {
  const world = new World();
  world.attempts = attemptsOf(1000, "x".repeat(65_536));
  const pages = await walk(world, 1000);
  expect(pages.flat()).toEqual(world.attempts.map(({ number }) => number));
  expect(Math.max(...pages.map(({ length }) => length))).toBeLessThan(150);
  expect(world.answeredMax).toBe(100);
});

test.each([1, 99, 100, 101, 1000])(
  "attempts with short excerpts fill pages of %d",
  async (limit) => {
    const world = new World();
    world.attempts = attemptsOf(205, "no");
    const pages = await walk(world, limit);
    expect(pages.flat()).toEqual(world.attempts.map(({ number }) => number));
    expect(pages).toHaveLength(Math.ceil(205 / limit));
  },
);
