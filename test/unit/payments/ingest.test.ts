import { describe, expect, test } from "vitest";
import { isOutdated } from "#modules/payments/ingestion/page.ts";
import { account, at, balance, payment } from "#test/support/payments/provider-objects.ts";
import { IngestWorld } from "#test/support/payments/worlds/ingest-world.ts";

const typesOf = ({ events }: IngestWorld) => events.map(({ type }) => type);

describe("accounts of a provider", () => {
  test("accounts of a provider are stored once, with one event each", async () => {
    const world = new IngestWorld();
    const page = [account("a", { name: "Main" }), account("b"), account("a", { name: "Other" })];
    await world.store(await world.prepareAccounts(page));
    expect(await world.prepareAccounts(page)).toEqual({ statements: [], events: [] });
    await world.store(await world.prepareAccounts([...page, account("c")]));
    expect(world.d1.rows("SELECT reference, name FROM payment_accounts ORDER BY key")).toEqual([
      { reference: "a", name: "Main" },
      { reference: "b", name: null },
      { reference: "c", name: null },
    ]);
    expect(typesOf(world)).toEqual(Array.from({ length: 3 }, () => "SAVED_ACCOUNT"));
    expect(world.events[0]?.payload).toMatchObject({
      reference: "a",
      createdAt: "2026-03-01T12:00:00Z",
      type: "INTERNAL",
      name: "Main",
      rawData: { id: "a" },
    });
  });

  test("accounts with long raw data have an event all the same", async () => {
    const world = new IngestWorld();
    const raw = `{"id":"${"x".repeat(100_000)}"}`;
    await world.store(await world.prepareAccounts([account("a", { raw })]));
    expect(world.events[0]?.payload).toMatchObject({ reference: "a", rawData: null });
    expect(world.d1.rows("SELECT raw FROM payment_accounts")).toEqual([{ raw }]);
  });

  test("accounts in two pages of a provider at once are stored once", async () => {
    const world = new IngestWorld();
    const pages = [
      await world.prepareAccounts([account("a")]),
      await world.prepareAccounts([account("a")]),
    ];
    const outcomes = await Promise.allSettled(pages.map((page) => world.store(page)));
    expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
    expect(outcomes.some((it) => it.status === "rejected" && isOutdated(it.reason))).toBe(true);
    // The outdated page is prepared again, and has nothing left to store.
    expect(await world.prepareAccounts([account("a")])).toEqual({ statements: [], events: [] });
    expect(world.d1.rows("SELECT reference FROM payment_accounts")).toHaveLength(1);
    expect(world.events).toHaveLength(1);
  });

  test("accounts with an asset that is none refuse the page", async () => {
    const world = new IngestWorld();
    await expect(world.prepareAccounts([account("a", { defaultAsset: "eur" })])).rejects.toThrow(
      "the account a has the asset eur, which is not valid",
    );
  });
});

describe("a connector that is being uninstalled", () => {
  test("a connector that is being uninstalled stores nothing", async () => {
    const world = new IngestWorld();
    const pages = [
      await world.prepareAccounts([account("a")]),
      await world.prepareBalances([balance(1n, 0)]),
      await world.preparePayments([payment("p")]),
    ];
    world.d1.exec(`UPDATE payment_connectors SET deleted_at = '${at(1)}'`);
    for (const page of pages) {
      const error: unknown = await world.store(page).catch((reason: unknown) => reason);
      expect(isOutdated(error)).toBe(true);
    }
    expect(world.events).toEqual([]);
  });
});

describe("payments of a provider", () => {
  test("payments of a provider are stored before their refunds, in whatever order a page of one second has them", async () => {
    const world = new IngestWorld();
    const refund = payment("r", { parentReference: "p", amount: 40n, status: "REFUNDED" });
    await world.store(await world.preparePayments([refund, payment("other"), payment("p")]));
    expect(
      world.d1.rows("SELECT reference, status, amount FROM payment_payments ORDER BY reference"),
    ).toEqual([
      { reference: "other", status: "SUCCEEDED", amount: "100" },
      { reference: "p", status: "REFUNDED", amount: "60" },
    ]);
  });
});

describe("balances of a provider", () => {
  const rowsOf = (world: IngestWorld) =>
    world.d1.rows(
      `SELECT amount, created_at AS "from", last_updated_at AS "to", is_open AS isOpen
       FROM payment_balances ORDER BY key`,
    );

  test("balances of a provider follow each other without a gap", async () => {
    const world = new IngestWorld();
    for (const page of [[balance(5n, 0)], [balance(5n, 10)], [balance(7n, 20), balance(8n, 30)]]) {
      await world.store(await world.prepareBalances(page));
      await world.store(await world.prepareBalances(page));
    }
    await world.store(await world.prepareBalances([balance(1n, 25)]));
    expect(rowsOf(world)).toEqual([
      { amount: "5", from: at(0), to: at(20), isOpen: 0 },
      { amount: "7", from: at(20), to: at(30), isOpen: 0 },
      { amount: "8", from: at(30), to: at(30), isOpen: 1 },
    ]);
    expect(world.events.map(({ payload }) => payload)).toMatchObject([
      { balance: "5", createdAt: "2026-03-01T12:00:00Z", lastUpdatedAt: "2026-03-01T12:00:00Z" },
      { balance: "5", createdAt: "2026-03-01T12:00:00Z", lastUpdatedAt: "2026-03-01T12:00:10Z" },
      { balance: "7", createdAt: "2026-03-01T12:00:20Z" },
      { balance: "8", createdAt: "2026-03-01T12:00:30Z" },
    ]);
  });

  test("balances in two pages of a provider at once are decided one after the other", async () => {
    const world = new IngestWorld();
    await world.store(await world.prepareBalances([balance(5n, 0)]));
    const [first, second] = [
      await world.prepareBalances([balance(6n, 10)]),
      await world.prepareBalances([balance(7n, 20)]),
    ];
    await world.store(first);
    const error: unknown = await world.store(second).catch((reason: unknown) => reason);
    expect(isOutdated(error)).toBe(true);
    await world.store(await world.prepareBalances([balance(7n, 20)]));
    expect(rowsOf(world)).toMatchObject([
      { amount: "5", to: at(10) },
      { amount: "6", to: at(20) },
      { amount: "7" },
    ]);
  });
});

