import { verbatimKey } from "./strings.ts";
import { NUMBER_DIGITS_MAX, TEXT_LENGTH_MAX } from "#numscript/limits.ts";
import type { Expression, Program, ValueType, VariableDeclaration } from "#numscript/syntax/ast.ts";
import { ScriptError } from "#numscript/syntax/diagnostics.ts";
import { parsePortion } from "#numscript/values/portions.ts";
import type { BalanceQuery, Environment, Reader, RunInput } from "#numscript/values/run.ts";
import {
  ACCOUNT_PATTERN,
  ASSET_PATTERN,
  isAccountName,
  type Value,
} from "#numscript/values/values.ts";

/** A variable that waits for the balance of an account. */
export interface PendingBalance extends BalanceQuery {
  readonly variable: VariableDeclaration;
}

/**
 * Binds given variables, and variables whose origin is metadata. Given variables are checked before the reader is called.
 * Variables whose origin is a balance are returned as `balances`, for the one query of the run.
 */
export function bindVariables(
  program: Program,
  { variables, reader }: RunInput,
  evaluate: (expression: Expression, environment: Environment) => Value,
): { environment: Environment; balances: PendingBalance[] } {
  const environment = givenVariables(program, variables);
  const balances: PendingBalance[] = [];
  for (const variable of program.variables) {
    const { origin } = variable;
    if (origin?.kind !== "call") continue;
    const [account, second] = origin.arguments.map((argument) => evaluate(argument, environment));
    const name = account?.type === "account" ? account.name : "";
    if (origin.name === "meta") {
      environment.set(variable.name, readMetadata(variable, name, reader));
    } else if (second?.type === "asset") {
      assertFirstBalance(balances, name, variable);
      // Only the asset is known yet.
      environment.set(variable.name, { type: "monetary", asset: second.name, amount: 0n });
      balances.push({ variable, account: name, asset: second.name });
    }
  }
  return { environment, balances };
}

function givenVariables(program: Program, given: ReadonlyMap<string, string>): Environment {
  const environment: Environment = new Map();
  for (const { name, type, nameRange: range, origin } of program.variables) {
    if (origin !== undefined) continue;
    const text = given.get(name);
    if (text === undefined) {
      const message = `missing variable $${name}`;
      throw new ScriptError("invalid", "missing-variable", { message, range });
    }
    const value = parseValue(type as ValueType, text); // the grammar accepts no other type
    if (typeof value === "string") {
      const message = `invalid JSON value for variable $${name} of type ${type}: ${value}`;
      throw new ScriptError("invalid", "invalid-variable", { message, range });
    }
    environment.set(name, value);
  }
  for (const name of given.keys()) {
    if (environment.has(name)) continue;
    const message = `extraneous variable $${name}`;
    throw new ScriptError("invalid", "extraneous-variable", { message });
  }
  return environment;
}

function readMetadata(variable: VariableDeclaration, account: string, reader: Reader): Value {
  const { origin, type } = variable;
  const range = origin?.range;
  const key = origin?.kind === "call" ? origin.arguments[1] : undefined;
  const name = key?.kind === "string" ? verbatimKey(key.literal) : "";
  const metadata = reader.metadata(account);
  if (metadata === undefined) {
    const message = `account @${account} not found`;
    throw new ScriptError("missing-account", "missing-account", { message, range });
  }
  const text = Object.hasOwn(metadata, name) ? metadata[name] : undefined;
  if (text === undefined) {
    const message = `missing key ${name} in metadata for account ${account}`;
    throw new ScriptError("runtime", "missing-metadata", { message, range });
  }
  const value = parseValue(type as ValueType, text); // the grammar accepts no other type
  if (typeof value === "string") {
    throw new ScriptError("runtime", "invalid-value", { message: value, range });
  }
  return value;
}

/** Throws for a second `balance()` of an account: the machine keeps one for each account, and the first would get no amount. */
function assertFirstBalance(
  balances: readonly PendingBalance[],
  account: string,
  { origin }: VariableDeclaration,
): void {
  if (balances.every((pending) => pending.account !== account)) return;
  const message = `a script for the machine can ask for one balance() of an account, and @${account} has two: use the runtime experimental-interpreter`;
  throw new ScriptError("runtime", "repeated-balance", { message, range: origin?.range });
}

/** Parses a value from its text. Returns a message if the text is invalid. */
function parseValue(type: ValueType, text: string): Value | string {
  switch (type) {
    case "account":
      return isAccountName(text)
        ? { type, name: text }
        : `value ${text}: accounts should respect pattern ${ACCOUNT_PATTERN.source}`;
    case "asset":
      return ASSET_PATTERN.test(text) ? { type, name: text } : `value ${text}: ${ASSET_REASON}`;
    case "number":
      return parseNumber(text);
    case "string":
      return text.length > TEXT_LENGTH_MAX ? TEXT_TOO_LONG : { type, text };
    case "monetary":
      return parseMonetary(text);
    case "portion": {
      const value = parsePortion(text);
      return typeof value === "string" ? value : { type, value };
    }
  }
}

const ASSET_REASON = `asset should respect pattern '${ASSET_PATTERN.source.slice(1, -1)}'`;
const TEXT_TOO_LONG = `a text has at most ${TEXT_LENGTH_MAX} characters`;
const TOO_LONG = `a number has at most ${NUMBER_DIGITS_MAX} digits`;
const JSON_INTEGER = /^[ \t\r\n]*(-?(?:0|[1-9][0-9]*))[ \t\r\n]*$/;
const AMOUNT = /^[+-]?[0-9]+$/;

function parseNumber(text: string): Value | string {
  const [, digits] = JSON_INTEGER.exec(text) ?? [];
  if (digits === undefined) return `expected an integer such as 42 or -7, found '${text}'`;
  return digits.length > NUMBER_DIGITS_MAX ? TOO_LONG : { type: "number", value: BigInt(digits) };
}

function parseMonetary(text: string): Value | string {
  const space = text.indexOf(" ");
  if (space === -1) return "monetary must have two parts";
  const [asset, digits] = [text.slice(0, space), text.slice(space + 1)];
  if (!AMOUNT.test(digits)) return "invalid monetary int";
  if (digits.length > NUMBER_DIGITS_MAX) return TOO_LONG;
  const amount = BigInt(digits.replace("+", ""));
  const shown = `value [${asset} ${amount}]`;
  if (!ASSET_PATTERN.test(asset)) return `${shown}: asset '${asset}': ${ASSET_REASON}`;
  return amount < 0n ? `${shown}: negative amount` : { type: "monetary", asset, amount };
}
