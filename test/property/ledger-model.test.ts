import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { PageQuery } from "../../src/platform/pagination.ts";
import { attempt } from "../../src/platform/result.ts";
import { fromMicros, toMicros } from "../../src/platform/time.ts";
import { checkAgainstModel, type LedgerUnderTest } from "../support/ledger-agreement.ts";
import { EXPANDED, TestLedger } from "../support/ledger-fixtures.ts";
import { steps } from "../support/ledger-steps.ts";

/** A ledger on `node:sqlite`, in memory. */
function ledgerInNode(): LedgerUnderTest {
  const ledger = new TestLedger();
  return {
    start: ledger.now,
    execute: async (command, options) => attempt(() => ledger.engine.execute(command, options)),
    executeBulk: async (elements, options) => ledger.engine.executeBulk(elements, options),
    listTransactions: async (query: PageQuery) => ledger.engine.listTransactions(query, EXPANDED),
    listAccounts: async (query: PageQuery) => ledger.engine.listAccounts(query, EXPANDED),
    readLogs: async () => ledger.logs(),
    evict: async () => {
      ledger.open();
    },
    wait: (seconds) => {
      ledger.now = fromMicros(toMicros(ledger.now) + BigInt(seconds) * 1_000_000n);
    },
  };
}

test("the engine agrees with the naive model on any sequence of writes", async () => {
  let count = 0;
  const property = fc.asyncProperty(steps(30), async (life) => {
    count += life.length;
    await checkAgainstModel(ledgerInNode(), life);
  });
  await fc.assert(property, { numRuns: 120 });
  expect(count).toBeGreaterThan(1000);
}, 60_000);