describe("payments of a provider", () => {
  const rowsOf = (world: IngestWorld) =>
    world.d1.rows(
      `SELECT reference, status, initial_amount AS initial, amount, scheme, metadata
       FROM payment_payments ORDER BY key`,
    );

  test("payments of a provider are what their adjustments say, of one page or of several", async () => {
    const world = new IngestWorld();
    const charge = payment("ch", { sourceReference: "acc", metadata: { order: "42" } });
    const refund = payment("re", {
      parentReference: "ch",
      status: "REFUNDED",
      amount: 30n,
      createdAt: at(5),
    });
    await world.store(await world.preparePayments([charge, refund]));
    await world.store(await world.preparePayments([charge, refund]));
    await world.store(await world.preparePayments([{ ...refund, reference: "re2" }, refund]));
    expect(rowsOf(world)).toMatchObject([
      { reference: "ch", status: "REFUNDED", initial: "100", amount: "40" },
    ]);
    expect(
      world.d1.rows("SELECT ordinal, reference FROM payment_adjustments ORDER BY key"),
    ).toEqual([
      { ordinal: 0, reference: "ch" },
      { ordinal: 1, reference: "re" },
      { ordinal: 2, reference: "re2" },
    ]);
    expect(world.events.map(({ payload }) => payload)).toMatchObject([
      { reference: "ch", status: "SUCCEEDED", amount: "100", metadata: { order: "42" } },
      { reference: "ch", status: "REFUNDED", amount: "30", rawData: { id: "re" } },
      { reference: "ch", status: "REFUNDED", amount: "30" },
    ]);
  });

  test("payments of a provider get their own scheme and metadata when a refund was there before them", async () => {
    const world = new IngestWorld();
    const refund = payment("re", {
      parentReference: "ch",
      status: "REFUNDED",
      amount: 30n,
      createdAt: at(5),
      scheme: "OTHER",
      metadata: { by: "refund" },
    });
    await world.store(await world.preparePayments([refund]));
    await world.store(await world.preparePayments([payment("ch", { metadata: { order: "42" } })]));
    expect(rowsOf(world)).toEqual([
      {
        reference: "ch",
        status: "REFUNDED",
        initial: "100",
        amount: "70",
        scheme: "CARD_VISA",
        metadata: '{"order":"42","by":"refund"}',
      },
    ]);
  });

  test("payments in two pages of a provider at once have each effect once", async () => {
    const world = new IngestWorld();
    await world.store(await world.preparePayments([payment("ch")]));
    const refund = payment("re", { parentReference: "ch", status: "REFUNDED", amount: 30n });
    const pages = [await world.preparePayments([refund]), await world.preparePayments([refund])];
    await world.store(pages[0] ?? { statements: [], events: [] });
    const error: unknown = await world
      .store(pages[1] ?? { statements: [], events: [] })
      .catch((reason: unknown) => reason);
    expect(isOutdated(error)).toBe(true);
    expect(await world.preparePayments([refund])).toEqual({ statements: [], events: [] });
    expect(rowsOf(world)).toMatchObject([{ amount: "70" }]);
  });

  test("payments of a provider are cancelled and deleted by their references", async () => {
    const world = new IngestWorld();
    const open = { status: "PENDING" } as const;
    await world.store(await world.preparePayments([payment("a", open), payment("b", open)]));
    world.nowMs += 60_000;
    for (let times = 0; times < 2; times++) {
      const page = { cancelled: ["a", "new", "none"], deleted: ["b", "none"] };
      await world.store(await world.preparePayments([payment("new", open)], page));
    }
    expect(rowsOf(world)).toMatchObject([
      { reference: "a", status: "CANCELLED", amount: "100" },
      { reference: "new", status: "CANCELLED", amount: "100" },
    ]);
    expect(world.d1.rows("SELECT count(*) AS count FROM payment_adjustments")).toEqual([
      { count: 4 },
    ]);
    expect(typesOf(world).filter((type) => type === "DELETED_PAYMENT")).toHaveLength(1);
  });

  test("adjustments of a payment that was deleted meanwhile are not stored", async () => {
    const world = new IngestWorld();
    await world.store(await world.preparePayments([payment("a")]));
    const refund = payment("re", { parentReference: "a", status: "REFUNDED" });
    const late = await world.preparePayments([refund]);
    await world.store(await world.preparePayments([], { deleted: ["a"] }));
    const error: unknown = await world.store(late).catch((reason: unknown) => reason);
    expect(isOutdated(error)).toBe(true);
  });
});
