import { env } from "cloudflare:workers";
import { afterEach, describe, expect, test, vi } from "vitest";
import { LedgerClient } from "#modules/ledger/index.ts";
import type { InstalledConnector } from "#modules/payments/installs/store.ts";
import { BULK_SIZE_MAX } from "#modules/payments/mirror/run.ts";
import { AppError } from "#platform/errors.ts";
import { ledgerWith } from "#test/support/ledger/schema-api.ts";
import {
  book,
  dataOf,
  install,
  read,
  report,
  runAll,
  transactionsOf,
} from "#test/support/payments/bookings.ts";
import { MIRROR_SCHEMA } from "#test/support/payments/mirror.ts";
import { payment } from "#test/support/payments/provider-objects.ts";
import { eventually } from "#test/support/platform/eventually.ts";

const newLedger = (): Promise<string> => ledgerWith(MIRROR_SCHEMA);

type RunTemplates = LedgerClient["runTemplates"];

describe("bookings of many adjustments", () => {
  afterEach(() => vi.restoreAllMocks());
  const COUNT = 250;

  /** Waits until nothing is left to book. The clock starts a sweep when a booking is created, and only one sweep works on a booking. */
  const untilBooked = (id: string): Promise<void> =>
    eventually(async () => {
      await runAll();
      expect(await read(id)).toMatchObject({ booked: COUNT, pending: 0 });
    });

  async function many(): Promise<InstalledConnector> {
    const connector = await install();
    const payments = Array.from({ length: COUNT }, (_, index) =>
      payment(`many-${index}`, { amount: BigInt(index + 1), destinationReference: "acc" }),
    );
    await report(connector, ...payments);
    return connector;
  }

  test("bookings of many adjustments are made in bulks, in order, and several ledgers at once", async () => {
    const connector = await many();
    const ledgers = [await newLedger(), await newLedger()];
    const original: RunTemplates = Reflect.get(LedgerClient.prototype, "runTemplates");
    const ofBoth = Promise.withResolvers<boolean>();
    const begun = new Set<LedgerClient>();
    const bulks = vi
      .spyOn(LedgerClient.prototype, "runTemplates")
      .mockImplementation(async function (this: LedgerClient, ...args) {
        // The first bulk of a ledger ends when the first bulk of the other ledger has begun.
        if (begun.add(this).size === ledgers.length) ofBoth.resolve(true);
        await ofBoth.promise;
        return original.apply(this, args);
      });
    const ids: string[] = [];
    for (const ledger of ledgers) ids.push((await dataOf(await book(connector, { ledger }))).id);
    for (const id of ids) await untilBooked(id);
    const sizes = bulks.mock.calls.map(([runs]) => runs.length);
    const bulkCount = (ledgers.length * COUNT) / BULK_SIZE_MAX;
    expect(sizes).toEqual(Array.from({ length: bulkCount }, () => BULK_SIZE_MAX));
    for (const ledger of ledgers) {
      const amounts = (await transactionsOf(ledger)).map(({ postings }) => postings[0]?.amount);
      expect(amounts).toEqual(Array.from({ length: COUNT }, (_, index) => BigInt(index + 1)));
    }
  });

  test("bookings of many adjustments leave time between them for whatever else waits", async () => {
    const connector = await many();
    const ledger = await newLedger();
    const original: RunTemplates = Reflect.get(LedgerClient.prototype, "runTemplates");
    const turns: string[] = [];
    vi.spyOn(LedgerClient.prototype, "runTemplates").mockImplementation(async function (
      this: LedgerClient,
      ...args
    ) {
      const results = await original.apply(this, args);
      turns.push("bulk");
      setTimeout(() => turns.push("other"), 0);
      return results;
    });
    await untilBooked((await dataOf(await book(connector, { ledger }))).id);
    expect(turns.slice(0, 5)).toEqual(["bulk", "other", "bulk", "other", "bulk"]);
  });

  test("bookings of many adjustments give their claim back where there is no time for the first one", async () => {
    const connector = await many();
    const attempt = async (): Promise<{ id: string; calls: number }> => {
      const { id } = await dataOf(await book(connector, { ledger: await newLedger() }));
      const late = Date.now() + 40_000;
      const bulks = vi
        .spyOn(LedgerClient.prototype, "runTemplates")
        .mockImplementation(async () => {
          vi.spyOn(Date, "now").mockReturnValue(late);
          throw new AppError("BULK_SIZE_EXCEEDED", "too much work");
        });
      await runAll();
      const calls = bulks.mock.calls.length;
      vi.restoreAllMocks();
      return { id, calls };
    };
    // The sweep of the deployment itself, which the creation of a booking starts, may have been first, or beside the one of the test.
    let { id, calls } = await attempt();
    for (let more = 0; calls !== 1 && more < 20; more++) ({ id, calls } = await attempt());
    expect(calls).toBe(1);
    const statement = env.DB.prepare("SELECT wait_until FROM payment_bookings WHERE id = ?");
    expect(await statement.bind(id).first("wait_until")).toBeNull();
    await runAll();
    expect(await read(id)).toMatchObject({ booked: COUNT, failed: 0, pending: 0 });
  });
});
