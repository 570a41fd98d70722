import { assertShallow } from "./json-depth.ts";
import { parseWithNames } from "./v8-escaped-keys.ts";

/**
 * The only JSON reader and writer of wire data. Integers of any size stay exact in both directions: above 2^53, they are `bigint`. A number
 * with a fraction or an exponent is a `symbol`, so that `1.0` and `1e3` pass neither for integers nor, as a wrapper object would, for
 * objects.
 *
 * | Data | Written by | Read by |
 * | --- | --- | --- |
 * | wire data | `stringifyJson`; `quoteJson` for a single text | `parseJson` |
 * | rows that SQL returns as JSON | SQL | `parseColumns` |
 * | maps of texts for columns | `stringifyTexts` | `parseJson` |
 * | calls of ledger objects | `stringifyOwn` | `parseOwn` |
 */
declare global {
  interface JSON {
    parse(
      text: string,
      reviver: (
        this: unknown,
        key: string,
        value: unknown,
        context: { source?: string },
      ) => unknown,
    ): unknown;
    rawJSON(text: string): object;
  }
}

const INTEGER = /^-?\d+$/;
/*
 * Tests for texts that need the reviver: a text with a long integer, a decimal, or an escape that could hide a bad character. The
 * characters after the digits distinguish a decimal from the fraction of a date; with more than 30 digits, a fraction counts as a decimal.
 * Three expressions take a third of the time of a combined one, and `\d` written out sixteen times lets the engine skip most of a text.
 */
const LONG_INTEGER = /\d\d\d\d\d\d\d\d\d\d\d\d\d\d\d\d/;
const DECIMAL = /\d[.eE](?:[\d.eE+-]{31}|[\d.eE+-]{0,30}\s*(?:[,}\]]|$))/;
/** Integers that may exceed 2^53. An integer of 16 digits that does not begin with a 9, such as a date in microseconds, is below 2^53. */
const UNSAFE_INTEGER = /\d{17}|9\d{15}/;
const BAD_ESCAPE = /\\u(?:0000|[dD][89a-fA-F])/;

const needsReviver = (text: string): boolean =>
  (LONG_INTEGER.test(text) && UNSAFE_INTEGER.test(text)) ||
  DECIMAL.test(text) ||
  BAD_ESCAPE.test(text);

/**
 * Parses one JSON value: integers become numbers or, beyond the safe ones, bigints; other numbers become symbols (`decimalSource`). Throws
 * `SyntaxError` for malformed text, also for U+0000 and lone surrogates in strings and for a number of more than `INTEGER_DIGITS_MAX`
 * characters, and its subclass `JsonDepthError` for a text that is nested too deep.
 */
export function parseJson(text: string): unknown {
  assertShallow(text);
  return text.includes("\\") ? parseWithNames(text, parsePlain) : parsePlain(text);
}

/** Parses JSON that SQL has made of Florin's own columns, without checks: its integers are below 2^53. */
export const parseColumns = (text: string): unknown => JSON.parse(text);

function parsePlain(text: string): unknown {
  if (!needsReviver(text)) return JSON.parse(text) as unknown;
  return JSON.parse(text, (key, value, { source }) => {
    assertStorable(key);
    if (typeof value === "number" && source !== undefined) return exactNumber(value, source);
    if (typeof value === "string") assertStorable(value);
    return value;
  });
}

/**
 * Writes a value as JSON. Its bigints are written as integers or, for a client that asks for texts, as texts; symbols of `parseJson` are
 * written as the numbers that were read. Members that are undefined are left out; the value itself must not be undefined. `indent` is the
 * number of spaces of a level; without it, the text is one line.
 */
export function stringifyJson(
  value: unknown,
  options?: { readonly bigintAsString?: boolean; readonly indent?: number },
): string {
  const write = options?.bigintAsString === true ? String : writeInteger;
  const replace = (_key: string, item: unknown): unknown => {
    if (typeof item === "bigint") return write(item);
    return typeof item === "symbol" ? JSON.rawJSON(decimalSource(item)) : item;
  };
  return JSON.stringify(value, replace, options?.indent);
}

