import { PAYMENT_SCHEMES, PAYMENT_STATUSES, PAYMENT_TYPES } from "./enums.ts";
import { textHash } from "./signature.ts";
import { decodeConnectorId, decodeOwnedId } from "#modules/payments/core/ids.ts";
import type { Filter, FilterScalar, FilterValue } from "#platform/filter/filter.ts";
import { parseKey, type TestKey } from "#platform/filter/operands.ts";

/**
 * What can be asked of a payment by an equality, as texts: `status=FAILED`. A segment of payments keeps the bits of all terms of its
 * payments. A segment that lacks a bit of a term has no payment with it. So a filter that fits few payments, or none, reads a number
 * of each segment and the payments of few, where an index of each filter would be billed with a row a payment.
 */
export const SEGMENT_SIZE = 32;
/** The bits are those of so many numbers, of which JavaScript holds 53 bits each. */
export const WORDS = 40;
const BITS_PER_WORD = 52;

/** Ranges of amounts are told apart by their sign and their number of digits, up to this one. */
const DIGITS_MAX = 24;
const SIZES = ["+", "-"].flatMap((sign) =>
  Array.from({ length: DIGITS_MAX }, (_, at) => `${sign}${at + 1}`),
);

/** Terms that have a bit of their own, by the number that it stands in: what payments have one of a few of. */
const OWN_BITS: readonly (readonly string[])[] = [
  SIZES.map((size) => `amount=${size}`),
  SIZES.map((size) => `initial_amount=${size}`),
  [
    ...PAYMENT_STATUSES.map((status) => `status=${status}`),
    ...PAYMENT_TYPES.map((type) => `type=${type}`),
    ...PAYMENT_SCHEMES.map((scheme) => `scheme=${scheme}`),
  ],
];
const PLACES = new Map(
  OWN_BITS.flatMap((terms, word) => terms.map((term, bit) => [term, { word, bit }] as const)),
);

/**
 * All others share the bits of the numbers that follow: each sets three. Connectors and assets are few, so that more of theirs cost
 * nothing; and as their bits are set nearly everywhere, others are told apart from them by more.
 */
const SHARED_FIRST = OWN_BITS.length;
const SHARED_BITS = (WORDS - SHARED_FIRST) * BITS_PER_WORD;
const BITS_PER_TERM = 3;
const BITS_PER_FEW = 8;
const OF_FEW = /^(?:connector_id|asset)=/;

/** The bits of a term, by the number that they stand in. */
export function bitsOf(term: string): Map<number, bigint> {
  const own = PLACES.get(term);
  if (own !== undefined) return new Map([[own.word, 1n << BigInt(own.bit)]]);
  const first = textHash(term);
  const step = (textHash(`${term.length}:${term}`) % (SHARED_BITS - 1)) + 1;
  const words = new Map<number, bigint>();
  const count = OF_FEW.test(term) ? BITS_PER_FEW : BITS_PER_TERM;
  for (let at = 0; at < count; at++) {
    const bit = (first + at * step) % SHARED_BITS;
    const word = SHARED_FIRST + Math.floor(bit / BITS_PER_WORD);
    words.set(word, (words.get(word) ?? 0n) | (1n << BigInt(bit % BITS_PER_WORD)));
  }
  return words;
}

/** The numbers that hold the bits of terms. */
export function wordsOf(terms: Iterable<string>): bigint[] {
  const words = Array.from({ length: WORDS }, () => 0n);
  for (const term of terms) {
    for (const [word, bits] of bitsOf(term)) words[word] = (words[word] ?? 0n) | bits;
  }
  return words;
}

export interface TermedPayment {
  readonly type: string;
  readonly status: string;
  readonly scheme: string;
  readonly asset: string;
  readonly initialAmount: bigint;
  readonly amount: bigint;
  /** The references of the accounts, whatever connector they are of. */
  readonly source?: string;
  readonly destination?: string;
  readonly psuId?: string | null;
  readonly connectionId?: string | null;
  /** The UUID in the id of its connector. */
  readonly connector: string;
  readonly metadata: Readonly<Record<string, string>>;
}

export function termsOf(payment: TermedPayment): string[] {
  const { type, status, scheme, asset, connector, source, destination } = payment;
  const named = {
    type,
    status,
    scheme,
    asset,
    connector_id: connector,
    source_account_id: source,
    destination_account_id: destination,
    psu_id: payment.psuId,
    open_banking_connection_id: payment.connectionId,
    initial_amount: sizeOf(payment.initialAmount),
    amount: sizeOf(payment.amount),
  };
  return [
    ...Object.entries(named).flatMap(([name, value]) =>
      value === undefined || value === null ? [] : [`${name}=${value}`],
    ),
    amountTerm(payment.amount),
    amountTerm(payment.initialAmount),
    ...metadataTerms(payment.metadata),
  ];
}

