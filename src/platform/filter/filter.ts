import { AppError } from "#platform/errors.ts";
import { decimalSource, stringifyJson } from "#platform/json.ts";
import { parseRequestJson } from "#platform/request-json.ts";

/** A filter of the list language (`$and`, `$match`, ...) as a tree. Each resource checks keys and types of values. */
export type Filter =
  | { readonly kind: "all" | "any"; readonly filters: readonly Filter[] }
  | { readonly kind: "not"; readonly filter: Filter }
  | {
      readonly kind: "test";
      readonly operator: Operator;
      readonly key: string;
      readonly value: FilterValue;
    };

export type Operator = (typeof OPERATORS)[number];
export type FilterScalar = string | boolean | number | bigint;
export type FilterValue = FilterScalar | readonly FilterScalar[];

const OPERATORS = ["$match", "$lt", "$lte", "$gt", "$gte", "$like", "$in", "$exists"] as const;

/** Longest filter text, in UTF-16 units. */
export const FILTER_LENGTH_MAX = 65_536;
/** Deepest nesting of `$and`, `$or` and `$not`. */
export const FILTER_DEPTH_MAX = 32;
/** Most operators in one filter. */
export const FILTER_NODES_MAX = 1000;
/** Most values in one `$in`. */
export const FILTER_VALUES_MAX = 1000;

/** Parses a filter from JSON text; `null`, `{}`, an empty text, and an empty `$and` or `$or` are no filter. Throws `VALIDATION`. */
export const parseFilterText = (text: string): Filter | undefined =>
  parseFilter(parseJsonFilter(text));

/** The decoded JSON of a `query` parameter, which need not be a filter. Throws `VALIDATION`. */
export function parseJsonFilter(text: string): unknown {
  if (text.trim() === "") return undefined;
  if (text.length > FILTER_LENGTH_MAX) throw tooLong();
  return parseRequestJson(text, "the filter");
}

/** Parses a decoded filter. Throws `VALIDATION` for a value that is no filter of the language. */
export function parseFilter(value: unknown): Filter | undefined {
  if (value === null || value === undefined) return undefined;
  if (isObject(value) && Object.keys(value).length === 0) return undefined;
  const filter = parseNode(value, { depth: 1, budget: { left: FILTER_NODES_MAX } });
  return isTrivial(filter) ? undefined : filter;
}

/**
 * The JSON text of a decoded filter; undefined for no filter. The form of the filter is checked, so that its text can be parsed again; its
 * keys are not. Throws `VALIDATION`.
 */
export function toFilterText(value: unknown): string | undefined {
  if (parseFilter(value) === undefined) return undefined;
  const text = stringifyJson(value);
  if (text.length > FILTER_LENGTH_MAX) throw tooLong();
  return text;
}

interface NodeBounds {
  readonly depth: number;
  readonly budget: { left: number };
}

function parseNode(value: unknown, bounds: NodeBounds): Filter {
  if (bounds.depth > FILTER_DEPTH_MAX) {
    throw invalid(`the filter is nested deeper than ${FILTER_DEPTH_MAX} levels`);
  }
  if (--bounds.budget.left < 0) {
    throw invalid(`the filter has more than ${FILTER_NODES_MAX} operators`);
  }
  const [operator, operand] = singleEntry(value, "a filter");
  const inner = { ...bounds, depth: bounds.depth + 1 };
  switch (operator) {
    case "$and":
    case "$or":
      if (!Array.isArray(operand)) throw invalid(`${operator} takes a list of filters`);
      return {
        kind: operator === "$and" ? "all" : "any",
        filters: operand.map((item) => parseNode(item, inner)),
      };
    case "$not":
      return { kind: "not", filter: parseNode(operand, inner) };
    default:
      return parseTest(operator, operand);
  }
}

function parseTest(name: string, operand: unknown): Filter {
  const operator = OPERATORS.find((known) => known === name);
  if (operator === undefined) throw invalid(`unexpected operator ${name}`);
  const [key, value] = singleEntry(operand, `the operand of ${name}`);
  if (operator !== "$in") return { kind: "test", operator, key, value: parseScalar(value, key) };
  if (!Array.isArray(value)) throw invalid(`$in takes a list of values for '${key}'`);
  if (value.length > FILTER_VALUES_MAX) {
    throw invalid(`$in has more than ${FILTER_VALUES_MAX} values for '${key}'`);
  }
  return { kind: "test", operator, key, value: value.map((item) => parseScalar(item, key)) };
}

function parseScalar(value: unknown, key: string): FilterScalar {
  switch (typeof value) {
    case "string":
    case "boolean":
    case "number":
    case "bigint":
      return value;
    default:
      if (typeof value === "symbol") {
        throw invalid(`the number ${decimalSource(value)} for '${key}' is not an integer`);
      }
      throw invalid(`the value for '${key}' must be a text, an integer or a boolean`);
  }
}

function singleEntry(value: unknown, what: string): [string, unknown] {
  if (!isObject(value)) throw invalid(`${what} must be an object`);
  const [entry, ...others] = Object.entries(value);
  if (entry === undefined) throw invalid("expected single key, found none");
  if (others.length > 0) throw invalid("expected single key, found more than one");
  return entry;
}

/** Whether a filter is an empty `$and` or `$or`, both of which are always true. */
const isTrivial = (filter: Filter): boolean =>
  (filter.kind === "all" || filter.kind === "any") && filter.filters.length === 0;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const tooLong = (): AppError =>
  invalid(`the filter is longer than ${FILTER_LENGTH_MAX} characters`);

const invalid = (message: string): AppError => new AppError("VALIDATION", message);