/**
 * Writes Florin's own plain data for `parseOwn`. `hasBigints` may be false only for data without bigints, which take half the time;
 * otherwise, a bigint throws `TypeError`. With bigints, no object may have a member `bigint`.
 */
export const stringifyOwn = (value: object, { hasBigints }: { hasBigints: boolean }): string =>
  hasBigints ? JSON.stringify(value, writeBigint) : JSON.stringify(value);

/**
 * Parses the output of `stringifyOwn`: bigints become bigints again, and undefined members are absent. By default, the text shows whether it
 * has bigints. A caller whose data may have members named `bigint`, such as names that clients give, says that it has none.
 */
export function parseOwn(
  text: string,
  { hasBigints = text.includes(WRITTEN_BIGINT) }: { readonly hasBigints?: boolean } = {},
): unknown {
  return hasBigints ? JSON.parse(text, readBigint) : JSON.parse(text);
}

/** The object that stands for a bigint. */
interface WrittenBigint {
  readonly bigint: string;
}
/** The beginning of a `WrittenBigint` in JSON. No JSON string contains it, because quotes in strings are escaped. */
const WRITTEN_BIGINT = '{"bigint":"';

const writeBigint = (_name: string, value: unknown): unknown =>
  typeof value === "bigint" ? ({ bigint: value.toString() } satisfies WrittenBigint) : value;

function readBigint(this: unknown, _name: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || !("bigint" in value)) return value;
  return BigInt(String(value.bigint));
}

/** Writes a text as a JSON string, in a quarter of the time of `stringifyJson`. */
export const quoteJson = (text: string): string => JSON.stringify(text);

export interface NamedTexts {
  readonly [name: string]: string | NamedTexts | null;
}

/** Writes texts by name as JSON, in a fraction of the time of `stringifyJson`, which looks at each value. */
export const stringifyTexts = (texts: NamedTexts): string => JSON.stringify(texts);

/**
 * Prepares a value whose large integers are no amounts, so that `stringifyJson` writes them as integers, also for a client that asks for
 * texts.
 */
export function withRawIntegers(value: unknown): unknown {
  if (typeof value === "bigint") return writeInteger(value);
  if (Array.isArray(value)) return value.map(withRawIntegers);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, withRawIntegers(member)]),
  );
}

/** The JSON value for an integer. A number is written several times as fast as raw JSON, and most amounts are small enough for one. */
const writeInteger = (integer: bigint): number | object =>
  integer <= Number.MAX_SAFE_INTEGER && integer >= Number.MIN_SAFE_INTEGER
    ? Number(integer)
    : JSON.rawJSON(integer.toString());

/** The source text of a JSON number that `parseJson` has made a symbol, because it is no integer literal: `1.50`. */
export const decimalSource = (decimal: symbol): string => decimal.description ?? "";

/** Longest number that is parsed, in characters: for integers, the time of parsing grows with the square of their number. */
const INTEGER_DIGITS_MAX = 2000;

function exactNumber(value: number, source: string): number | bigint | symbol {
  if (source.length > INTEGER_DIGITS_MAX) throw new SyntaxError("a number has too many digits");
  if (!INTEGER.test(source)) return Symbol(source);
  return Number.isSafeInteger(value) ? value : BigInt(source);
}

function assertStorable(text: string): void {
  if (text.includes("\0")) throw new SyntaxError("strings must not contain U+0000");
  if (!text.isWellFormed()) throw new SyntaxError("strings must not contain lone surrogates");
}

declare const written: unique symbol;

/** The JSON of a value, serialised in the process that has the value, and passed on unchanged. */
export type JsonText<T> = string & { readonly [written]: T };

declare const writtenItems: unique symbol;

/** The JSON of values separated by commas, as inside of a list. */
export type ItemsText<T> = string & { readonly [writtenItems]: T };
