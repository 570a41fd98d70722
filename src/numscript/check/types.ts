import type { AssetInference, AssetNode } from "./assets.ts";
import {
  type Builtin,
  BUILTIN_HOVERS,
  BUILTINS,
  type CheckedType,
  type Requirement,
} from "./builtins.ts";
import { type AccountRole, type ReportBuilder, shown } from "./report.ts";
import type { VariableTable } from "./variables.ts";
import type { VersionCheck } from "./versions.ts";
import { FEATURES } from "#numscript/features.ts";
import {
  type Call,
  type Expression,
  literalAccount,
  type Variable,
} from "#numscript/syntax/ast.ts";
import type { Range } from "#numscript/syntax/source.ts";

/** The state that the parts of a check share. */
export interface CheckState {
  readonly isMachine: boolean;
  readonly report: ReportBuilder;
  readonly variables: VariableTable;
  readonly assets: AssetInference;
  readonly versions: VersionCheck;
}

/** The position of an expression, which decides which functions it may call. */
type ExpressionRole = "statement" | "origin" | "argument of an origin" | "statement's expression";

/** Checks expressions: names, types, functions and assets. */
export class ExpressionCheck {
  readonly #state: CheckState;
  #role: ExpressionRole = "statement's expression";
  #hasMismatch = false;

  constructor(state: CheckState) {
    this.#state = state;
  }

  get hasMismatch(): boolean {
    return this.#hasMismatch;
  }

  /** Checks an expression whose value must be of a type. Returns the node of its asset. */
  check(expression: Expression, wanted: CheckedType): AssetNode {
    this.#expect(expression, wanted);
    return this.#state.assets.nodeOf(expression);
  }

  /** Checks an expression that names an account, and notes the roles of the account. */
  checkAccount(expression: Expression, ...roles: AccountRole[]): void {
    for (const role of roles) this.#record(expression, role);
    this.check(expression, "account");
  }

  /** Checks the expression that gives a variable its value. */
  checkOrigin(origin: Expression, wanted: CheckedType): AssetNode {
    this.#role = "origin";
    if (origin.kind !== "call") {
      this.#state.report.feature(FEATURES.midScriptCall, origin.range);
      this.#role = "argument of an origin";
    }
    const node = this.check(origin, wanted);
    this.#role = "statement's expression";
    return node;
  }

  checkStatementCall(call: Call): void {
    this.#role = "statement";
    this.#typeOfCall(call);
    this.#role = "statement's expression";
    this.#state.assets.nodeOf(call);
  }

