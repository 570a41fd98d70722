import { type AddressPattern, exactAddress, parseAddressPattern } from "./address-pattern.ts";
import { AppError } from "#platform/errors.ts";
import { type Filter, parseFilterText } from "#platform/filter/filter.ts";
import { likePrefix } from "#platform/filter/like.ts";
import {
  booleanOf,
  dateOf,
  integerOf,
  invalidValue,
  membersOf,
  notAllowed,
  type OperandReader,
  type ParsedTest,
  parseKey,
  patternOf,
  textAmong,
  textOf,
  unknownKey,
} from "#platform/filter/operands.ts";
import { FifoCache, frozen } from "#platform/memo.ts";
import type { Timestamp } from "#platform/time.ts";

/**
 * A filter whose keys and values were checked against a resource. A reader finds the rows that may match by an index, if
 * some test has one, and tests each row with `compileFilter`.
 */
export type LedgerFilter =
  | { readonly kind: "all" | "any"; readonly filters: readonly LedgerFilter[] }
  | { readonly kind: "not"; readonly filter: LedgerFilter }
  | FilterTest;

export type FilterTest =
  | ({ readonly kind: "number"; readonly key: string } & Compared<bigint>)
  | ({ readonly kind: "date"; readonly key: string } & Compared<Timestamp>)
  | { readonly kind: "text"; readonly key: string; readonly values: readonly string[] }
  | { readonly kind: "like"; readonly key: string; readonly pattern: string }
  | { readonly kind: "boolean"; readonly key: string; readonly value: boolean }
  /** The address matches any of the patterns. */
  | { readonly kind: "address"; readonly key: string; readonly patterns: readonly AddressPattern[] }
  | { readonly kind: "addressLike"; readonly key: string; readonly pattern: string }
  /** The metadata key `name` has one of the values. */
  | { readonly kind: "metadata"; readonly name: string; readonly values: readonly string[] }
  | { readonly kind: "metadataLike"; readonly name: string; readonly pattern: string }
  | { readonly kind: "metadataExists"; readonly name: string }
  /** The balance of an asset or, without `asset`, of any asset that the account has. */
  | ({ readonly kind: "balance"; readonly asset: string | undefined } & Compared<bigint>)
  | { readonly kind: "balanceExists"; readonly asset: string };

export type Comparison = "$match" | "$lt" | "$lte" | "$gt" | "$gte";

interface Compared<V> {
  readonly operator: Comparison;
  readonly value: V;
}

export type FilteredResource = keyof typeof KEYS;

export type KeyType = "number" | "date" | "text" | "boolean" | "address" | "balance" | "metadata";

/** The keys that the filters of each resource may use. */
const KEYS = {
  transactions: {
    id: "number",
    reference: "text",
    timestamp: "date",
    inserted_at: "date",
    updated_at: "date",
    reverted_at: "date",
    reverted: "boolean",
    account: "address",
    source: "address",
    destination: "address",
    metadata: "metadata",
  },
  accounts: {
    address: "address",
    first_usage: "date",
    insertion_date: "date",
    updated_at: "date",
    balance: "balance",
    metadata: "metadata",
  },
  volumes: {
    account: "address",
    address: "address",
    balance: "balance",
    first_usage: "date",
    metadata: "metadata",
  },
  balances: { address: "address", metadata: "metadata" },
  logs: { id: "number", date: "date", type: "text" },
  schemas: { version: "text", created_at: "date" },
} as const satisfies Record<string, Readonly<Record<string, KeyType>>>;

/** The values of keys that accept only a closed set of texts. */
const VALUES: Readonly<
  Partial<Record<FilteredResource, Readonly<Record<string, readonly string[]>>>>
> = {
  logs: {
    type: [
      "NEW_TRANSACTION",
      "REVERTED_TRANSACTION",
      "SET_METADATA",
      "DELETE_METADATA",
      "INSERTED_SCHEMA",
    ],
  },
};

/**
 * The most tests of a filter that no index serves. Each such test reads every account or reference.
 */
export const SCANNING_TESTS_MAX = 20;

/** The filters that were parsed last. The pages of a list, and clients that poll, repeat their filter. */
const parsedFilters = new FifoCache<LedgerFilter>({ sizeMax: 64, keyLengthMax: 512 });

/**
 * Parses the filter of a list from its JSON text. Throws `VALIDATION`, naming the key. Equal texts may give the same
 * object, which is frozen.
 */
export function parseLedgerFilter(
  resource: FilteredResource,
  text: string | undefined,
): LedgerFilter | undefined {
  if (text === undefined) return undefined;
  const question = `${resource} ${text}`;
  const known = parsedFilters.get(question);
  if (known !== undefined) return known;
  const filter = readLedgerFilter(resource, text);
  if (filter !== undefined) parsedFilters.set(question, frozen(filter));
  return filter;
}

function readLedgerFilter(resource: FilteredResource, text: string): LedgerFilter | undefined {
  const parsed = parseFilterText(text);
  if (parsed === undefined) return undefined;
  const filter = toLedgerFilter(resource, parsed);
  const scanning = [...testsOf(filter)].filter(isScanning).length;
  if (scanning <= SCANNING_TESTS_MAX) return filter;
  throw invalid(
    `the filter has more than ${SCANNING_TESTS_MAX} tests of balances, or of patterns that do not begin with a fixed text`,
  );
}

function isScanning(test: FilterTest): boolean {
  switch (test.kind) {
    case "like":
    case "addressLike":
    case "metadataLike":
      return likePrefix(test.pattern) === "";
    case "address":
      return test.patterns.some(({ segments }) => segments[0] === "");
    case "balance":
    case "balanceExists":
      return true;
    default:
      return false;
  }
}

