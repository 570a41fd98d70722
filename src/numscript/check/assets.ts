import { BUILTINS, type CheckedType } from "./builtins.ts";
import { type ReportBuilder, shown } from "./report.ts";
import type { Call, Expression } from "#numscript/syntax/ast.ts";
import type { Range } from "#numscript/syntax/source.ts";

/** A node stands for something that has an asset, known or not. Nodes that must have the same asset are united. */
export type AssetNode = number;

/** The node of something without an asset, or with one that is unknown. */
export const NO_ASSET: AssetNode = -1;

/** Finds out which assets expressions and variables must have, and where two of them conflict. */
export class AssetInference {
  readonly #report: ReportBuilder;
  /** For each node, the next one on the path to the node that represents its set. */
  readonly #parents: number[] = [];
  /** The assets that the representing nodes are known to have. */
  readonly #assets: (string | undefined)[] = [];
  readonly #variables = new Map<string, AssetNode>();
  #hasMismatch = false;

  constructor(report: ReportBuilder) {
    this.#report = report;
  }

  get hasMismatch(): boolean {
    return this.#hasMismatch;
  }

  /** `origin` is the node of the expression that gives the variable its value. */
  declare(name: string, type: CheckedType, origin: AssetNode): void {
    if (type !== "asset" && type !== "monetary" && type !== "any") return;
    this.#variables.set(name, origin === NO_ASSET ? this.create() : origin);
  }

  /** The asset that a variable always has. */
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

  /** Requires two nodes to have the same asset. Where that is impossible, the second one is reported. */
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

  /** The node that represents the set of a node. The path to it becomes shorter. */
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
