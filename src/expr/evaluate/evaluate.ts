import { callBuiltin } from "./call-builtin.ts";
import { EvaluationContext, type EvaluationInput, PendingValue } from "./context.ts";
import { indexOf, sliceOf } from "./members.ts";
import { callMethod } from "./methods.ts";
import { binary, compare, matches, truthOf, unary } from "./operators.ts";
import { callPredicate } from "./predicates.ts";
import { ExprError } from "#expr/diagnostics.ts";
import type {
  CallNode,
  ComparisonNode,
  LogicalNode,
  Node,
  PredicateCallNode,
} from "#expr/syntax/ast.ts";
import { isBuiltinFunction } from "#expr/syntax/signatures.ts";
import { NamedNumber } from "#expr/values/moments.ts";
import type { TextPattern } from "#expr/values/text-pattern.ts";
import { load, type ExprValue } from "#expr/values/values.ts";

/** The result of a series of accesses in which `?.` met nil. No payload contains this array. */
const BROKEN: readonly ExprValue[] = Object.freeze([]);

/** One evaluation of an expression. */
export class Evaluator {
  readonly #context: EvaluationContext;

  constructor(input: EvaluationInput) {
    this.#context = new EvaluationContext(input);
  }

  /** The steps of the evaluation so far. */
  get steps(): number {
    return this.#context.meter.steps;
  }

  /** Throws `ExprError` with the range of the innermost node that failed, or `PendingValue`. */
  evaluate(node: Node): ExprValue {
    const value = this.#named(node);
    return value instanceof NamedNumber ? value.number : value;
  }

  /** Evaluates a node. A month or a weekday keeps its name, which only methods use, and which nodes that pass values on preserve. */
  #named(node: Node): ExprValue | NamedNumber {
    try {
      this.#context.meter.spend(1);
      return this.#evaluate(node);
    } catch (error) {
      if (error instanceof ExprError) error.range ??= node.range;
      throw error;
    }
  }

  #evaluate(node: Node): ExprValue | NamedNumber {
    const { locals, frame, input } = this.#context;
    switch (node.kind) {
      case "literal":
        return node.value;
      case "local":
        return locals[node.slot] ?? null;
      case "name":
        return Object.hasOwn(input.names, node.name) ? load(input.names[node.name]) : null;
      case "environment":
        return input.names;
      case "pointer":
        if (node.pointer === "index") return BigInt(frame.index);
        return load(node.pointer === "acc" ? frame.acc : frame.element);
      case "member":
        return this.#member(node);
      case "slice":
        return this.#slice(node);
      case "chain": {
        const value = this.#named(node.node);
        return value === BROKEN ? null : value;
      }
      case "binary":
        return this.#binary(node);
      case "logical":
        return this.#logical(node);
      case "comparison":
        return this.#comparison(node);
      case "coalesce":
        return this.#named(node.left) ?? this.#named(node.right);
      case "conditional":
        return this.#named(truthOf(this.evaluate(node.condition)) ? node.whenTrue : node.whenFalse);
      default:
        return this.#evaluateOther(node);
    }
  }

  /** Evaluates the less frequent kinds of nodes. */
  #evaluateOther(
    node: Extract<
      Node,
      {
        kind:
          | "unary"
          | "match"
          | "let"
          | "sequence"
          | "array"
          | "map"
          | "call"
          | "predicateCall"
          | "method";
      }
    >,
  ): ExprValue | NamedNumber {
    const context = this.#context;
    switch (node.kind) {
      case "unary":
        return unary(node.operator, this.evaluate(node.operand));
      case "match": {
        const pattern = this.#pattern(node.pattern);
        return matches(this.evaluate(node.text), pattern, context.meter);
      }
      case "let":
        context.locals[node.slot] = this.#named(node.value);
        return this.#named(node.body);
      case "sequence":
        return node.nodes.reduce<ExprValue | NamedNumber>((_, item) => this.#named(item), null);
      case "array":
        context.meter.spend(node.items.length);
        return node.items.map((item) => this.evaluate(item));
      case "map":
        context.meter.spend(node.entries.length);
        return new Map(
          node.entries.map(({ key, value }) => [this.#mapKey(key), this.evaluate(value)]),
        );
      case "call":
        return this.#call(node);
      case "predicateCall":
        return this.#predicateCall(node);
      case "method": {
        const object = this.#named(node.object);
        if (object === BROKEN) return BROKEN;
        const args = node.args.map((arg) => this.evaluate(arg));
        return callMethod(object, node.name, args);
      }
    }
  }

  #member({ object, key, isOptional }: Extract<Node, { kind: "member" }>): ExprValue {
    const value = this.evaluate(object);
    if (value === BROKEN || (isOptional && value === null)) return BROKEN;
    return indexOf(
      value,
      key.kind === "literal" ? key.value : this.evaluate(key),
      this.#context.meter,
    );
  }

  #slice({ object, from, to }: Extract<Node, { kind: "slice" }>): ExprValue {
    const value = this.evaluate(object);
    if (value === BROKEN) return BROKEN;
    const bounds = {
      from: from === undefined ? undefined : this.evaluate(from),
      to: to === undefined ? undefined : this.evaluate(to),
    };
    return sliceOf(value, bounds, this.#context.meter);
  }

  #binary({ operator, left, right }: Extract<Node, { kind: "binary" }>): ExprValue {
    const a = this.evaluate(left);
    const b = this.evaluate(right);
    return binary(operator, { a, b }, this.#context.meter);
  }

  #logical({ operator, operands }: LogicalNode): ExprValue {
    const decides = operator === "or";
    for (const operand of operands) {
      if (truthOf(this.evaluate(operand)) === decides) return decides;
    }
    return !decides;
  }

  #comparison({ operands, operators }: ComparisonNode): ExprValue {
    const [first, ...others] = operands;
    let left = first === undefined ? null : this.evaluate(first);
    for (const [place, operand] of others.entries()) {
      const right = this.evaluate(operand);
      const found = operators[place];
      if (found !== undefined && !compare(found, left, right)) return false;
      left = right;
    }
    return true;
  }

  #pattern(pattern: Node | TextPattern): ExprValue | TextPattern {
    return "matches" in pattern ? pattern : this.evaluate(pattern);
  }

  #mapKey(node: Node): string {
    const key = this.evaluate(node);
    if (typeof key === "string") return key;
    throw new ExprError("invalid-argument", "a key of a map is a string", node.range);
  }

  #call({ name, args }: CallNode): ExprValue {
    const context = this.#context;
    const values = args.map((arg) => this.evaluate(arg));
    if (isBuiltinFunction(name)) return callBuiltin(name, values, context);
    const { functions = {} } = context.input;
    const host = Object.hasOwn(functions, name) ? functions[name] : undefined;
    if (host === undefined) throw new ExprError("unknown-function", `unknown name ${name}`);
    const answer = host(values);
    switch (answer.kind) {
      case "value":
        return load(answer.value);
      case "error":
        throw new ExprError("host-error", answer.message);
      case "pending":
        throw new PendingValue(answer.key);
    }
  }

  #predicateCall(node: PredicateCallNode): ExprValue {
    const context = this.#context;
    const array = this.evaluate(node.array);
    const extra = node.extra === undefined ? undefined : this.evaluate(node.extra);
    const outer = context.frame;
    const frame = { element: null, index: 0, acc: null };
    context.frame = frame;
    try {
      const { predicate } = node;
      const each = predicate === undefined ? undefined : () => this.evaluate(predicate);
      return callPredicate({ name: node.name, array, extra, frame, each }, context.meter);
    } finally {
      context.frame = outer;
    }
  }
}