/** The work of a filter for a row, as a multiple of the work of an ordinary filter. */
export const weightOf = (filter: LedgerFilter | undefined): number =>
  filter === undefined ? 1 : Math.max(1, [...testsOf(filter)].length / TESTS_OF_ROW);

/** The number of tests that take as long as reading a row. */
const TESTS_OF_ROW = 10;

/** Checks a filter against the keys of a resource. Throws `VALIDATION`, naming the key. */
export function toLedgerFilter(resource: FilteredResource, filter: Filter): LedgerFilter {
  switch (filter.kind) {
    case "all":
    case "any":
      return {
        kind: filter.kind,
        filters: filter.filters.map((it) => toLedgerFilter(resource, it)),
      };
    case "not":
      return { kind: "not", filter: toLedgerFilter(resource, filter.filter) };
    case "test":
      return toTest(resource, filter);
  }
}

/** A test whose key is known. `name` is the text in the brackets. */
interface NamedTest extends ParsedTest {
  readonly base: string;
  readonly name: string | undefined;
  readonly allowed: readonly string[] | undefined;
}

const MAPS: ReadonlySet<KeyType> = new Set(["balance", "metadata"]);

function toTest(resource: FilteredResource, test: ParsedTest): LedgerFilter {
  const { base, name } = parseKey(test.key);
  const type = keyTypeOf(resource, test.key);
  if (type === undefined) throw unknownKey(test);
  return READERS[type]({ ...test, base, name, allowed: VALUES[resource]?.[base] });
}

/** The type of a key's values. Undefined for unknown keys, and for brackets after keys that take none. */
export function keyTypeOf(resource: FilteredResource, key: string): KeyType | undefined {
  const { base, name } = parseKey(key);
  const keys: Readonly<Record<string, KeyType>> = KEYS[resource];
  const type = Object.hasOwn(keys, base) ? keys[base] : undefined;
  return type === undefined || name === undefined || MAPS.has(type) ? type : undefined;
}

const READERS: Readonly<Record<KeyType, (test: NamedTest) => LedgerFilter>> = {
  number: (test) => ({ kind: "number", key: test.base, ...comparedOf(test, integerOf) }),
  date: (test) => ({ kind: "date", key: test.base, ...comparedOf(test, dateOf) }),
  boolean: booleanTest,
  text: textTest,
  address: addressTest,
  metadata: metadataTest,
  balance: balanceTest,
};

function booleanTest(test: NamedTest): FilterTest {
  if (test.operator !== "$match") throw notAllowed(test);
  return { kind: "boolean", key: test.base, value: booleanOf(test, test.value) };
}

function textTest(test: NamedTest): FilterTest {
  const { base: key, allowed } = test;
  if (test.operator === "$like") return { kind: "like", key, pattern: patternOf(test) };
  const read = allowed === undefined ? textOf : textAmong(allowed);
  return { kind: "text", key, values: membersOf(test, read) };
}

function addressTest(test: NamedTest): FilterTest {
  if (test.operator === "$like") {
    return { kind: "addressLike", key: test.base, pattern: patternOf(test) };
  }
  const texts = membersOf(test, textOf);
  const patterns = texts.map(parseAddressPattern);
  const partial = patterns.findIndex((pattern) => exactAddress(pattern) === undefined);
  if (test.operator === "$in" && partial !== -1) {
    throw invalidValue(test, texts[partial] ?? "", "$in takes full addresses");
  }
  return { kind: "address", key: test.base, patterns };
}

/** On `metadata` without brackets, `$exists` and `$match` take the name of a key. On `metadata[key]`, `$exists` takes a boolean. */
function metadataTest(test: NamedTest): LedgerFilter {
  const { operator, name, value } = test;
  if (name === undefined) {
    if (operator !== "$exists" && operator !== "$match") throw notAllowed(test);
    return { kind: "metadataExists", name: textOf(test, value) };
  }
  if (operator === "$exists") {
    const exists: FilterTest = { kind: "metadataExists", name };
    return booleanOf(test, value) ? exists : { kind: "not", filter: exists };
  }
  if (operator === "$like") return { kind: "metadataLike", name, pattern: patternOf(test) };
  return { kind: "metadata", name, values: membersOf(test, textOf) };
}

/** On `balance`, `$exists` takes an asset; on `balance[asset]`, it takes a boolean. */
function balanceTest(test: NamedTest): LedgerFilter {
  const { operator, name, value } = test;
  if (operator !== "$exists") {
    return { kind: "balance", asset: name, ...comparedOf(test, integerOf) };
  }
  const exists: FilterTest = { kind: "balanceExists", asset: name ?? textOf(test, value) };
  return name === undefined || booleanOf(test, value) ? exists : { kind: "not", filter: exists };
}

function comparedOf<V>(test: NamedTest, read: OperandReader<V>): Compared<V> {
  const operator = COMPARISONS.find((known) => known === test.operator);
  if (operator === undefined) throw notAllowed(test);
  return { operator, value: read(test, test.value) };
}

const COMPARISONS: readonly Comparison[] = ["$match", "$lt", "$lte", "$gt", "$gte"];

const invalid = (message: string): AppError => new AppError("VALIDATION", message);

/** All tests of a filter, from left to right. */
export function* testsOf(filter: LedgerFilter): Generator<FilterTest> {
  switch (filter.kind) {
    case "all":
    case "any":
      for (const inner of filter.filters) yield* testsOf(inner);
      break;
    case "not":
      yield* testsOf(filter.filter);
      break;
    default:
      yield filter;
  }
}
