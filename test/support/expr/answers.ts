import * as fc from "fast-check";
import { CASE_FILES, loadCases } from "./cases.ts";
import { link, PAYLOAD } from "./evaluate.ts";
import {
  checkExpression,
  evaluateExpression,
  type ExprDiagnostic,
  momentAt,
  parseExpression,
  printDiagnostic,
  valueText,
} from "#expr";
import { ARITIES, PREDICATE_ARITIES } from "#expr/syntax/signatures.ts";
import { OPERATOR_WORDS, RESERVED_WORDS, SIGNS } from "#expr/syntax/tokens.ts";

type Ending = "refused" | "failed" | "evaluated";

const SOURCES = CASE_FILES.flatMap((name) => loadCases(name)).map(({ source }) => source);

/** Pieces of expressions, and some pieces that no expression has. */
const PIECES: readonly string[] = [
  ...SIGNS,
  ...OPERATOR_WORDS,
  ...RESERVED_WORDS,
  ...Object.keys(ARITIES),
  ...Object.keys(PREDICATE_ARITIES),
  ..."event x # #acc #index .status .tags $env link 0 1 -1 2.5 9007199254740993 1e300 é 😀 \ud800 \0".split(
    " ",
  ),
  '"a"',
  "'b'",
  "`c`",
  '"(a+)+$"',
  '"2024-01-01"',
  '"1h"',
  '"',
  "`",
  "/*",
  "//",
  "\n",
  "\\",
  "@",
];

const soups = fc
  .array(fc.constantFrom(...PIECES), { maxLength: 24 })
  .chain((pieces) => fc.constantFrom("", " ").map((space) => pieces.join(space)));

/** A case with some characters replaced by a piece, or by a part of another case. */
const mutations = fc
  .record({
    source: fc.constantFrom(...SOURCES),
    other: fc.constantFrom(...SOURCES, ...PIECES),
    from: fc.nat(60),
    length: fc.nat(12),
    isCall: fc.boolean(),
  })
  .map(({ source, other, from, length, isCall }) => {
    const start = Math.min(from, source.length);
    const inserted = isCall ? ` (${other}) ` : other;
    return source.slice(0, start) + inserted + source.slice(start + length);
  });

/** Two cases as the operands of an operator, or as arguments of a function. */
const combinations = fc
  .tuple(
    fc.constantFrom(...SOURCES),
    fc.constantFrom(" + ", " == ", " < ", " in ", " and ", " ?? ", " | ", "; ", "**", "%", ", "),
    fc.constantFrom(...SOURCES),
    fc.constantFrom("", ...Object.keys(ARITIES), ...Object.keys(PREDICATE_ARITIES)),
  )
  .map(([left, operator, right, name]) =>
    operator === ", " ? `${name}(${left}, ${right})` : `(${left})${operator}(${right})`,
  );

const texts = fc.oneof(
  soups,
  mutations,
  combinations,
  fc.string({ unit: "binary", maxLength: 40 }),
);

/** Asserts that every text gets an answer, never an exception. Counts the texts by their endings. */
export function assertAllAnswered({ runs }: { runs: number }): Record<Ending, number> {
  const endings: Record<Ending, number> = { refused: 0, failed: 0, evaluated: 0 };
  const property = fc.property(texts, (source) => {
    endings[endingOf(source)]++;
  });
  fc.assert(property, { numRuns: runs });
  return endings;
}

function endingOf(source: string): Ending {
  const options = { names: new Set(["event"]), functions: new Set(["link"]) };
  const report = checkExpression(source, { ...options, use: "filter" });
  for (const diagnostic of report.diagnostics) assertPlaced(source, diagnostic);
  const parsed = parseExpression(source);
  if (!parsed.ok) {
    assertPlaced(source, parsed.diagnostic);
    return "refused";
  }
  const result = evaluateExpression(parsed.expression, {
    names: { event: PAYLOAD },
    functions: { link },
    now: () => momentAt(1_750_000_000_000_000n),
  });
  if (result.kind === "value") {
    return valueText(result.value).kind === "text" ? "evaluated" : "failed";
  }
  if (result.kind === "error") assertPlaced(source, result.diagnostic);
  return "failed";
}

/** Asserts that an error has a place, unless it comes from a function of the caller. */
function assertPlaced(source: string, diagnostic: ExprDiagnostic): void {
  const { range, code } = diagnostic;
  const isInside = range !== undefined && range.start >= 0 && range.end <= source.length;
  if (!isInside && code !== "host-error") throw new Error(`${code} is outside of the text`);
  if (printDiagnostic(source, diagnostic) === "") throw new Error(`${code} has no text`);
}
