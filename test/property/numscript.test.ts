import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { printProgram } from "#numscript/print/print.ts";
import { parseProgram } from "#numscript/syntax/parser.ts";
import { allot, fraction, type Fraction } from "#numscript/values/portions.ts";
import { assertAllAnswered } from "#test/support/numscript/answers.ts";
import { loadCases, RUNTIMES } from "#test/support/numscript/cases.ts";
import {
  amountOf,
  arrivingOf,
  assertNoOverdraft,
  isExactSend,
  runByStatement,
  runMovement,
  sumOf,
  withoutZeros,
} from "#test/support/numscript/laws.ts";
import { type MovementOptions, movements } from "#test/support/numscript/scripts.ts";
import { syntaxOf, withoutRanges } from "#test/support/numscript/syntax.ts";
import { runsOf } from "#test/support/runner/runs.ts";

const AMOUNT_MAX = 10n ** 40n;

describe("dividing an amount", () => {
  test("dividing an amount loses no unit, and gives each its share or the next unit above it", () => {
    const weights = fc.array(fc.bigInt({ min: 0n, max: 10n ** 30n }), {
      minLength: 1,
      maxLength: 12,
    });
    const amounts = fc.bigInt({ min: 0n, max: AMOUNT_MAX });
    const property = fc.property(weights, amounts, (weights, amount) => {
      const sum = weights.reduce((total, weight) => total + weight, 0n);
      fc.pre(sum > 0n);
      const shares = weights.map((weight) => fraction(weight, sum));
      assertDivided(amount, shares, allot(amount, shares));
    });

    fc.assert(property, { numRuns: runsOf(2000) });
  });
});

/** Asserts that parts are the exact shares rounded down, with one more unit for the first ones. */
function assertDivided(amount: bigint, shares: readonly Fraction[], parts: readonly bigint[]) {
  expect(parts.reduce((sum, part) => sum + part, 0n)).toBe(amount);
  const units = parts.map((part, index) => {
    const { numerator, denominator } = shares[index] ?? fraction(0n, 1n);
    return part - (amount * numerator) / denominator;
  });
  expect(units.every((unit) => unit === 0n || unit === 1n)).toBe(true);
  expect(units.toSorted((a, b) => Number(b - a))).toEqual(units);
}

const KINDS: readonly (readonly [string, MovementOptions])[] = [
  ["scripts for both runtimes", {}],
  ["scripts with kept", { withKept: true }],
  ["scripts with kept and save", { withKept: true, withSave: true }],
];

describe.each(RUNTIMES)("%s", (runtime) => {
  const kinds = [
    ...KINDS,
    ...(runtime === "machine"
      ? []
      : [
          ["scripts with oneof", { withKept: true, withSave: true, forInterpreter: true }] as const,
        ]),
  ];

  test.each(kinds)(
    "%s: everything that is sent arrives, except for what is kept",
    (_name, options) => {
      let count = 0;
      const property = fc.property(movements(options), (movement) => {
        const { steps, reason } = runByStatement(movement, runtime);
        for (const { statement, postings } of steps) {
          expect(postings.every(({ amount }) => amount >= 0n)).toBe(true);
          if (!isExactSend(statement)) continue;
          const sent = amountOf(statement.amount.expression);
          expect(sumOf(postings)).toBe(arrivingOf(statement.destination, sent));
          if (sent > 0n) count++;
        }
        // All scripts here are valid, and fail only for lack of money.
        if (options.forInterpreter !== true) expect(["missing-funds", undefined]).toContain(reason);
      });

      fc.assert(property, { numRuns: runsOf(500) });
      expect(count).toBeGreaterThan(runsOf(100));
    },
  );

  test.each(kinds)("%s: no source falls below its overdraft", (_name, options) => {
    let count = 0;
    const property = fc.property(movements(options), (movement) => {
      const { steps } = runByStatement(movement, runtime);
      assertNoOverdraft(movement, steps, runtime);
      count += steps.length;
    });

    fc.assert(property, { numRuns: runsOf(500) });
    expect(count).toBeGreaterThan(runsOf(200));
  });

  test("the print of a program of any shape parses to the same program", () => {
    const property = fc.property(syntaxOf(runtime), (program) => {
      const { program: read, diagnostics } = parseProgram(printProgram(program, runtime), runtime);

      expect(diagnostics).toEqual([]);
      expect(withoutRanges(read)).toBe(withoutRanges(program));
    });

    fc.assert(property, { numRuns: runsOf(1000) });
  });

  test("the prints of the fixtures' scripts parse to the same scripts", () => {
    for (const { id, s } of [...loadCases("numscript"), ...loadCases("numscript-random")]) {
      const { program, diagnostics } = parseProgram(s, runtime);
      if (diagnostics.length > 0) continue;
      const text = printProgram(program, runtime);
      const again = parseProgram(text, runtime);

      expect({ id, diagnostics: again.diagnostics }).toEqual({ id, diagnostics: [] });
      expect(withoutRanges(again.program)).toBe(withoutRanges(program));
      expect(printProgram(again.program, runtime)).toBe(text);
    }
  });
});

test("both runtimes move the same money, except for postings of zero", () => {
  let count = 0;
  const property = fc.property(movements(), (movement) => {
    const machine = runMovement(movement, "machine");
    const interpreter = runMovement(movement, "experimental-interpreter");

    if (machine.ok && interpreter.ok) {
      const postings = withoutZeros(machine.output.postings);
      expect(postings).toBe(withoutZeros(interpreter.output.postings));
      if (postings !== "") count++;
    } else {
      const reasons = [machine, interpreter].map((result) => !result.ok && result.failure.reason);
      expect(reasons).toEqual(["missing-funds", "missing-funds"]);
    }
  });

  fc.assert(property, { numRuns: runsOf(2000) });
  expect(count).toBeGreaterThan(runsOf(200));
});

test("any text gets a result or diagnostics in time, never an exception", () => {
  const endings = assertAllAnswered({ runs: runsOf(5000) });

  // Many attempts must be whole scripts, because other texts test little beyond the parser.
  expect(endings.run).toBeGreaterThan(runsOf(400));
  expect(endings.failed).toBeGreaterThan(runsOf(400));
});
