import { evaluate } from "./expressions.ts";
import { Arguments } from "./functions.ts";
import { fail, type RunState } from "./state.ts";
import { FEATURES } from "#numscript/features.ts";
import { NUMBER_DIGITS_MAX, TEXT_LENGTH_MAX } from "#numscript/limits.ts";
import type { Call, Program, ValueType, VariableDeclaration } from "#numscript/syntax/ast.ts";
import { VALUE_TYPES } from "#numscript/syntax/ast.ts";
import type { DiagnosticCode } from "#numscript/syntax/diagnostics.ts";
import type { Range } from "#numscript/syntax/source.ts";
import { parsePortion } from "#numscript/values/portions.ts";
import { ASSET_PATTERN, isAccountName, type Value } from "#numscript/values/values.ts";

/**
 * Binds variables to their values, in the order of declarations. A name that is declared twice gets its last value.
 * Values for undeclared variables are ignored.
 */
export function bindVariables(state: RunState, { variables }: Program): void {
  for (const variable of variables) {
    state.output.spend(1);
    state.environment.set(variable.name, bind(state, variable));
  }
  state.isBindingVariables = false;
}

/** The value of a variable. The declared type counts only for texts; other origins give a value of their own type. */
function bind(state: RunState, variable: VariableDeclaration): Value {
  const { origin, name, nameRange } = variable;
  if (origin === undefined) {
    const text = state.input.variables.get(name);
    if (text === undefined) {
      return fail("missing-variable", `Variable is missing in json: ${name}`, nameRange);
    }
    return valueOf(variable, text, { code: "invalid-variable", range: nameRange });
  }
  if (origin.kind !== "call") state.require(FEATURES.midScriptCall, origin.range);
  else if (origin.name === "meta") {
    const text = readMetadata(state, origin);
    return valueOf(variable, text, { code: "invalid-value", range: origin.range });
  }
  return evaluate(state, origin);
}

/** The text of `meta(account, key)`. */
function readMetadata(state: RunState, origin: Call): string {
  const values = origin.arguments.map((argument) => evaluate(state, argument));
  const given = new Arguments(origin, values, 2);
  const { name: account } = given.at(0, "account");
  const { text: key } = given.at(1, "string");
  const metadata = state.input.reader.metadata(account);
  if (metadata === undefined) {
    return fail("missing-account", `account @${account} not found`, origin.range);
  }
  const text = Object.hasOwn(metadata, key) ? metadata[key] : undefined;
  if (text !== undefined) return text;
  const message = `account '@${account}' doesn't have metadata associated to the '${key}' key`;
  return fail("missing-metadata", message, origin.range);
}

function valueOf(
  { type, typeRange }: VariableDeclaration,
  text: string,
  { code, range }: { code: DiagnosticCode; range: Range },
): Value {
  if (!isType(type)) return fail("invalid-type", `This type does not exist: ${type}`, typeRange);
  const value = parseValue(type, text);
  return typeof value === "string" ? fail(code, value, range) : value;
}

const isType = (type: string): type is ValueType => VALUE_TYPES.some((known) => known === type);

/** Parses a value from its text. Returns a message if the text is invalid. */
function parseValue(type: ValueType, text: string): Value | string {
  switch (type) {
    case "account":
      return isAccountName(text) ? { type, name: text } : `Invalid account name: @${text}`;
    case "asset":
      return ASSET_PATTERN.test(text) ? { type, name: text } : `Invalid asset name: ${text}`;
    case "number": {
      const value = parseInteger(text);
      if (typeof value === "string") return value;
      return value === undefined ? `invalid number literal: '${text}'` : { type, value };
    }
    case "string":
      return text.length > TEXT_LENGTH_MAX ? TEXT_TOO_LONG : { type, text };
    case "monetary":
      return parseMonetary(text);
    case "portion": {
      const value = parsePortion(text);
      return typeof value === "string" ? `Bad portion: ${value}` : { type, value };
    }
  }
}

function parseMonetary(text: string): Value | string {
  const [asset = "", digits = "", ...others] = text.split(" ", 3);
  const amount = others.length > 0 ? undefined : parseInteger(digits);
  if (typeof amount === "string") return amount;
  if (amount === undefined) return `invalid monetary literal: '${text}'`;
  return ASSET_PATTERN.test(asset)
    ? { type: "monetary", asset, amount }
    : `Invalid asset name: ${asset}`;
}

/** Parses an integer. Undefined if the text is no integer; a message if it is too long. */
function parseInteger(text: string): bigint | string | undefined {
  if (!INTEGER.test(text)) return undefined;
  const digits = text.replace(/^[+-]/, "");
  if (digits.length > NUMBER_DIGITS_MAX) return `a number has at most ${NUMBER_DIGITS_MAX} digits`;
  return text.startsWith("-") ? -BigInt(digits) : BigInt(digits);
}

const TEXT_TOO_LONG = `a text has at most ${TEXT_LENGTH_MAX} characters`;
const INTEGER = /^[+-]?[0-9]+$/;
