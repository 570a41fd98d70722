import { textHash } from "#modules/payments/core/signature.ts";
import type { Filter, FilterScalar, FilterValue } from "#platform/filter/filter.ts";
import { parseKey, type TestKey } from "#platform/filter/operands.ts";

/**
 * What can be asked of a row by an equality, as texts: `status=FAILED`. A segment of rows keeps the bits of all terms of its rows. A
 * segment that lacks a bit of a term has no row with it. So a filter that fits few rows, or none, reads a number of each segment and
 * the rows of few, where an index of each filter would be billed with a row a row.
 */
export interface TermRules {
  /** How many rows a segment has. */
  readonly size: number;
  /** The bits of a segment are those of so many numbers, of which JavaScript holds 53 bits each. */
  readonly words: number;
  /** The values of keys of which each row has one: together, they have at most 52. */
  readonly sets: Readonly<Record<string, readonly string[]>>;
  /** Keys whose values are integers. */
  readonly amounts: readonly string[];
  /** Keys whose values are texts, and what a term has of the value that a filter names; undefined where no term tells. */
  readonly texts: Readonly<Record<string, (value: string) => string | undefined>>;
  /** Those of them that have few values in all rows together. */
  readonly few: readonly string[];
}

/** A row as filters see it: a value of each key that it has. */
export interface TermedRow {
  readonly texts: Readonly<Record<string, string | null | undefined>>;
  readonly amounts?: Readonly<Record<string, bigint | null | undefined>>;
  readonly metadata: Readonly<Record<string, string>>;
}

/** What a row that fits a filter has: one of some terms, or all or any of several such things. */
export type Needs =
  | { readonly kind: "one"; readonly terms: readonly string[] }
  | { readonly kind: "all" | "any"; readonly of: readonly Needs[] };

export const asItIs = (value: string): string => value;

const BITS_PER_WORD = 52;
/**
 * Terms that have no bit of their own set so many of those that they share. Where a key has few values, more of theirs cost nothing;
 * and as their bits are set nearly everywhere, others are told apart from them by more.
 */
const BITS_PER_TERM = 3;
const BITS_PER_FEW = 8;

/** A filter names the values that it tests for in a statement, which must not get too long. */
const VALUES_MAX = 8;

/** The terms of the rows of one table. */
export class SegmentTerms {
  readonly size: number;
  readonly words: number;
  readonly #sets: ReadonlyMap<string, readonly string[]>;
  readonly #amounts: ReadonlySet<string>;
  readonly #texts: ReadonlyMap<string, (value: string) => string | undefined>;
  readonly #few: ReadonlySet<string>;
  /** The bits of their own that some terms have. Terms of which rows have one of several stand in one number. */
  readonly #places: ReadonlyMap<string, { readonly word: number; readonly bit: number }>;
  /** The number that the shared bits begin with. */
  readonly #sharedFirst: number;

  constructor({ size, words, sets, amounts, texts, few }: TermRules) {
    this.size = size;
    this.words = words;
    this.#sets = new Map(Object.entries(sets));
    this.#amounts = new Set(amounts);
    this.#texts = new Map(Object.entries(texts));
    this.#few = new Set(few);
    const ownBits = [
      ...amounts.map((key) => SIZES.map(termOf(key))),
      [...this.#sets].flatMap(([key, values]) => values.map(termOf(key))),
    ];
    this.#places = new Map(
      ownBits.flatMap((terms, word) => terms.map((term, bit) => [term, { word, bit }] as const)),
    );
    this.#sharedFirst = ownBits.length;
  }

  of({ texts, amounts = {}, metadata }: TermedRow): string[] {
    return [
      ...Object.entries(texts).flatMap(([key, value]) =>
        value === undefined || value === null ? [] : [termOf(key)(value)],
      ),
      ...Object.entries(amounts).flatMap(([key, amount]) =>
        amount === undefined || amount === null
          ? []
          : [termOf(key)(sizeOf(amount)), amountTerm(amount)],
      ),
      ...metadataTerms(metadata),
    ];
  }

