import { type SortedRange, sortedRanges } from "./account-paths.ts";
import { type AsOf, CROSSED_MAX } from "#ledger-engine/read/scan/account-volumes.ts";
import { type BalanceBound, OPERATORS } from "#ledger-engine/read/scan/volume-statements.ts";
import {
  type AddressPattern,
  addressRanges,
  exactAddress,
} from "#ledger-engine/rules/filters/address-pattern.ts";
import type { FilterTest, LedgerFilter } from "#ledger-engine/rules/filters/filters.ts";
import { ANY_CHARACTER, ANY_TEXT, parseLike } from "#platform/filter/like.ts";
import type { Sql, SqlValue } from "#platform/sql/sql.ts";

/** A condition of a statement about `account`, with the values that it binds. */
export interface Condition {
  readonly where: string;
  readonly bindings: readonly SqlValue[];
}

/** The longest `GLOB` pattern that the platform accepts, in bytes. */
const GLOB_BYTES_MAX = 50;
/** The most tests that SQL makes for a row. */
const TESTS_MAX = 8;
const INTEGER_MAX = 2n ** 63n - 1n;

/**
 * The part of a filter that SQL can test without an index: a condition that holds for every match, and for few other
 * accounts; undefined if there is none. `asOf` is the point in time of balances; if undefined, balances are not tested.
 */
export function siftOf(
  sql: Sql,
  filter: LedgerFilter | undefined,
  asOf: AsOf | undefined,
): Condition | undefined {
  if (filter === undefined) return undefined;
  const balancesAt = asOf?.date === undefined ? asOf?.lastTx : undefined;
  return conditionOf(filter, { sql, balancesAt });
}

interface SiftContext {
  readonly sql: Sql;
  /** The last transaction that counts for balances; undefined if balances are not tested. */
  readonly balancesAt: number | undefined;
}

function conditionOf(filter: LedgerFilter, context: SiftContext): Condition | undefined {
  switch (filter.kind) {
    case "all":
      return joined(
        filter.filters.flatMap((it) => conditionOf(it, context) ?? []).slice(0, TESTS_MAX),
        "AND",
      );
    case "any":
      return anyOf(filter.filters.map((it) => conditionOf(it, context)));
    case "not":
      return undefined;
    default:
      return conditionOfTest(filter, context);
  }
}

function conditionOfTest(test: FilterTest, context: SiftContext): Condition | undefined {
  switch (test.kind) {
    case "address":
      return anyOf(test.patterns.map(patternCondition));
    case "addressLike":
      return globCondition(likeGlob(test.pattern));
    case "balance":
      return balanceCondition(test, test.asset, context);
    default:
      return undefined;
  }
}

const joined = (conditions: readonly Condition[], operator: "AND" | "OR"): Condition | undefined =>
  conditions.length === 0
    ? undefined
    : {
        where: `(${conditions.map(({ where }) => where).join(` ${operator} `)})`,
        bindings: conditions.flatMap(({ bindings }) => bindings),
      };

/** The disjunction of conditions; undefined if some part is undefined. An empty filter is always true, without a condition. */
function anyOf(parts: readonly (Condition | undefined)[]): Condition | undefined {
  const known = parts.filter((part) => part !== undefined);
  return known.length < parts.length || known.length > TESTS_MAX ? undefined : joined(known, "OR");
}

function patternCondition(pattern: AddressPattern): Condition | undefined {
  const exact = exactAddress(pattern);
  if (exact !== undefined) return { where: "address = ?", bindings: [exact] };
  const glob = globCondition(patternGlob(pattern));
  if (pattern.isOpen) return glob;
  const colons = { where: `${COLONS} = ?`, bindings: [pattern.segments.length - 1] };
  return joined(glob === undefined ? [colons] : [colons, glob], "AND");
}

/** The number of colons of an address. */
const COLONS = "length(address) - length(replace(address, ':', ''))";

/** A filter by addresses that SQL decides exactly. */
export interface ExactPattern {
  readonly ranges: readonly SortedRange[];
  readonly glob: string;
  /** The number of colons of a matching address. With it, each `*` of the pattern stands for one segment. */
  readonly colons: number;
}

/** The form of a filter by one pattern with open segments and a fixed number of segments; undefined for other filters. */
export function exactPattern(filter: LedgerFilter | undefined): ExactPattern | undefined {
  if (filter?.kind !== "address" || filter.patterns.length > 1) return undefined;
  const [pattern] = filter.patterns;
  if (pattern === undefined || pattern.isOpen || !pattern.segments.includes("")) return undefined;
  const glob = patternGlob(pattern);
  if (!isShortGlob(glob)) return undefined;
  return {
    ranges: sortedRanges(addressRanges(pattern)),
    glob,
    colons: pattern.segments.length - 1,
  };
}

/** A `GLOB` pattern that matches all addresses of a pattern, and others with more segments. */
export const patternGlob = ({ segments, isOpen }: AddressPattern): string =>
  segments.map((segment) => (segment === "" ? "*" : globOf(segment))).join(":") +
  (isOpen ? "*" : "");

/** The `GLOB` pattern that is equivalent to a `LIKE` pattern. */
export const likeGlob = (pattern: string): string =>
  parseLike(pattern)
    .map((item) => (item === ANY_TEXT ? "*" : item === ANY_CHARACTER ? "?" : globOf(item)))
    .join("");

const globOf = (text: string): string => text.replaceAll(/[*?[]/g, "[$&]");

/** Whether the platform accepts a `GLOB` pattern of this length. */
export const isShortGlob = (glob: string): boolean => Buffer.byteLength(glob) <= GLOB_BYTES_MAX;

/**
 * The plus sign keeps SQLite from reading the range of the pattern's prefix instead of the narrower range of the statement, which would
 * make each step of a walk as long as the whole walk.
 */
const globCondition = (glob: string): Condition | undefined =>
  isShortGlob(glob) ? { where: "+address GLOB ?", bindings: [glob] } : undefined;

/**
 * The condition that the balance of an asset, or of any asset, passes a test. A balance above 64 bits is a floating-point
 * number in SQL; the condition then holds, and the filter decides.
 */
function balanceCondition(
  { operator, value }: BalanceBound,
  asset: string | undefined,
  { sql, balancesAt }: SiftContext,
): Condition | undefined {
  if (balancesAt === undefined || value > INTEGER_MAX || value < -INTEGER_MAX) return undefined;
  const assets = sql.all<{ id: number }>(
    "SELECT id FROM asset WHERE ?1 IS NULL OR name = ?1 LIMIT ?2 + 0",
    asset ?? null,
    CROSSED_MAX + 1,
  );
  if (assets.length === 0 || assets.length > CROSSED_MAX) return undefined;
  // Only amounts above 2^53 are texts. Comparing them with an empty text takes less time than `typeof`.
  const where = `(SELECT input - output ${OPERATORS[operator]} CAST(? AS INTEGER)
      OR ((input >= '' OR output >= '') AND typeof(input - output) = 'real')
    FROM move WHERE account = account.id AND asset = ? AND tx <= ? ORDER BY tx DESC LIMIT 1)`;
  return joined(
    assets.map(({ id }) => ({ where, bindings: [value.toString(), id, balancesAt] })),
    "OR",
  );
}
