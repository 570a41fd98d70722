import { textHash } from "#modules/payments/core/text-hash.ts";
import type { Filter, FilterScalar, FilterValue } from "#platform/filter/filter.ts";
import { parseKey, type TestKey } from "#platform/filter/operands.ts";

/** What the Bloom filters of the rows of one table contain; `bloom-index/bloom-index.ts` says what they are for. */
export interface BloomLayoutOptions {
  readonly rowsPerBlock: number;
  /** The bits of a block are those of so many integers, of which JavaScript holds 53 bits each. */
  readonly wordCount: number;
  /** The values of keys of which each row has one: at most 52 values of all keys together. Each value has a bit of its own. */
  readonly enumKeys: Readonly<Record<string, readonly string[]>>;
  /** Keys whose values are integers. */
  readonly amountKeys: readonly string[];
  /** Keys whose values are texts, with the part of a filter's value that terms contain; undefined if no row has the value. */
  readonly textKeys: Readonly<Record<string, (value: string) => string | undefined>>;
  /** Keys of texts that have few values in all rows together. */
  readonly lowCardinalityKeys: readonly string[];
}

/** A row as filters see it: the values of the keys that it has. */
export interface IndexedRow {
  readonly texts: Readonly<Record<string, string | null | undefined>>;
  readonly amounts?: Readonly<Record<string, bigint | null | undefined>>;
  readonly metadata: Readonly<Record<string, string>>;
}

/** Terms that a row must have to pass a filter: at least one of some terms, or what all or any of several queries ask for. */
export type TermQuery =
  | { readonly kind: "anyTerm"; readonly terms: readonly string[] }
  | { readonly kind: "all" | "any"; readonly queries: readonly TermQuery[] };

export const unchanged = (value: string): string => value;

const BITS_PER_WORD = 52;
/**
 * How many bits a term sets in the Bloom filter. The few terms of a key of low cardinality fill hardly more of the filter with eight bits
 * than with three, and a false positive of such a term would be dear: lists ask for it often.
 */
const HASHES = 3;
const LOW_CARDINALITY_HASHES = 8;

/** A statement contains the terms of the values that a filter tests for, and must not get too long. */
const VALUES_MAX = 8;

/**
 * The terms of the rows of one table, such as `status=FAILED`, and the bits that a term sets in the words of a block. Payments have 40 words:
 *
 *     w0         amount: a bit for each sign and number of digits   ┐
 *     w1         initial_amount: likewise                           │ exact: a term has a bit of its own
 *     w2         status, type, scheme: a bit for each value         ┘
 *     w3 … w39   a Bloom filter of 37 × 52 = 1924 bits for all other terms, which share them:
 *                3 bits a term, 8 bits a term of a key of low cardinality
 */
export class BloomLayout {
  readonly rowsPerBlock: number;
  readonly wordCount: number;
  readonly #enums: ReadonlyMap<string, readonly string[]>;
  readonly #amounts: ReadonlySet<string>;
  readonly #texts: ReadonlyMap<string, (value: string) => string | undefined>;
  readonly #lowCardinality: ReadonlySet<string>;
  /** The bits of terms that have a bit of their own. Terms of one key are in one word, so that a statement tests several at once. */
  readonly #exactBits: ReadonlyMap<string, { readonly word: number; readonly bit: number }>;
  /** The first word of the Bloom filter, and the number of its bits. */
  readonly #firstBloomWord: number;
  readonly #bloomBits: number;

  constructor(options: BloomLayoutOptions) {
    const { rowsPerBlock, wordCount, enumKeys, amountKeys, textKeys, lowCardinalityKeys } = options;
    this.rowsPerBlock = rowsPerBlock;
    this.wordCount = wordCount;
    this.#enums = new Map(Object.entries(enumKeys));
    this.#amounts = new Set(amountKeys);
    this.#texts = new Map(Object.entries(textKeys));
    this.#lowCardinality = new Set(lowCardinalityKeys);
    const exactWords = [
      ...amountKeys.map((key) => MAGNITUDES.map(termOf(key))),
      [...this.#enums].flatMap(([key, values]) => values.map(termOf(key))),
    ];
    this.#exactBits = new Map(
      exactWords.flatMap((terms, word) => terms.map((term, bit) => [term, { word, bit }] as const)),
    );
    this.#firstBloomWord = exactWords.length;
    this.#bloomBits = (wordCount - exactWords.length) * BITS_PER_WORD;
  }

  termsOf({ texts, amounts = {}, metadata }: IndexedRow): string[] {
    return [
      ...Object.entries(texts).flatMap(([key, value]) =>
        value === undefined || value === null ? [] : [termOf(key)(value)],
      ),
      ...Object.entries(amounts).flatMap(([key, amount]) =>
        amount === undefined || amount === null
          ? []
          : [termOf(key)(magnitudeOf(amount)), amountTerm(amount)],
      ),
      ...metadataTerms(metadata),
    ];
  }

