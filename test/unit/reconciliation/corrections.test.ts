import { describe, expect, test } from "vitest";
import {
  type BreakLine,
  correctionScript,
  type CorrectionInput,
  suggestCorrection,
  writeOff,
} from "#modules/reconciliation/core/breaks/correction.ts";
import { compileScript } from "#numscript";

const line = (
  fields: Partial<BreakLine> & Pick<BreakLine, "id" | "side" | "amount">,
): BreakLine => ({
  asset: "EUR/2",
  account: undefined,
  otherAccount: undefined,
  ...fields,
});

const BOOKS = { right: { ledger: "main", account: "bank:main", negate: false } } as const;
const ACCOUNTS = { suspense: "recon:suspense", fees: "recon:fees" } as const;

const input = (
  fields: Omit<Partial<CorrectionInput>, "line"> & Pick<CorrectionInput, "line" | "class">,
) => ({
  related: undefined,
  books: BOOKS,
  accounts: ACCOUNTS,
  ...fields,
});

const bank = line({ id: 1, side: "left", amount: 9_710n });
const booked = line({
  id: 2,
  side: "right",
  amount: 10_000n,
  account: "bank:main",
  otherAccount: "users:42",
});

describe("the suggested correction", () => {
  test("of a fee books what the bank kept, and closes both lines", () => {
    for (const [one, other] of [
      [bank, booked],
      [booked, bank],
    ] as const) {
      const found = suggestCorrection(input({ class: "fee", line: one, related: other }));
      expect(found).toMatchObject({
        kind: "correction",
        correction: { side: "right", amount: -290n, account: "bank:main", counter: "recon:fees" },
      });
      if (found.kind !== "correction") continue;
      expect(new Set(found.correction.closes)).toEqual(new Set([1, 2]));
      expect(correctionScript(found.correction, false)).toBe(
        "send [EUR/2 290] (\n  source = @bank:main\n  destination = @recon:fees\n)\n",
      );
    }
  });

  test("of a missing booking books it against the account of suspense, in the direction of the accounts", () => {
    const found = suggestCorrection(input({ class: "missing_right", line: bank }));
    expect(found).toMatchObject({
      correction: { amount: 9_710n, account: "bank:main", counter: "recon:suspense", closes: [1] },
    });
    if (found.kind !== "correction") return;
    const received = "source = @recon:suspense allowing unbounded overdraft";
    expect(correctionScript(found.correction, false)).toContain(received);
    expect(correctionScript(found.correction, true)).toContain("source = @bank:main");
  });

  test("of a doubled booking, and of one that the bank does not have, turns the posting round", () => {
    for (const kind of ["duplicate", "missing_left"] as const) {
      expect(suggestCorrection(input({ class: kind, line: booked }))).toMatchObject({
        correction: { side: "right", amount: -10_000n, counter: "users:42", closes: [2] },
      });
    }
  });

  test("of a doubled booking to the world takes the money from there, by a script that both runtimes take", () => {
    const refund = line({ ...booked, id: 3, side: "right", amount: -500n, otherAccount: "world" });
    const found = suggestCorrection(input({ class: "duplicate", line: refund }));
    if (found.kind !== "correction") throw new Error(found.why);
    const script = correctionScript(found.correction, false);
    expect(script).toContain("source = @world\n");
    for (const runtime of ["machine", "experimental-interpreter"] as const)
      expect(compileScript(script, runtime).ok).toBe(true);
  });

  test("names no account where the side has many, and no booking where nothing tells one", () => {
    const many = { right: { ...BOOKS.right, account: "bank:" } };
    expect(
      suggestCorrection(input({ class: "missing_right", line: bank, books: many })),
    ).toMatchObject({
      correction: { account: undefined },
    });
    for (const kind of ["currency", "timing", "unknown"] as const)
      expect(suggestCorrection(input({ class: kind, line: bank })).kind).toBe("none");
    expect(suggestCorrection(input({ class: "duplicate", line: bank })).kind).toBe("none");
    for (const kind of ["missing_right", "amount", "fee"] as const)
      expect(
        suggestCorrection(input({ class: kind, line: bank, related: booked, books: {} })).kind,
      ).toBe("none");
  });
});

test("a write-off closes a break of any class against the named account", () => {
  const counter = "expenses:write-offs";
  for (const kind of ["timing", "unknown", "currency", "duplicate", "missing_right"] as const) {
    expect(writeOff(input({ class: kind, line: bank }), counter)).toMatchObject({
      correction: { side: "right", amount: 9_710n, counter, closes: [1] },
    });
  }
  expect(writeOff(input({ class: "amount", line: bank, related: booked }), counter)).toMatchObject({
    correction: { side: "right", amount: -290n, counter, closes: [1, 2] },
  });
  const onlyLeft = { left: { ...BOOKS.right } };
  expect(
    writeOff(
      input({ class: "timing", line: { ...bank, account: "bank:main" }, books: onlyLeft }),
      counter,
    ),
  ).toMatchObject({
    correction: { side: "left", amount: -9_710n, counter, closes: [1] },
  });
  expect(writeOff(input({ class: "timing", line: bank, books: {} }), counter).kind).toBe("none");
});
