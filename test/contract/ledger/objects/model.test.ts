import * as fc from "fast-check";
import { expect, test } from "vitest";
import { systemClock } from "#platform/clock.ts";
import { unwrap } from "#platform/result.ts";
import { EXPANDED, WITH_VOLUMES } from "#test/support/ledger-engine/fixtures.ts";
import {
  checkAgainstModel,
  type LedgerUnderTest,
} from "#test/support/ledger-engine/model/agreement.ts";
import { steps } from "#test/support/ledger-engine/model/steps.ts";
import { freshLedger, objectOf, readObject } from "#test/support/ledger/api.ts";
import { evict } from "#test/support/platform/evict.ts";

/** A ledger in an object of its own, called as the Worker calls it. */
async function ledgerInObject(): Promise<LedgerUnderTest> {
  const name = await freshLedger();
  const stub = objectOf(name);
  return {
    start: systemClock(),
    execute: (command, options) => stub.execute(command, options),
    executeBulk: async (elements, options) => unwrap(await stub.executeBulk(elements, options)),
    listTransactions: (query) => readObject(stub, "listTransactions", [query, EXPANDED]),
    listAccounts: (query) => readObject(stub, "listAccounts", [query, WITH_VOLUMES]),
    readLogs: async () => unwrap(await stub.readLogs(1, Number.MAX_SAFE_INTEGER)).entries,
    evict: async () => {
      // Only a running object can be evicted, and the last eviction may have removed it from memory.
      await stub.assertCreated();
      await evict(stub);
    },
    // Time passes by itself in an object.
    wait: () => undefined,
  };
}

test("the object agrees with the naive model on any sequence of writes, evictions included", async () => {
  let count = 0;
  const property = fc.asyncProperty(steps(20), async (run) => {
    count += run.length;
    await checkAgainstModel(await ledgerInObject(), run);
  });
  await fc.assert(property, { numRuns: 25 });
  expect(count).toBeGreaterThan(100);
});
