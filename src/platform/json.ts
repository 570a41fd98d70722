import { assertShallow } from "./json-depth.ts";
import { parseWithNames } from "./v8-escaped-keys.ts";

/**
 * The only JSON reader and writer of wire data. Integers of any size survive both ways: above 2^53 they are `bigint`.
 * A number with a fraction or an exponent is a `symbol`, so that `1.0` and `1e3` pass neither for integers nor, as a
 * wrapper would, for objects.
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
 * A text without any of these needs no reviver: it has no long integer, no decimal and no escape that could hide a bad
 * character. What follows the digits distinguishes a decimal from the fraction of a date; if there are many digits, it
 * counts as a decimal. Three expressions take a third of the time of a combined one, and `\d` written out sixteen times
 * lets the engine skip most of a text.
 */
const LONG_INTEGER = /\d\d\d\d\d\d\d\d\d\d\d\d\d\d\d\d/;
const DECIMAL = /\d[.eE](?:[\d.eE+-]{31}|[\d.eE+-]{0,30}\s*(?:[,}\]]|$))/;
/** Of the integers of 16 digits, those that do not begin with a 9 are below 2^53, such as dates in microseconds. */
const UNSAFE_INTEGER = /\d{17}|9\d{15}/;
const BAD_ESCAPE = /\\u(?:0000|[dD][89a-fA-F])/;

const needsReviver = (text: string): boolean =>
  (LONG_INTEGER.test(text) && UNSAFE_INTEGER.test(text)) ||
  DECIMAL.test(text) ||
  BAD_ESCAPE.test(text);

/**
 * Parses one JSON value. Throws `SyntaxError` for malformed text, also for U+0000 and lone surrogates in strings, and
 * `JsonDepthError`, which is one, for a text that is nested too deep.
 */
export function parseJson(text: string): unknown {
  assertShallow(text);
  return text.includes("\\") ? parseWithNames(text, parsePlain) : parsePlain(text);
}

/** Parses what SQL has made of columns of ours: its integers are below 2^53, and there is nothing else to check. */
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

/** Writes a value whose integers may be `bigint`, as integers or, where a client asks for it, as texts. */
export function stringifyJson(value: unknown, options?: { bigintAsString: boolean }): string {
  const write = options?.bigintAsString === true ? String : writeInteger;
  return JSON.stringify(value, (_key, item: unknown) => {
    if (typeof item === "bigint") return write(item);
    return typeof item === "symbol" ? JSON.rawJSON(decimalSource(item)) : item;
  });
}

/** The same for a text, of which it takes a quarter of the time. */
export const stringifyText = (text: string): string => JSON.stringify(text);

/** Writes plain data of ours for `parseOwn`, no object of which has a member `bigint`. Without bigints, it takes half the time. */
export const stringifyOwn = (value: object, { hasBigints }: { hasBigints: boolean }): string =>
  hasBigints ? JSON.stringify(value, writeBigint) : JSON.stringify(value);

/** Parses what `stringifyOwn` has written: bigints are bigints again, and members that were undefined are absent. */
export function parseOwn(text: string): unknown {
  return text.includes(WRITTEN_BIGINT) ? JSON.parse(text, readBigint) : JSON.parse(text);
}

/** What stands for a bigint. */
interface WrittenBigint {
  readonly bigint: string;
}
/** How that begins in JSON; inside of a text, its quotes are escaped. */
const WRITTEN_BIGINT = '{"bigint":"';

const writeBigint = (_name: string, value: unknown): unknown =>
  typeof value === "bigint" ? ({ bigint: value.toString() } satisfies WrittenBigint) : value;

function readBigint(this: unknown, _name: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || !("bigint" in value)) return value;
  return BigInt(String(value.bigint));
}

/** Texts by name. */
export interface NamedTexts {
  readonly [name: string]: string | NamedTexts | null;
}

/** The same for texts by name. */
export const stringifyTexts = (texts: NamedTexts): string => JSON.stringify(texts);

/** A value whose large integers are no amounts: they are written as integers, whatever a client asks for. */
export function withRawIntegers(value: unknown): unknown {
  if (typeof value === "bigint") return writeInteger(value);
  if (Array.isArray(value)) return value.map(withRawIntegers);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, withRawIntegers(member)]),
  );
}

/** Most amounts are small, and a number is written several times as fast as raw JSON. */
const writeInteger = (integer: bigint): number | object =>
  integer <= Number.MAX_SAFE_INTEGER && integer >= Number.MIN_SAFE_INTEGER
    ? Number(integer)
    : JSON.rawJSON(integer.toString());

/** How a JSON number that is no integer literal was written. */
export const decimalSource = (decimal: symbol): string => decimal.description ?? "";

/** Longest integer that is read, in digits: reading takes time with the square of them. */
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

/** The JSON of a value that was written where the value is, and is passed on as it is. */
export type JsonText<T> = string & { readonly [written]: T };

declare const writtenItems: unique symbol;

/** The JSON of values, with commas between them, as it stands inside of a list. */
export type ItemsText<T> = string & { readonly [writtenItems]: T };

/** A text as a JSON string. */
export const quoteJson = (text: string): string => JSON.stringify(text);
