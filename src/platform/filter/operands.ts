import type { Filter, FilterScalar, FilterValue } from "./filter.ts";
import { LIKE_LENGTH_MAX } from "./like.ts";
import { AppError } from "#platform/errors.ts";
import { parseTimestamp, type Timestamp } from "#platform/time.ts";

/** A test of a parsed filter, whose key is unchecked and whose value may have any type. */
export type ParsedTest = Extract<Filter, { kind: "test" }>;

/** Reads a value of a test as a value of the key's type. Throws `VALIDATION`, naming the key. */
export type OperandReader<V> = (test: ParsedTest, value: FilterValue) => V;

/** The key of a test: `metadata[channel]` is the member `channel` of the map `metadata`. */
export interface TestKey {
  readonly base: string;
  readonly name: string | undefined;
}

const BRACKETED = /^([a-z_]+)\[(.+)\]$/s;

export function parseKey(key: string): TestKey {
  const [, base = key, name] = BRACKETED.exec(key) ?? [];
  return { base, name };
}

/** The values that `$match` or `$in` compare with. Throws `VALIDATION` for other operators. */
export function membersOf<V>(test: ParsedTest, read: OperandReader<V>): V[] {
  const { operator, value } = test;
  if (operator === "$match") return [read(test, value)];
  if (operator !== "$in") throw notAllowed(test);
  if (!isList(value)) throw invalidValue(test, value, "expected array value for operator $in");
  return value.map((item) => read(test, item));
}

export function textOf(test: ParsedTest, value: FilterValue): string {
  if (typeof value === "string") return value;
  throw invalidValue(test, value, `expected string value, got ${typeName(value)}`);
}

/** Reads a text of a closed set. */
export const textAmong =
  (allowed: readonly string[]): OperandReader<string> =>
  (test, value) => {
    const text = textOf(test, value);
    if (allowed.includes(text)) return text;
    throw invalidValue(test, text, `expected one of ${allowed.join(", ")}`);
  };

export function integerOf(test: ParsedTest, value: FilterValue): bigint {
  if (typeof value === "number" || typeof value === "bigint") return BigInt(value);
  throw invalidValue(test, value, `expected numeric value, got ${typeName(value)}`);
}

export function dateOf(test: ParsedTest, value: FilterValue): Timestamp {
  const date = parseTimestamp(textOf(test, value));
  if (date === undefined) throw invalidValue(test, value, "expected an RFC 3339 date with zone");
  return date;
}

export function booleanOf(test: ParsedTest, value: FilterValue): boolean {
  if (typeof value === "boolean") return value;
  throw invalidValue(test, value, `expected boolean value, got ${typeName(value)}`);
}

/** The pattern of a `$like`. Throws `VALIDATION` for a pattern that is too long. */
export function patternOf(test: ParsedTest): string {
  const pattern = textOf(test, test.value);
  if (pattern.length <= LIKE_LENGTH_MAX) return pattern;
  throw invalid(`the pattern for '${test.key}' is longer than ${LIKE_LENGTH_MAX} characters`);
}

export const unknownKey = ({ key }: ParsedTest): AppError =>
  invalid(`unknown key '${key}' when building query`);

export const notAllowed = ({ operator, key }: ParsedTest): AppError =>
  invalid(`operator '${operator}' is not allowed for property '${key}'`);

export const invalidValue = ({ key }: ParsedTest, value: FilterValue, why: string): AppError =>
  invalid(`invalid value '${String(value)}' for property '${key}': ${why}`);

const isList = (value: FilterValue): value is readonly FilterScalar[] => Array.isArray(value);

const typeName = (value: FilterValue): string =>
  isList(value) ? "array" : typeof value === "bigint" ? "number" : typeof value;

const invalid = (message: string): AppError => new AppError("VALIDATION", message);
