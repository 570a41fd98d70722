import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { deliveryCases } from "#bench/deliveries/cases.ts";
import { fillLane } from "#bench/deliveries/fill.ts";
import { CountingSql } from "#test/support/ledger/counting-sql.ts";
import { freshName } from "#test/support/platform/api.ts";

const DELIVERIES = 20_000;
/** Each of the 101 deliveries of a page takes some rows for each of at most five statuses, as does a binary search. */
const ROWS_MAX = 2500;

test("a page of many deliveries reads few rows, whatever the filter", async () => {
  // The test fills a lane on the object's storage, because the object has no config.
  const stub = env.ENDPOINTS.getByName(freshName("lane"));
  const rows = await runInDurableObject(stub, (_, { storage }) => {
    const sql = new CountingSql(storage);
    const cases = deliveryCases(sql, fillLane(sql, DELIVERIES), DELIVERIES);
    return cases.map(({ name, run }) => ({ name, read: sql.measure(run).read }));
  });
  expect(rows.length).toBeGreaterThan(90);
  expect(rows.filter(({ read }) => read > ROWS_MAX)).toEqual([]);
});
