import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { STATEMENT_FORMATS } from "#modules/reconciliation/core/statements/index.ts";
import {
  PRINTED_ASSET,
  PRINTED_MAPPING,
  PRINTERS,
  type PrintedLine,
  type PrintedStatement,
} from "#test/support/reconciliation/printers.ts";
import { DECIMALS, readAll } from "#test/support/reconciliation/statements.ts";
import { runsOf } from "#test/support/runner/runs.ts";

/** Amounts beyond 2^53 among small ones. */
const amounts = fc.oneof(
  fc.bigInt({ min: -100_000n, max: 100_000n }),
  fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }),
);
const days = fc
  .integer({ min: 0, max: 300 })
  .map((day) => new Date(Date.UTC(2026, 0, 1 + day)).toISOString().slice(0, 10));
/** Words that are code words of no format, with signs that formats escape. */
const texts = fc
  .array(fc.constantFrom("Rechnung", "7", "a&b", "x;y", "<z>", "5.00", 'say "hi"', "ü€", "né"), {
    minLength: 1,
    maxLength: 6,
  })
  .map((words) => words.join(" "));

const statements = fc.record<PrintedStatement>({
  opening: amounts,
  lines: fc.array(
    fc.record<PrintedLine>({
      date: days,
      amount: amounts,
      reference: fc.stringMatching(/^R[A-Z0-9]{1,10}$/),
      text: texts,
    }),
    { maxLength: 20 },
  ),
});

/** Formats that state the day of the statement instead of that of each line. */
const HAS_NO_DAYS = new Set(["bai2"]);
/** Formats that state no balances, or the closing one only. */
const HAS_NO_OPENING = new Set(["ofx", "stripe-balance", "adyen-settlement"]);

describe.each(STATEMENT_FORMATS.filter((format) => format in PRINTERS))("%s", (format) => {
  it("gives back what is printed", async () => {
    const property = fc.asyncProperty(
      statements,
      fc.integer({ min: 1, max: 999 }),
      async (statement, chunkSize) => {
        const bytes = new TextEncoder().encode(PRINTERS[format]?.(statement));
        const options = { ...DECIMALS, mapping: PRINTED_MAPPING };
        const { events = [], error } = await readAll(format, { bytes, options, chunkSize });
        expect(error).toBeUndefined();
        const lines = events.flatMap((event) => (event.type === "line" ? [event.line] : []));
        const read = lines.map(({ date, amount, asset, references: { providerId, text } }) => ({
          date: HAS_NO_DAYS.has(format) ? undefined : date,
          amount,
          asset,
          reference: providerId,
          text,
        }));
        const printed = statement.lines.map((line) => ({
          ...line,
          date: HAS_NO_DAYS.has(format) ? undefined : line.date,
          asset: PRINTED_ASSET,
        }));
        expect(read).toEqual(printed);
        const end = events.at(-1);
        const total = statement.lines.reduce((sum, { amount }) => sum + amount, 0n);
        const hasBalances = !HAS_NO_OPENING.has(format) && (format !== "csv" || printed.length > 0);
        expect(end).toMatchObject({
          type: "end",
          end: hasBalances
            ? { opening: statement.opening, closing: statement.opening + total, balanced: true }
            : { opening: undefined, balanced: false },
        });
      },
    );
    await fc.assert(property, { numRuns: runsOf(2000, 1 / 20) });
  });
});
