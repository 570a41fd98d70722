import { BUILTINS, type CheckedType } from "./builtins.ts";
import { type ReportBuilder, shown } from "./report.ts";
import type { Call, Expression } from "#numscript/syntax/ast.ts";
import type { Range } from "#numscript/syntax/source.ts";

/** A node of an expression or variable with an asset, known or not. Nodes that must have the same asset are united. */
export type AssetNode = number;

/** The node of a value without an asset, or of an unknown value. */
export const NO_ASSET: AssetNode = -1;

/**
 * Infers the assets of expressions and variables, and reports conflicts: unification of sets of nodes in a union-find forest with
 * path halving (Tarjan and van Leeuwen, 1984).
 *
 *     send $price (source = max [USD/2 5] from @a …)
 *
 *     node of $price ──► node of USD/2, asset "USD/2"      so that $price always has the asset USD/2
 */
export class AssetInference {
  readonly #report: ReportBuilder;
  /** For each node, the next node on the path to the representative of its set. */
  readonly #parents: number[] = [];
  /** The known asset of each representative. */
  readonly #assets: (string | undefined)[] = [];
  readonly #variables = new Map<string, AssetNode>();
  #hasMismatch = false;

  constructor(report: ReportBuilder) {
    this.#report = report;
  }

  get hasMismatch(): boolean {
    return this.#hasMismatch;
  }

  /** Adds a variable. `origin` is the node of the expression that gives the variable its value. */
  declare(name: string, type: CheckedType, origin: AssetNode): void {
    if (type !== "asset" && type !== "monetary" && type !== "any") return;
    this.#variables.set(name, origin === NO_ASSET ? this.create() : origin);
  }

  /** The asset that a variable always has; undefined if it may have several. */
  assetOf(variable: string): string | undefined {
    const node = this.#variables.get(variable);
    return node === undefined ? undefined : this.#assets[this.#find(node)];
  }

  create(asset?: string): AssetNode {
    this.#assets.push(asset);
    return this.#parents.push(this.#parents.length) - 1;
  }

  /**
   * The node of an expression's value. It also unites nodes within the expression, so that it must be called once for
   * each expression.
   */
  nodeOf(expression: Expression): AssetNode {
    switch (expression.kind) {
      case "variable":
        return this.#variables.get(expression.name) ?? NO_ASSET;
      case "asset":
        return this.create(expression.name);
      case "monetary":
        this.nodeOf(expression.amount);
        return this.nodeOf(expression.asset);
      case "binary": {
        const left = this.nodeOf(expression.left);
        const right = this.nodeOf(expression.right);
        if (expression.operator === "/") return NO_ASSET;
        return this.unify(left, right, expression.right.range);
      }
      case "negation":
        return this.nodeOf(expression.operand);
      case "call":
        return this.#nodeOfCall(expression);
      case "account":
      case "number":
      case "string":
      case "percentage":
      case "fraction":
        return NO_ASSET;
    }
  }

  /** Unites two nodes, which must have the same asset. A conflict is reported at the range of the second node. */
  unify(first: AssetNode, second: AssetNode, range: Range): AssetNode {
    if (first === NO_ASSET) return second;
    if (second === NO_ASSET) return first;
    const [a, b] = [this.#find(first), this.#find(second)];
    if (a === b) return a;
    const [expected, got] = [this.#assets[a], this.#assets[b]];
    if (expected !== undefined && got !== undefined && expected !== got) {
      this.#hasMismatch = true;
      const message = `Asset mismatch (expected '${shown(expected)}', got '${shown(got)}' instead)`;
      this.#report.error("asset-mismatch", message, range);
      return a;
    }
    this.#parents[b] = a;
    this.#assets[a] = expected ?? got;
    return a;
  }

  #nodeOfCall({ name, arguments: values }: Call): AssetNode {
    const assetArgument = BUILTINS.get(name)?.assetArgument;
    let node = NO_ASSET;
    for (let index = 0; index < values.length; index++) {
      const value = values[index];
      const argument = value === undefined ? NO_ASSET : this.nodeOf(value);
      if (index === assetArgument) node = argument;
    }
    return node;
  }

  /** The representative of a node's set. Path halving shortens the path to it. */
  #find(node: AssetNode): AssetNode {
    let current = node;
    for (;;) {
      const parent = this.#parents[current] ?? current;
      if (parent === current) return current;
      const grandparent = this.#parents[parent] ?? parent;
      this.#parents[current] = grandparent;
      current = grandparent;
    }
  }
}
