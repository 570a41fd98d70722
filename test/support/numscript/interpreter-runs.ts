import { expect } from "vitest";
import { FEATURES } from "#numscript/features.ts";
import { interpret } from "#numscript/interpreter/interpreter.ts";
import { ScriptError } from "#numscript/syntax/diagnostics.ts";
import { parseProgram } from "#numscript/syntax/parser.ts";
import { Output, type Reader, type RunOutput } from "#numscript/values/run.ts";
import { describePosting, MemoryReader, type Surroundings } from "#test/support/numscript/cases.ts";

const ALL_FEATURES = Object.values(FEATURES);

/** Runs a script in the interpreter, with all features unless the test gives flags. */
export function runScript(
  script: string,
  surroundings: Surroundings & { reader?: Reader } = {},
): RunOutput {
  const { program, diagnostics } = parseProgram(script, "experimental-interpreter");
  expect(diagnostics).toEqual([]);
  const output = new Output();
  interpret(
    program,
    {
      variables: new Map(Object.entries(surroundings.variables ?? {})),
      featureFlags: new Set(surroundings.flags ?? ALL_FEATURES),
      reader: surroundings.reader ?? new MemoryReader(surroundings),
    },
    output,
  );
  return output;
}

export const postingsOf = (...given: Parameters<typeof runScript>): string[] =>
  runScript(...given).postings.map(describePosting);

/** The reason of a failed run, and the part of the script that its error marks. */
export function refusalOf(script: string, surroundings: Surroundings = {}) {
  try {
    runScript(script, surroundings);
  } catch (error) {
    if (!(error instanceof ScriptError)) throw error;
    const { code, range, message } = error.diagnostic;
    const place = range === undefined ? undefined : script.slice(range.start, range.end);
    return { reason: error.reason, code, place, message };
  }
  return undefined;
}
