import { readFileSync } from "node:fs";
import { resolve } from "node:path";

export interface ExpressionCase {
  readonly source: string;
  readonly expected: string;
}

/**
 * The cases of a file: each line has an expression and, after the last arrow, its result. Lines that begin with `# ` are
 * titles.
 */
export function loadCases(name: string): ExpressionCase[] {
  const path = resolve(import.meta.dirname, "../../unit/expr/cases", `${name}.txt`);
  return readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("# "))
    .map((line) => {
      const at = line.lastIndexOf(" => ");
      return { source: line.slice(0, at), expected: line.slice(at + 4) };
    });
}

export const CASE_FILES = ["operators", "access", "builtins", "syntax"] as const;
