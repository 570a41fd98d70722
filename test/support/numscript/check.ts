import { type CheckReport, checkScript } from "#numscript/check/check.ts";
import type { Runtime } from "#numscript/syntax/ast.ts";
import type { Range } from "#numscript/syntax/source.ts";

/** A diagnostic: its severity, its code, the part of the script that it marks, and its message. */
export type Told = readonly [severity: string, code: string, place: string, message: string];

/** A script and all diagnostics about it. */
export type Row = readonly [title: string, script: string, ...told: Told[]];

export const namedRows = (rows: readonly Row[]) =>
  rows.map(([title, script, ...told]) => ({ title, script, told }));

export const textOf = (script: string, { start, end }: Range): string => script.slice(start, end);

/** The diagnostics of a script, in their order. */
export const tell = (script: string, runtime: Runtime): Told[] =>
  checkScript(script, runtime).diagnostics.map(({ severity, code, range, message }) => [
    severity,
    code,
    textOf(script, range),
    message,
  ]);

export const interpreterReport = (script: string): CheckReport =>
  checkScript(script, "experimental-interpreter");
