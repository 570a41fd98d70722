import type { Metadata } from "#ledger-engine/rules/types.ts";
import { parseTimestamp, type Timestamp } from "#platform/time.ts";

/** A filter as the JSON that clients send, with integers as `bigint`. */
export type FilterJson = { readonly [operator: string]: unknown };

/** A value of a row that filters can test. Tests of an `undefined` value are neither true nor false. */
export type RowValue =
  | { readonly type: "number"; readonly value: bigint }
  | { readonly type: "date"; readonly value: Timestamp | undefined }
  | { readonly type: "text"; readonly value: string | undefined }
  | { readonly type: "boolean"; readonly value: boolean }
  /** The addresses of a row. A test holds if any of them matches. */
  | { readonly type: "addresses"; readonly values: readonly string[] }
  | { readonly type: "metadata"; readonly values: Metadata }
  /** Balances by asset. Tests of other assets are neither true nor false. */
  | {
      readonly type: "balances";
      readonly values: ReadonlyMap<string, bigint>;
      /** Whether the balances are those of a row of volumes, which has only one asset. Tests of any other asset then fail. */
      readonly isOneRow?: boolean;
    };

/** The values of a row by the keys of filters, without brackets. */
export type RowValues = Readonly<Record<string, RowValue>>;

/** A truth value; undefined for unknown. */
type TruthValue = boolean | undefined;

/** Whether a row matches a filter. Every row matches an absent filter. */
export const isMatch = (filter: FilterJson | undefined, values: RowValues): boolean =>
  filter === undefined || judge(filter, values) === true;

/** The keys that a filter tests, with their brackets. */
export function keysOf(filter: FilterJson): string[] {
  const [operator, operand] = entryOf(filter);
  if (operator === "$not") return keysOf(operand as FilterJson); // filters are well-formed here
  if (operator !== "$and" && operator !== "$or") return [entryOf(operand)[0]];
  return (operand as FilterJson[]).flatMap(keysOf); // filters are well-formed here
}

function judge(filter: FilterJson, values: RowValues): TruthValue {
  const [operator, operand] = entryOf(filter);
  switch (operator) {
    case "$and": {
      const verdicts = verdictsOf(operand, values);
      if (verdicts.has(false)) return false;
      return verdicts.has(undefined) ? undefined : true;
    }
    case "$or": {
      const verdicts = verdictsOf(operand, values);
      if (verdicts.size === 0 || verdicts.has(true)) return true;
      return verdicts.has(undefined) ? undefined : false;
    }
    case "$not": {
      const verdict = judge(operand as FilterJson, values); // filters are well-formed here
      return verdict === undefined ? undefined : !verdict;
    }
    default:
      return judgeTest(operator, operand, values);
  }
}

const verdictsOf = (filters: unknown, values: RowValues): Set<TruthValue> =>
  new Set((filters as FilterJson[]).map((it) => judge(it, values))); // filters are well-formed here

function judgeTest(operator: string, operand: unknown, values: RowValues): TruthValue {
  const [key, expected] = entryOf(operand);
  const bracket = key.indexOf("[");
  const base = bracket === -1 ? key : key.slice(0, bracket);
  const name = bracket === -1 ? undefined : key.slice(bracket + 1, -1);
  const actual = values[base];
  if (actual === undefined) throw new Error(`no row has the key ${key}`);
  const test = { operator, name, value: expected };
  switch (actual.type) {
    case "boolean":
      return actual.value === expected;
    case "number":
      return isRelated(operator, actual.value, expected as bigint); // the generator draws integers for this key
    case "date":
      return actual.value === undefined
        ? undefined
        : isRelated(operator, actual.value, dateOf(expected));
    case "text":
      return actual.value === undefined ? undefined : isTextMatch(operator, actual.value, expected);
    case "addresses":
      return actual.values.some((address) =>
        operator === "$match"
          ? isPatternMatch(address, String(expected))
          : isTextMatch(operator, address, expected),
      );
    case "metadata":
      return judgeMetadata(test, actual.values);
    case "balances":
      return judgeBalances(test, actual.values, actual.isOneRow ?? false);
  }
}

interface MapTest {
  readonly operator: string;
  /** The name in the brackets of the key. */
  readonly name: string | undefined;
  readonly value: unknown;
}

function judgeMetadata({ operator, name, value }: MapTest, metadata: Metadata): TruthValue {
  if (name === undefined) return Object.hasOwn(metadata, String(value));
  const isThere = Object.hasOwn(metadata, name);
  if (operator === "$exists") return isThere === value;
  return isThere && isTextMatch(operator, String(metadata[name]), value);
}

function judgeBalances(
  { operator, name, value }: MapTest,
  balances: ReadonlyMap<string, bigint>,
  isOneRow: boolean,
): TruthValue {
  if (operator === "$exists") {
    return name === undefined ? balances.has(String(value)) : balances.has(name) === value;
  }
  const known = [...balances].filter(([asset]) => name === undefined || asset === name);
  if (known.length === 0) return isOneRow ? false : undefined;
  return known.some(([, balance]) => isRelated(operator, balance, value as bigint)); // the generator draws integers for this key
}

function isRelated<V extends bigint | string>(operator: string, actual: V, value: V): boolean {
  switch (operator) {
    case "$match":
      return actual === value;
    case "$lt":
      return actual < value;
    case "$lte":
      return actual <= value;
    case "$gt":
      return actual > value;
    case "$gte":
      return actual >= value;
    default:
      throw new Error(`${operator} does not compare`);
  }
}

function isTextMatch(operator: string, actual: string, value: unknown): boolean {
  switch (operator) {
    case "$match":
      return actual === value;
    case "$in":
      return (value as string[]).includes(actual); // the generator draws lists of texts for this operator
    case "$like":
      return isLike(Array.from(actual), Array.from(String(value)));
    default:
      throw new Error(`${operator} does not compare texts`);
  }
}

/** SQL's LIKE, character by character: `%` for any text, `_` for one character, `\` before a literal one. */
function isLike(text: readonly string[], pattern: readonly string[]): boolean {
  const [first, ...rest] = pattern;
  if (first === undefined) return text.length === 0;
  if (first === "%") {
    for (let length = 0; length <= text.length; length++) {
      if (isLike(text.slice(length), rest)) return true;
    }
    return false;
  }
  if (first === "\\" && rest.length > 0) {
    return text[0] === rest[0] && isLike(text.slice(1), rest.slice(1));
  }
  return text.length > 0 && (first === "_" || text[0] === first) && isLike(text.slice(1), rest);
}

/**
 * Whether an address matches a pattern. An empty segment matches any segment, and `...` at the end matches any number of
 * segments.
 */
function isPatternMatch(address: string, pattern: string): boolean {
  const parts = address.split(":");
  const segments = pattern.split(":");
  const isOpen = segments.at(-1) === "...";
  if (isOpen) segments.pop();
  else if (segments.length < parts.length) return false;
  return segments.every((segment, index) => {
    const part = parts[index];
    return part !== undefined && (segment === "" || segment === part);
  });
}

function dateOf(value: unknown): Timestamp {
  const date = parseTimestamp(String(value));
  if (date === undefined) throw new Error(`${String(value)} is no date`);
  return date;
}

function entryOf(value: unknown): [string, unknown] {
  const [entry] = Object.entries(value as object); // filters are well-formed here
  if (entry === undefined) throw new Error("the filter is empty");
  return entry;
}
