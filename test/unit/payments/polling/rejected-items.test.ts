import { describe, expect, test } from "vitest";
import { readReport } from "#modules/payments/health/read.ts";
import { retryRejectedItems } from "#modules/payments/rejected/change.ts";
import { REJECTED_ITEMS_MAX } from "#modules/payments/rejected/store.ts";
import { genericTransaction, usePollingBench } from "#test/support/payments/polling-bench.ts";

const bench = usePollingBench();
const BAD = genericTransaction("bad", { currency: 5, iban: "DE89 3704 0044 0532 0130 00" });

/** A provider that lists the given transactions in pages of a hundred. */
const withTransactions = (items: () => readonly unknown[]) => (url: URL) => {
  if (url.pathname !== "/transactions") return Response.json([]);
  const start = (Number(url.searchParams.get("page")) - 1) * 100;
  return Response.json(items().slice(start, start + 100));
};

const rows = () =>
  bench.world.d1.rows(
    "SELECT item_id AS id, task, reason, attempts FROM payment_rejected_items ORDER BY key",
  );
const stored = () =>
  bench.world.d1
    .rows("SELECT reference FROM payment_payments ORDER BY reference")
    .map(({ reference }) => String(reference));

describe("an item that cannot be read", () => {
  test("an item that cannot be read is set aside, and the others of its page and of later ones are stored", async () => {
    const many = Array.from({ length: 150 }, (_, index) => genericTransaction(`tx-${index}`));
    let items: unknown[] = [...many.slice(0, 50), BAD, 7, ...many.slice(50)];
    bench.answer = withTransactions(() => items);
    const id = await bench.world.install("generic");
    await bench.world.settle(id);
    expect(stored()).toHaveLength(150);
    expect(rows()).toMatchObject([
      {
        id: "bad",
        task: "FETCH_PAYMENTS",
        reason: expect.stringContaining("'currency'") as string,
      },
      { id: expect.stringMatching(/^sha256:/) as string },
    ]);
    const report = await readReport(bench.world.context, id);
    expect(report).toMatchObject({ health: "degraded" });
    expect(report.lastError).toMatch(/^bad is set aside: a transaction: 'currency'/);
    const raw = JSON.stringify(bench.world.d1.rows("SELECT raw FROM payment_rejected_items"));
    expect(raw).not.toContain("tx-");
    expect(raw).not.toContain("DE89");

    // The provider mends the bad item, and removes the other rejected one from its list.
    items = [...many, genericTransaction("bad")];
    await bench.nextPeriod(id);
    expect(stored()).toHaveLength(151);
    expect(rows().map(({ id: item }) => item)).not.toContain("bad");
    expect(bench.news()).toEqual([]);
  });

  test("an item that cannot be read is tried again in each run, by asking for its page, and by command", async () => {
    let isMended = false;
    const later = { updatedAt: "2026-02-01T00:00:00Z" };
    bench.answer = withTransactions(() => [
      isMended ? genericTransaction("bad") : BAD,
      genericTransaction("good", later),
    ]);
    const id = await bench.world.install("generic");
    await bench.world.settle(id);
    await bench.nextPeriod(id);
    await bench.nextPeriod(id);
    expect(rows()).toMatchObject([{ id: "bad", attempts: 3 }]);
    isMended = true;
    await retryRejectedItems(bench.world.context, id);
    await bench.world.settle(id);
    expect(rows()).toEqual([]);
    expect(stored()).toEqual(["bad", "good"]);
    expect(await readReport(bench.world.context, id)).toMatchObject({ health: "healthy" });
    expect(bench.world.count("payment_adjustments")).toBe(2);
  });

  test("an item that cannot be read with an asset that is none is set aside as well", async () => {
    bench.answer = withTransactions(() => [
      genericTransaction("good"),
      genericTransaction("odd", { currency: "odd" }),
    ]);
    const id = await bench.world.install("generic");
    await bench.world.settle(id);
    expect(stored()).toEqual(["good"]);
    expect(rows()).toMatchObject([
      { id: "odd", reason: "the payment odd has the asset odd, which is not valid" },
    ]);
  });

  test("an item that cannot be read stays at the provider where too many are set aside, and nothing is lost", async () => {
    let isMended = false;
    const count = REJECTED_ITEMS_MAX + 50;
    bench.answer = withTransactions(() =>
      Array.from({ length: count }, (_, index) =>
        genericTransaction(`tx-${index}`, isMended ? {} : { amount: "x" }),
      ),
    );
    const id = await bench.world.install("generic");
    await bench.world.settle(id);
    expect(rows()).toHaveLength(REJECTED_ITEMS_MAX);
    const report = await readReport(bench.world.context, id);
    expect(report.health).toBe("failing");
    expect(report.lastError).toContain("1000 of the connector are set aside already");
    isMended = true;
    await bench.nextPeriod(id);
    expect(rows()).toEqual([]);
    expect(stored()).toHaveLength(count);
  });
});