  /** The bits of a term, by the number that they stand in. */
  bitsOf(term: string): Map<number, bigint> {
    const own = this.#places.get(term);
    if (own !== undefined) return new Map([[own.word, 1n << BigInt(own.bit)]]);
    const shared = (this.words - this.#sharedFirst) * BITS_PER_WORD;
    const first = textHash(term);
    const step = (textHash(`${term.length}:${term}`) % (shared - 1)) + 1;
    const words = new Map<number, bigint>();
    const count = this.#few.has(term.slice(0, term.indexOf("="))) ? BITS_PER_FEW : BITS_PER_TERM;
    for (let at = 0; at < count; at++) {
      const bit = (first + at * step) % shared;
      const word = this.#sharedFirst + Math.floor(bit / BITS_PER_WORD);
      words.set(word, (words.get(word) ?? 0n) | (1n << BigInt(bit % BITS_PER_WORD)));
    }
    return words;
  }

  /** The numbers that hold the bits of terms. */
  wordsOf(terms: Iterable<string>): bigint[] {
    const words = Array.from({ length: this.words }, () => 0n);
    for (const term of terms) {
      for (const [word, bits] of this.bitsOf(term)) words[word] = (words[word] ?? 0n) | bits;
    }
    return words;
  }

  /**
   * What rows that fit a filter need, undefined where no term tells. What is found by it has to be tested by the filter itself, as
   * tests are left out that no term answers.
   */
  needsOf(filter: Filter, isNegated = false): Needs | undefined {
    switch (filter.kind) {
      case "not":
        return this.needsOf(filter.filter, !isNegated);
      case "all":
      case "any": {
        const of = filter.filters.map((it) => this.needsOf(it, isNegated));
        const known = of.filter((needs) => needs !== undefined);
        const isAll = (filter.kind === "all") !== isNegated;
        return known.length === 0 || (!isAll && known.length < of.length)
          ? undefined
          : { kind: isAll ? "all" : "any", of: known };
      }
      case "test": {
        const terms = this.#termsOfTest(filter, isNegated);
        return terms === undefined ? undefined : { kind: "one", terms };
      }
    }
  }

  /** The terms that a row has one of which passes a test, or which does not pass it. */
  #termsOfTest(test: Test, isNegated: boolean): string[] | undefined {
    const { base, name } = parseKey(test.key);
    if (isNegated) {
      const values = equalTo(test);
      const set = this.#sets.get(base);
      return values && set?.filter((value) => !values.includes(value)).map(termOf(base));
    }
    if (this.#amounts.has(base)) return amountTerms(base, test);
    const values = equalTo(test)?.map((value) => this.#termOfValue({ base, name }, value));
    return values?.every((text) => text !== undefined) === true ? values : undefined;
  }

  #termOfValue({ base, name }: TestKey, value: FilterScalar): string | undefined {
    if (typeof value !== "string") return undefined;
    if (base === "metadata") return name === undefined ? undefined : metadataTerm(name, value);
    const read = this.#sets.has(base) ? asItIs : this.#texts.get(base);
    const text = read?.(value);
    return text === undefined ? undefined : termOf(base)(text);
  }
}

type Test = Extract<Filter, { kind: "test" }>;

const termOf = (key: string) => (value: string) => `${key}=${value}`;

export const metadataTerms = (metadata: Readonly<Record<string, string>>): string[] =>
  Object.entries(metadata).map(([name, value]) => metadataTerm(name, value));

const metadataTerm = (name: string, value: string): string =>
  `metadata=${name.length}:${name}${value}`;

/** One for all amounts of a row, as several of these are mostly the same. */
const amountTerm = (amount: bigint): string => `one_amount=${amount}`;

/** Ranges of amounts are told apart by their sign and their number of digits, up to this one. */
const DIGITS_MAX = 24;
const SIZES = ["+", "-"].flatMap((sign) =>
  Array.from({ length: DIGITS_MAX }, (_, at) => `${sign}${at + 1}`),
);

function sizeOf(amount: bigint): string {
  const isNegative = amount < 0n;
  const digits = (isNegative ? -amount : amount).toString().length;
  return `${isNegative ? "-" : "+"}${Math.min(digits, DIGITS_MAX)}`;
}

/** The values of a test for equality, where there are few of them. */
function equalTo({ operator, value }: Test): FilterScalar[] | undefined {
  if (operator !== "$match" && operator !== "$in") return undefined;
  const values = [value].flat();
  return values.length <= VALUES_MAX ? values : undefined;
}

/** The amounts that are asked for, or the sizes that amounts may have which fit; undefined where these are too many. */
function amountTerms(key: string, test: Test): string[] | undefined {
  const values = equalTo(test);
  if (values !== undefined) {
    return values.every(isInteger) ? values.map((value) => amountTerm(BigInt(value))) : undefined;
  }
  const { operator, value } = test;
  if (!isInteger(value)) return undefined;
  const limit = BigInt(value);
  const isAbove = (operator === "$gt" || operator === "$gte") && limit >= 0n;
  const isBelow = (operator === "$lt" && limit <= 0n) || (operator === "$lte" && limit < 0n);
  if (!isAbove && !isBelow) return undefined;
  const first = Number(sizeOf(limit < 0n ? -limit : limit).slice(1));
  return Array.from({ length: DIGITS_MAX - first + 1 }, (_, at) =>
    termOf(key)(`${isAbove ? "+" : "-"}${first + at}`),
  );
}

const isInteger = (value: FilterValue): value is number | bigint =>
  typeof value === "bigint" || (typeof value === "number" && Number.isInteger(value));
