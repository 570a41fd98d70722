import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type {
  ProviderBalance,
  ProviderPayment,
} from "#modules/payments/connectors/provider-objects.ts";
import { PAYMENT_STATUSES } from "#modules/payments/core/enums.ts";
import { type AdjustmentFacts, derivePayment } from "#modules/payments/core/payment-amounts.ts";
import { isOutdated, type PreparedPage } from "#modules/payments/ingestion/page.ts";
import { at, balance, payment } from "#test/support/payments/provider-objects.ts";
import { IngestWorld } from "#test/support/payments/worlds/ingest-world.ts";
import { runsOf } from "#test/support/runner/runs.ts";

const state: fc.Arbitrary<ProviderPayment> = fc
  .record({
    parent: fc.constantFrom("a", "b"),
    reference: fc.constantFrom("a", "b", "r1", "r2", "r3"),
    type: fc.constantFrom("PAY-IN", "PAYOUT"),
    status: fc.constantFrom(...PAYMENT_STATUSES),
    amount: fc.bigInt(0n, 10n ** 20n),
    seconds: fc.integer({ min: 0, max: 5 }),
  })
  .map(({ parent, seconds, ...rest }) =>
    payment(rest.reference, { ...rest, parentReference: parent, createdAt: at(seconds) }),
  );

const report: fc.Arbitrary<ProviderBalance> = fc
  .tuple(fc.bigInt(-2n, 2n), fc.integer({ min: 0, max: 9 }), fc.constantFrom("EUR/2", "USD/2"))
  .map(([amount, seconds, asset]) => balance(amount, seconds, asset));

/** Pages, each of which arrives alone, twice in a row, or together with the next page. */
const arrivalsOf = <T>(item: fc.Arbitrary<T>) =>
  fc.array(
    fc.record({
      page: fc.array(item, { maxLength: 6 }),
      how: fc.constantFrom("alone" as const, "twice" as const, "with the next" as const),
    }),
    { maxLength: 8 },
  );

/** The items of a page in the order in which they are stored: states of payments come after the payments that they are about. */
function parentsFirst<T extends object>(page: readonly T[]): readonly T[] {
  const isLater = (item: { reference?: string; parentReference?: string }): boolean =>
    item.parentReference !== undefined && item.parentReference !== item.reference;
  return page.toSorted((a, b) => Number(isLater(a)) - Number(isLater(b)));
}

/** Stores pages as they arrive. An outdated page is prepared again, as the polling engine does. */
async function play<T extends object>(
  world: IngestWorld,
  arrivals: readonly { readonly page: readonly T[]; readonly how: string }[],
  prepare: (page: readonly T[]) => Promise<PreparedPage>,
): Promise<T[]> {
  const stored: T[] = [];
  const store = async (page: readonly T[], prepared: PreparedPage): Promise<void> => {
    try {
      await world.store(prepared);
      stored.push(...parentsFirst(page));
    } catch (error) {
      expect(isOutdated(error)).toBe(true);
      await store(page, await prepare(page));
    }
  };
  let early: { page: readonly T[]; prepared: PreparedPage } | undefined;
  for (const { page, how } of arrivals) {
    const prepared = await prepare(page);
    if (early !== undefined) await store(early.page, early.prepared);
    early = undefined;
    if (how === "with the next") early = { page, prepared };
    else await store(page, how === "alone" ? await prepare(page) : prepared);
    if (how === "twice") await store(page, await prepare(page));
  }
  if (early !== undefined) await store(early.page, early.prepared);
  return stored;
}

