import * as fc from "fast-check";
import { RUNTIMES } from "./cases.ts";
import { type Attempt, attempts } from "./mutations.ts";
import { withoutRanges } from "./syntax.ts";
import { compileScript, runScript } from "#numscript";
import { type CheckReport, checkScript } from "#numscript/check/check.ts";
import { FEATURES } from "#numscript/features.ts";
import { SOURCE_LENGTH_MAX } from "#numscript/limits.ts";
import { printProgram } from "#numscript/print/print.ts";
import type { Program, Runtime, VariableDeclaration } from "#numscript/syntax/ast.ts";
import {
  type Diagnostic,
  printDiagnostics,
  printPositions,
} from "#numscript/syntax/diagnostics.ts";
import { parseProgram } from "#numscript/syntax/parser.ts";
import type { Range } from "#numscript/syntax/source.ts";
import type { Reader, RunOutput } from "#numscript/values/run.ts";
import { timed } from "#test/support/numscript/cpu-time.ts";

/** The ways in which an attempt can end in a runtime. */
type Ending = "refused" | "failed" | "run";

/** The limit of processor time. An attempt takes at most 50 ms, so that even a slow machine stays far below it. */
const ATTEMPT_MS_MAX = 10_000;

/** Asserts that every text gets an answer in time. Counts the attempts by their endings. */
export function assertAllAnswered({ runs }: { runs: number }): Record<Ending, number> {
  const endings: Record<Ending, number> = { refused: 0, failed: 0, run: 0 };
  const property = fc.property(attempts, (attempt) => {
    const { cpuMs } = timed(() => {
      for (const ending of assertAnswered(attempt)) endings[ending]++;
    });
    if (cpuMs > ATTEMPT_MS_MAX) throw new Error(`an answer takes ${Math.round(cpuMs)} ms`);
  });
  fc.assert(property, { numRuns: runs });
  return endings;
}

const FLAGS: ReadonlySet<string> = new Set(Object.values(FEATURES));

/**
 * Compiles, checks, runs and prints a text in both runtimes. Throws unless each runtime gives a result or diagnostics
 * with ranges inside the text, and unless the print of a script parses to the same script.
 */
function assertAnswered(attempt: Attempt): Ending[] {
  return RUNTIMES.map((runtime) => {
    assertReport(attempt.text, checkScript(attempt.text, runtime));
    return assertRun(attempt, runtime);
  });
}

function assertReport(text: string, report: CheckReport): void {
  assertDiagnostics(text, report.diagnostics);
  const { variables, hovers, undeclaredVariables, accounts, assets, features } = report;
  const placed = [...variables, ...hovers].map(({ range }) => range);
  const used = [...undeclaredVariables, ...accounts, ...assets, ...features];
  for (const range of [...placed, ...used.flatMap(({ ranges }) => ranges)]) {
    assertInside(text, range, "a report");
  }
}

function assertRun(
  { text, values, balance, metadata, hasFlags }: Attempt,
  runtime: Runtime,
): Ending {
  const compiled = compileScript(text, runtime);
  assertPrint(text, runtime);
  if (!compiled.ok) {
    assertFailure(text, compiled.failure.diagnostics);
    return "refused";
  }
  const result = runScript(compiled.script, {
    variables: variablesOf(compiled.script.program, values),
    featureFlags: hasFlags ? FLAGS : new Set(),
    reader: constantReader(balance, metadata),
  });
  if (!result.ok) {
    assertFailure(text, result.failure.diagnostics);
    return "failed";
  }
  assertOutput(result.output);
  return "run";
}

/** Asserts that the printed script parses to the same script. */
function assertPrint(text: string, runtime: Runtime): void {
  const { program, diagnostics } = parseProgram(text, runtime);
  if (diagnostics.length > 0) return;
  const again = parseProgram(printProgram(program, runtime), runtime);
  if (again.diagnostics.length > 0 || withoutRanges(again.program) !== withoutRanges(program)) {
    throw new Error("the print of a script is another script");
  }
}

function assertFailure(text: string, diagnostics: readonly Diagnostic[]): void {
  if (diagnostics.length === 0) throw new Error("a failure has at least one diagnostic");
  assertDiagnostics(text, diagnostics);
}

function assertDiagnostics(text: string, diagnostics: readonly Diagnostic[]): void {
  for (const { code, message, range } of diagnostics) {
    if (range !== undefined) assertInside(text, range, code);
    if (message === "" || message.length > MESSAGE_LENGTH_MAX) {
      throw new Error(`the message of ${code} has ${message.length} characters`);
    }
  }
  printDiagnostics(text, diagnostics);
  printPositions(text, diagnostics);
}

function assertInside(text: string, { start, end }: Range, what: string): void {
  if (start >= 0 && start <= end && end <= text.length) return;
  throw new Error(`the range of ${what} is outside the text: ${start}-${end}`);
}

/** The limit of a message's length. A message may repeat a name of the script, but must not multiply it. */
const MESSAGE_LENGTH_MAX = SOURCE_LENGTH_MAX + 10_000;

function assertOutput({ postings }: RunOutput): void {
  const isWrong = postings.some(({ amount }) => amount < 0n);
  if (isWrong) throw new Error("a posting has a negative amount");
}

const variablesOf = (
  { variables }: Program,
  values: Readonly<Record<string, string>>,
): Map<string, string> =>
  new Map(
    variables
      .filter(({ origin }: VariableDeclaration) => origin === undefined)
      .map(({ name, type }) => [name, values[type] ?? "text"]),
  );

const constantReader = (balance: bigint, text: string | undefined): Reader => ({
  balances: (queries) => queries.map(() => balance),
  metadata: () =>
    text === undefined ? undefined : { k: text, key: text, fee: text, seller: text, a: text },
  scales: (_account, base) =>
    ["", "/1", "/2", "/6"].map((precision) => ({ asset: base + precision, balance })),
});
