import { describe, expect, test } from "vitest";
import { ledgerInMemory, pay, refusalOf } from "#test/support/library/library.ts";

/** A ledger with payments from the world on the tenth of January and of February, and a payment between accounts. */
function shops() {
  const ledger = ledgerInMemory();
  const dated = (way: string, amount: number, timestamp: string) =>
    ledger.createTransaction({ postings: [pay(way, amount)], timestamp });
  dated("world -> shops:7:main", 500, "2026-01-10T00:00:00Z");
  dated("world -> shops:8:main", 700, "2026-02-10T00:00:00Z");
  dated("shops:8:main -> fees", 50, "2026-02-11T00:00:00Z");
  ledger.addAccountMetadata("shops:7:main", { tier: "gold" });
  return ledger;
}

const JANUARY = { startTime: "2026-01-01T00:00:00Z", endTime: new Date("2026-01-31") };

describe("lists", () => {
  test("lists of the library show what a filter matches", () => {
    const ledger = shops();
    const ids = (where: object, order?: "asc" | "desc") =>
      [...ledger.transactions({ where: { ...where }, order })].map(({ id }) => id);
    expect(ids({ $match: { account: "shops:8:" } })).toEqual([2, 3]);
    expect(ids({ $match: { source: "world" } }, "desc")).toEqual([2, 1]);
    expect(ids({ $gt: { id: 2n } })).toEqual([3]);
    const gold = { $match: { "metadata[tier]": "gold" } };
    expect([...ledger.accounts({ where: gold })].map(({ address }) => address)).toEqual([
      "shops:7:main",
    ]);
  });

  test("lists of the library show what existed at a point in time", () => {
    const ledger = shops();
    const pit = "2026-01-31T00:00:00Z";
    expect([...ledger.transactions({ pit })].map(({ id }) => id)).toEqual([1]);
    expect([...ledger.accounts({ pit })].map(({ address }) => address)).toEqual([
      "shops:7:main",
      "world",
    ]);
  });

  test("lists of the library go on beyond a page, with the filter", () => {
    const ledger = ledgerInMemory();
    for (let index = 0; index < 250; index++) {
      ledger.createTransaction({ postings: [pay(`world -> users:${index % 2}`, 1)] });
    }
    const where = { $match: { destination: "users:1" } };
    expect([...ledger.transactions({ where })]).toHaveLength(125);
  });

  test("lists of the library refuse an invalid filter, naming its key", () => {
    const ledger = shops();
    const list = (where: object) => refusalOf(() => [...ledger.accounts({ where: { ...where } })]);
    expect(list({ $match: { nope: "x" } })).toMatch(/^VALIDATION.*nope/);
    expect(list({ $gt: { first_usage: 5 } })).toMatch(/^VALIDATION.*first_usage/);
    expect(refusalOf(() => [...ledger.accounts({ pit: "yesterday" })])).toMatch(/^VALIDATION/);
  });
});

describe("volumes", () => {
  test("volumes are those of each account, of a period, or of groups", () => {
    const ledger = shops();
    const texts = (options: Parameters<typeof ledger.volumes>[0]) =>
      [...ledger.volumes(options)].map(
        ({ account, input, output, balance }) => `${account} ${input}-${output}=${balance}`,
      );
    expect(texts({ where: { $match: { account: "shops:..." } } })).toEqual([
      "shops:7:main 500-0=500",
      "shops:8:main 700-50=650",
    ]);
    expect(texts(JANUARY)).toEqual(["shops:7:main 500-0=500", "world 0-500=-500"]);
    expect(texts({ groupBy: 1, order: "desc" })).toEqual([
      "world 0-1200=-1200",
      "shops 1200-50=1150",
      "fees 50-0=50",
    ]);
    expect(refusalOf(() => texts({ groupBy: 1.5 }))).toMatch(/^VALIDATION/);
  });

  test("volumes add up to balances by asset", () => {
    const ledger = shops();
    const where = { $match: { address: "shops:..." } };
    expect(ledger.aggregateBalances({ where })).toEqual({ "USD/2": 1150n });
    expect(ledger.aggregateBalances({ where, pit: JANUARY.endTime })).toEqual({ "USD/2": 500n });
    expect(ledger.aggregateBalances()).toEqual({ "USD/2": 0n });
  });
});