  /**
   * The bits of a term, as a mask for each word that has some of them. The bits of the Bloom filter come from double hashing (Kirsch and
   * Mitzenmacher, 2006): bit i is `first + i × step`, so that two hashes stand for as many as are needed.
   */
  masksOf(term: string): Map<number, bigint> {
    const exact = this.#exactBits.get(term);
    if (exact !== undefined) return new Map([[exact.word, 1n << BigInt(exact.bit)]]);
    const first = textHash(term);
    const step = (textHash(`${term.length}:${term}`) % (this.#bloomBits - 1)) + 1;
    const masks = new Map<number, bigint>();
    const key = term.slice(0, term.indexOf("="));
    const hashes = this.#lowCardinality.has(key) ? LOW_CARDINALITY_HASHES : HASHES;
    for (let at = 0; at < hashes; at++) {
      const bit = (first + at * step) % this.#bloomBits;
      const word = this.#firstBloomWord + Math.floor(bit / BITS_PER_WORD);
      masks.set(word, (masks.get(word) ?? 0n) | (1n << BigInt(bit % BITS_PER_WORD)));
    }
    return masks;
  }

  /** The words of a block that contains these terms. */
  buildWords(terms: Iterable<string>): bigint[] {
    const words = Array.from({ length: this.wordCount }, () => 0n);
    for (const term of terms) {
      for (const [word, mask] of this.masksOf(term)) words[word] = (words[word] ?? 0n) | mask;
    }
    return words;
  }

  /**
   * The query that every row which passes a filter answers; undefined if terms say nothing about the filter. A row that answers the query
   * does not always pass: the query leaves out the tests that no term decides. The filter itself decides about the rows of a found block.
   */
  termQueryOf(filter: Filter, isNegated = false): TermQuery | undefined {
    switch (filter.kind) {
      case "not":
        return this.termQueryOf(filter.filter, !isNegated);
      case "all":
      case "any": {
        const all = filter.filters.map((it) => this.termQueryOf(it, isNegated));
        const queries = all.filter((query) => query !== undefined);
        const isAll = (filter.kind === "all") !== isNegated;
        return queries.length === 0 || (!isAll && queries.length < all.length)
          ? undefined
          : { kind: isAll ? "all" : "any", queries };
      }
      case "test": {
        const terms = this.#termsOfTest(filter, isNegated);
        return terms === undefined ? undefined : { kind: "anyTerm", terms };
      }
    }
  }

  /** Terms of which a row that passes the test has one, or a row that fails it, if the test is negated. */
  #termsOfTest(test: Test, isNegated: boolean): string[] | undefined {
    const { base, name } = parseKey(test.key);
    if (isNegated) {
      const values = equalTo(test);
      const allValues = this.#enums.get(base);
      return values && allValues?.filter((value) => !values.includes(value)).map(termOf(base));
    }
    if (this.#amounts.has(base)) return amountTerms(base, test);
    const values = equalTo(test)?.map((value) => this.#termOfValue({ base, name }, value));
    return values?.every((term) => term !== undefined) === true ? values : undefined;
  }

  #termOfValue({ base, name }: TestKey, value: FilterScalar): string | undefined {
    if (typeof value !== "string") return undefined;
    if (base === "metadata") return name === undefined ? undefined : metadataTerm(name, value);
    const read = this.#enums.has(base) ? unchanged : this.#texts.get(base);
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

/** All amounts of a row share one key, because several of them are mostly equal and then set the same bits. */
const amountTerm = (amount: bigint): string => `one_amount=${amount}`;

/** Terms of ranges tell amounts apart by sign and number of digits. Amounts with more digits than this are one magnitude. */
const DIGITS_MAX = 24;
const MAGNITUDES = ["+", "-"].flatMap((sign) =>
  Array.from({ length: DIGITS_MAX }, (_, at) => `${sign}${at + 1}`),
);

function magnitudeOf(amount: bigint): string {
  const isNegative = amount < 0n;
  const digits = (isNegative ? -amount : amount).toString().length;
  return `${isNegative ? "-" : "+"}${Math.min(digits, DIGITS_MAX)}`;
}

/** The values of a test for equality; undefined for another test, and for more values than a statement takes. */
function equalTo({ operator, value }: Test): FilterScalar[] | undefined {
  if (operator !== "$match" && operator !== "$in") return undefined;
  const values = [value].flat();
  return values.length <= VALUES_MAX ? values : undefined;
}

/**
 * The terms of the amounts that a test asks for, or of the magnitudes in its range; undefined for a range that reaches beyond zero, which
 * nearly all blocks have amounts in.
 */
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
  const first = Number(magnitudeOf(limit < 0n ? -limit : limit).slice(1));
  return Array.from({ length: DIGITS_MAX - first + 1 }, (_, at) =>
    termOf(key)(`${isAbove ? "+" : "-"}${first + at}`),
  );
}

const isInteger = (value: FilterValue): value is number | bigint =>
  typeof value === "bigint" || (typeof value === "number" && Number.isInteger(value));
