import { checkDestination, checkSendSource } from "./check-flows.ts";
import { refuse, type Scope, typeOf } from "./types.ts";
import {
  type Expression,
  type Program,
  type SaveStatement,
  type SendStatement,
  type Statement,
  type ValueType,
  VALUE_TYPES,
  type VariableDeclaration,
} from "#numscript/syntax/ast.ts";

/**
 * Checks what the machine's compiler checks before a run. Throws the first mistake that it meets, in the order of the
 * script: variables, then statements.
 */
export function checkMachine(program: Program): void {
  const scope: Scope = new Map();
  for (const variable of program.variables) declare(variable, scope);
  for (const statement of program.statements) checkStatement(statement, scope);
}

function declare({ name, type, nameRange, origin }: VariableDeclaration, scope: Scope): void {
  if (scope.has(name)) refuse("duplicate-variable", `duplicate variable $${name}`, nameRange);
  const known = VALUE_TYPES.find((candidate) => candidate === type);
  if (known === undefined) return refuse("invalid-type", `'${type}' is no type`, nameRange);
  if (origin !== undefined) checkOrigin({ name, type: known }, origin, scope);
  scope.set(name, known);
}

function checkOrigin(
  { name, type }: { name: string; type: ValueType },
  origin: Expression,
  scope: Scope,
): void {
  if (origin.kind !== "call") return;
  const [first, second] = origin.arguments;
  if (first === undefined || second === undefined) return;
  if (origin.name === "meta") {
    if (typeOf(first, scope) === "account") return;
    const message = `variable $${name}: type should be 'account' to pull account metadata`;
    return refuse("type-mismatch", message, first.range);
  }
  if (type !== "monetary") {
    const message = `variable $${name}: type should be 'monetary' to pull account balance`;
    refuse("type-mismatch", message, origin.range);
  }
  const wanted = (which: string, of: string): string =>
    `variable $${name}: the ${which} argument to pull account balance should be of type '${of}'`;
  if (typeOf(first, scope) !== "account") {
    refuse("type-mismatch", wanted("first", "account"), first.range);
  }
  if (typeOf(second, scope) !== "asset") {
    refuse("type-mismatch", wanted("second", "asset"), second.range);
  }
}

function checkStatement(statement: Statement, scope: Scope): void {
  switch (statement.kind) {
    case "send":
      return checkSend(statement, scope);
    case "save":
      return checkSave(statement, scope);
    case "call":
      return checkCall(statement, scope);
    case "print":
      typeOf(statement.expression, scope);
      return;
    case "fail":
      return;
  }
}

function checkSend({ amount, source, destination }: SendStatement, scope: Scope): void {
  if (amount.kind === "exact") {
    const type = typeOf(amount.expression, scope);
    if (type !== "monetary") {
      const message = `send monetary: the expression should be of type 'monetary' instead of '${type}'`;
      refuse("type-mismatch", message, amount.range);
    }
  } else {
    const type = typeOf(amount.asset, scope);
    if (type !== "asset") {
      const message = `send monetary all: the expression should be of type 'asset' instead of '${type}'`;
      refuse("type-mismatch", message, amount.asset.range);
    }
  }
  checkSendSource(source, scope, { isAll: amount.kind === "all" });
  checkDestination(destination, scope);
}

function checkSave({ amount, account }: SaveStatement, scope: Scope): void {
  const [what, expression, wanted] =
    amount.kind === "exact"
      ? ([`save monetary from account`, amount.expression, "monetary"] as const)
      : ([`save monetary all from account`, amount.asset, "asset"] as const);
  const type = typeOf(expression, scope);
  if (type !== wanted) {
    const message = `${what}: the first expression should be of type '${wanted}' instead of '${type}'`;
    refuse("type-mismatch", message, expression.range);
  }
  const target = typeOf(account, scope);
  if (target !== "account") {
    const message = `save monetary from account: the second expression should be of type 'account' instead of '${target}'`;
    refuse("type-mismatch", message, account.range);
  }
}

function checkCall({ call }: Extract<Statement, { kind: "call" }>, scope: Scope): void {
  const types = call.arguments.map((argument) => typeOf(argument, scope));
  const [first] = call.arguments;
  if (call.name !== "set_account_meta" || types[0] === "account" || first === undefined) return;
  const message = `set_account_meta: expression is of type ${types[0]}, and should be of type account`;
  refuse("type-mismatch", message, first.range);
}