export const metadataTerms = (metadata: Readonly<Record<string, string>>): string[] =>
  Object.entries(metadata).map(([name, value]) => metadataTerm(name, value));

const metadataTerm = (name: string, value: string): string =>
  `metadata=${name.length}:${name}${value}`;

/** One for both amounts of a payment, as these are nearly always the same. */
const amountTerm = (amount: bigint): string => `one_amount=${amount}`;

function sizeOf(amount: bigint): string {
  const isNegative = amount < 0n;
  const digits = (isNegative ? -amount : amount).toString().length;
  return `${isNegative ? "-" : "+"}${Math.min(digits, DIGITS_MAX)}`;
}

/** What a payment that fits a filter has: one of some terms, or all or any of several such things. */
export type Needs =
  | { readonly kind: "one"; readonly terms: readonly string[] }
  | { readonly kind: "all" | "any"; readonly of: readonly Needs[] };

/**
 * What payments that fit a filter need, undefined where no term tells. What is found by it has to be tested by the filter itself,
 * as tests are left out that no term answers.
 */
export function needsOf(filter: Filter, isNegated = false): Needs | undefined {
  switch (filter.kind) {
    case "not":
      return needsOf(filter.filter, !isNegated);
    case "all":
    case "any": {
      const of = filter.filters.map((it) => needsOf(it, isNegated));
      const known = of.filter((needs) => needs !== undefined);
      const isAll = (filter.kind === "all") !== isNegated;
      return known.length === 0 || (!isAll && known.length < of.length)
        ? undefined
        : { kind: isAll ? "all" : "any", of: known };
    }
    case "test": {
      const terms = termsOfTest(filter, isNegated);
      return terms === undefined ? undefined : { kind: "one", terms };
    }
  }
}

type Test = Extract<Filter, { kind: "test" }>;

/** The terms that a payment has one of which passes a test, or which does not pass it. */
function termsOfTest(test: Test, isNegated: boolean): string[] | undefined {
  const { base, name } = parseKey(test.key);
  const set = CLOSED_SETS.get(base);
  if (isNegated) {
    const values = set === undefined ? undefined : equalTo(test);
    return values && set?.filter((value) => !values.includes(value)).map(termOf(base));
  }
  if (base === "amount" || base === "initial_amount") return amountTerms(base, test);
  const values = equalTo(test)?.map((value) => textOfTerm({ base, name }, value));
  return values?.every((text) => text !== undefined) === true ? values : undefined;
}

/** The values of a test for equality, where there are few of them, so that a statement that names them is not too long. */
function equalTo({ operator, value }: Test): FilterScalar[] | undefined {
  if (operator !== "$match" && operator !== "$in") return undefined;
  const values = [value].flat();
  return values.length <= VALUES_MAX ? values : undefined;
}

const VALUES_MAX = 8;

const termOf = (base: string) => (value: string) => `${base}=${value}`;

/** Every payment has one value of each of them. */
const CLOSED_SETS = new Map<string, readonly string[]>([
  ["status", PAYMENT_STATUSES],
  ["type", PAYMENT_TYPES],
  ["scheme", PAYMENT_SCHEMES],
]);

function textOfTerm({ base, name }: TestKey, value: FilterScalar): string | undefined {
  if (typeof value !== "string") return undefined;
  if (base === "metadata") return name === undefined ? undefined : metadataTerm(name, value);
  const text = TERM_VALUES.get(base)?.(value);
  return text === undefined ? undefined : termOf(base)(text);
}

const asItIs = (value: string): string => value;
const accountOf = (value: string): string | undefined => decodeOwnedId(value)?.reference;

/** What a term has of the value that a filter names. */
const TERM_VALUES = new Map<string, (value: string) => string | undefined>([
  ...["type", "status", "scheme", "asset", "psu_id", "open_banking_connection_id"].map(
    (key) => [key, asItIs] as const,
  ),
  ["connector_id", (value) => decodeConnectorId(value)?.reference],
  ["source_account_id", accountOf],
  ["destination_account_id", accountOf],
]);

/** The amounts that are asked for, or the sizes that amounts may have which fit; undefined where these are too many. */
function amountTerms(base: string, test: Test): string[] | undefined {
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
    termOf(base)(`${isAbove ? "+" : "-"}${first + at}`),
  );
}

const isInteger = (value: FilterValue): value is number | bigint =>
  typeof value === "bigint" || (typeof value === "number" && Number.isInteger(value));
