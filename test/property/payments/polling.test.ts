import { assert, asyncProperty, integer } from "fast-check";
import { expect, test } from "vitest";
import { FaultPlan, FAULTS } from "#scripts/generic-psp/faults.ts";
import { Provider } from "#scripts/generic-psp/provider.ts";
import { ProviderServer } from "#scripts/generic-psp/server.ts";
import { PollingWorld } from "#test/support/payments/worlds/polling-world.ts";

/** Faults without "hang", which takes ten seconds each time. */
const QUICK_FAULTS = FAULTS.filter((fault) => fault !== "hang");
/** Transactions for three pages and most of a fourth. */
const TRANSACTIONS = 330;
const PERIODS = 12;

const referencesIn = (world: PollingWorld, table: string): string[] =>
  world.d1
    .rows(`SELECT reference FROM ${table} ORDER BY reference`)
    .map(({ reference }) => String(reference));

/** The number of published events of a type. */
const published = (world: PollingWorld, type: string): number =>
  world.count("outbox", `event ->> '$.type' = '${type}'`);

test("every item of a faulty provider is stored once, whenever the engine is killed", async () => {
  await assert(
    asyncProperty(integer({ min: 1, max: 1_000_000 }), async (seed) => {
      const counts = { accounts: 5, beneficiaries: 4, transactions: TRANSACTIONS };
      const provider = new Provider({ seed, ...counts });
      const faults = new FaultPlan({ seed, rate: 0.25, faults: QUICK_FAULTS });
      const server = await ProviderServer.start(provider, { apiKey: "key", faults });
      const world = new PollingWorld();
      const id = await world.install("generic", { endpoint: server.url });
      let steps = seed % 97;
      world.d1.onStep = () => {
        steps++;
        if (steps % 97 === 0) throw new Error("killed");
      };
      for (let period = 0; period < PERIODS; period++) {
        for (let runs = 0; runs < 200; runs++) {
          const next = await world.run(id).catch(() => ({ atMs: world.nowMs }));
          if (!("atMs" in next) || next.atMs > world.nowMs + 600_000) break;
          world.nowMs = Math.max(world.nowMs, next.atMs);
        }
        world.nowMs += 2_400_000;
      }
      world.d1.onStep = () => undefined;
      await server.stop();
      const roots = provider.transactions.filter((item) => item.relatedTransactionID === undefined);
      expect(referencesIn(world, "payment_payments")).toEqual(roots.map((it) => it.id).toSorted());
      expect(world.count("payment_adjustments")).toBe(provider.transactions.length);
      expect(published(world, "SAVED_PAYMENT")).toBe(provider.transactions.length);
      expect(world.count("payment_accounts")).toBe(9);
      expect(published(world, "SAVED_ACCOUNT")).toBe(9);
      expect(world.count("payment_balances", "is_open = 1")).toBe(5);
    }),
    { numRuns: 3 },
  );
});
