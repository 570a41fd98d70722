import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { costOf, dollarsOf, withCosts } from "#scripts/lib/cost/cost.ts";
import { PRICES, PRICES_SOURCE } from "#scripts/lib/cost/prices.ts";
import { ledgersOf, typicalWorkload, usageOf } from "#scripts/lib/cost/usage.ts";
import { inProject } from "#scripts/lib/project.ts";

const MILLION = 1_000_000;

test("the page of costs has the table of the program", () => {
  const page = readFileSync(inProject("docs/cost.md"), "utf8");
  expect(page, "npm run cost -- --write writes it anew").toBe(withCosts(page));
});

test("the page names where the prices are from", () => {
  const page = readFileSync(inProject("docs/cost.md"), "utf8");
  expect(page).toContain(PRICES_SOURCE.pages[0]);
  expect(page).toContain(`as of ${PRICES_SOURCE.asOf}`);
});

test("what the plan includes costs nothing, and what is beyond has its price", () => {
  const price = PRICES.rowsWritten;
  expect(dollarsOf(price, 50 * MILLION)).toBe(0);
  expect(dollarsOf(price, 53 * MILLION)).toBe(3);
});

test("rows and requests follow from the workload", () => {
  const usage = usageOf({ transactions: 1000, reads: 2, endpoints: 0, months: 1 });
  // 1,000 transactions, 2,000 reads and as many messages as transactions.
  expect(usage.workerRequests).toBe(4000);
  expect(usage.queueOperations).toBe(3000);
  expect(usage.rowsWritten).toBeCloseTo(1000 * (5 + 1.8 + 0.7 + 3), 6);
});

test("a ledger announces at most twice a second, and no object is busy for longer than a month", () => {
  const many = typicalWorkload(1000 * MILLION);
  const { queueOperations, objectGigabyteSeconds } = usageOf(many);
  const seconds = 730 * 3600;
  expect(queueOperations).toBe(3 * Math.min(1000 * MILLION, ledgersOf(many) * 2 * seconds));
  expect(objectGigabyteSeconds).toBeLessThanOrEqual(0.128 * seconds * (ledgersOf(many) + 2));
});

test("a transaction becomes cheaper as there are more of them, until what the plan includes no longer counts", () => {
  const [few, many] = [costOf(MILLION), costOf(1000 * MILLION)];
  expect(few.dollars / MILLION).toBeGreaterThan(0);
  expect(many.dollars).toBeGreaterThan(few.dollars);
  const sum = many.lines.reduce((total, { dollars }) => total + dollars, 5);
  expect(many.dollars).toBeCloseTo(sum, 6);
});
