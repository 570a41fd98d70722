import { interpret } from "./interpreter/interpreter.ts";
import { checkMachine } from "./machine/check.ts";
import { runMachine } from "./machine/machine.ts";
import type { Program, Runtime } from "./syntax/ast.ts";
import { ScriptError, type ScriptFailure } from "./syntax/diagnostics.ts";
import { parseProgram } from "./syntax/parser.ts";
import { Output, type RunInput, type RunOutput } from "./values/run.ts";

export type { Runtime } from "./syntax/ast.ts";
export { type CheckReport, checkScript } from "./check/check.ts";
export type { Diagnostic, ScriptFailure } from "./syntax/diagnostics.ts";
export { printDiagnostics, printPositions } from "./syntax/diagnostics.ts";
export { POSTINGS_MAX } from "./limits.ts";
export { type ParseResult, parseProgram } from "./syntax/parser.ts";
export { printProgram } from "./print/print.ts";
export { LineIndex, type Range } from "./syntax/source.ts";
export type { BalanceQuery, Reader, RunInput, RunOutput, ScriptPosting } from "./values/run.ts";

/** A script that can be run any number of times. */
export interface CompiledScript {
  readonly runtime: Runtime;
  readonly program: Program;
}

export type CompileResult =
  | { readonly ok: true; readonly script: CompiledScript }
  | { readonly ok: false; readonly failure: ScriptFailure };

/** The result of a run. `steps` is its work, by which callers bound the work of many runs. */
export type RunResult = { readonly steps: number } & (
  | { readonly ok: true; readonly output: RunOutput }
  | { readonly ok: false; readonly failure: ScriptFailure }
);

/** Parses a script and, for the machine, checks it. It never throws. */
export function compileScript(source: string, runtime: Runtime): CompileResult {
  const { program, diagnostics } = parseProgram(source, runtime);
  if (diagnostics.length > 0) return { ok: false, failure: { reason: "syntax", diagnostics } };
  return guard(() => {
    if (runtime === "machine") checkMachine(program);
    return { ok: true, script: { runtime, program } };
  });
}

/** Runs a script. It throws only if the reader throws. */
export function runScript({ runtime, program }: CompiledScript, input: RunInput): RunResult {
  const output = new Output();
  const result = guard(() => {
    if (runtime === "machine") runMachine(program, input, output);
    else interpret(program, input, output);
    return { ok: true, output } as const;
  });
  return { ...result, steps: output.steps };
}

function guard<T>(work: () => T): T | { readonly ok: false; readonly failure: ScriptFailure } {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof ScriptError)) throw error;
    const { reason, diagnostic } = error;
    return { ok: false, failure: { reason, diagnostics: [diagnostic] } };
  }
}