  #expect(expression: Expression, wanted: CheckedType): void {
    const type = this.#typeOf(expression, wanted);
    if (type !== wanted && type !== "any" && wanted !== "any") {
      this.#mismatch(wanted, type, expression.range);
    }
  }

  #mismatch(wanted: string, got: string, range: Range): void {
    this.#hasMismatch = true;
    const message = `Type mismatch (expected '${wanted}', got '${got}' instead)`;
    this.#state.report.error("type-mismatch", message, range);
  }

  #typeOf(expression: Expression, wanted: CheckedType): CheckedType {
    switch (expression.kind) {
      case "variable":
        return this.#typeOfVariable(expression, wanted);
      case "account":
        if (expression.pieces.length > 1 || typeof expression.pieces[0] !== "string") {
          this.#checkInterpolation(expression);
        }
        return "account";
      case "asset":
        this.#state.report.asset(expression.name, expression.range);
        return "asset";
      case "number":
      case "string":
        return expression.kind;
      case "percentage":
      case "fraction":
        return "portion";
      case "monetary":
        this.#expect(expression.asset, "asset");
        this.#expect(expression.amount, "number");
        return "monetary";
      case "binary":
        return this.#typeOfOperation(expression, wanted);
      case "negation":
        return this.#typeOfSummand(expression.operand, wanted);
      case "call":
        return this.#typeOfCall(expression);
    }
  }

  #typeOfVariable({ name, range }: Variable, wanted: CheckedType): CheckedType {
    const { report, variables } = this.#state;
    const variable = variables.find(name);
    if (variable !== undefined) {
      variable.references.push(range);
      report.hovers.push({ range, contents: variable.hover });
      return variable.type;
    }
    if (variables.mayBeDeclared(name)) return "any";
    report.error("unbound-variable", `The variable '$${shown(name)}' was not declared`, range);
    report.undeclared(name, wanted === "any" ? undefined : wanted, range);
    return "any";
  }

  /** Checks the variables in an account's name, which must be accounts, numbers or strings. */
  #checkInterpolation({ pieces, range }: Extract<Expression, { kind: "account" }>): void {
    this.#require({ version: [0, 0, 15], feature: FEATURES.accountInterpolation }, range);
    for (const piece of pieces) {
      if (typeof piece === "string") continue;
      const type = this.#typeOfVariable(piece, "any");
      if (type === "asset" || type === "monetary" || type === "portion") {
        this.#mismatch("account|number|string", type, piece.range);
      }
    }
  }

  #typeOfOperation(
    { operator, left, right, range }: Extract<Expression, { kind: "binary" }>,
    wanted: CheckedType,
  ): CheckedType {
    if (operator === "/") {
      this.#expect(left, "number");
      this.#expect(right, "number");
      if (valueOfNumber(right) === 0n) {
        this.#state.report.error("division-by-zero", "Cannot divide by zero", range);
      }
      if (left.kind !== "number" || right.kind !== "number") {
        this.#state.versions.require({ version: [0, 0, 15] }, range);
      }
      return "portion";
    }
    const type = this.#typeOfSummand(left, wanted);
    if (type === "any") return this.#typeOfSummand(right, wanted);
    this.#expect(right, type);
    return type;
  }

  /** The type of an operand of `+` and `-`, which must be a number or a monetary. */
  #typeOfSummand(expression: Expression, wanted: CheckedType): CheckedType {
    const type = this.#typeOf(expression, wanted);
    if (type === "number" || type === "monetary" || type === "any") return type;
    this.#mismatch("number|monetary", type, expression.range);
    return "any";
  }

  #typeOfCall(call: Call): CheckedType {
    const { report } = this.#state;
    const role = this.#role;
    if (role === "origin") this.#role = "argument of an origin";
    if (role === "statement") this.#role = "statement's expression";
    const builtin = BUILTINS.get(call.name);
    if (builtin === undefined) {
      const message = `The function '${shown(call.name)}' does not exist`;
      report.error("unknown-function", message, call.nameRange);
      return this.#checkSurplus(call, 0);
    }
    report.hovers.push({ range: call.nameRange, contents: BUILTIN_HOVERS.get(call.name) ?? "" });
    const elsewhere = otherRoleOf(builtin, role);
    if (elsewhere !== undefined) {
      const message = `You cannot use this function here (try to use it in a ${elsewhere} context)`;
      report.error("unknown-function", message, call.nameRange);
      return this.#checkSurplus(call, 0);
    }
    if (role === "statement's expression") report.feature(FEATURES.midScriptCall, call.range);
    if (builtin.requirement !== undefined) this.#require(builtin.requirement, call.range);
    this.#checkArguments(call, builtin);
    return builtin.result ?? "any";
  }

  #checkArguments(call: Call, { parameters, accountRole }: Builtin): void {
    const { arguments: values, range } = call;
    for (let index = 0; index < parameters.length; index++) {
      const value = values[index];
      if (value === undefined) break;
      if (index === 0 && accountRole !== undefined) this.#record(value, accountRole);
      this.#expect(value, parameters[index] ?? "any");
    }
    this.#checkSurplus(call, parameters.length);
    if (values.length === parameters.length) return;
    const message = `Wrong number of arguments (expected ${parameters.length}, got ${values.length} instead)`;
    const [first, last] = [values[parameters.length], values.at(-1)];
    const surplus = first && last ? { start: first.range.start, end: last.range.end } : range;
    this.#state.report.error("wrong-arity", message, surplus);
  }

  /** Checks the arguments from an index on, for which the function has no parameters. */
  #checkSurplus({ arguments: values }: Call, from: number): "any" {
    for (let index = from; index < values.length; index++) {
      const value = values[index];
      if (value !== undefined) this.#expect(value, "any");
    }
    return "any";
  }

  #record(expression: Expression, role: AccountRole): void {
    const name = literalAccount(expression);
    if (name !== undefined) this.#state.report.account(name, role, expression.range);
  }

  #require(requirement: Required<Requirement>, range: Range): void {
    this.#state.report.feature(requirement.feature, range);
    this.#state.versions.require(requirement, range);
  }
}

/** The position in which a function is allowed, if it is not allowed in `role`; else undefined. */
function otherRoleOf({ name, result }: Builtin, role: ExpressionRole): string | undefined {
  if (result === undefined) return role === "statement" ? undefined : "statement";
  // The type of the result of `meta` is that of the variable, so that `meta` must be the origin itself.
  const isHere = name === "meta" ? role === "origin" : role !== "statement";
  return isHere ? undefined : "variable origin";
}

/** The value of a number of literals, with sums, differences and negations; undefined for other expressions. */
export function valueOfNumber(expression: Expression): bigint | undefined {
  if (expression.kind === "number") return expression.value;
  if (expression.kind === "negation") {
    const value = valueOfNumber(expression.operand);
    return value === undefined ? undefined : -value;
  }
  if (expression.kind !== "binary" || expression.operator === "/") return undefined;
  const left = valueOfNumber(expression.left);
  if (left === undefined) return undefined;
  const right = valueOfNumber(expression.right);
  if (right === undefined) return undefined;
  return expression.operator === "+" ? left + right : left - right;
}