describe("payments of a provider, however their pages arrive", () => {
  test("payments, however their pages arrive, have each adjustment once, and what follows from all of them", async () => {
    await fc.assert(
      fc.asyncProperty(arrivalsOf(state), async (arrivals) => {
        const world = new IngestWorld();
        const stored = await play(world, arrivals, (page) => world.preparePayments(page));
        const expected = new Map<string, Map<string, AdjustmentFacts>>();
        for (const { parentReference, reference, type, status, createdAt, amount } of stored) {
          const owner = `${type} ${parentReference}`;
          const facts = expected.get(owner) ?? new Map<string, AdjustmentFacts>();
          expected.set(owner, facts);
          const identity = `${reference} ${createdAt} ${status}`;
          if (!facts.has(identity)) facts.set(identity, { status, createdAt, amount });
        }
        const rows = world.d1.rows(
          `SELECT type || ' ' || reference AS owner, status, initial_amount AS initial, amount,
             (SELECT count(*) FROM payment_adjustments WHERE payment_key = p.key) AS adjustments
           FROM payment_payments p`,
        );
        const shown = [...expected].map(([owner, facts]) => {
          const { status, initialAmount, amount } = derivePayment([...facts.values()]);
          const amounts = { initial: initialAmount.toString(), amount: amount.toString() };
          return { owner, status, ...amounts, adjustments: facts.size };
        });
        const byOwner = (a: object, b: object) =>
          JSON.stringify(a).localeCompare(JSON.stringify(b));
        expect(rows.map((row) => ({ ...row })).toSorted(byOwner)).toEqual(shown.toSorted(byOwner));
        const count = shown.reduce((sum, { adjustments }) => sum + adjustments, 0);
        expect(world.events).toHaveLength(count);
      }),
      { numRuns: runsOf(40) },
    );
  });

  test("payments come to the same in whatever order their adjustments have come, if no two have one time", () => {
    const facts = fc
      .uniqueArray(fc.integer({ min: 0, max: 50 }), { maxLength: 8 })
      .chain((times) =>
        fc.tuple(
          ...times.map((seconds) =>
            fc.record({
              createdAt: fc.constant(at(seconds)),
              status: fc.constantFrom(...PAYMENT_STATUSES),
              amount: fc.bigInt(0n, 100n),
            }),
          ),
        ),
      )
      .chain((list) =>
        fc.tuple(
          fc.constant<readonly AdjustmentFacts[]>(list),
          fc.shuffledSubarray([...list], { minLength: list.length }),
        ),
      );
    fc.assert(
      fc.property(facts, ([list, shuffled]) => {
        expect(derivePayment(shuffled)).toEqual(derivePayment(list));
      }),
    );
  });

  test("payments never come to more than what was authorised, captured in parts and refunded in parts", () => {
    const parts = fc.array(fc.bigInt(1n, 100n), { maxLength: 5 });
    fc.assert(
      fc.property(parts, fc.nat(5), fc.bigInt(0n, 100n), (captures, refunds, rest) => {
        const authorised = captures.reduce((sum, part) => sum + part, rest);
        const refunded = captures.slice(0, refunds);
        const facts = [
          { status: "AUTHORISATION" as const, amount: authorised },
          ...captures.map((amount) => ({ status: "CAPTURE" as const, amount })),
          ...refunded.map((amount) => ({ status: "REFUNDED" as const, amount })),
        ].map((fact, place) => ({ ...fact, createdAt: at(place) }));
        const { initialAmount, amount } = derivePayment(facts);
        expect(initialAmount).toBe(authorised);
        expect(amount).toBe(captures.slice(refunds).reduce((sum, part) => sum + part, 0n));
      }),
    );
  });
});

describe("balances of a provider, however their pages arrive", () => {
  test("balances of a provider, however their pages arrive, follow each other without a gap, and the newest one is open", async () => {
    await fc.assert(
      fc.asyncProperty(arrivalsOf(report), async (arrivals) => {
        const world = new IngestWorld();
        const stored = await play(world, arrivals, (page) => world.prepareBalances(page));
        for (const [asset, reports] of Map.groupBy(stored, (item) => item.asset)) {
          const rows = world.d1.rows(
            `SELECT amount, created_at AS since, last_updated_at AS until, is_open AS isOpen
             FROM payment_balances WHERE asset = ? ORDER BY key`,
            asset,
          );
          for (const [place, row] of rows.entries()) {
            const next = rows[place + 1];
            expect(row["isOpen"]).toBe(next === undefined ? 1 : 0);
            expect(String(row["since"]) <= String(row["until"])).toBe(true);
            if (next === undefined) continue;
            expect(next["since"]).toBe(row["until"]);
            expect(next["amount"]).not.toBe(row["amount"]);
          }
          const newest = reports
            .map(({ createdAt }) => createdAt)
            .toSorted()
            .at(-1);
          expect(String(rows.at(-1)?.["until"]) <= String(newest)).toBe(true);
        }
      }),
      { numRuns: runsOf(40) },
    );
  });
});
