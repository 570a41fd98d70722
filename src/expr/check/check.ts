import { walk } from "./walk.ts";
import { type ExprDiagnostic, ExprError, toDiagnostic } from "#expr/diagnostics.ts";
import type { TextRange } from "#expr/source.ts";
import type { Node } from "#expr/syntax/ast.ts";
import { parse } from "#expr/syntax/parser.ts";
import { isBuiltinFunction } from "#expr/syntax/signatures.ts";

/** The use of an expression: a filter decides, and the value of a variable becomes a text. */
export type ExpressionUse = "filter" | "variable";

export interface CheckOptions {
  readonly use: ExpressionUse;
  /** The variables and functions that the caller gives to an evaluation. */
  readonly names: ReadonlySet<string>;
  readonly functions: ReadonlySet<string>;
}

/** The facts about an expression that an editor shows. */
export interface ExpressionReport {
  readonly diagnostics: readonly (ExprDiagnostic & { readonly range: TextRange })[];
  /** The paths that the expression reads, such as `event.metadata.order`, by their text. */
  readonly paths: readonly { readonly path: string; readonly ranges: readonly TextRange[] }[];
  /** The functions that the expression calls. */
  readonly functions: readonly { readonly name: string; readonly ranges: readonly TextRange[] }[];
}

/** Finds mistakes and likely mistakes of an expression, without an evaluation. Never throws. */
export function checkExpression(source: string, options: CheckOptions): ExpressionReport {
  try {
    return new Check(options).run(parse(source).root);
  } catch (error) {
    if (!(error instanceof ExprError)) throw error;
    const diagnostic = toDiagnostic(error);
    const range = error.range ?? { start: 0, end: 0 };
    return { diagnostics: [{ ...diagnostic, range }], paths: [], functions: [] };
  }
}

class Check {
  readonly #options: CheckOptions;
  readonly #diagnostics: (ExprDiagnostic & { readonly range: TextRange })[] = [];
  readonly #paths = new Map<string, TextRange[]>();
  readonly #functions = new Map<string, TextRange[]>();

  constructor(options: CheckOptions) {
    this.#options = options;
  }

  run(root: Node): ExpressionReport {
    walk(root, (node) => this.#visit(node));
    if (this.#options.use === "filter") this.#checkFilter(root);
    return {
      diagnostics: this.#diagnostics.toSorted((a, b) => a.range.start - b.range.start),
      paths: listOf(this.#paths).map(([path, ranges]) => ({ path, ranges })),
      functions: listOf(this.#functions).map(([name, ranges]) => ({ name, ranges })),
    };
  }

  /** Visits a node. Returns whether its children need a visit, too. */
  #visit(node: Node): boolean {
    switch (node.kind) {
      case "member":
      case "name": {
        const path = pathOf(node);
        if (path === undefined) return true;
        note(this.#paths, path.text, path.range);
        if (!this.#options.names.has(path.name)) {
          this.#warn("unknown-name", `the name ${path.name} is always nil`, path.nameRange);
        }
        return false;
      }
      case "call":
        note(this.#functions, node.name, node.range);
        if (!isBuiltinFunction(node.name) && !this.#options.functions.has(node.name)) {
          this.#warn("unknown-function", `there is no function ${node.name}`, node.range);
        }
        return true;
      case "predicateCall":
        note(this.#functions, node.name, node.range);
        return true;
      default:
        return true;
    }
  }

  #checkFilter(root: Node): void {
    const type = typeOfResult(root);
    if (type === undefined) return;
    const message = `a filter that yields ${type} instead of a boolean never matches`;
    this.#warn("not-boolean", message, root.range);
  }

  #warn(code: ExprDiagnostic["code"], message: string, range: TextRange): void {
    this.#diagnostics.push({ code, severity: "warning", message, range });
  }
}

function note(found: Map<string, TextRange[]>, text: string, range: TextRange): void {
  const ranges = found.get(text);
  if (ranges === undefined) found.set(text, [range]);
  else ranges.push(range);
}

const listOf = <T>(found: ReadonlyMap<string, T>): [string, T][] =>
  [...found].toSorted(([a], [b]) => (a < b ? -1 : 1));

interface Path {
  readonly name: string;
  readonly nameRange: TextRange;
  readonly text: string;
  readonly range: TextRange;
}

/** The path of a name and its members; undefined for a node with any other part. */
function pathOf(node: Node): Path | undefined {
  if (node.kind === "chain") return pathOf(node.node);
  if (node.kind === "name") {
    return { name: node.name, nameRange: node.range, text: node.name, range: node.range };
  }
  if (node.kind !== "member" || node.key.kind !== "literal") return undefined;
  const object = pathOf(node.object);
  const { value, range } = node.key;
  if (object === undefined) return undefined;
  const text = typeof value === "string" ? `${object.text}.${value}` : `${object.text}[${value}]`;
  return { ...object, text, range: { start: object.range.start, end: range.end } };
}

/** The type of a result that is certainly no boolean; undefined for a result that may be one. */
function typeOfResult(node: Node): string | undefined {
  switch (node.kind) {
    case "literal":
      return typeof node.value === "boolean" ? undefined : nameOf(node.value);
    case "array":
      return "an array";
    case "map":
      return "a map";
    case "binary":
      if ("***/%-".includes(node.operator)) return "a number";
      return node.operator === ".." ? "an array" : undefined;
    case "let":
      return typeOfResult(node.body);
    case "sequence": {
      const last = node.nodes.at(-1);
      return last === undefined ? undefined : typeOfResult(last);
    }
    default:
      return undefined;
  }
}

function nameOf(value: null | bigint | number | string): string {
  if (value === null) return "nil";
  return typeof value === "string" ? "a string" : "a number";
}
