import { invalid, isJsonObject, type JsonObject, memberOf, shown } from "./failures.ts";
import { QUERY_VARIABLES_MAX } from "./limits.ts";
import { decimalSource } from "#platform/json.ts";
import { parseTimestamp } from "#platform/time.ts";

/** A variable of a query template. */
export interface QueryVariable {
  readonly type: VariableType;
  readonly standard: VariableValue | undefined;
}

export type VariableType = (typeof TYPES)[number];
/** The value of a variable. A date is kept as the given text. Integers are exact and of any size. */
export type VariableValue = string | boolean | number | bigint;
export type QueryVariables = ReadonlyMap<string, QueryVariable>;

const TYPES = ["boolean", "date", "int", "string"] as const;

/** Decodes the declarations of variables from JSON: the name of a type, or `{type, default}`. Throws `VALIDATION`. */
export function decodeVariables(value: unknown, place: string): QueryVariables {
  if (!isJsonObject(value ?? {})) {
    throw invalid("invalid schema: the variables of a query must be an object", place);
  }
  const entries = Object.entries(value ?? {});
  if (entries.length > QUERY_VARIABLES_MAX) {
    const what = `a query has more than ${QUERY_VARIABLES_MAX} variables`;
    throw invalid(`invalid schema: ${what}`, place);
  }
  return new Map(entries.map(([name, it]) => [name, decodeVariable(name, it, `${place}.${name}`)]));
}

function decodeVariable(name: string, value: unknown, place: string): QueryVariable {
  const declaration = isJsonObject(value) ? value : { type: value };
  const type = decodeType(memberOf(declaration, "type"), place);
  const standard = memberOf(declaration, "default");
  if (standard === undefined || isOfType(standard, type)) return { type, standard };
  throw invalid(
    `invalid schema: failed to validate variable declarations: invalid default for variable \`${shown(name)}\`: ${mismatch(standard, type)}`,
    place,
  );
}

function decodeType(value: unknown, place: string): VariableType {
  const type = TYPES.find((known) => known === value);
  if (type !== undefined) return type;
  const names = TYPES.map((known) => `\`${known}\``).join(", ");
  throw invalid(`invalid type \`${printed(value ?? "")}\`, expected one of ${names}`, place);
}

/**
 * The values of variables: given values, or else defaults. Null counts as not given, and values of undeclared variables are
 * ignored. A variable may have no value. Throws `VALIDATION` for a value of another type.
 */
export function valuesOf(
  variables: QueryVariables,
  given: JsonObject,
): ReadonlyMap<string, VariableValue> {
  const values = new Map<string, VariableValue>();
  for (const [name, { type, standard }] of variables) {
    const value = memberOf(given, name) ?? standard;
    if (value === undefined) continue;
    if (!isOfType(value, type)) {
      throw invalid(`failed to resolve query template: ${mismatch(value, type)}`, `vars.${name}`);
    }
    values.set(name, value);
  }
  return values;
}

/** The JSON of declarations, always in the form `{type, default}`. */
export const renderVariables = (variables: QueryVariables): JsonObject =>
  Object.fromEntries(
    [...variables].map(([name, { type, standard }]) => [
      name,
      { type, ...(standard === undefined ? {} : { default: standard }) },
    ]),
  );

/** Whether a value is of a type. `parseJson` gives numbers with a fraction or an exponent as symbols, which are of no type. */
function isOfType(value: unknown, type: VariableType): value is VariableValue {
  switch (type) {
    case "boolean":
      return typeof value === "boolean";
    case "string":
      return typeof value === "string";
    case "int":
      return typeof value === "number" || typeof value === "bigint";
    case "date":
      return typeof value === "string" && parseTimestamp(value) !== undefined;
  }
}

const mismatch = (value: unknown, type: VariableType): string =>
  `invalid value \`${printed(value)}\` for type \`${type}\`: value doesn't match expected type`;

function printed(value: unknown): string {
  switch (typeof value) {
    case "string":
      return shown(value);
    case "number":
    case "bigint":
    case "boolean":
      return shown(`${value}`);
    case "symbol":
      return shown(decimalSource(value));
    default:
      return Array.isArray(value) ? "[…]" : "{…}";
  }
}
