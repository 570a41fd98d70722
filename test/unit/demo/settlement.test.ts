import { describe, expect, it } from "vitest";
import type { StatementFormat } from "#modules/reconciliation/core/statements/index.ts";
import { camt053, closingOf } from "#scripts/demo/reconciliation/camt053.ts";
import { decimalOf } from "#scripts/demo/reconciliation/money.ts";
import {
  ACCOUNTS,
  IBAN,
  planSettlement,
  settlementDays,
} from "#scripts/demo/reconciliation/settlement.ts";
import { stripeReport } from "#scripts/demo/reconciliation/stripe-report.ts";
import { DECIMALS, readAll } from "#test/support/reconciliation/statements.ts";

const DAYS = settlementDays(new Date("2026-03-05T12:00:00Z"));
const settlement = planSettlement(DAYS);

/** What Florin reads in a file: its lines, and what each statement says at its end. */
async function read(format: StatementFormat, content: string) {
  const bytes = new TextEncoder().encode(content);
  const { events = [], error } = await readAll(format, { bytes, options: DECIMALS });
  expect(error).toBeUndefined();
  return {
    lines: events.flatMap((event) => (event.type === "line" ? [event.line] : [])),
    ends: events.flatMap((event) => (event.type === "end" ? [event.end] : [])),
  };
}

describe("the demo's day of payouts", () => {
  it.each([
    ["2026-03-05T12:00:00Z", "2026-03-03", "2026-03-05"],
    ["2026-03-03T00:00:00Z", "2026-02-27", "2026-03-03"],
    ["2026-03-02T00:00:00Z", "2026-02-26", "2026-03-02"],
    ["2026-03-08T23:59:59Z", "2026-03-04", "2026-03-06"],
  ])("of %s is two business days before the last one", (now, day, late) => {
    expect(settlementDays(new Date(now))).toMatchObject({ day, late });
  });

  it("is left at zero by Stripe, and off by the planted errors in the books", () => {
    const { movements, bookings, errors } = settlement;
    expect(movements.reduce((sum, { gross, fee }) => sum + gross - fee, 0n)).toBe(0n);
    const cleared = bookings
      .flatMap(({ postings }) => postings)
      .reduce((sum, { source, destination, amount }) => {
        if (destination === ACCOUNTS.clearing) return sum + amount;
        return source === ACCOUNTS.clearing ? sum - amount : sum;
      }, 0n);
    const [missing, doubled, fee] = errors.map(({ breaks }) => breaks);
    const feeOnly = (fee?.[1]?.amount ?? 0n) - (fee?.[0].amount ?? 0n);
    expect(feeOnly).toBeGreaterThan(0n);
    expect(cleared).toBe((doubled?.[0].amount ?? 0n) - (missing?.[0].amount ?? 0n) + feeOnly);
    expect(new Set(errors.map(({ breaks }) => breaks[0].class)).size).toBe(5);
  });

  it("has a report of Stripe with every movement", async () => {
    const { movements } = settlement;
    const { lines, ends } = await read("stripe-balance", stripeReport(movements));
    expect(ends).toHaveLength(1);
    expect(
      lines.map(({ date, amount, fee, asset, category, references }) => ({
        date,
        amount,
        fee,
        asset,
        category,
        source: references.providerId,
        intent: references.endToEndId,
      })),
    ).toEqual(
      movements.map(({ category, source, paymentIntent, gross, fee }) => ({
        date: DAYS.day,
        amount: gross - fee,
        fee,
        asset: "EUR/2",
        category,
        source,
        intent: paymentIntent,
      })),
    );
  });

  it("has files of the bank whose balances join", async () => {
    const [first, next] = settlement.statements;
    for (const statement of [first, next]) {
      const { ends, lines } = await read("camt.053", camt053(statement));
      expect(ends).toMatchObject([
        {
          id: statement.id,
          account: IBAN,
          from: statement.from,
          to: statement.to,
          opening: statement.opening,
          closing: closingOf(statement),
          balanced: true,
        },
      ]);
      expect(lines.map(({ category }) => category)).toEqual(
        statement.entries.map(({ amount }) => `PMNT/${amount < 0n ? "ICDT" : "RCDT"}/ESCT`),
      );
      expect(
        lines.map(({ date, amount, references, counterparty }) => ({
          day: date,
          amount,
          reference: references.endToEndId,
          name: counterparty.name,
          text: references.text,
        })),
      ).toEqual(statement.entries);
    }
    expect(next.opening).toBe(closingOf(first));
  });

  it("is written as files and people have amounts", () => {
    expect([0n, 5n, -5n, 100n, -123_456n].map(decimalOf)).toEqual([
      "0.00",
      "0.05",
      "-0.05",
      "1.00",
      "-1234.56",
    ]);
  });
});

describe("the demo's files", () => {
  it("escape what their formats have signs for", async () => {
    const [first] = settlement.statements;
    const entry = { day: first.to, amount: -1n, reference: "A<B", name: "M & Co", text: '> "x"' };
    const file = camt053({ ...first, entries: [entry] });
    const { lines } = await read("camt.053", file);
    expect(lines).toMatchObject([
      {
        amount: -1n,
        references: { endToEndId: "A<B", text: '> "x"' },
        counterparty: { name: "M & Co" },
      },
    ]);
    const [movement] = settlement.movements;
    if (movement === undefined) throw new Error("the settlement has movements");
    const report = stripeReport([{ ...movement, description: 'one, "two"' }]);
    const { lines: rows } = await read("stripe-balance", report);
    expect(rows).toMatchObject([{ references: { text: 'one, "two"' } }]);
  });
});
