import { checkDestination, checkSendSource } from "./check-flows.ts";
import { refuse, typeOf, type VariableTypes } from "./types.ts";
import {
  type Expression,
  type Program,
  type SaveStatement,
  type SendStatement,
  type Statement,
  VALUE_TYPES,
  type ValueType,
  type VariableDeclaration,
} from "#numscript/syntax/ast.ts";

/**
 * Makes the checks of the machine's compiler. Throws the first error that it finds, in the order of the script:
 * variables first, then statements.
 */
export function checkMachine(program: Program): void {
  const types: VariableTypes = new Map();
  for (const variable of program.variables) declare(variable, types);
  for (const statement of program.statements) checkStatement(statement, types);
}

function declare(
  { name, type, nameRange, origin }: VariableDeclaration,
  types: VariableTypes,
): void {
  if (types.has(name)) refuse("duplicate-variable", `duplicate variable $${name}`, nameRange);
  const known = VALUE_TYPES.find((candidate) => candidate === type);
  if (known === undefined) return refuse("invalid-type", `'${type}' is no type`, nameRange);
  if (origin !== undefined) checkOrigin({ name, type: known }, origin, types);
  types.set(name, known);
}

function checkOrigin(
  { name, type }: { name: string; type: ValueType },
  origin: Expression,
  types: VariableTypes,
): void {
  if (origin.kind !== "call") return;
  const [first, second] = origin.arguments;
  if (first === undefined || second === undefined) return;
  if (origin.name === "meta") {
    if (typeOf(first, types) === "account") return;
    const message = `variable $${name}: type should be 'account' to pull account metadata`;
    return refuse("type-mismatch", message, first.range);
  }
  if (type !== "monetary") {
    const message = `variable $${name}: type should be 'monetary' to pull account balance`;
    refuse("type-mismatch", message, origin.range);
  }
  const wanted = (which: string, of: string): string =>
    `variable $${name}: the ${which} argument to pull account balance should be of type '${of}'`;
  if (typeOf(first, types) !== "account") {
    refuse("type-mismatch", wanted("first", "account"), first.range);
  }
  if (typeOf(second, types) !== "asset") {
    refuse("type-mismatch", wanted("second", "asset"), second.range);
  }
}

function checkStatement(statement: Statement, types: VariableTypes): void {
  switch (statement.kind) {
    case "send":
      return checkSend(statement, types);
    case "save":
      return checkSave(statement, types);
    case "call":
      return checkCall(statement, types);
    case "print":
      typeOf(statement.expression, types);
      return;
    case "fail":
      return;
  }
}

function checkSend({ amount, source, destination }: SendStatement, types: VariableTypes): void {
  if (amount.kind === "exact") {
    const type = typeOf(amount.expression, types);
    if (type !== "monetary") {
      const message = `send monetary: the expression should be of type 'monetary' instead of '${type}'`;
      refuse("type-mismatch", message, amount.range);
    }
  } else {
    const type = typeOf(amount.asset, types);
    if (type !== "asset") {
      const message = `send monetary all: the expression should be of type 'asset' instead of '${type}'`;
      refuse("type-mismatch", message, amount.asset.range);
    }
  }
  checkSendSource(source, types, { isAll: amount.kind === "all" });
  checkDestination(destination, types);
}

function checkSave({ amount, account }: SaveStatement, types: VariableTypes): void {
  const [what, expression, wanted] =
    amount.kind === "exact"
      ? ([`save monetary from account`, amount.expression, "monetary"] as const)
      : ([`save monetary all from account`, amount.asset, "asset"] as const);
  const type = typeOf(expression, types);
  if (type !== wanted) {
    const message = `${what}: the first expression should be of type '${wanted}' instead of '${type}'`;
    refuse("type-mismatch", message, expression.range);
  }
  const target = typeOf(account, types);
  if (target !== "account") {
    const message = `save monetary from account: the second expression should be of type 'account' instead of '${target}'`;
    refuse("type-mismatch", message, account.range);
  }
}

function checkCall({ call }: Extract<Statement, { kind: "call" }>, types: VariableTypes): void {
  const [type] = call.arguments.map((argument) => typeOf(argument, types));
  const [first] = call.arguments;
  if (call.name !== "set_account_meta" || type === "account" || first === undefined) return;
  const message = `set_account_meta: expression is of type ${type}, and should be of type account`;
  refuse("type-mismatch", message, first.range);
}
