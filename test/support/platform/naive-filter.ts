import { present } from "#platform/assert.ts";
import { parseTimestamp } from "#platform/time.ts";

/** The value of a row for a key, with null for an absent value. Maps contain texts. */
export type NaiveValue = null | string | bigint | boolean | Readonly<Record<string, string>>;
export type NaiveRow = Readonly<Record<string, NaiveValue>>;

/** A filter as the JSON that clients send. */
export type FilterJson = { readonly [operator: string]: unknown };

/** A truth value; undefined for unknown. */
type TruthValue = boolean | undefined;

/** Whether a row matches a well-formed filter, in the plainest way. `dates` are the keys with dates as values. */
export const isNaiveMatch = (
  filter: FilterJson,
  row: NaiveRow,
  dates: ReadonlySet<string>,
): boolean => judge(filter, (test) => judgeTest(test, row, dates)) === true;

interface NaiveTest {
  readonly operator: string;
  readonly key: string;
  readonly value: unknown;
}

function judge(filter: FilterJson, judgeTest: (test: NaiveTest) => TruthValue): TruthValue {
  const [operator, operand] = entryOf(filter);
  switch (operator) {
    case "$and":
    case "$or": {
      const filters = operand as readonly FilterJson[]; // the filter is well-formed
      const verdicts = new Set(filters.map((it) => judge(it, judgeTest)));
      const decisive = operator === "$or";
      if (verdicts.has(decisive)) return decisive;
      if (verdicts.has(undefined)) return undefined;
      return verdicts.size === 0 || !decisive;
    }
    case "$not": {
      const verdict = judge(operand as FilterJson, judgeTest); // the filter is well-formed
      return verdict === undefined ? undefined : !verdict;
    }
    default: {
      const [key, value] = entryOf(operand);
      return judgeTest({ operator, key, value });
    }
  }
}

function judgeTest(test: NaiveTest, row: NaiveRow, dates: ReadonlySet<string>): TruthValue {
  const { operator, key, value } = test;
  const bracket = key.indexOf("[");
  const base = bracket === -1 ? key : key.slice(0, bracket);
  const actual = row[base];
  if (actual === undefined) throw new Error(`no row has the key ${base}`);
  if (isMap(actual)) {
    if (bracket === -1) return Object.hasOwn(actual, String(value));
    const name = key.slice(bracket + 1, -1);
    const member = Object.hasOwn(actual, name) ? (actual[name] ?? null) : null;
    if (operator === "$exists") return (member !== null) === value;
    return member !== null && isRelated(operator, member, value);
  }
  if (operator === "$exists") return (actual !== null) === value;
  if (actual === null) return undefined;
  const read = (item: unknown): unknown => (dates.has(base) ? parseTimestamp(String(item)) : item);
  return isRelated(operator, actual, Array.isArray(value) ? value.map(read) : read(value));
}

function isRelated(operator: string, actual: string | bigint | boolean, value: unknown): boolean {
  if (operator === "$in") return Array.isArray(value) && value.some((it) => isSame(actual, it));
  if (operator === "$match") return isSame(actual, value);
  if (operator === "$like") return isLike(Array.from(String(actual)), Array.from(String(value)));
  const other = typeof actual === "bigint" ? BigInt(String(value)) : String(value);
  switch (operator) {
    case "$lt":
      return actual < other;
    case "$lte":
      return actual <= other;
    case "$gt":
      return actual > other;
    case "$gte":
      return actual >= other;
    default:
      throw new Error(`${operator} does not compare`);
  }
}

/** Whether a value equals the value of a test. An integer may be a number or a `bigint`. */
const isSame = (actual: string | bigint | boolean, value: unknown): boolean =>
  typeof actual === "bigint" ? actual === BigInt(String(value)) : actual === value;

/** SQL's LIKE, character by character: `%` for any text, `_` for one character, `\` before a literal one. */
function isLike(text: readonly string[], pattern: readonly string[]): boolean {
  const [first, ...rest] = pattern;
  if (first === undefined) return text.length === 0;
  if (first === "%") return text.some((_, at) => isLike(text.slice(at), rest)) || isLike([], rest);
  if (first === "\\" && rest.length > 0) {
    return text[0] === rest[0] && isLike(text.slice(1), rest.slice(1));
  }
  return text.length > 0 && (first === "_" || text[0] === first) && isLike(text.slice(1), rest);
}

const isMap = (value: NaiveValue): value is Readonly<Record<string, string>> =>
  typeof value === "object" && value !== null;

function entryOf(value: unknown): [string, unknown] {
  const [entry] = Object.entries(value as object); // the filter is well-formed
  return present(entry, "a well-formed filter has one key on each level");
}
