import { afterEach, beforeEach, vi } from "vitest";
import { PollingWorld } from "./worlds/polling-world.ts";
import type { ConnectorId } from "#modules/payments/core/ids.ts";

export const HALF_HOUR_MS = 1_800_000;

/** A deployment with a provider of the generic contract, whose answers the test makes. */
export class PollingBench {
  world = new PollingWorld();
  /** Makes the provider's answer; at first, every list is empty. */
  answer: (url: URL) => Response = () => Response.json([]);
  /** The requested paths. */
  calls: string[] = [];

  schedule(task: string): Readonly<Record<string, unknown>> {
    return this.world.d1.rows("SELECT * FROM payment_schedules WHERE task = ?", task)[0] ?? {};
  }

  lastInstance(task: string): Readonly<Record<string, unknown>> | undefined {
    return this.world.d1.rows(
      "SELECT i.* FROM payment_instances i JOIN payment_schedules s ON s.key = i.schedule_key WHERE s.task = ? ORDER BY i.key DESC",
      task,
    )[0];
  }

  /** Advances the clock to the next period, and runs all due work. */
  async nextPeriod(id: ConnectorId): Promise<void> {
    this.world.nowMs += HALF_HOUR_MS + 300_000;
    await this.world.settle(id);
  }

  /** Lets `runs` runs of the payments of a connector fail in a row. */
  async failRuns(id: ConnectorId, runs: number): Promise<void> {
    await this.world.settle(id);
    for (let run = 1; run < runs; run++) await this.nextPeriod(id);
  }

  /** The types of the events of connectors, in their order. */
  news(): string[] {
    return this.world.d1
      .rows(
        "SELECT event ->> '$.type' AS type FROM outbox WHERE event ->> '$.type' LIKE 'CONNECTOR_%' ORDER BY sequence",
      )
      .map(({ type }) => String(type));
  }
}

/** A new bench for each test of a file. */
export function usePollingBench(): PollingBench {
  const bench = new PollingBench();
  beforeEach(() => {
    Object.assign(bench, new PollingBench());
    vi.spyOn(globalThis, "fetch").mockImplementation(async (input) => {
      const url = new URL(input instanceof Request ? input.url : input);
      bench.calls.push(url.pathname);
      return bench.answer(url);
    });
  });
  afterEach(() => vi.restoreAllMocks());
  return bench;
}

export const genericAccount = (id: string) => ({
  id,
  accountName: id,
  createdAt: "2026-01-01T00:00:00Z",
});

export const genericBalances = (accountID: string, amount = "5") => ({
  id: `${accountID}-balances`,
  accountID,
  at: "2026-02-01T00:00:00Z",
  balances: [{ currency: "EUR/2", amount }],
});

export const genericTransaction = (id: string, more: object = {}) => ({
  id,
  createdAt: "2026-01-01T00:00:00Z",
  updatedAt: "2026-01-01T00:00:00Z",
  currency: "EUR/2",
  type: "PAYIN",
  status: "SUCCEEDED",
  amount: "100",
  ...more,
});

/** A provider with the given accounts, each with a balance. An answer of `other` takes precedence. */
export const withAccounts =
  (ids: readonly string[], other: (url: URL) => Response | undefined = () => undefined) =>
  (url: URL): Response => {
    const changed = other(url);
    if (changed !== undefined) return changed;
    if (url.pathname === "/accounts") {
      return Response.json(url.searchParams.get("page") === "1" ? ids.map(genericAccount) : []);
    }
    const of = /^\/accounts\/(.*)\/balances$/.exec(url.pathname)?.[1];
    return Response.json(of === undefined ? [] : genericBalances(of));
  };
