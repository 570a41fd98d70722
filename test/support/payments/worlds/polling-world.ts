import type { ConnectorId } from "#modules/payments/core/ids.ts";
import { installConnector } from "#modules/payments/lifecycle/install.ts";
import { OWNED_ROWS } from "#modules/payments/owned-rows.ts";
import { type Continuation, runConnector } from "#modules/payments/polling/run.ts";
import { ANONYMOUS, type ServiceContext } from "#platform/context.ts";
import { fromMillis } from "#platform/time.ts";
import { NodeD1 } from "#test/support/platform/node-d1.ts";
import { TEST_SETTINGS } from "#test/support/platform/settings.ts";

/** The most runs of a connector in a test, before it gives up. */
const CALLS_MAX = 500;

/** A deployment for the polling engine in Node: D1, a clock that the test sets, and objects that only count their calls. */
export class PollingWorld {
  readonly d1 = new NodeD1();
  nowMs = Date.parse("2026-03-01T12:00:00Z");
  /** The connectors whose objects were told of a change. */
  readonly told: string[] = [];

  constructor() {
    this.d1.migrate();
  }

  get context(): ServiceContext {
    const clock = { arm: async () => undefined, watch: async () => undefined };
    const env = {
      ...TEST_SETTINGS,
      DB: this.d1.binding,
      CLOCK: { getByName: () => clock },
      CONNECTORS: {
        getByName: (name: string) => ({ refresh: async () => void this.told.push(name) }),
      },
      EVENTS: { sendBatch: async () => undefined },
    };
    return {
      env: env as unknown as Env, // the engine uses only these members
      principal: ANONYMOUS,
      requestId: "test",
      clock: () => fromMillis(this.nowMs),
    };
  }

  install(provider: string, config: object = {}): Promise<ConnectorId> {
    const name = `${provider} ${crypto.randomUUID()}`;
    const fields = { name, directory: "demo", apiKey: "key", endpoint: "http://psp.example" };
    return installConnector(this.context, { provider, body: { ...fields, ...config } });
  }

  run({ reference }: ConnectorId): Promise<Continuation> {
    return runConnector(this.context, {
      reference,
      ownedRows: OWNED_ROWS,
      untilMs: Date.now() + 60_000,
    });
  }

  /** Runs a connector until it waits for its next period or is removed. The clock skips all waits. */
  async settle(id: ConnectorId, withinMs = 600_000): Promise<Continuation> {
    const untilMs = this.nowMs + withinMs;
    for (let calls = 0; calls < CALLS_MAX; calls++) {
      const next = await this.run(id);
      if ("isRemoved" in next || next.atMs > untilMs) return next;
      this.nowMs = Math.max(this.nowMs, next.atMs);
    }
    throw new Error("the connector does not come to rest");
  }

  count(table: string, where = "1"): number {
    return Number(this.d1.rows(`SELECT count(*) AS n FROM ${table} WHERE ${where}`)[0]?.["n"]);
  }
}
